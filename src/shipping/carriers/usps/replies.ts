import { failure, type Remark } from '../../answers.ts'
import type { Reply } from '../../carrier.ts'
import { at, jsonOf, kindOfStatus, listOf, textAt } from '../../reading.ts'

/** The body of a good answer. */
export function bodyOf({ status, text }: Reply): unknown {
  return status >= 200 && status < 300 ? jsonOf(text) : undefined
}

/** `{error: {code, message, errors}}`, or OAuth's `{error, error_description}`; never an empty list. */
export function readErrors({ status, text }: Reply): readonly Remark[] {
  const body = jsonOf(text)
  const error = at(body, 'error')
  const message = textAt(error, 'message') || textAt(body, 'error_description')
  const carrierCode = textAt(error, 'code') || textAt(error) || String(status)
  const details = listOf(at(error, 'errors')).flatMap((one) => {
    const words = textAt(one, 'detail') || textAt(one, 'title')
    return words === '' || words === message ? [] : [words]
  })
  const words = [message, ...details].filter((one) => one !== '')
  const told = words.length > 0 ? words : [`USPS answered with HTTP ${status}.`]
  return told.map((one) => {
    const field = fieldOf(one)
    return failure(classify(one, status, field), one, { carrierCode, field })
  })
}

/** A breach of USPS's description is one long sentence with a path in it. */
function fieldOf(words: string): string {
  return /\[Path '\/([^']*)'\]/.exec(words)?.[1]?.replaceAll('/', '.') ?? ''
}

const WORDS: readonly (readonly [RegExp, Parameters<typeof failure>[0]])[] = [
  [/duplicate|already (been )?(cancel|refund)/i, 'ALREADY_VOID'],
  [/\b(weight|length|width|height|girth|dimension)/i, 'BAD_SIZE'],
  [
    /address not found|invalid (zip|address|city|state)|not deliverable|from provided zips/i,
    'NOT_SERVED',
  ],
  [/mail ?class|rate ?indicator|processing ?category|no rates?\b/i, 'UNKNOWN_SERVICE'],
  [/insufficient funds|payment account/i, 'NO_FUNDS'],
]

function classify(words: string, status: number, field: string): Parameters<typeof failure>[0] {
  if (status !== 400 && status !== 404) return kindOfStatus(status)
  const found = WORDS.find(([pattern]) => pattern.test(field === '' ? words : field))?.[1]
  return found ?? (field === '' ? kindOfStatus(status) : 'MISSING_FIELD')
}
