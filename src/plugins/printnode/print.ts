import type { PrintOptions } from '../../core/job.ts'
import { parseJson } from '../../core/request/bounded-json.ts'
import { checkOptions, readValue, tidyTitle } from '../../core/request/field-values.ts'
import { readSize } from '../../core/request/fields.ts'
import { withoutMark } from '../../core/request/json.ts'
import { REQUEST_LIMITS } from '../../core/request/reader.ts'
import { isObject, valueText } from '../../settings/field.ts'
import { PlatenError, quoteShort, refuseField } from '../../words/errors.ts'

type PrintNodeFields = Readonly<Record<string, unknown>>

/** The fields in the body of POST /printjobs. */
export interface PrintNodeWish {
  readonly printer: number
  readonly content: string
  /** True when `content` is an address. */
  readonly isAddress: boolean
  /** `user:password` for the address; '' = none. */
  readonly credentials: string
  /** The title; '' = not given. */
  readonly title: string
  /** The sender in its own words; '' = not given. */
  readonly source: string
  readonly options: PrintOptions
  readonly copies: number
}

const CONTENT_TYPES = ['raw_base64', 'raw_uri', 'pdf_base64', 'pdf_uri']

/** Options that name what a label printer does anyway; other values are refused. */
const USUAL: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['bin', ['']],
  ['collate', [true, false]],
  ['color', [false]],
  ['duplex', ['one-sided']],
  ['media', ['']],
  ['nup', [1]],
])

/** @throws PlatenError BODY_BROKEN, FIELD_INVALID */
export function readPrint(body: Uint8Array, type: string): PrintNodeWish {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString()
  const fields = readJobFields(text, type)
  const { content, title, source } = fields
  const contentType = valueText(fields['contentType'] ?? '')
  if (!CONTENT_TYPES.includes(contentType))
    throw refuseField('contentType', contentType, CONTENT_TYPES.join(', '))
  if (typeof content !== 'string' || content === '')
    throw refuseField('content', typeof content, 'a string')
  const isAddress = contentType.endsWith('_uri')
  const { options, copies } = readOptions(fields)
  return {
    // Old clients write it without Id.

    printer: readCount('printerId', fields['printerId'] ?? fields['printer']),
    content,
    isAddress,
    credentials: isAddress ? readCredentials(fields['authentication']) : '',
    title: typeof title === 'string' ? tidyTitle(title) : '',
    source: typeof source === 'string' ? tidyTitle(source) : '',
    options,
    copies,
  }
}

/** Reads JSON, or a form with the same names (`options[copies]`). A body that begins like JSON is JSON, as curl calls everything a form. */
function readJobFields(text: string, type: string): PrintNodeFields {
  if (!/^\s*\{/.test(text) && /^application\/x-www-form-urlencoded/i.test(type)) {
    const options = new Map<string, string>()
    const fields = new Map<string, unknown>()
    for (const [name, value] of new URLSearchParams(text)) {
      const [, option] = /^options\[(\w+)\]$/.exec(name) ?? []
      if (option === undefined) fields.set(name, value)
      else options.set(option, value)
    }
    return { options: Object.fromEntries(options), ...Object.fromEntries(fields) }
  }
  const value = parseJson(withoutMark(text), REQUEST_LIMITS)
  if (!isObject(value)) throw new PlatenError('BODY_BROKEN', 'The body is not a JSON object.')
  return value
}

function readOptions(fields: PrintNodeFields): {
  readonly options: PrintOptions
  readonly copies: number
} {
  const given = readGiven(fields['options'] ?? {})
  const { qty, expireAfter } = fields
  const copies = readCount('qty', qty ?? 1) * readCount('copies', given['copies'] ?? 1)
  const named = Object.entries(given).filter(([name, value]) => name !== 'copies' && value !== null)
  const options = {
    ...Object.assign({}, ...named.map(([name, value]) => readOption(name, value))),
    ...(expireAfter != null && { expireAfter: readCount('expireAfter', expireAfter) }),
  } as PrintOptions
  checkOptions(options)
  return { options, copies }
}

function readGiven(options: unknown): PrintNodeFields {
  // PHP writes an empty object as a list.
  if (Array.isArray(options) && options.length === 0) return {}
  if (isObject(options)) return options
  throw refuseField('options', typeof options, 'an object')
}

/** Reads one option. @throws PlatenError FIELD_INVALID for an option that this print server does not have */
function readOption(name: string, value: unknown): PrintOptions {
  switch (name) {
    case 'pages':
      return { pages: readValue('pages', closeRanges(valueText(value))) }
    case 'rotate':
      return { rotate: readValue('rotate', valueText(value)) }
    case 'fit_to_page':
      return { scaling: value === false || value === 'false' || value === '0' ? 'none' : 'auto' }
    case 'dpi':
      return { dpi: readDpi(valueText(value)) }
    case 'paper':
      return readPaper(valueText(value))
    default:
      if (USUAL.get(name)?.some((usual) => valueText(usual) === valueText(value)) === true)
        return {}
      throw new PlatenError(
        'FIELD_INVALID',
        `options.${name.slice(0, 40)}: this print server does not do ${quoteShort(valueText(value))}.`,
        {
          hint: 'It does copies, dpi, fit_to_page, pages, paper and rotate; leave the others out.',
        },
      )
  }
}

/** A last page that no document reaches. */
const LAST_PAGE = '9999999999'

/** Closes the ranges that PrintNode also allows, `-5`, `5-` and `-`: the pages up to one, from one on, and all. */
function closeRanges(pages: string): string {
  const parts = pages.split(',').map((part) => {
    const [, from, to] = /^(\d*)\s*-\s*(\d*)$/.exec(part.trim()) ?? []
    return from === undefined ? part : `${from || '1'}-${to || LAST_PAGE}`
  })
  return parts.join(',')
}

/** Reads a resolution such as `203` or `203x203`. */
function readDpi(text: string): number {
  const [, across, down = across] = /^(\d{2,4})(?:x(\d{2,4}))?$/.exec(text) ?? []
  if (across === undefined || across !== down)
    throw refuseField('options.dpi', text, 'one as in 203x203')
  return readValue('dpi', across)
}

function readPaper(text: string): PrintOptions {
  const size = readSize(text)
  if (size === undefined)
    throw refuseField('options.paper', text, 'a size such as 4x6 or 100x150mm')
  return { ...size }
}

function readCredentials(value: unknown): string {
  if (value === undefined || value === null) return ''
  const { type, credentials } = isObject(value) ? value : {}
  const { user = '', pass = '' } = isObject(credentials) ? credentials : {}
  if (type !== 'BasicAuth') throw refuseField('authentication', valueText(type), 'BasicAuth')
  return `${valueText(user)}:${valueText(pass)}`
}

/** Reads a whole number, which forms and some clients write as text. */
function readCount(name: string, value: unknown): number {
  const count = /^\d{1,15}$/.test(valueText(value)) ? Number(value) : 0
  if (count < 1) throw refuseField(name, valueText(value), 'a whole number from 1')
  return count
}
