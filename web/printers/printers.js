/** @import { Language, Printer } from '../shell/shapes.js' */

import { newestOf } from '../labels/open-labels.js'
import { drawPrinterPicture } from '../labels/pictures.js'
import { onItsWay } from '../labels/words.js'
import { loadStyles } from '../shell/styles.js'
import { t, tell } from '../shell/texts.js'
import { createCards } from '../widgets/cards.js'
import { confirm, createDialog } from '../widgets/dialog.js'
import { el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'
import { createAddPrinter } from './add-printer.js'
import { calibrate } from './calibrate.js'
import { createFound } from './found.js'
import { drawPrinter } from './printer-card.js'
import { createPrinterForm } from './printer-form.js'
import { isAtBox, printStartLabel } from './start-label.js'

/**
 * The view of the printers: those that are known with what can be done to them, those that can be seen, and the form
 * for one more.
 * @param {object} parts
 * @param {HTMLElement} parts.root
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/admin.js').Admin} parts.admin
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/notice.js').Notice} parts.notice
 * @param {typeof import('./peers.js').lookForPeers} parts.lookForPeers imported here it would be one piece more of the first look
 */
export async function createPrintersView(parts) {
  const { root, store, api } = parts
  const [session, { languages }] = await Promise.all([
    api.loadSession(),
    api.call('GET', '/info'),
    loadStyles('forms.css'),
    loadStyles('cards.css'),
  ])
  const list = el('ol', { class: 'cards', 'aria-label': t('printers') })
  const none = el(
    'div',
    { class: 'empty' },
    drawPrinterPicture(),
    el('strong', {}, t('noPrinter')),
    el('span', {}, t('noPrinterYet')),
  )
  const noDefault = el('p', { class: 'no-default' }, icon('warn'), t('noDefaultHere'))
  const found = createFound(parts)
  const { act, speak } = createPrinterActions({ ...parts, onRemoved: found.look })
  const cards = createCards(list, {
    keyOf: (/** @type {Printer} */ printer) => printer.name,
    draw: (printer) =>
      drawPrinter(printer, {
        hasStart: session.startLabel && isAtBox(printer),
        languages,
        act,
        speak,
      }),
  })
  const adder = createAddPrinter({
    languages,
    admin: parts.admin,
    add: (printer) => found.add(printer),
  })
  root.replaceChildren(
    el('h2', {}, t('printers')),
    noDefault,
    none,
    list,
    found.element,
    adder.element,
  )

  /** @param {Printer[]} printers */
  function draw(printers) {
    none.hidden = printers.length > 0
    noDefault.hidden = none.hidden === false || printers.some((printer) => printer.default)
    cards.update(printers)
  }

  store.onPrinters(draw)
  draw([...store.printers.values()])

  return {
    /** @param {string} part `add`: begin with a new printer */
    open(part) {
      found.watch()
      if (part === 'add') adder.open()
    },
    close: found.rest,
  }
}

/** The actions that change no settings. @type {import('./printer-card.js').Action[]} */
const AT_PRINTER = ['test', 'start', 'calibrate', 'cancel']

/**
 * Makes the actions of a printer's buttons; a second press while the first is under way does nothing, and settings change one
 * after the other.
 * @param {Parameters<typeof createPrintersView>[0] & { onRemoved: () => Promise<void> }} parts
 */
function createPrinterActions({ api, admin, store, notice, lookForPeers, onRemoved }) {
  const question = createDialog('ask-dialog')
  const form = createPrinterForm({ api, admin, store, notice, lookForPeers })
  /** The actions under way. @type {Set<string>} */
  const busy = new Set()

  /** Refreshes the page; if that fails, the action itself was still done. */
  const refresh = () => store.refresh().catch(() => undefined)

  /** @param {Printer} printer */
  const pathOf = (printer) => `/printers/${encodeURIComponent(printer.name)}`

  /** @type {Record<import('./printer-card.js').Action, (printer: Printer) => Promise<void>>} */
  const moves = {
    async test(printer) {
      await api.call('POST', `${pathOf(printer)}/test`, {}, { Prefer: 'wait=0' })
      notice.tell(onItsWay(t('testLabel'), printer))
    },
    start: (printer) => printStartLabel({ api, notice }, printer),
    calibrate: (printer) => calibrate({ api, notice }, printer.name),
    change: (printer) => form.open(printer),
    async default(printer) {
      const config = await admin.call('GET', '/config')
      if (config === undefined) return
      const wanted = { ...config, printer: printer.name }
      if ((await admin.call('PUT', '/config', wanted)) === undefined) return
      await refresh()
      notice.tell(t('nowDefault', { name: printer.name }))
    },
    async cancel(printer) {
      const last = newestOf(store)
      const isMeant = await confirm(question, {
        title: t('cancelAllOf', { printer: printer.name }),
        text: t('cancelAllText'),
        yes: t('cancelThem'),
        no: t('keepThem'),
      })
      if (!isMeant) return
      const body = { printer: printer.name, last }
      const { Message, texts } = await api.call('POST', '/jobs/cancel', body)
      await refresh()
      notice.tell(`${printer.name}: ${tell(texts?.message, Message)}`)
    },
    async remove(printer) {
      const isMeant = await confirm(question, {
        title: t('removeOf', { name: printer.name }),
        text: t('removeText', { name: printer.name }),
        yes: t('removeYes'),
      })
      if (!isMeant) return
      if ((await admin.call('DELETE', pathOf(printer))) === undefined) return
      await Promise.all([refresh(), onRemoved()])
      notice.tell(t('removed', { name: printer.name }))
    },
  }

  /**
   * @param {Printer} printer
   * @param {Language} language
   */
  async function speak(printer, language) {
    const answer = await admin.call('PUT', pathOf(printer), { language: language.name })
    if (answer === undefined) return
    store.putPrinter(answer.printer)
    const values = { name: printer.name, language: language.title }
    notice.tell(t('speaks', values), t('testNow'))
  }

  /** @param {string} what one of its kind at a time @param {() => Promise<void>} move */
  async function run(what, move) {
    if (busy.has(what)) return
    busy.add(what)
    notice.clear()
    await move()
      .catch(notice.fault)
      .finally(() => busy.delete(what))
  }

  return {
    /** @param {import('./printer-card.js').Action} action @param {Printer} printer */
    act(action, printer) {
      const what = AT_PRINTER.includes(action) ? `${action} ${printer.name}` : 'settings'
      void run(what, () => moves[action](printer))
    },
    /** @param {Printer} printer @param {Language} language */
    speak: (printer, language) => void run('settings', () => speak(printer, language)),
  }
}
