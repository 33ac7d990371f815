/** @import { Field } from '../shell/shapes.js' */

import { t } from '../shell/texts.js'
import { el } from './element.js'
import { createWidget } from './widgets.js'

/**
 * One setting on the form.
 * @typedef {object} Control
 * @property {string} key
 * @property {HTMLElement} element
 * @property {() => unknown} read undefined: leave the key out
 * @property {() => string} check what is wrong with the entry before it is sent, or ''
 * @property {(path: string[], message: string) => boolean} showFault false when the fault belongs elsewhere
 * @property {() => void} clearFaults
 * @property {boolean} [open] there is something to do: its group is open from the start
 * @property {() => void} [saved] what it shows is in the file now
 * @property {(now?: Record<string, unknown>[]) => unknown} [merge] of a list: what was changed here, over what is saved now
 * @property {(entry: any) => void} [add] of a list: one more; of a choice of printers: one more to choose
 */

let lastId = 0

/**
 * @param {Field} field
 * @param {unknown} value
 * @returns {Control}
 */
export function createField(field, value) {
  lastId += 1
  const id = `setting-${lastId}`
  const { input, read, check, beside } = createWidget(field, value, id)
  const fault = el('p', { class: 'fault', id: `${id}-fault` })
  const about = describe(field)
  const help = el('p', { class: 'help', id: `${id}-help` }, about)
  input.setAttribute('aria-describedby', `${id}-fault ${id}-help`)
  const label = el('label', { for: id }, field.title)
  const isCheck = input instanceof HTMLInputElement && input.type === 'checkbox'
  const element = isCheck
    ? el(
        'div',
        { class: 'field field-check' },
        el('div', { class: 'check-line' }, input, label),
        fault,
        about !== '' && help,
      )
    : el(
        'div',
        { class: 'field' },
        label,
        about !== '' && help,
        beside === undefined ? input : el('div', { class: 'with-unit' }, input, beside),
        fault,
      )
  return {
    key: field.key,
    element,
    read,
    check: check ?? (() => ''),
    showFault(_path, message) {
      input.setAttribute('aria-invalid', 'true')
      fault.textContent = sentence(message)
      return true
    },
    clearFaults() {
      input.removeAttribute('aria-invalid')
      fault.textContent = ''
    },
  }
}

/**
 * `got "80a", wanted a whole number` as a sentence.
 * @param {string} text
 */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** @param {Field} field */
function describe(field) {
  const restart = field.restart ? t('afterRestart') : ''
  return [field.description, restart].filter((sentence) => sentence).join(' ')
}
