import { texts as english } from './texts/en.js'

/** The languages of the page, by the first part of what a browser asks for. */
export const LANGUAGES = ['en', 'es', 'de', 'fr', 'pl', 'zh']

/** @typedef {keyof typeof english | keyof typeof import('./texts/en-views.js').texts | keyof typeof import('./texts/en-settings.js').texts | keyof typeof import('./texts/en-small.js').texts} TextKey */
/** @typedef {string | Partial<Record<Intl.LDMLPluralRule, string>>} Text one text, or one for each plural of its language by the value `n` */
/** @typedef {Record<string, Text>} Texts */
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
const plurals = new Intl.PluralRules(language)
/** Those of the language of the browser that have been loaded. @type {Texts} */
const own = {}
/** The sentences of the server, which are English where they come from. @type {Texts} */
const server = {}
await (language === 'en' ||
  Promise.all([
    addTexts(language),
    addTexts(`${language}-server`, server),
    addTexts(`${language}-refused`, server),
  ]))

/**
 * Loads the texts of a part that comes later than the first look.
 * @param {'views' | 'settings' | 'small'} part
 */
export async function loadTexts(part) {
  // What the server says of the views goes with them.
  const ofServer = language === 'en' || part === 'small' || addTexts(`${language}-setup`, server)
  const [isThere] = await Promise.all([addTexts(`${language}-${part}`), ofServer])
  if (!isThere) await addTexts(`en-${part}`)
}

/**
 * @param {string} file of the folder `texts`, without its end
 * @param {Texts} [to]
 * @returns {Promise<boolean>} false: it cannot be had, which is no reason to show nothing
 */
async function addTexts(file, to = own) {
  return await import(`./texts/${file}.js`).then(
    ({ texts }) => Boolean(Object.assign(to, texts)),
    () => false,
  )
}

/**
 * A text of the page in the language of the browser.
 * @param {TextKey} key
 * @param {Record<string, string | number>} [values] for its `{names}`; `n` chooses the plural
 */
export function t(key, values = {}) {
  return fill(own[key] ?? /** @type {Texts} */ (english)[key] ?? '', values)
}

/**
 * A text that the server has in English.
 * @param {string} key
 * @param {string} inEnglish what is said where the language of the page lacks it
 * @param {Record<string, string | number>} [values]
 */
export function tOr(key, inEnglish, values = {}) {
  const found = own[key]
  return found === undefined ? inEnglish : fill(found, values)
}

/**
 * What the server says, in the language of the page; in its English where a sentence is not known here.
 * @param {Said[] | undefined} sentences
 * @param {string} inEnglish
 */
export function tell(sentences, inEnglish) {
  const all = (sentences ?? []).map(({ key, values }) => {
    const found = server[key]
    return found === undefined ? '' : fill(found, values)
  })
  if (all.length === 0 || all.includes('')) return inEnglish
  return all.join(language === 'zh' ? '' : ' ')
}

/** What is odd about saved settings, one sentence after the other. @param {import('./shapes.js').Note[]} [notes] */
export function tellNotes(notes = []) {
  return notes.map(({ message, texts }) => tell(texts, message)).join(' ')
}

/** Letters that are read from right to left, as Hebrew and Arabic: they would take the numbers behind them along. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/**
 * @param {Text} found
 * @param {Record<string, string | number>} values
 */
function fill(found, values) {
  const text = typeof found === 'string' ? found : pick(found, Number(values['n']))
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = String(values[name] ?? whole)
    return RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value
  })
}

/**
 * @param {Exclude<Text, string>} forms
 * @param {number} n
 */
function pick(forms, n) {
  return forms[plurals.select(n)] ?? forms.other ?? ''
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
