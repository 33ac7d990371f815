import en from './en.json' with { type: 'json' }
import { format, type Values } from './format.js'

/** Names a text of `en.json`, the list from which the other languages come. Decision `words-as-json`. */
export type TextKey = keyof typeof en

/** Names a sentence of the server; the key of any other text has a point in it. */
export type SentenceKey = Exclude<TextKey, `${string}.${string}`>

/** Names the hint of a failure by the code of that failure. */
type HintKey = TextKey extends infer K ? (K extends `${infer Code}.hint` ? Code : never) : never

/** The key of words that there are in English only, such as those for programmers; its value `text` has them. */
const UNTRANSLATED = 'untranslated'

/** A sentence as data, for English and for other languages. */
export interface Sentence {
  readonly key: SentenceKey | HintKey | typeof UNTRANSLATED
  readonly values: Values
}

/** A message to a person: sentences one after the other; none when there is nothing to say. */
export type Sentences = readonly Sentence[]

/** Nothing to say. One for all: most jobs have nothing to say, and there may be many thousands. */
export const NOTHING: Sentences = []

/** Every text in English, not filled in. */
export const ENGLISH: Readonly<Record<TextKey, string>> = en

/** A message of one sentence. `make check` compares the values with the places of the text. */
export function say(key: SentenceKey, values: Values = {}): Sentences {
  return [{ key, values }]
}

/** A message in words that there are in English only: those for programmers, and what foreign programs say. */
export function quoteEnglish(text: string): Sentences {
  return text === '' ? NOTHING : [{ key: UNTRANSLATED, values: { text } }]
}

/** A message as it is, or a text in English as a message. */
export function toSentences(message: Sentences | string): Sentences {
  return typeof message === 'string' ? quoteEnglish(message) : message
}

/** The hint that a failure has unless the case has one of its own. */
export function hintOf(code: HintKey): Sentences {
  return [{ key: code, values: {} }]
}

/** Messages one after the other. */
export function join(...messages: readonly Sentences[]): Sentences {
  const some = messages.filter((message) => message.length > 0)
  return some.length < 2 ? (some[0] ?? NOTHING) : some.flat()
}

/** A message in English, as one text; '' where nothing is said. */
export function inEnglish(message: Sentences): string {
  return message.map(tell).join(' ')
}

function tell({ key, values }: Sentence): string {
  if (key === UNTRANSLATED) return String(values['text'])
  // Another version may have written it into the spool, with a key that this one does not know.
  return format(textOf(key) ?? textOf(`${key}.hint`) ?? '', values, 'en')
}

/** The English of a key, which may come from elsewhere: `constructor` names what every object has. */
function textOf(key: string): string | undefined {
  return Object.hasOwn(en, key) ? en[key as TextKey] : undefined
}

/** True when every word of it has a key, so that it can be said in other languages. */
export function isTranslated(message: Sentences): boolean {
  return message.every(({ key }) => key !== UNTRANSLATED)
}

/** A message out of the JSON of a file; nothing where that is damaged. */
export function parseSentences(text: string): Sentences {
  try {
    return readSentences(JSON.parse(text)) ?? NOTHING
  } catch {
    return NOTHING
  }
}

/** A message out of data that came from elsewhere; undefined where it is none. */
export function readSentences(data: unknown): Sentences | undefined {
  if (!Array.isArray(data) || !data.every(isSentence)) return undefined
  return data.length === 0 ? NOTHING : (data as Sentences)
}

/** Tells whether this version has a text for a sentence. */
export function isKnown({ key }: Sentence): boolean {
  return (
    key === UNTRANSLATED ||
    (!key.includes('.') && (textOf(key) ?? textOf(`${key}.hint`)) !== undefined)
  )
}

/** Tells whether a value of the program is a message. */
export function isSentences(value: unknown): value is Sentences {
  return value === NOTHING || (Array.isArray(value) && value.length > 0 && value.every(isSentence))
}

function isSentence(one: unknown): boolean {
  const { key, values } = Object(one)
  if (typeof key !== 'string' || typeof values !== 'object' || values === null) return false
  return Object.values(values).every((value) => ['string', 'number'].includes(typeof value))
}

/** Tells whether two messages are the same. */
export function isSame(one: Sentences, other: Sentences): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** The keys and values of a message, as JSON shows them: [] where a part of it is in English only. */
export function textsOf(message: Sentences): Sentences {
  return isTranslated(message) ? message : NOTHING
}

/** Sentences and hint with their keys, as the JSON of jobs, printers and refusals has them. */
export function saidJson(message: Sentences, hint: Sentences): { readonly texts: object } {
  return { texts: { message: textsOf(message), hint: textsOf(hint) } }
}
