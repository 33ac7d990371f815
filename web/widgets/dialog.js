import { t } from '../shell/texts.js'
import { el } from './element.js'

/**
 * A dialog that closes by its button, by Esc and by a click beside it; `keepFocus` leads back where it came from.
 * @param {string} id
 * @param {string} [more] a class besides
 */
export function createDialog(id, more) {
  const title = el('h2', { id: `${id}-title` })
  const body = el('div', { class: 'dialog-body' })
  const close = () => dialog.close()
  const dialog = el(
    'dialog',
    { id, class: more, 'aria-labelledby': title.id },
    el(
      'div',
      { class: 'dialog-head' },
      title,
      el('button', { type: 'button', class: 'close', 'aria-label': t('close'), onclick: close }),
    ),
    body,
  )
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) close()
  })
  document.body.append(dialog)

  return {
    dialog,
    body,
    close,
    /**
     * @param {string} text of its head
     * @param {...import('./element.js').Child} content
     */
    open(text, ...content) {
      title.textContent = text
      body.replaceChildren(...content.filter((child) => child instanceof Node))
      if (dialog.open) return
      dialog.showModal()
    },
  }
}

/** @typedef {ReturnType<typeof createDialog>} Dialog */

/**
 * Asks before something that cannot be taken back.
 * @param {Dialog} dialog
 * @param {{ title: string, text: string, yes: string, no?: string }} question
 * @returns {Promise<boolean>}
 */
export function confirm(dialog, { title, text, yes, no = t('keepIt') }) {
  return new Promise((resolve) => {
    // At once: the event comes later, when the next press may be there already and the same dialog open again.
    const answer = (/** @type {boolean} */ isMeant) => {
      dialog.dialog.removeEventListener('close', leave)
      resolve(isMeant)
      dialog.close()
    }
    const leave = () => dialog.dialog.open || answer(false)
    dialog.dialog.addEventListener('close', leave)
    dialog.open(
      title,
      el('p', {}, text),
      el(
        'div',
        { class: 'dialog-buttons' },
        el('button', { type: 'button', class: 'danger', onclick: () => answer(true) }, yes),
        el('button', { type: 'button', onclick: () => answer(false), autofocus: true }, no),
      ),
    )
  })
}
