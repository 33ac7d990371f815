/** @import { Field } from '../shell/shapes.js' */

import { t } from '../shell/texts.js'
import { createUnitButton, fromInches, toInches } from '../shell/units.js'
import { el } from './element.js'

/**
 * The input of an entry, by the type of its field.
 * @typedef {object} Widget
 * @property {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} input
 * @property {() => unknown} read
 * @property {() => string} [check]
 * @property {HTMLElement} [beside] stands in the input's field
 */

/**
 * @param {Field} field
 * @param {unknown} value
 * @param {string} id
 * @returns {Widget}
 */
export function createWidget(field, value, id) {
  if (field.choices !== undefined) return createChoice(field, value, id)
  switch (field.type) {
    case 'boolean':
      return createCheckbox(field, value, id)
    case 'number':
      if (LENGTHS.includes(field.key)) return createLength(field, value, id)
      return createNumber(field, value, id)
    case 'json':
      return createJson(value, id)
    case 'texts':
      return createLines(value, id)
    default:
      return field.lines ? createLongText(value, id) : createText(field, value, id)
  }
}

/**
 * A certificate or a key may be pasted; a field of one line would drop its line ends.
 * @param {unknown} value
 * @param {string} id
 * @returns {Widget}
 */
function createLongText(value, id) {
  const input = el('textarea', { id, rows: 2, spellcheck: 'false', class: 'code' })
  input.value = value === undefined || value === null ? '' : String(value)
  return { input, read: () => (input.value.trim() === '' ? undefined : input.value) }
}

/**
 * @param {Field} field
 * @param {unknown} value
 * @param {string} id
 * @returns {Widget}
 */
function createText(field, value, id) {
  const input = el('input', {
    id,
    type: field.secret ? 'password' : 'text',
    autocomplete: field.secret ? 'new-password' : 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    placeholder: field.default === undefined ? undefined : String(field.default),
  })
  input.value = value === undefined || value === null ? '' : String(value)
  // An emptied field means "none", save where blank is a value of its own, as with host.
  const read = () => (input.value === '' && field.default === undefined ? undefined : input.value)
  return { input, read }
}

/** In inches, as the configuration has them; shown in the unit of the browser. */
const LENGTHS = ['label_width', 'label_height']

/**
 * @param {Field} field
 * @param {unknown} value
 * @param {string} id
 * @returns {Widget}
 */
function createLength(field, value, id) {
  const placeholder = typeof field.default === 'number' ? fromInches(field.default) : undefined
  const input = el('input', {
    id,
    type: 'text',
    inputmode: 'decimal',
    autocomplete: 'off',
    placeholder,
  })
  input.value = typeof value === 'number' ? fromInches(value) : String(value ?? '')
  const first = input.value
  const read = () => {
    const text = input.value.trim()
    if (text === '') return undefined
    // As it stood there: a length that nobody touched is not rounded.
    if (text === first && typeof value === 'number') return value
    return Number.isFinite(toInches(text)) ? toInches(text) : text
  }
  return { input, read, beside: createUnitButton(input) }
}

/** The units of numbers, by setting. */
const UNITS = /** @type {Record<string, string>} */ ({
  heart_beat_interval: t('unitSeconds'),
  expire_after: t('unitSeconds'),
  duplicate_guard_minutes: t('unitMinutes'),
  job_retention_hours: t('unitHours'),
  max_body_mb: 'MB',
})

/**
 * @param {Field} field
 * @param {unknown} value
 * @param {string} id
 * @returns {Widget}
 */
function createNumber(field, value, id) {
  const input = el('input', {
    id,
    type: 'text',
    inputmode: 'decimal',
    autocomplete: 'off',
    placeholder: field.default === undefined ? undefined : String(field.default),
  })
  input.value = value === undefined || value === null ? '' : String(value)
  // What is not a number goes to the server as it is: its sentence says what was wanted.
  const read = () => {
    const text = input.value.trim()
    if (text === '') return undefined
    return Number.isFinite(Number(text)) ? Number(text) : text
  }
  const unit = UNITS[field.key]
  return {
    input,
    read,
    ...(unit !== undefined && {
      beside: el('span', { class: 'unit', 'aria-hidden': 'true' }, unit),
    }),
  }
}

/**
 * @param {Field} field
 * @param {unknown} value
 * @param {string} id
 * @returns {Widget}
 */
function createCheckbox(field, value, id) {
  const input = el('input', { id, type: 'checkbox' })
  input.checked = (value ?? field.default) === true
  const read = () =>
    value === undefined && input.checked === (field.default === true) ? undefined : input.checked
  return { input, read }
}

/** The names of choices as people see them. */
const CHOICES = /** @type {Record<string, string>} */ ({
  auto: t('choiceAuto'),
  allow: t('choiceAllow'),
  warn: t('choiceWarn'),
  refuse: t('choiceRefuse'),
  sqs: 'Amazon SQS',
  mqtt: 'MQTT',
  hold: t('choiceHold'),
  reprint: t('choiceReprint'),
  spooled: t('choiceSpooled'),
  printed: t('choicePrinted'),
})

/** Names of choices that mean something else in one setting, by its key. */
const CHOICES_OF = /** @type {Record<string, Record<string, string>>} */ ({
  log_level: {
    error: t('logErrors'),
    warn: t('logWarnings'),
    info: t('logInfo'),
    debug: t('logAll'),
  },
  status: { auto: t('choiceAsked'), off: t('choiceNeverAsked') },
})

/** The name of the unset state of choices without a default. */
const UNSET = /** @type {Record<string, string>} */ ({
  printer_commands: t('asAllLabels'),
  heart_beat_printer_commands: t('asAllLabels'),
})

/**
 * @param {Field} field
 * @param {unknown} value
 * @param {string} id
 * @returns {Widget}
 */
function createChoice(field, value, id) {
  const { key, default: usual, choices = [] } = field
  const words = (/** @type {unknown} */ choice) => {
    const word = String(choice)
    return field.words?.[word] ?? CHOICES_OF[key]?.[word] ?? CHOICES[word] ?? word
  }
  const unset =
    usual === undefined ? (UNSET[key] ?? t('notChosen')) : t('asUsual', { choice: words(usual) })
  const input = el(
    'select',
    { id },
    el('option', { value: '' }, unset),
    ...choices.map((choice) => el('option', { value: choice }, words(choice))),
  )
  input.value = value === undefined || value === null ? '' : String(value)
  const read = () => choices.find((choice) => String(choice) === input.value)
  return { input, read }
}

/**
 * A list of words, one a line.
 * @param {unknown} value
 * @param {string} id
 * @returns {Widget}
 */
function createLines(value, id) {
  const input = el('textarea', { id, rows: 2, spellcheck: 'false', placeholder: t('onePerLine') })
  input.value = Array.isArray(value) ? value.join('\n') : ''
  const read = () => {
    const lines = input.value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    return lines.length === 0 && value === undefined ? undefined : lines
  }
  return { input, read }
}

/**
 * @param {unknown} value
 * @param {string} id
 * @returns {Widget}
 */
function createJson(value, id) {
  const input = el('textarea', { id, rows: 3, spellcheck: 'false', class: 'code' })
  input.value = value === undefined ? '' : JSON.stringify(value, null, 2)
  const read = () => (input.value.trim() === '' ? undefined : JSON.parse(input.value))
  const check = () => {
    try {
      read()
      return ''
    } catch {
      return t('badJson', { example: '{"bench": 1}' })
    }
  }
  return { input, read, check }
}
