import { t } from '../shell/texts.js'

/** @typedef {Node | string | false | undefined | null} Child */

/**
 * Makes an element. Text goes in as text nodes only, so that no foreign text is ever read as HTML.
 * `on…` functions become listeners, `true` an empty attribute, `false` and `undefined` none.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value))
    } else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.filter(isShown))
  return element
}

/**
 * @param {Child} child
 * @returns {child is Node | string}
 */
function isShown(child) {
  return child !== false && child !== undefined && child !== null && child !== ''
}

/**
 * The element of the page with this id; the page is ours, so it is there.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`index.html has no #${id}`)
  return /** @type {T} */ (element)
}

/**
 * Technical words about what is said above, folded away: they come in English.
 * @param {string | undefined} detail
 * @returns {HTMLElement | false} false where there are none
 */
export function drawDetails(detail) {
  if (!detail) return false
  return el(
    'details',
    { class: 'more-details' },
    el('summary', {}, t('details')),
    el('p', { class: 'facts' }, detail),
  )
}
