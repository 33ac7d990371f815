import { type LanguageName, languages } from './index.ts'
import type { Glance } from './sign.ts'

const SIGNS = languages
  .flatMap(({ name, signs }) => signs.map((sign) => ({ name, sign })))
  .sort((a, b) => a.sign.doubt - b.sign.doubt)

/** The language of a raw label; undefined when it is of none. */
export function detectLanguage(label: Glance): LanguageName | undefined {
  return SIGNS.find(({ sign }) => sign.matches(label))?.name
}
