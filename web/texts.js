import { texts as english } from './texts/en.js'

/** The languages of the page, by the first part of what a browser asks for. */
export const LANGUAGES = ['en', 'es', 'de', 'fr', 'pl', 'zh']

/** @typedef {keyof typeof english} TextKey */
/** @typedef {string | Partial<Record<Intl.LDMLPluralRule, string>>} Text one text, or one for each plural of its language by the value `n` */

/**
 * The first language of a browser that the page speaks.
 * @param {readonly string[]} wanted e.g. `['de-AT', 'en']`
 */
export function chooseLanguage(wanted) {
  const short = wanted.map((tag) => tag.toLowerCase().split('-')[0] ?? '')
  return short.find((tag) => LANGUAGES.includes(tag)) ?? 'en'
}

/** @param {string} name @returns {Promise<Record<string, Text>>} */
async function load(name) {
  if (name === 'en') return english
  // A language that cannot be had is no reason to show nothing.
  return await import(`./texts/${name}.js`).then(
    (module) => module.texts,
    () => english,
  )
}

export const language = chooseLanguage(navigator.languages ?? [])
const own = await load(language)
const plurals = new Intl.PluralRules(language)

/**
 * A text of the page in the language of the browser.
 * @param {TextKey} key
 * @param {Record<string, string | number>} [values] for its `{names}`; `n` chooses the plural
 */
export function t(key, values = {}) {
  const found = own[key] ?? english[key]
  const text = typeof found === 'string' ? found : pick(found, Number(values['n']))
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole))
}

/**
 * @param {Exclude<Text, string>} forms
 * @param {number} n
 */
function pick(forms, n) {
  return forms[plurals.select(n)] ?? forms.other ?? ''
}

/** The same for what stands in HTML: `data-t` is its text, `data-t-label` its name for screen readers. */
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
    element.textContent = t(/** @type {TextKey} */ (element.getAttribute('data-t')))
  }
}
