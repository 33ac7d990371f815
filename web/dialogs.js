/** @import { Job, Printer } from './shapes.js' */
import { createDialog } from './dialog.js'
import { el } from './element.js'
import { icon } from './icons.js'
import { nameOf, previewOf } from './job-card.js'
import { ABOUT, drawJob, isDrawnHere } from './label-pictures.js'
import { printerWords } from './printer-words.js'
import { deliveryWords, formatWords, jobWords, sizeWords } from './words.js'

/**
 * Shows a label large: its picture as it was printed, or about how it will look and what it begins with.
 * @param {import('./api.js').Api} api
 * @param {import('./notice.js').Notice} notice
 * @param {(name: string) => Printer | undefined} printerOf
 */
export function createLabelDialog(api, notice, printerOf) {
  const dialog = createDialog('label-dialog', 'label-dialog')

  /** @param {Job} job */
  async function drawLabel(job) {
    if (job.has_preview) {
      return [
        el('img', { src: previewOf(job), alt: `${nameOf(job)}, as it was printed` }),
        el('p', { class: 'facts' }, 'As printed'),
      ]
    }
    if (!job.has_label) return [el('p', {}, 'This label is no longer kept.')]
    const label = await api.call('GET', `/jobs/${encodeURIComponent(job.id)}/label`)
    return [
      ...(isDrawnHere(job) ? [drawnHere(job)] : []),
      el('p', {}, `${formatWords(label.format)}, ${sizeWords(label.bytes)}. It begins with:`),
      el('pre', { tabindex: 0 }, label.lines.join('\n')),
    ]
  }

  /** The picture comes when it is drawn. @param {Job} job */
  function drawnHere(job) {
    const caption = el('p', { class: 'facts' }, 'The picture of this label is being drawn…')
    const figure = el('div', { class: 'drawn-label' }, caption)
    drawJob(job, printerOf(job.printer)).then(
      ({ url, warnings }) => {
        figure.prepend(el('img', { src: url, alt: `${nameOf(job)}, about how it will look` }))
        caption.textContent = ABOUT
        figure.append(...warnings.map((warning) => el('p', { class: 'why' }, warning)))
      },
      (error) => {
        caption.textContent = error.message
      },
    )
    return figure
  }

  return {
    /** @param {Job} job */
    async open(job) {
      await drawLabel(job).then((content) => {
        const { tone, words, icon: sign } = jobWords(job)
        dialog.open(
          nameOf(job),
          el('p', { class: `state tone-${tone}` }, icon(sign), words),
          el('p', {}, deliveryWords(job)),
          ...content,
        )
      }, notice.fault)
    },
  }
}

/** Asks on which printer. */
export function createPrinterChoice() {
  const dialog = createDialog('choose-dialog', 'choices')

  /**
   * @param {Iterable<Printer>} printers
   * @param {(name: string) => void} choose
   */
  function open(printers, choose) {
    const buttons = [...printers].map((printer) => {
      const { tone, words, icon: sign } = printerWords(printer)
      const pick = () => {
        dialog.close()
        choose(printer.name)
      }
      return el(
        'button',
        { type: 'button', class: 'wide choice', onclick: pick },
        el('strong', {}, printer.name),
        el('span', { class: `state tone-${tone}` }, icon(sign), words),
      )
    })
    dialog.open('Print it on', ...buttons)
  }

  return { open, close: dialog.close, isOpen: () => dialog.dialog.open }
}
