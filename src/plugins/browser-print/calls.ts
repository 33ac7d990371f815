import { answerQuestion, findQuestion } from '#labels'
import type { KnownPrinter } from '../../core/printers/status.ts'
import type { BudgetShare } from '../../core/request/body-budget.ts'
import { parseJson } from '../../core/request/bounded-json.ts'
import { withoutMark } from '../../core/request/json.ts'
import { readUtf8 } from '../../core/request/long-texts.ts'
import { MultipartReader, parseContentType } from '../../core/request/multipart.ts'
import { LabelMemory, REQUEST_LIMITS } from '../../core/request/reader.ts'
import type { FieldKind, LabelTextSink } from '../../core/request/request-fields.ts'
import { isObject } from '../../settings/field.ts'
import { PlatenError, quoteShort } from '../../words/errors.ts'
import type { DoorBox } from '../door/door.ts'

/** A request whose origin was already judged. */
export interface BrowserPrintCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** The Content-Type of the request. */
  readonly type: string
  readonly body: Uint8Array
  readonly network: string
  /** The share of memory that the body holds until the request is answered. */
  readonly share: BudgetShare
  readonly client: () => AbortSignal
}

/** The answer to a call. */
export interface BrowserPrintAnswer {
  readonly text: string
  readonly type?: string
}

const JSON_TYPE = 'application/json'
/** The most parts of a form; it has two. */
const PARTS_MOST = 20
/** The longest question, in characters; anything longer is a label. */
const QUESTION_MOST = 200
const PROVIDER = 'com.zebra.ds.webdriver.desktop.provider.DefaultDeviceProvider'
/** The most answers of printers kept for `read`. */
const MOST_READINGS = 256

/** The answers that printers gave to `write` and that `read` fetches, by client and printer. */
export class Readings {
  readonly #texts = new Map<string, string>()

  add(network: string, printer: string, text: string): void {
    const key = `${network} ${printer}`
    this.#texts.delete(key)
    this.#texts.set(key, text)
    const [oldest] = this.#texts.keys()
    if (this.#texts.size > MOST_READINGS && oldest !== undefined) this.#texts.delete(oldest)
  }

  /** Returns the answer and forgets it; '' = nothing was asked. */
  take(network: string, printer: string): string {
    const key = `${network} ${printer}`
    const text = this.#texts.get(key) ?? ''
    this.#texts.delete(key)
    return text
  }
}

/**
 * Does what Zebra Browser Print does with a call.
 * @throws PlatenError ROUTE_UNKNOWN, METHOD_REFUSED, FIELD_INVALID and those of the intake
 */
export async function answerCall(
  call: BrowserPrintCall,
  box: DoorBox,
  readings: Readings,
): Promise<BrowserPrintAnswer> {
  const { method, path, query } = call
  const wanted = path === '/write' || path === '/read' ? 'POST' : 'GET'
  if (path !== '/' && method !== wanted && method !== 'HEAD')
    throw new PlatenError('METHOD_REFUSED', `${path} wants ${wanted}.`)
  const devices = box.printers.list()
  switch (path) {
    case '/available':
      return json({ printer: devices.map(describe) })
    case '/default':
      return sayDefault(
        devices.find(({ isDefault }) => isDefault),
        query.get('type'),
      )
    case '/config':
      return json(describeApplication(box.info().version))
    case '/read': {
      const { printer } = readRequest(call, box)
      return { text: readings.take(call.network, printer.name) }
    }
    case '/write':
      return await write(call, box, readings)
    default:
      throw new PlatenError(
        'ROUTE_UNKNOWN',
        `This print server does not do ${quoteShort(path)} of Browser Print.`,
        { hint: 'It does available, default, config, write and read.' },
      )
  }
}

async function write(
  call: BrowserPrintCall,
  box: DoorBox,
  readings: Readings,
): Promise<BrowserPrintAnswer> {
  const { printer, data } = readRequest(call, box)
  if (data === undefined)
    throw new PlatenError('FIELD_INVALID', 'data: got nothing, wanted the label as a string.')
  const isShort = data.length < QUESTION_MOST
  const line = isShort ? Buffer.from(data).toString('latin1').trim() : ''
  const asked = findQuestion(line)
  if (asked !== undefined) {
    const waiting = box.spool.line.waiting().get(printer.name) ?? 0
    const { name, makeAndModel, dpi, media, status } = printer
    const facts = { makeAndModel, dpi, media, reasons: status.reasons, waiting }
    readings.add(call.network, name, answerQuestion(asked.question, facts))
    if (isQuestionsOnly(line)) return { text: '' }
  }
  const { network, client, share } = call
  const options = { printer: printer.name }
  await box.intake.take(
    { labels: [data], options, source: 'browser-print', network, client },
    share,
  )
  return { text: '' }
}

/** Tells whether a line has only questions; a label that follows them is printed. */
function isQuestionsOnly(line: string): boolean {
  let rest = line
  while (rest !== '') {
    const asked = findQuestion(rest)
    if (asked === undefined) return false
    rest = rest.slice(asked.length).trimStart()
  }
  return true
}

/** Reads the body: JSON, sent as text/plain so that no preflight is needed, or for a file a form with the JSON beside it (`sendFile`). */
function readRequest(
  { body, type }: BrowserPrintCall,
  box: DoorBox,
): { readonly printer: KnownPrinter; readonly data: Uint8Array | undefined } {
  const form = /^multipart\/form-data/i.test(type) ? readForm(body, type) : undefined
  const { device, data } = readJson(
    form?.json ?? withoutMark(readUtf8(Buffer.from(body), 'The request')),
  )
  const uid = isObject(device) ? (device['uid'] ?? device['name']) : undefined
  // Without one Browser Print prints nowhere; the default printer may be another bench.
  if (typeof uid !== 'string' || uid === '')
    throw new PlatenError('FIELD_INVALID', 'device: got no uid, wanted one of those of /available.')
  if (data !== undefined && typeof data !== 'string')
    throw new PlatenError('FIELD_INVALID', `data: got ${typeof data}, wanted a string.`)
  const text = data === undefined ? undefined : Buffer.from(data)
  return { printer: box.printers.resolve(uid), data: form?.file ?? text }
}

/** The two parts of a form that `sendFile` makes. */
class SentFile {
  json = ''
  file: Uint8Array | undefined
  #parts = 0

  /** @throws PlatenError TOO_MANY_FIELDS */
  open(name: string): FieldKind {
    this.#parts += 1
    if (this.#parts > PARTS_MOST)
      throw new PlatenError('TOO_MANY_FIELDS', `The form has more than ${PARTS_MOST} parts.`)
    if (name === 'json') return 'text'
    return name === 'blob' ? 'label' : 'skip'
  }

  addText(_name: string, value: string): void {
    this.json ||= value
  }

  addLabel(label: Uint8Array): void {
    this.file ??= label
  }

  addSpare(): void {}

  /** Opens a blob that has no file name. */
  openLabel(): LabelTextSink {
    const memory = new LabelMemory()
    return {
      push: (text) => memory.append(Buffer.from(text)),
      pushBytes: (bytes) => memory.append(bytes),
      end: () => this.addLabel(memory.take()),
    }
  }
}

/** @throws PlatenError BODY_BROKEN, TOO_MANY_FIELDS */
function readForm(body: Uint8Array, type: string): SentFile {
  const form = new SentFile()
  const reader = new MultipartReader(parseContentType(type).parameters.get('boundary'), form, {
    ...REQUEST_LIMITS,
    // The JSON beside a file may hold a label too.
    valueBytes: body.length,
  })
  reader.push(body)
  reader.end()
  return form
}

function readJson(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text, REQUEST_LIMITS, 'The request')
  if (!isObject(value)) throw new PlatenError('BODY_BROKEN', 'The request is not a JSON object.')
  return value
}

/** Describes a printer as Browser Print lists it; its uid is its name here. */
function describe({ name, uri }: KnownPrinter) {
  const connection = uri.startsWith('usb:') ? 'usb' : 'network'
  return {
    deviceType: 'printer',
    uid: name,
    provider: PROVIDER,
    name,
    connection,
    version: 5,
    manufacturer: 'Zebra Technologies',
  }
}

/**
 * Describes the default printer: JSON where a type is asked for, else lines (zebra-browser-print-wrapper, `getDefaultPrinter`); '' = there
 * is none.
 */
function sayDefault(printer: KnownPrinter | undefined, type: string | null): BrowserPrintAnswer {
  if (printer === undefined) return { text: '' }
  const device = describe(printer)
  if (type !== null) return json(device)
  const { name, deviceType, connection, uid, provider, manufacturer } = device
  const rows = { name, deviceType, connection, uid, provider, manufacturer }
  const lines = Object.entries(rows).map(([key, value]) => `${key}: ${value}`)
  return { text: ['device:', ...lines].join('\n\t') }
}

function describeApplication(version: string): object {
  return {
    application: {
      version: `platen ${version}`,
      build_number: 0,
      api_level: 5,
      platform: process.platform,
      supportedConversions: {},
    },
  }
}

function json(value: object): BrowserPrintAnswer {
  return { text: JSON.stringify(value), type: JSON_TYPE }
}
