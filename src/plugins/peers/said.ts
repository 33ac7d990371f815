import { tidyText } from '#printers'
import { isObject } from '../../settings/field.ts'
import { readForeign } from '../../words/foreign.ts'
import { inEnglish, quoteEnglish, type Sentences } from '../../words/say.ts'

const LONGEST = 300

/**
 * Reads the sentences of another print server: by the keys that it sends beside its English if they give the same English here; otherwise,
 * as from another version, its English.
 */
export function readSaid(english: unknown, texts: unknown, name: 'message' | 'hint'): Sentences {
  const said = readForeign(isObject(texts) ? texts[name] : undefined)
  const text = typeof english === 'string' ? english : ''
  if (said !== undefined && inEnglish(said) === text) return said
  return quoteEnglish(tidyText(text, LONGEST))
}
