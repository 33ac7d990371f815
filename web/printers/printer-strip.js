/** @import { Printer } from '../shell/shapes.js' */

import { hasEnded } from '../labels/words.js'
import { t } from '../shell/texts.js'
import { byId, el } from '../widgets/element.js'
import { icon } from '../widgets/icons.js'
import { printerWords } from './printer-words.js'

/** Between a change of a label and the next count. */
const COUNT_MS = 1_000

/**
 * The printers in a row, each with its state and how many labels wait; a press shows its labels only and prints on it.
 * @param {object} parts
 * @param {import('../shell/store.js').Store} parts.store
 * @param {import('../shell/api.js').Api} parts.api
 * @param {import('../labels/filter.js').Filter} parts.filter
 * @param {import('./printer-panel.js').PrinterPanel} parts.panel
 */
export function createPrinterStrip({ store, api, filter, panel }) {
  const strip = byId('strip')
  /** Labels of today that printed and that did not, by printer. @type {Map<string, { completed: number, aborted: number }>} */
  let today = new Map()
  let shown = ''
  const drawing = { timer: setTimeout(draw, 0) }
  const counting = { timer: setTimeout(() => void count(), 0), at: 0 }

  function draw() {
    const printers = [...store.printers.values()]
    const open = [...store.jobs.values()].filter((job) => !hasEnded(job))
    const chips = printers.map((printer) => ({
      printer,
      waiting:
        open.filter((job) => job.printer === printer.name).length + store.moreOf(printer.name),
      today: today.get(printer.name) ?? { completed: 0, aborted: 0 },
    }))
    const all = chips.reduce((sum, { printer }) => sum + store.moreOf(printer.name), open.length)
    const now = JSON.stringify([chips, filter.printer(), all])
    if (now === shown) return
    shown = now
    const focused = strip.contains(document.activeElement) ? document.activeElement : null
    const name = focused instanceof HTMLElement ? focused.dataset['printer'] : undefined
    strip.hidden = printers.length === 0
    strip.replaceChildren(
      ...(printers.length > 1 ? [drawAll(all)] : []),
      ...chips.map((chip) => drawChip(chip)),
    )
    if (name === undefined) return
    const same = strip.querySelector(`[data-printer="${CSS.escape(name)}"]`)
    if (same instanceof HTMLElement) same.focus({ preventScroll: true })
  }

  /** @param {number} waiting */
  function drawAll(waiting) {
    return drawButton('', [
      el('strong', {}, t('allPrinters')),
      el('span', { class: 'facts' }, waiting > 0 ? t('waitingCount', { n: waiting }) : ''),
    ])
  }

  /** @param {{ printer: Printer, waiting: number, today: { completed: number, aborted: number } }} chip */
  function drawChip({ printer, waiting, today }) {
    const { tone, words, icon: sign } = printerWords(printer)
    const counts = [
      waiting > 0 && t('waitingCount', { n: waiting }),
      today.completed > 0 && t('printedToday', { n: today.completed }),
      today.aborted > 0 && t('failedToday', { n: today.aborted }),
    ]
    return drawButton(printer.name, [
      el('strong', {}, printer.name),
      el('span', { class: `chip-state tone-${tone}` }, icon(sign), words),
      el('span', { class: 'facts' }, counts.filter((count) => count).join(' · ')),
    ])
  }

  /** @param {string} name '' = all @param {HTMLElement[]} content */
  function drawButton(name, content) {
    return el(
      'li',
      {},
      el(
        'button',
        {
          type: 'button',
          class: 'chip',
          'data-printer': name,
          'aria-pressed': String(filter.printer() === name),
          onclick: () => {
            filter.setPrinter(name)
            if (name !== '') panel.choose(name)
          },
        },
        ...content,
      ),
    )
  }

  async function count() {
    if (store.isLocked() || document.hidden) return
    const counts = await api.call('GET', '/jobs/counts').catch(() => undefined)
    if (counts === undefined) return
    today = new Map(counts.printers.map(todayOf))
    store.putCounts(counts)
    draw()
  }

  /** Counted when labels have come to rest, or each few seconds while they come and go. */
  function changed() {
    clearTimeout(drawing.timer)
    drawing.timer = setTimeout(draw, 0)
    if (Date.now() - counting.at > COUNT_MS) {
      counting.at = Date.now()
      clearTimeout(counting.timer)
      counting.timer = setTimeout(() => void count(), COUNT_MS)
    }
  }

  store.onPrinters(() => {
    // Of one that was renamed or removed there is no chip any more to let the other labels be seen again.
    if (filter.printer() !== '' && !store.printers.has(filter.printer())) filter.setPrinter('')
    changed()
  })
  store.onJob(changed)
  store.onReset(changed)
  filter.onChange(draw)
}

/** @param {import('../shell/shapes.js').Counts['printers'][number]} counts */
function todayOf({ printer, today }) {
  return /** @type {const} */ ([printer, today])
}
