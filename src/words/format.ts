/** What a text is filled with; a number chooses the plural. */
export type Values = Readonly<Record<string, string | number>>

const PLURAL = /\{(\w+), plural, ((?:\w+ \{(?:[^{}]|\{\w+\})*\} ?)+)\}/g
const FORM = /(\w+) \{((?:[^{}]|\{\w+\})*)\}/g
const NAME = /\{(\w+)\}/g

const rules = new Map<string, Intl.PluralRules>()

/**
 * Fills a text of `src/words/*.json`. It is written in the part of ICU MessageFormat that is needed here: `{name}`, and
 * `{n, plural, one {…} few {…} other {…}}` with the plurals of its language. A name without a value stays as it is.
 */
export function format(template: string, values: Values, language: string): string {
  const text = choose(template, (name) => pluralOf(Number(values[name]), language))
  return text.replace(NAME, (whole, name: string) => String(values[name] ?? whole))
}

/** The texts of a template before they are filled, by their plural; one under `other` where it has no plurals. */
export function listForms(template: string): ReadonlyMap<string, string> {
  const names = [...template.matchAll(PLURAL)].flatMap(([, , forms = '']) => [
    ...readForms(forms).keys(),
  ])
  if (names.length === 0) return new Map([['other', template]])
  return new Map(names.map((name) => [name, choose(template, () => name)]))
}

/** The template with one of its forms. */
function choose(template: string, select: (name: string) => string): string {
  return template.replace(PLURAL, (_, name: string, forms: string) => {
    const texts = readForms(forms)
    return texts.get(select(name)) ?? texts.get('other') ?? ''
  })
}

function readForms(forms: string): ReadonlyMap<string, string> {
  return new Map([...forms.matchAll(FORM)].map(([, name = '', text = '']) => [name, text]))
}

function pluralOf(n: number, language: string): string {
  const known = rules.get(language) ?? new Intl.PluralRules(language)
  rules.set(language, known)
  return known.select(n)
}
