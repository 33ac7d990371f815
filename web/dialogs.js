/** @import { Job, Printer } from './shapes.js' */
import { byId, el } from './element.js'
import { icon } from './icons.js'
import { nameOf, previewOf } from './job-card.js'
import { deliveryWords, formatWords, jobWords, printerWords, sizeWords } from './words.js'

/**
 * A dialog that closes by its button, by Esc and by a click beside it; the focus goes back where it came from.
 * @param {string} id
 */
function prepare(id) {
  const dialog = /** @type {HTMLDialogElement} */ (byId(id))
  const body = /** @type {HTMLElement} */ (dialog.querySelector('.dialog-body'))
  dialog.querySelector('.close')?.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  return { dialog, body }
}

/**
 * Shows a label large: its picture as it was printed, or what a raw label begins with.
 * @param {import('./api.js').Api} api
 * @param {import('./notice.js').Notice} notice
 */
export function createLabelDialog(api, notice) {
  const { dialog, body } = prepare('label-dialog')
  const title = byId('label-dialog-title')

  /** @param {Job} job */
  async function drawLabel(job) {
    if (job.has_preview) {
      return [el('img', { src: previewOf(job), alt: `${nameOf(job)}, as it was printed` })]
    }
    if (!job.has_label) return [el('p', {}, 'This label is no longer kept.')]
    const label = await api.call('GET', `/jobs/${encodeURIComponent(job.id)}/label`)
    return [
      el('p', {}, `${formatWords(label.format)}, ${sizeWords(label.bytes)}. It begins with:`),
      el('pre', { tabindex: 0 }, label.lines.join('\n')),
    ]
  }

  return {
    /** @param {Job} job */
    async open(job) {
      title.textContent = nameOf(job)
      await drawLabel(job).then((content) => {
        const { tone, words, icon: sign } = jobWords(job)
        body.replaceChildren(
          el('p', { class: `state tone-${tone}` }, icon(sign), words),
          el('p', {}, deliveryWords(job)),
          ...content,
        )
        dialog.showModal()
      }, notice.fault)
    },
  }
}

/** Asks on which printer. */
export function createPrinterChoice() {
  const { dialog, body } = prepare('choose-dialog')

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
    body.replaceChildren(...buttons)
    dialog.showModal()
  }

  return { open }
}
