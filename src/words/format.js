// @ts-check
// JavaScript, because the page runs it as it is.

/** @typedef {Readonly<Record<string, string | number>>} Values what a text is filled with; a number chooses the plural */

const PLURAL = /\{(\w+), plural, ((?:\w+ \{(?:[^{}]|\{\w+\})*\} ?)+)\}/g
const FORM = /(\w+) \{((?:[^{}]|\{\w+\})*)\}/g
const NAME = /\{(\w+)\}/g

/** @type {Map<string, Intl.PluralRules>} */
const rules = new Map()

/**
 * Fills a text of `src/words/*.json`. It is written in the part of ICU MessageFormat that is needed here: `{name}`, and
 * `{n, plural, one {…} few {…} other {…}}` with the plurals of its language. A name without a value stays as it is.
 * @param {string} template
 * @param {Values} values
 * @param {string} language of the template
 * @returns {string}
 */
export function format(template, values, language) {
  const text = choose(template, (name) => pluralOf(Number(values[name]), language))
  return text.replace(NAME, (whole, name) => String(values[name] ?? whole))
}

/**
 * The texts of a template before they are filled, by their plural; one under `other` where it has no plurals.
 * @param {string} template
 * @returns {ReadonlyMap<string, string>}
 */
export function listForms(template) {
  const names = [...template.matchAll(PLURAL)].flatMap(([, , forms = '']) => [
    ...readForms(forms).keys(),
  ])
  if (names.length === 0) return new Map([['other', template]])
  return new Map(names.map((name) => [name, choose(template, () => name)]))
}

/**
 * The template with one of its forms.
 * @param {string} template
 * @param {(name: string) => string} select
 * @returns {string}
 */
function choose(template, select) {
  return template.replace(PLURAL, (_, name, forms) => {
    const texts = readForms(forms)
    return texts.get(select(name)) ?? texts.get('other') ?? ''
  })
}

/**
 * @param {string} forms
 * @returns {Map<string, string>}
 */
function readForms(forms) {
  return new Map([...forms.matchAll(FORM)].map(([, name = '', text = '']) => [name, text]))
}

/**
 * @param {number} n
 * @param {string} language
 */
function pluralOf(n, language) {
  const known = rules.get(language) ?? new Intl.PluralRules(language)
  rules.set(language, known)
  return known.select(n)
}
