/** @import { Language, Printer } from './shapes.js' */
import { createAddPrinter } from './add-printer.js'
import { calibrate } from './calibrate.js'
import { createCards } from './cards.js'
import { confirm, createDialog } from './dialog.js'
import { el } from './element.js'
import { createFound } from './found.js'
import { icon } from './icons.js'
import { drawPrinterPicture } from './pictures.js'
import { drawPrinter } from './printer-card.js'
import { createPrinterForm } from './printer-form.js'
import { isAtBox, printStartLabel } from './start-label.js'
import { loadStyles } from './styles.js'
import { onItsWay } from './words.js'

const NO_DEFAULT =
  'No printer is the default: labels that name no printer are refused. Press “Make default” at one.'

/**
 * The view of the printers: those that are known with what can be done to them, those that can be seen, and the form
 * for one more.
 * @param {object} parts
 * @param {HTMLElement} parts.root
 * @param {import('./api.js').Api} parts.api
 * @param {import('./admin.js').Admin} parts.admin
 * @param {import('./store.js').Store} parts.store
 * @param {import('./notice.js').Notice} parts.notice
 */
export async function createPrintersView(parts) {
  const { root, store, api } = parts
  const [session, { languages }] = await Promise.all([
    api.loadSession(),
    api.call('GET', '/info'),
    loadStyles('forms.css'),
    loadStyles('cards.css'),
  ])
  const list = el('ol', { class: 'cards', 'aria-label': 'Printers' })
  const none = el(
    'div',
    { class: 'empty' },
    drawPrinterPicture(),
    el('strong', {}, 'No printer yet'),
    el('span', {}, 'Plug one in by USB: it appears here. Others are searched for or added below.'),
  )
  const noDefault = el('p', { class: 'no-default' }, icon('warn'), NO_DEFAULT)
  const found = createFound(parts)
  const { act, speak } = createPrinterActions({ ...parts, onRemoved: found.look })
  const cards = createCards(list, {
    keyOf: (/** @type {Printer} */ printer) => printer.name,
    draw: (printer) =>
      drawPrinter(printer, {
        isOnly: store.printers.size === 1,
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
    el('h2', {}, 'Printers'),
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

/**
 * What the buttons of a printer do; a second press while the first is under way does nothing.
 * @param {Parameters<typeof createPrintersView>[0] & { onRemoved: () => Promise<void> }} parts
 */
function createPrinterActions({ api, admin, store, notice, onRemoved }) {
  const question = createDialog('ask-dialog')
  const form = createPrinterForm({ admin, store, notice })
  let isBusy = false

  /** @param {Printer} printer */
  const pathOf = (printer) => `/printers/${encodeURIComponent(printer.name)}`

  /** @type {Record<import('./printer-card.js').Action, (printer: Printer) => Promise<void>>} */
  const moves = {
    async test(printer) {
      await api.call('POST', `${pathOf(printer)}/test`, {}, { Prefer: 'wait=0' })
      notice.tell(onItsWay('Test label', printer))
    },
    start: (printer) => printStartLabel({ api, notice }, printer),
    calibrate: (printer) => calibrate({ api, notice }, printer.name),
    change: (printer) => form.open(printer),
    async default(printer) {
      const config = await admin.call('GET', '/config')
      if (config === undefined) return
      await admin.call('PUT', '/config', { ...config, printer: printer.name })
      await store.refresh()
      notice.tell(`Labels that name no printer now go to ${printer.name}.`)
    },
    async cancel(printer) {
      const isMeant = await confirm(question, {
        title: `Cancel all labels of ${printer.name}?`,
        text: 'Every label that waits for it or is on hold is canceled. A label that is being printed goes on.',
        yes: 'Cancel them all',
        no: 'Keep them',
      })
      if (!isMeant) return
      const { Message } = await api.call('POST', '/jobs/cancel', { printer: printer.name })
      await store.refresh()
      notice.tell(`${printer.name}: ${Message}`)
    },
    async remove(printer) {
      const isMeant = await confirm(question, {
        title: `Remove ${printer.name}?`,
        text: `Programs that send labels to “${printer.name}” are refused afterwards. It can be added again.`,
        yes: 'Remove it',
      })
      if (!isMeant) return
      if ((await admin.call('DELETE', pathOf(printer))) === undefined) return
      await Promise.all([store.refresh(), onRemoved()])
      notice.tell(`${printer.name} is removed.`)
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
    notice.tell(`${printer.name} speaks ${language.title}.`, 'Print a test label on it now.')
  }

  /** One at a time. @param {() => Promise<void>} move */
  async function run(move) {
    if (isBusy) return
    isBusy = true
    notice.clear()
    await move()
      .catch(notice.fault)
      .finally(() => {
        isBusy = false
      })
  }

  return {
    /** @param {import('./printer-card.js').Action} action @param {Printer} printer */
    act: (action, printer) => void run(() => moves[action](printer)),
    /** @param {Printer} printer @param {Language} language */
    speak: (printer, language) => void run(() => speak(printer, language)),
  }
}
