import { PlatenError } from '../errors.ts'
import type { PrintOptions } from '../jobs/job.ts'
import { type Fields, quote } from './body/fields.ts'
import { type Bounds, RANGES, type Range } from './bounds.ts'
import { checkRedirect } from './redirect.ts'

/** Printable letters of any script; what a key is made of is the client's affair. */
const KEY = /^[^\p{Cc}]{1,255}$/u
const NAME_MAX = 127

/** A print request, read and checked as far as HTTP can; formats and printers are the intake's. */
export interface PrintRequest {
  readonly labels: readonly Uint8Array[]
  readonly options: PrintOptions
  readonly copies: number
  readonly idempotencyKey: string | undefined
  /** Where the browser goes on, fit for a Location header; undefined = nowhere. */
  readonly redirect: string | undefined
}

/**
 * Checks the fields of a print request. `headerKey` is the header Idempotency-Key; it may repeat the field, not
 * contradict it.
 * @throws PlatenError LABEL_MISSING, FIELD_INVALID, REDIRECT_INVALID, TOO_MANY_FIELDS
 */
export function checkPrintRequest(
  fields: Fields,
  headerKey: string | undefined,
  bounds: Bounds,
): PrintRequest {
  const { labels, texts } = fields
  if (labels.length === 0) {
    const seen = fields.count === 1 ? '1 field' : `${fields.count} fields`
    const message = `The request has ${seen} and no label; wanted label=… with the label as base64.`
    throw new PlatenError('LABEL_MISSING', message)
  }
  const url = texts.get('redirect_url')
  const redirect = url === undefined ? undefined : checkRedirect(url)
  const copies = readNumber(texts, 'copies') ?? 1
  if (labels.length * copies > bounds.jobs) {
    throw new PlatenError(
      'TOO_MANY_FIELDS',
      `${labels.length} labels in ${copies} copies are ${labels.length * copies} jobs, wanted at most ${bounds.jobs}.`,
    )
  }
  const idempotencyKey = readKey(texts, headerKey)
  return { labels, options: readOptions(texts), copies, idempotencyKey, redirect }
}

/**
 * The value of the Idempotency-Key header, or undefined.
 * @throws PlatenError FIELD_INVALID
 */
export function readKey(
  texts: ReadonlyMap<string, string>,
  header: string | undefined,
): string | undefined {
  const field = texts.get('idempotency_key')
  const key = header || field
  if (key === undefined) return undefined
  if (header && field !== undefined && header !== field) {
    throw new PlatenError(
      'FIELD_INVALID',
      `idempotency_key: the header says ${quote(header)} and the field ${quote(field)}, wanted one key.`,
    )
  }
  if (!KEY.test(key)) {
    throw new PlatenError(
      'FIELD_INVALID',
      `idempotency_key: got ${quote(key)}, wanted 1 to 255 printable letters.`,
    )
  }
  return key
}

/**
 * A printer's name, as a field or a query has it; '' counts as left out.
 * @throws PlatenError FIELD_INVALID
 */
export function readPrinterName(name: string | undefined): string | undefined {
  if (name === undefined || name.trim() === '') return undefined
  if (name.length > NAME_MAX) {
    throw new PlatenError(
      'FIELD_INVALID',
      `printer: got ${quote(name)}, wanted at most ${NAME_MAX} letters.`,
    )
  }
  return name
}

function readOptions(texts: ReadonlyMap<string, string>): PrintOptions {
  const printer = readPrinterName(texts.get('printer'))
  const numbers = {
    labelWidth: readNumber(texts, 'label_width'),
    labelHeight: readNumber(texts, 'label_height'),
    dpi: readNumber(texts, 'dpi'),
    startingPointX: readNumber(texts, 'starting_point_x'),
    startingPointY: readNumber(texts, 'starting_point_y'),
    expireAfter: readNumber(texts, 'expire_after'),
  }
  const given = Object.entries(numbers).filter(([, value]) => value !== undefined)
  return { ...(printer !== undefined && { printer }), ...Object.fromEntries(given) }
}

function readNumber(
  texts: ReadonlyMap<string, string>,
  name: keyof typeof RANGES,
): number | undefined {
  const text = texts.get(name)?.trim()
  if (text === undefined) return undefined
  const range: Range = RANGES[name]
  const value = /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN
  const isGood = value >= range.min && value <= range.max
  if (!isGood || (range.whole && !Number.isInteger(value))) {
    const kind = range.whole ? 'a whole number' : 'a number'
    throw new PlatenError(
      'FIELD_INVALID',
      `${name}: got ${quote(text)}, wanted ${kind} from ${range.min} to ${range.max} (${range.unit}).`,
    )
  }
  return value
}
