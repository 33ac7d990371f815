import { failure, type Remark } from '../../answers.ts'
import type { Reply } from '../../carrier.ts'
import { at, jsonOf, kindOfStatus, listOf, textAt } from '../../reading.ts'

/** The body of a good answer. */
export function bodyOf({ status, text }: Reply): unknown {
  return status === 200 || status === 201 ? jsonOf(text) : undefined
}

/** `{title, detail, message, status, additionalDetails}`; never an empty list. */
export function readErrors({ status, text }: Reply): readonly Remark[] {
  const body = jsonOf(text)
  const told = [textAt(body, 'detail') || textAt(body, 'message') || textAt(body, 'title')]
  const more = listOf(at(body, 'additionalDetails')).map((one) => textAt(one))
  const words = [...told, ...more].filter((one) => one !== '')
  if (words.length === 0) words.push(`DHL answered with HTTP ${status}.`)
  return words.map((one) => {
    // "1001: The requested product(s) not available" and "996: ..." stand at the front of many.
    const carrierCode = /^(\d{3,6})\b/.exec(one)?.[1] ?? (textAt(body, 'status') || String(status))
    const field = /#\/([\w/]+)/.exec(one)?.[1]?.replaceAll('/', '.') ?? ''
    return failure(classify(one, status), one, { carrierCode, field })
  })
}

const WORDS: readonly (readonly [RegExp, Parameters<typeof failure>[0]])[] = [
  [/product.*not (available|found)|no (products|rates)/i, 'UNKNOWN_SERVICE'],
  [/(postal|postcode|zip|city|location|country).*(invalid|not found|not valid)/i, 'NOT_SERVED'],
  [/weight|dimension|length|width|height/i, 'BAD_SIZE'],
  [/required|missing/i, 'MISSING_FIELD'],
]

function classify(words: string, status: number): Parameters<typeof failure>[0] {
  if (status !== 400 && status !== 422) return kindOfStatus(status)
  return WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'CARRIER_FAULT'
}
