import { format } from '../format.js'

/** The languages of the page, by the first part of what a browser asks for: the files of `src/words/`. */
export const LANGUAGES = ['en', 'es', 'de', 'fr', 'pl', 'zh']

/** @typedef {typeof import('../../src/words/en.json')} English */
/** @typedef {keyof { [Key in keyof English as Key extends `page.${infer Name}` ? Name : never]: Key }} TextKey what stands in `src/words/*.json` behind `page.` */
/** @typedef {Record<string, string>} Texts */
/** @import { Said } from './shapes.js' */

/**
 * The first language of a browser that the page speaks.
 * @param {readonly string[]} wanted e.g. `['de-AT', 'en']`
 */
export function chooseLanguage(wanted) {
  const short = wanted.map((tag) => tag.toLowerCase().split('-')[0] ?? '')
  return short.find((tag) => LANGUAGES.includes(tag)) ?? 'en'
}

export const language = chooseLanguage(navigator.languages ?? [])
/** @type {Texts} */
const NONE = {}
const [english, own] = await Promise.all([
  loadTexts('en'),
  // That it cannot be had is no reason to show nothing.
  language === 'en' ? NONE : loadTexts(language).catch(() => NONE),
])

/**
 * @param {string} name
 * @returns {Promise<Texts>}
 */
async function loadTexts(name) {
  const answer = await fetch(`/web/words/${name}.json`)
  return await answer.json()
}

/**
 * A text of the page in the language of the browser; in English where that lacks it.
 * @param {TextKey} key
 * @param {Record<string, string | number>} [values] for its `{names}`
 */
export function t(key, values = {}) {
  return find(`page.${key}`, values) ?? format(english[`page.${key}`] ?? '', isolate(values), 'en')
}

/**
 * A text that the server has in English.
 * @param {string} key
 * @param {string} inEnglish what is said where the language of the page lacks it
 */
export function tOr(key, inEnglish) {
  return find(key, {}) ?? inEnglish
}

/** The words of can-print.js in the language of the page; undefined where it has its own. */
export function canPrintWords() {
  if (language === 'en') return undefined
  const words = Object.entries(own).filter(([key]) => key.startsWith('canPrint.'))
  return Object.fromEntries(words.map(([key, text]) => [key.slice('canPrint.'.length), text]))
}

/**
 * Returns the server's sentences in the language of the page, or its English where a sentence is not known here.
 * @param {Said[] | undefined} sentences
 * @param {string} inEnglish
 */
export function tell(sentences, inEnglish) {
  const all = (sentences ?? []).map(
    ({ key, values }) => find(key, values) ?? find(`${key}.hint`, values) ?? '',
  )
  if (all.length === 0 || all.includes('')) return inEnglish
  return all.join(language === 'zh' ? '' : ' ')
}

/** Returns the warnings about saved settings, one sentence after the other. @param {import('./shapes.js').Note[]} [notes] */
export function tellNotes(notes = []) {
  return notes.map(({ message, texts }) => tell(texts, message)).join(' ')
}

/** Letters that are read from right to left, as Hebrew and Arabic: they would take the numbers behind them along. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/**
 * A text in the language of the page, if it has it.
 * @param {string} key
 * @param {Record<string, string | number>} values
 */
function find(key, values) {
  // The key may be that of another version, or of another print server: `constructor` names what every object has.
  const template = Object.hasOwn(own, key) ? own[key] : undefined
  return template === undefined ? undefined : format(template, isolate(values), language)
}

/**
 * Names that are read from right to left by themselves.
 * @param {Record<string, string | number>} values
 */
function isolate(values) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      RIGHT_TO_LEFT.test(String(value)) ? `\u2068${value}\u2069` : value,
    ]),
  )
}

/**
 * The same for what stands in HTML: `data-t` is its text, where `{1}` is the first element that stands in it; `data-t-label`
 * its name for screen readers.
 */
export function translatePage() {
  document.documentElement.lang = language
  for (const [attribute, name] of [
    ['data-t-label', 'aria-label'],
    ['data-t-hint', 'placeholder'],
  ]) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      const key = /** @type {TextKey} */ (element.getAttribute(attribute ?? ''))
      element.setAttribute(name ?? '', t(key))
    }
  }
  for (const element of document.querySelectorAll('[data-t]')) {
    const parts = t(/** @type {TextKey} */ (element.getAttribute('data-t'))).split(/\{(\d)\}/)
    const inside = [...element.children]
    element.replaceChildren(
      ...parts.map((part, i) => (i % 2 === 0 ? part : (inside[Number(part) - 1] ?? ''))),
    )
  }
}
