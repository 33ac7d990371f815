import type { PrinterReason } from '#labels'
import type { LabelRequest } from '../../core/intake/requests.ts'
import type { Job } from '../../core/job.ts'
import type { KnownPrinter } from '../../core/printers/status.ts'
import { decodeBase64 } from '../../core/request/base64.ts'
import { checkOptions, readValue, tidyTitle } from '../../core/request/field-values.ts'
import { FIELDS, type PrintOptions } from '../../core/request/fields.ts'
import { isObject, valueText } from '../../settings/field.ts'
import { refuseField } from '../../words/errors.ts'
import { inEnglish, join, type Sentences, say } from '../../words/say.ts'
import { type Charset, type EncodedText, findCharset } from './charsets.ts'
import { type InlinePicture, PICTURES_MOST } from './pictures.ts'

type QzFields = Readonly<Record<string, unknown>>

/** The formats of pixel data. */
const PICTURES: ReadonlySet<string> = new Set(['IMAGE', 'PDF'])
const INCH: ReadonlyMap<string, number> = new Map([
  ['in', 1],
  ['cm', 2.54],
  ['mm', 25.4],
])
/** Lists the addresses that a call wants printed (flavor `file`), each once. */
export function listAddresses(params: unknown): readonly string[] {
  const data = isObject(params) ? params['data'] : undefined
  const found = (Array.isArray(data) ? data : []).flatMap((item: unknown) => {
    if (!isObject(item) || typeof item['data'] !== 'string') return []
    const isRaw =
      upper(item['type'], 'RAW') === 'RAW' && upper(item['format'], 'COMMAND') === 'COMMAND'
    const isFile = upper(item['flavor'], isRaw ? 'PLAIN' : 'FILE') === 'FILE'
    return isFile && /^https?:/i.test(item['data']) ? [item['data']] : []
  })
  return [...new Set(found)]
}

/** Tells whether a call has commands; a picture beside commands belongs to them. */
function hasCommands(items: readonly unknown[]): boolean {
  return items.some((item) => {
    if (typeof item === 'string') return true
    if (!isObject(item)) return false
    return upper(item['type'], 'RAW') === 'RAW' && upper(item['format'], 'COMMAND') === 'COMMAND'
  })
}

/**
 * Lists the pictures between the commands of a call, by their index in it.
 * @throws PlatenError FIELD_INVALID and those of base64
 */
export function listInline(
  params: unknown,
  files: ReadonlyMap<string, Uint8Array>,
): ReadonlyMap<number, InlinePicture> {
  const data = isObject(params) ? params['data'] : undefined
  const items: readonly unknown[] = Array.isArray(data) ? data : []
  const found = new Map<number, InlinePicture>()
  if (!hasCommands(items)) return found
  for (const [place, item] of items.entries()) {
    if (!isObject(item) || upper(item['format'], kindDefault(item['type'])) === 'COMMAND') continue
    found.set(place, readInline(item, files))
  }
  if (found.size > PICTURES_MOST)
    throw refuseField('data', `${found.size} pictures`, `at most ${PICTURES_MOST} between commands`)
  return found
}

function readInline(item: QzFields, files: ReadonlyMap<string, Uint8Array>): InlinePicture {
  const { type, format, flavor, data, options } = item
  const [kind, what] = [upper(type, 'RAW'), upper(format, kindDefault(type))]
  if (kind !== 'RAW' || what !== 'IMAGE')
    throw refuseField('data', `${kind} ${what} beside commands`, 'RAW IMAGE, or one kind in a call')
  if (typeof data !== 'string') throw refuseField('data', typeof data, 'a string')
  const how = upper(flavor, 'FILE')
  if (how === 'PLAIN') throw refuseField('flavor', how, 'base64')
  const wish = isObject(options) ? options : {}
  return {
    bytes: unpack(data, how, { files }),
    language: upper(wish['language'], 'nothing'),
    x: Math.max(0, Math.round(readNumber(wish['x']) ?? 0)),
    y: Math.max(0, Math.round(readNumber(wish['y']) ?? 0)),
  }
}

/**
 * Reads the request in a `print` call; `drawn` = the commands for its pictures between others; `files` = the content of its addresses.
 * Commands of one call are one document, as its lines often come one by one; each picture and PDF is a label.
 * @throws PlatenError FIELD_INVALID and those of base64
 */
export function readPrint(
  params: unknown,
  files: ReadonlyMap<string, Uint8Array> = new Map(),
  drawn: ReadonlyMap<number, Uint8Array> = new Map(),
): Pick<LabelRequest, 'labels' | 'options' | 'titles' | 'copies' | 'warning'> {
  const { printer, options, data } = readObject(params, 'params')
  const config = isObject(options) ? options : {}
  const items = Array.isArray(data) ? data : []
  if (items.length === 0) throw refuseField('data', 'nothing', 'at least one item')
  const encoding = readEncoding(config['encoding'])
  const read = items.map((item, place) => {
    const bytes = drawn.get(place)
    return bytes === undefined
      ? readItem(item, { encoding, files })
      : { bytes, isCommand: true, isWhole: true }
  })
  const commands = read.filter(({ isCommand }) => isCommand).map(({ bytes }) => bytes)
  if (commands.length > 0 && commands.length < read.length) {
    throw refuseField('data', 'commands beside pictures', 'one kind in a call')
  }
  const labels = commands.length > 0 ? [Buffer.concat(commands)] : read.map(({ bytes }) => bytes)
  const name = readPrinter(printer)
  const drawing = commands.length > 0 ? {} : { ...readDrawing(config), ...readPages(items) }
  const told: PrintOptions = { ...(name !== undefined && { printer: name }), ...drawing }
  checkOptions(told)
  const { jobName } = config
  const copies = readNumber(config['copies']) ?? 1
  const isNamed = typeof jobName === 'string' || typeof jobName === 'number'
  return {
    labels,
    options: told,
    ...(isNamed && { titles: labels.map(() => tidyTitle(String(jobName))) }),
    ...(copies !== 1 && { copies }),
    ...explainLost(read, encoding),
  }
}

/** Warns a person of characters that a set lacks; a `?` stands for each, as in Java. */
function explainLost(read: readonly QzItem[], { name }: Charset): { readonly warning?: Sentences } {
  if (read.every(({ isWhole }) => isWhole)) return {}
  return { warning: join(say('lettersLost', { charset: name.slice(0, 40) }), say('tellMaker')) }
}

/** Reads the name of the printer. @throws PlatenError FIELD_INVALID for targets other than the printers of the box */
function readPrinter(printer: unknown): string | undefined {
  if (printer === undefined || printer === null) return undefined
  if (typeof printer === 'string') return printer
  const { name, file, host } = readObject(printer, 'printer')
  if (file !== undefined) throw refuseField('printer', 'a file', 'the name of a printer')
  if (host !== undefined) throw refuseField('printer', 'a host', 'the name of a printer')
  return typeof name === 'string' ? name : undefined
}

interface QzItem extends Pick<EncodedText, 'isWhole'> {
  readonly bytes: Uint8Array
  readonly isCommand: boolean
}

/** The encoding and the files with which an item is read. */
interface ItemEncoding {
  readonly encoding: Charset
  readonly files: ReadonlyMap<string, Uint8Array>
}

function readItem(item: unknown, reading: ItemEncoding): QzItem {
  // Short for a command (qz-tray.js, `print`).
  if (typeof item === 'string') return { ...reading.encoding.encode(item), isCommand: true }
  const { type, format, flavor, data } = readObject(item, 'data')
  const [kind, what] = [upper(type, 'RAW'), upper(format, kindDefault(type))]
  if (kind === 'RAW' && what === 'COMMAND') {
    return { ...readBytes(data, upper(flavor, 'PLAIN'), reading), isCommand: true }
  }
  if ((kind === 'PIXEL' || kind === 'RAW') && PICTURES.has(what)) {
    const how = upper(flavor, 'FILE')
    if (how === 'PLAIN') throw refuseField('flavor', how, 'base64')
    return { ...readBytes(data, how, reading), isCommand: false }
  }
  throw refuseField('data', `${kind} ${what}`, 'RAW COMMAND, PIXEL IMAGE or PIXEL PDF')
}

function kindDefault(type: unknown): string {
  return upper(type, 'RAW') === 'RAW' ? 'COMMAND' : 'IMAGE'
}

function readBytes(
  data: unknown,
  flavor: string,
  reading: ItemEncoding,
): Pick<QzItem, 'bytes' | 'isWhole'> {
  if (typeof data !== 'string') throw refuseField('data', typeof data, 'a string')
  if (flavor === 'PLAIN') return reading.encoding.encode(data)
  return { bytes: unpack(data, flavor, reading), isWhole: true }
}

function unpack(data: string, flavor: string, { files }: Pick<ItemEncoding, 'files'>): Uint8Array {
  switch (flavor) {
    case 'BASE64':
      return decodeBase64(data)
    case 'HEX':
      return readHex(data)
    case 'FILE':
      if (/^data:/i.test(data)) return decodeBase64(data)
      return files.get(data) ?? refuseFile()
    default:
      throw refuseField('flavor', flavor, 'plain, base64 or hex')
  }
}

/** Refuses a file of the page's own computer, which the box cannot read. @throws PlatenError */
function refuseFile(): never {
  throw refuseField('data', 'a file', 'an address that begins with http:// or https://')
}

/** Reads hex as QZ Tray does: blanks and `x` may stand between the bytes. */
function readHex(text: string): Uint8Array {
  const digits = text.replace(/\s+|0x|x/gi, '')
  if (digits.length % 2 !== 0 || /[^0-9a-f]/i.test(digits))
    throw refuseField('data', 'damaged hex', 'pairs of hexadecimal digits')
  return Buffer.from(digits, 'hex')
}

/** Reads the character set; QZ Tray's default is UTF-8. */
function readEncoding(value: unknown): Charset {
  const name = isObject(value) ? value['to'] : value
  const charset =
    typeof name === 'string' || name === undefined || name === null
      ? findCharset(name ?? '')
      : undefined
  if (charset === undefined)
    throw refuseField('encoding', valueText(name), 'a character set such as UTF-8, Cp1252 or GBK')
  return charset
}

/** Reads the options of a picture on the label. @throws PlatenError FIELD_INVALID for options that cannot be met */
function readDrawing(config: QzFields): PrintOptions {
  const { size, units, scaleContent, area, darkness } = config
  const inch = INCH.get(valueText(units ?? 'in').toLowerCase()) ?? 1
  const sides = isObject(size) ? size : {}
  const [width = 0, height = 0] = [readNumber(sides['width']), readNumber(sides['height'])]
  const rotate = readTurn(config)
  const density = readDensity(config['density'])
  const isUnscaled = scaleContent === false || scaleContent === 'false'
  return {
    ...(width > 0 && { labelWidth: width / inch }),
    ...(height > 0 && { labelHeight: height / inch }),
    ...(rotate !== undefined && { rotate }),
    ...(isUnscaled && { scaling: 'none' }),
    // What is scaled fills the label in dots of the head, whatever its page thinks that they are.
    ...(isUnscaled && density > 0 && { dpi: checkDensity(density * inch) }),
    // QZ Tray has not these.
    ...(isSaid(area) && { area: readValue('area', valueText(area)) }),
    ...(isSaid(darkness) && { darkness: readValue('darkness', valueText(darkness)) }),
  }
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Clockwise turns of pages; landscape is a quarter turn counterclockwise, as in Java. */
const ORIENTATIONS: ReadonlyMap<string, number> = new Map([
  ['PORTRAIT', 0],
  ['LANDSCAPE', 270],
  ['REVERSE-PORTRAIT', 180],
  ['REVERSE-LANDSCAPE', 90],
])

/** Reads the rotation. Undefined = whatever fits best: pages send 0 for a rotation that nobody asked for. */
function readTurn({ rotation, orientation }: QzFields): string | undefined {
  const degrees = isSaid(rotation) ? readNumber(rotation) : 0
  if (degrees === undefined || degrees % 90 !== 0)
    throw refuseField('rotation', valueText(rotation), 'a multiple of 90 degrees')
  const word = isSaid(orientation) ? valueText(orientation) : ''
  const laid = ORIENTATIONS.get(word.toUpperCase().replaceAll('_', '-'))
  if (word !== '' && laid === undefined)
    throw refuseField('orientation', word, 'portrait, landscape or reverse-landscape')
  const turn = (((degrees + (laid ?? 0)) % 360) + 360) % 360
  return turn === 0 && laid === undefined ? undefined : String(turn)
}

/** Reads the dots per unit; 0 = not given. QZ Tray takes the first of a list, and words for the printer's own. */
function readDensity(value: unknown): number {
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (!isSaid(first) || first === 'best' || first === 'draft') return 0
  const { cross, feed } = isObject(first) ? first : { cross: first, feed: first }
  const [across, down] = [readNumber(cross), readNumber(feed)]
  if (across === undefined || across < 0 || across !== down)
    throw refuseField('density', JSON.stringify(value), 'one number, the same in both directions')
  return across
}

function checkDensity(dpi: number): number {
  const { min, max } = FIELDS.dpi
  const dots = Math.round(dpi)
  if (dots >= min && dots <= max) return dots
  throw refuseField('density', `${dots} dots per inch`, `${min} to ${max}`)
}

/**
 * Reads which pages of the PDFs print: QZ Tray has an option for each PDF, here it is one of the request. @throws PlatenError FIELD_INVALID
 */
function readPages(items: readonly unknown[]): PrintOptions {
  const pdfs = items.filter((item) => isObject(item) && upper(item['format'], '') === 'PDF')
  const [pages = '', ...others] = new Set(pdfs.map(pagesOf))
  if (others.length > 0) throw refuseField('pageRanges', 'several', 'the same for all in a call')
  return pages === '' ? {} : { pages: readValue('pages', pages) }
}

/** Returns the pages of an item; '' = all. */
function pagesOf(item: unknown): string {
  const options = isObject(item) ? item['options'] : undefined
  const ranges = valueText((isObject(options) ? options['pageRanges'] : undefined) ?? '').split(',')
  return ranges.filter((range) => range.trim() !== '').join(',')
}

/** Reads a number as QZ Tray does: pages pass on the text of a form field as it is. */
function readNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  const isText = typeof value === 'string' && /^\s*[+-]?\d{1,9}(\.\d{0,9})?\s*$/.test(value)
  return isText ? Number(value) : undefined
}

function upper(value: unknown, usual: string): string {
  return typeof value === 'string' ? value.toUpperCase() : usual
}

function readObject(value: unknown, name: string): QzFields {
  if (!isObject(value)) throw refuseField(name, typeof value, 'an object')
  return value
}

/** QZ Tray's words and codes for a printer (NativePrinterStatus, winspool.h PRINTER_STATUS_*). */
const REASONS: Readonly<Partial<Record<PrinterReason, readonly [string, number]>>> = {
  offline: ['OFFLINE', 0x80],
  'media-empty': ['PAPER_OUT', 0x10],
  'media-jam': ['PAPER_JAM', 0x8],
  'cover-open': ['DOOR_OPEN', 0x400000],
  'marker-supply-empty': ['NO_TONER', 0x40000],
  paused: ['PAUSED', 0x1],
  other: ['ERROR', 0x2],
}

/** QZ Tray's words and codes for a job (NativeJobStatus). */
const JOB_STATES = {
  pending: ['SPOOLING', 0x8],
  'pending-held': ['PAUSED', 0x1],
  processing: ['PRINTING', 0x10],
  'processing-stopped': ['USER_INTERVENTION', 0x400],
  canceled: ['CANCELED', 0x100000],
  aborted: ['ABORTED', 0x200000],
  completed: ['COMPLETE', 0x1000],
} as const satisfies Record<Job['state'], readonly [string, number]>

/** Makes one event for each trouble of a printer, or one that says it is well. */
export function printerEvents({ name, status }: KnownPrinter): readonly string[] {
  const found = status.reasons.flatMap((reason) => {
    const words = REASONS[reason]
    return words === undefined ? [] : [words]
  })
  const usual: readonly [string, number] =
    status.state === 'processing' ? ['PRINTING', 0x400] : ['OK', 0]
  return (found.length === 0 ? [usual] : found).map(([text, code]) =>
    streamEvent({
      printerName: name,
      eventType: 'PRINTER',
      statusText: text,
      status: text,
      code,
      severity: found.length === 0 ? 'INFO' : 'WARN',
      message: inEnglish(status.message),
    }),
  )
}

/** Makes the event about the state of a job. */
export function jobEvent({ id, printer, title, state, reasons, message }: Job): string {
  // Another printer has it: a page that hears that it was canceled prints it once more.
  const [text, code] = JOB_STATES[reasons.includes('platen-moved') ? 'completed' : state]
  return streamEvent({
    printerName: printer,
    eventType: 'JOB',
    statusText: text,
    status: text,
    code,
    severity: state === 'aborted' || state === 'pending-held' ? 'WARN' : 'INFO',
    jobId: id,
    jobName: title,
    message: inEnglish(message),
  })
}

/** Wraps an event: it is JSON inside JSON (qz-tray.js, `onmessage`). */
function streamEvent(event: object): string {
  return JSON.stringify({ type: 'PRINTER', event: JSON.stringify(event) })
}
