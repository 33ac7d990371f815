import { languageNames, languages } from '#labels'
import { PlatenError, quoteShort, refuseField } from '../../words/errors.ts'
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  type FieldValue,
  NUMBER_FIELDS,
  type PrintOptions,
  type RequestField,
} from './fields.ts'
import { REQUEST_LIMITS } from './reader.ts'

/** Describes the values that a field accepts: `a whole number from 50 to 1200 (dots per inch)`. */
export function describeWanted(field: RequestField): string {
  if (field.type === 'text') return field.wanted
  const kind = field.whole ? 'a whole number' : 'a number'
  return `${kind} from ${field.min} to ${field.max} (${field.unit})`
}

function isGood(field: RequestField, value: unknown): boolean {
  if (field.type === 'text') return typeof value === 'string' && field.pattern.test(value)
  if (typeof value !== 'number' || !(value >= field.min && value <= field.max)) return false
  return !field.whole || Number.isInteger(value)
}

/** @throws PlatenError FIELD_INVALID */
function checkValue(name: FieldName, value: unknown, seen = String(value)): void {
  const field: RequestField = FIELDS[name]
  if (isGood(field, value)) return
  throw refuseField(name, seen, describeWanted(field))
}

/**
 * Parses the text of a field into its value.
 * @throws PlatenError FIELD_INVALID
 */
export function readValue<Name extends FieldName>(name: Name, text: string): FieldValue<Name> {
  const field: RequestField = FIELDS[name]
  if (field.type === 'text') {
    checkValue(name, text)
    return text as FieldValue<Name>
  }
  const trimmed = text.trim()
  const value = /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(trimmed) ? Number(trimmed) : Number.NaN
  checkValue(name, value, trimmed)
  return value as FieldValue<Name>
}

/**
 * Checks the numbers of options that did not come as texts of a request.
 * @throws PlatenError FIELD_INVALID naming the field as clients write it
 */
export function checkOptions(options: PrintOptions): void {
  for (const [name, { option }] of NUMBER_FIELDS) {
    const value = option && options[option as keyof PrintOptions]
    if (value !== undefined) checkValue(name, value)
  }
}

/** @throws PlatenError FIELD_INVALID */
export function checkCopies(copies: number): void {
  checkValue('copies', copies)
}

/** @throws PlatenError FIELD_INVALID */
export function checkKey(key: string): void {
  checkValue('idempotency_key', key)
}

/** @throws PlatenError TOO_MANY_FIELDS */
export function checkJobs(
  labels: number,
  copies: number,
  bounds: { readonly jobs: number } = REQUEST_LIMITS,
): void {
  const jobs = labels * copies
  if (jobs <= bounds.jobs) return
  throw new PlatenError(
    'TOO_MANY_FIELDS',
    `${labels} labels in ${copies} copies are ${jobs} jobs, wanted at most ${bounds.jobs}.`,
  )
}

/** Names of a label field, with or without the brackets and number that form libraries add. */
const LABEL_NAME = /^labels?(?:\[\d{0,6}\])?$/

export function isLabelName(name: string): boolean {
  return LABEL_NAME.test(name)
}

/**
 * Returns our spelling of a name that differs from it by case only; undefined for all other names. Ignored, such a field would mean a label
 * on the wrong printer or of the wrong size.
 */
export function findSpelling(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase()
  return lower === name ? undefined : known.find((one) => one === lower)
}

/** Makes the refusal of a name that differs from ours by case only. */
export function misspelled(name: string, ours: string): PlatenError {
  return new PlatenError(
    'FIELD_INVALID',
    `${quoteShort(name)} is not a field that is read here. Did you mean "${ours}"?`,
    { hint: `Write the name of the field as ${ours}.` },
  )
}

/** @throws PlatenError FIELD_INVALID when a name differs from one that is known by case only */
export function checkSpelling(names: readonly string[], known: readonly string[]): void {
  for (const name of names) {
    const ours = findSpelling(name, known)
    if (ours !== undefined) throw misspelled(name, ours)
  }
}

/** A field that travels with a label: the name of its option, and its type. */
export interface OptionField {
  readonly option: string
  readonly type: RequestField['type']
}

/** Lists the fields that travel with a label. */
export function optionFields(): readonly OptionField[] {
  return FIELD_NAMES.flatMap((name) => {
    const { option, type }: RequestField = FIELDS[name]
    return option === undefined ? [] : [{ option, type }]
  })
}

/** Longest title in characters; a client that sends a longer one than a line of the page does so by mistake. */
export const TITLE_MOST = 255

// A mark that turns the direction of writing would turn what stands beside the title, too.
const STRANGE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu

/** Makes a title one line: no control characters, no blanks at its ends or in a row, cut to `TITLE_MOST` characters; '' = none. */
export function tidyTitle(text: string): string {
  const line = text.toWellFormed().replace(STRANGE, ' ').replace(/\s+/g, ' ').trim()
  const isShort = line.length <= TITLE_MOST
  return isShort ? line : [...line].slice(0, TITLE_MOST).join('').trimEnd()
}

const LANGUAGE_ENDINGS = languages.flatMap(({ fileEndings }) => fileEndings).join('|')
const ENDING = new RegExp(
  String.raw`\.(${LANGUAGE_ENDINGS}|prn|lbl|txt|bin|raw|png|jpe?g|gif|tiff?|pdf|pwg|urf|gz)$`,
  'i',
)
/** Default file names of programs and browsers, and random names. */
const NAMELESS = [
  new RegExp(
    String.raw`^(the |my |new |shipping[ _-]?|ship[ _-]?|return[ _-]?|print[ _-]?)*(labels?|blob|files?|images?|pictures?|photo|scan|documents?|doc|downloads?|upload|untitled|unnamed|noname|print|ship|job|test|temp|tmp|out|output|stdin|data|body|base64|${languageNames.join('|')}|raw|pdf|png)[ _-]*(\(?\d{0,3}\)?)?$`,
    'i',
  ),
  /^\(stdin\)$|^-$/,
  /^(tmp|temp|php|upload)[._-]?[a-z0-9_]{4,}$/i,
  /^[{(]?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}[)}]?$/i,
  /^(?=.*[a-f])(?=.*\d)[0-9a-f]{16,}$/i,
]

/** Makes a title from a file name, without folder and extension; '' when the name says nothing about the label. */
export function titleOfFile(fileName: string): string {
  const name = fileName.slice(0, 4 * TITLE_MOST).replace(/^.*[\\/]/s, '')
  const bare = tidyTitle(name.replace(ENDING, '').replace(ENDING, ''))
  return NAMELESS.some((pattern) => pattern.test(bare)) ? '' : bare
}
