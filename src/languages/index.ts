import { epl } from './epl/index.ts'
import type { Language } from './language.ts'
import { tspl } from './tspl/index.ts'
import { zpl } from './zpl/index.ts'

/** Every printer language: what a picture can be turned into, and what passes as it is. */
export const languages = [zpl, epl, tspl] as const

/** The name of a language, e.g. `zpl`. */
export type LanguageName = (typeof languages)[number]['name']

/** For checks, in the order of the list. */
export const languageNames: readonly LanguageName[] = languages.map(({ name }) => name)

/** The names in a sentence, e.g. `zpl, epl or tspl`. */
export const namedLanguages = listWords(languageNames, 'or')

/** The titles in a sentence, e.g. `ZPL, EPL and TSPL`. */
export const titledLanguages = listWords(
  languages.map(({ title }) => title),
  'and',
)

const byName: ReadonlyMap<string, Language<LanguageName>> = new Map(
  languages.map((language) => [language.name, language]),
)

/** The language of this name; undefined when there is none, e.g. of a picture's format. */
export function findLanguage(name: LanguageName): Language<LanguageName>
export function findLanguage(name: string | undefined): Language<LanguageName> | undefined
export function findLanguage(name: string | undefined): Language<LanguageName> | undefined {
  return byName.get(name ?? '')
}

/** True when labels of this format are commands, which reach the printer byte for byte. */
export function isLanguage(format: string): format is LanguageName {
  return byName.has(format)
}

/** `a, b or c`. */
export function listWords(words: readonly string[], last: 'and' | 'or'): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(` ${last} `)
}
