/** @import { Printer } from '../shell/shapes.js' */

import { onItsWay } from '../labels/words.js'
import { t } from '../shell/texts.js'
import { byId, el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'
import { calibrate } from './calibrate.js'
import { needsCalibrating, printerFacts, printerWords, slowWords } from './printer-words.js'

const REMEMBERED = 'platen.printer'

/**
 * The dropdown of printers, the state of the one chosen, and *Print Test Label*.
 * @param {object} parts
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../shell/notice.js').Notice} parts.notice
 */
export function createPrinterPanel({ store, api, notice }) {
  const select = /** @type {HTMLSelectElement} */ (byId('printer'))
  const state = byId('printer-state')
  const test = /** @type {HTMLButtonElement} */ (byId('test'))
  /** @type {(() => void)[]} */
  const listeners = []
  let shown = ''
  let isTesting = false
  /** The one that a person chose, here or earlier in this browser. @type {string | undefined} */
  let wanted = recall()

  /** @returns {Printer | undefined} */
  const chosen = () => store.printers.get(select.value)

  /** @param {Printer[]} printers */
  function draw(printers) {
    const names = printers.map((printer) => printer.name)
    const usual = [select.value, printers.find((p) => p.default)?.name, names[0]]
    // Where the one that was chosen was renamed or removed, another one would be another bench.
    const kept = wanted === undefined || names.length === 1 ? [wanted, ...usual] : [wanted]
    const name = kept.find((name) => name !== undefined && names.includes(name)) ?? ''
    updateOptions(printers)
    select.value = name
    select.disabled = printers.length === 0
    drawState()
  }

  /** Options are kept and only renamed, so that an open dropdown stays open. @param {Printer[]} printers */
  function updateOptions(printers) {
    if (printers.length === 0)
      return select.replaceChildren(el('option', { value: '' }, t('noPrinter')))
    while (select.options.length > printers.length) select.options[0]?.remove()
    printers.forEach((printer, i) => {
      const option = select.options[i] ?? select.appendChild(el('option'))
      const text = `${printer.name} – ${printerWords(printer).words}`
      if (option.value !== printer.name || option.value === '') option.value = printer.name
      if (option.text !== text) option.text = text
    })
  }

  function drawState() {
    const printer = chosen()
    const drawing = JSON.stringify(printer ?? select.disabled)
    if (drawing !== shown)
      state.replaceChildren(
        ...(printer
          ? describe(printer, () => calibrate({ api, notice }, printer.name))
          : select.disabled
            ? nothingYet()
            : [el('p', { class: 'state pill tone-warn' }, icon('warn'), t('choosePrinter'))]),
      )
    shown = drawing
    test.disabled = printer === undefined
    for (const listen of listeners) listen()
  }

  select.addEventListener('change', () => choose(select.value))

  /** @param {string} name */
  function choose(name) {
    wanted = name
    select.value = name
    remember(name)
    drawState()
  }

  test.addEventListener('click', async () => {
    // Not by disabling it: a button that is disabled drops the focus of the keyboard.
    if (isTesting) return
    isTesting = true
    const name = select.value
    await api
      .call('POST', `/printers/${encodeURIComponent(name)}/test`, {}, { Prefer: 'wait=0' })
      .then(() => notice.tell(onItsWay(t('testLabel'), store.printers.get(name))), notice.fault)
      .finally(() => {
        isTesting = false
      })
  })
  store.onPrinters(draw)

  return {
    chosen,
    choose,
    /** @param {() => void} listen another printer, or another state of it */
    onChange: (listen) => listeners.push(listen),
  }
}

/** @typedef {ReturnType<typeof createPrinterPanel>} PrinterPanel */

/**
 * @param {Printer} printer
 * @param {() => void} measure
 */
function describe(printer, measure) {
  const { tone, words, why, todo, icon: sign } = printerWords(printer)
  const slow = slowWords(printer)
  return [
    el('p', { class: `state pill tone-${tone}` }, icon(sign), words),
    el('p', { class: 'facts' }, printerFacts(printer).join(' · ')),
    printer.language === null &&
      el('a', { href: '#printers', class: 'button' }, t('chooseLanguage')),
    needsCalibrating(printer) && el('button', { type: 'button', onclick: measure }, t('calibrate')),
    why !== '' && el('p', { class: 'why' }, why),
    todo !== '' && el('p', { class: 'todo' }, todo),
    slow !== '' && el('p', { class: 'facts' }, slow),
  ].filter((child) => child !== false)
}

function nothingYet() {
  return [
    el('p', { class: 'state pill tone-warn' }, icon('warn'), t('noPrinter')),
    el('p', {}, t('noPrinterHint')),
    el('a', { href: '#printers', class: 'button primary' }, t('findPrinter')),
  ]
}

/** The choice is kept in this browser; a browser that keeps nothing is not a reason to fail. */
function recall() {
  try {
    return localStorage.getItem(REMEMBERED) ?? undefined
  } catch {
    return undefined
  }
}

/** @param {string} name */
function remember(name) {
  try {
    localStorage.setItem(REMEMBERED, name)
  } catch {
    // The choice then lasts as long as the page.
  }
}
