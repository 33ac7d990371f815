import en from './en.json' with { type: 'json' }
import { format, type Values } from './format.js'

/** Names a text of `en.json`, the list from which the other languages come. Decision `words-as-json`. */
export type TextKey = keyof typeof en

/** Names a sentence of the server; the key of any other text has a point in it. */
export type SentenceKey = Exclude<TextKey, `${string}.${string}`>

/** A sentence as data, for English and for other languages. */
export interface Sentence {
  readonly key: SentenceKey
  readonly values: Values
}

/** Every text in English, not filled in. */
export const ENGLISH: Readonly<Record<TextKey, string>> = en

/** One sentence in English. `make check` compares the values with the places of the text. */
export function say(key: SentenceKey, values: Values = {}): string {
  return format(en[key], values, 'en')
}

/** Sentences in English, as one text. */
export function sayAll(sentences: readonly Sentence[]): string {
  return sentences.map(({ key, values }) => say(key, values)).join(' ')
}
