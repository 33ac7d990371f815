import { el } from '../widgets/element.js'
import { language, t } from './texts.js'

const REMEMBERED = 'platen.unit'
const MM = 25.4 // of an inch

/** Regions that measure in inches (Unicode CLDR, measurementSystem US). */
const INCH_REGIONS = ['US', 'LR', 'MM', 'PR']

/** @typedef {'in' | 'mm'} Unit */

/** In what the person at this browser measures: as chosen here, else as its region does. @returns {Unit} */
export function unit() {
  const kept = recall()
  if (kept === 'in' || kept === 'mm') return kept
  return INCH_REGIONS.includes(regionOf(navigator.language || 'en-US')) ? 'in' : 'mm'
}

/** '' where the browser names no language: WebKit on a system without a locale says `C`. @param {string} tag */
function regionOf(tag) {
  try {
    return new Intl.Locale(tag).maximize().region ?? ''
  } catch {
    return ''
  }
}

/**
 * @param {number} inches
 * @returns {string} e.g. `4` or `101.6`, in the unit of the browser, with the comma of its language
 */
export function fromInches(inches) {
  const value = unit() === 'mm' ? inches * MM : inches
  const maximumFractionDigits = unit() === 'mm' ? 1 : 3
  return value.toLocaleString(language, { maximumFractionDigits, useGrouping: false })
}

/** @param {string} text e.g. `100` or `3,9`, in the unit of the browser @returns {number} inches, or NaN */
export function toInches(text) {
  const value = Number(text.trim().replace(',', '.'))
  return unit() === 'mm' ? Number((value / MM).toFixed(4)) : value
}

/** @returns {string} e.g. `mm` */
export function unitWords() {
  return unit() === 'mm' ? t('millimeters') : t('inches')
}

/** All fields with a length, which change together. @type {Set<{ input: HTMLInputElement, button: HTMLElement }>} */
const fields = new Set()

/**
 * The button in a field that says its unit, and changes it in all fields.
 * @param {HTMLInputElement} input
 */
export function createUnitButton(input) {
  const button = el('button', { type: 'button', class: 'unit', onclick: change }, unitWords())
  fields.add({ input, button })
  return button
}

function change() {
  for (const field of fields) if (!field.input.isConnected) fields.delete(field)
  const all = [...fields].map(({ input, button }) => ({
    input,
    button,
    inches: input.value.trim() === '' ? Number.NaN : toInches(input.value),
  }))
  remember(unit() === 'mm' ? 'in' : 'mm')
  for (const { input, button, inches } of all) {
    if (Number.isFinite(inches)) input.value = fromInches(inches)
    button.textContent = unitWords()
  }
}

/** The choice is kept in this browser; one that keeps nothing has its own for as long as the page. */
let chosen = /** @type {string | null} */ (null)

function recall() {
  try {
    return localStorage.getItem(REMEMBERED) ?? chosen
  } catch {
    return chosen
  }
}

/** @param {Unit} now */
function remember(now) {
  chosen = now
  try {
    localStorage.setItem(REMEMBERED, now)
  } catch {
    // As said above.
  }
}
