import { inEnglish, isSentences } from '../../src/words/say.ts'

/** A value of the program as people read it: with every message in English. */
export function spoken(value: unknown): unknown {
  if (isSentences(value)) return inEnglish(value)
  if (Array.isArray(value)) return value.map(spoken)
  if (typeof value !== 'object' || value === null) return value
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, spoken(one)]))
}
