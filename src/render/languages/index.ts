import { epl } from './epl.ts'
import type { Language } from './language.ts'
import { tspl } from './tspl.ts'
import { zpl } from './zpl.ts'

/** Every printer language that a picture can be turned into. */
export const languages = [zpl, epl, tspl] as const

/** `zpl`, `epl` or `tspl`. */
export type LanguageName = (typeof languages)[number]['language']

/** For checks and messages, in the order of the list. */
export const languageNames: readonly LanguageName[] = languages.map((entry) => entry.language)

const byName = Object.fromEntries(
  languages.map((entry) => [entry.language, entry]),
) as unknown as Readonly<Record<LanguageName, Language>>

/** The encoder of a language. */
export function findLanguage(name: LanguageName): Language {
  return byName[name]
}
