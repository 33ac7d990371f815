import type { KnownPrinter } from '../../core/printers/status.ts'
import { parseJson } from '../../core/request/bounded-json.ts'
import { REQUEST_LIMITS } from '../../core/request/reader.ts'
import { isObject, valueText } from '../../settings/field.ts'
import { PlatenError, quoteShort } from '../../words/errors.ts'
import type { DoorBox } from '../door/door.ts'
import { drawInline } from './pictures.ts'
import { jobEvent, listAddresses, listInline, printerEvents, readPrint } from './print.ts'
import { printedBefore, type Signatures, type SignedCall } from './signatures.ts'

/** The version of QZ Tray whose calls these are; clients adapt to it. */
const VERSION = '2.2.6'
/** Calls that qz-tray.js never signs (`needsSigned`): they reveal nothing about the box. */
const UNSIGNED: ReadonlySet<string> = new Set([
  'getVersion',
  'printers.getStatus',
  'printers.stopListening',
])
const LONGEST_UID = 64
const LONGEST_LIST = 100

/** The parts of a session. */
export interface SessionParts {
  readonly box: DoorBox
  /** The client that its labels count for in the spool. */
  readonly network: string
  /** Tells whether the settings let this caller print without a signature. Asked at every call. */
  readonly isTrusted: () => boolean
  /** Undefined = no certificate is installed. */
  readonly signatures: Signatures | undefined
  /** Returns a signal that aborts when the connection is gone. */
  readonly client: () => AbortSignal
  /** Fetches an internet address. @throws PlatenError */
  readonly fetchFile: (address: string, mostBytes: number) => Promise<Uint8Array>
  /** Sends an event of a printer to the client. */
  readonly send: (text: string) => void
}

interface QzCall extends SignedCall {
  readonly uid: string | undefined
}

/** The conversation with one client on its connection: messages in, answers and events out. */
export class Session {
  readonly #parts: SessionParts
  /** Tells whether the client listens to a printer; undefined = it listens to none. */
  #listens: ((printer: string) => boolean) | undefined
  #stopListening = (): void => undefined

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /** Returns the answer to a message; undefined = none. Rejects only with bugs of ours. */
  answer(text: string): Promise<string | undefined> {
    // Not `async`: that would keep the text until it is answered.
    return text === 'ping' ? Promise.resolve(undefined) : this.#answer(parseObject(text))
  }

  async #answer(message: Readonly<Record<string, unknown>> | undefined): Promise<string> {
    if (message === undefined)
      return JSON.stringify({ uid: null, error: 'Not a message.', type: 'ERROR' })
    const uid = readUid(message['uid'])
    try {
      // The certificate that a client shows is not believed: the owner has installed the one that counts.
      const result = 'call' in message ? await this.#run(readCall(message, uid)) : null
      return JSON.stringify({ uid, result })
    } catch (error) {
      if (!(error instanceof PlatenError)) this.#parts.box.fault(error)
      return JSON.stringify({ uid, error: explain(error) })
    }
  }

  /** Ends the client's events. */
  close(): void {
    this.#stopListening()
    this.#listens = undefined
  }

  async #run(call: QzCall): Promise<unknown> {
    const { box } = this.#parts
    const isSigned = this.#check(call)
    const params = isObject(call.params) ? call.params : {}
    switch (call.call) {
      case 'getVersion':
        return VERSION
      case 'printers.find':
        return find(box.printers.list(), params['query'])
      case 'printers.getDefault':
        return box.printers.list().find(({ isDefault }) => isDefault)?.name ?? null
      case 'printers.detail':
        return box.printers.list().map(describe)
      case 'print':
        return await this.#print(call, isSigned)
      case 'printers.startListening':
        return this.#listen(params['printerNames'])
      case 'printers.stopListening':
        return this.close() ?? null
      case 'printers.getStatus':
        return this.#tellAll() ?? null
      default:
        throw new PlatenError(
          'ROUTE_UNKNOWN',
          `This print server does not do ${quoteShort(call.call)}.`,
          {
            hint: 'It prints, and tells of printers.',
          },
        )
    }
  }

  /** Checks that a call may be made; true = it was signed. @throws PlatenError ORIGIN_REFUSED */
  #check(call: QzCall): boolean {
    const { isTrusted, signatures } = this.#parts
    if (isTrusted() || UNSIGNED.has(call.call)) return false
    if (signatures?.isSigned(call) === true) return true
    throw new PlatenError('ORIGIN_REFUSED', 'This page may not print here.', {
      hint: 'Add its site to allowed_origins in the settings, or sign its calls with the key of qz_certificate.',
    })
  }

  async #print({ params, signature }: QzCall, isSigned: boolean): Promise<null> {
    const { box, network, client, signatures } = this.#parts
    const addresses = listAddresses(params)
    const isSimple = addresses.length === 0 && listInline(params, new Map()).size === 0
    const early = isSimple ? readPrint(params) : undefined
    const used = isSigned ? signatures?.use(String(signature)) : undefined
    // On disk too: what is remembered here ends with the door.
    const once =
      used === undefined ? {} : { idempotencyKey: used, sender: { kind: 'qz', from: '' } }
    try {
      const request = early ?? (await this.#complete(params, addresses))
      const { repeated } = await box.intake.take({
        ...request,
        source: 'qz',
        network,
        client,
        ...once,
      })
      if (!repeated) return null
    } catch (error) {
      if (used !== undefined) signatures?.forget(used) // nothing was printed with it
      throw error
    }
    throw printedBefore()
  }

  /** Reads a call together with its fetched files and drawn pictures. @throws PlatenError */
  async #complete(
    params: unknown,
    addresses: readonly string[],
  ): Promise<ReturnType<typeof readPrint>> {
    const files = await this.#fetchAll(addresses)
    const { renderer } = this.#parts.box
    const inline = renderer === undefined ? [] : listInline(params, files)
    const drawn = new Map<number, Uint8Array>()
    // The renderer has its own limit of time.
    const { signal } = new AbortController()
    for (const [place, picture] of inline) {
      if (renderer !== undefined) drawn.set(place, await drawInline(picture, renderer, signal))
    }
    return readPrint(params, files, drawn)
  }

  /** Fetches all addresses; together they may have as many bytes as a request. @throws PlatenError */
  async #fetchAll(addresses: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    if (addresses.length > LONGEST_LIST)
      throw new PlatenError('TOO_MANY_FIELDS', 'Too many addresses in a call.')
    const { box, fetchFile } = this.#parts
    const files = new Map<string, Uint8Array>()
    let left = box.config().max_body_mb * 2 ** 20
    for (const address of addresses) {
      const bytes = await fetchFile(address, left)
      left -= bytes.length
      files.set(address, bytes)
    }
    return files
  }

  #listen(names: unknown): null {
    const wanted = (Array.isArray(names) ? names : [names]).filter((name) => name !== null)
    if (wanted.length > LONGEST_LIST) throw new PlatenError('TOO_MANY_FIELDS', 'Too many printers.')
    const { box, send } = this.#parts
    const known = new Set(wanted)
    for (const name of known) box.printers.resolve(valueText(name))
    this.close()
    this.#listens = (name) => known.size === 0 || known.has(name)
    const ends = [
      box.printers.onChange((printer) => {
        if (this.#listens?.(printer.name)) for (const event of printerEvents(printer)) send(event)
      }),
      box.spool.onChange((job) => {
        if (this.#listens?.(job.printer)) send(jobEvent(job))
      }),
    ]
    this.#stopListening = () => {
      for (const end of ends.splice(0)) end()
    }
    return null
  }

  #tellAll(): void {
    const { box, send } = this.#parts
    for (const printer of box.printers.list()) {
      if (this.#listens?.(printer.name)) for (const event of printerEvents(printer)) send(event)
    }
  }
}

/** Finds all names, or the one that a query means, as QZ Tray does. */
function find(printers: readonly KnownPrinter[], query: unknown): string | readonly string[] {
  const names = printers.map(({ name }) => name)
  if (query === undefined || query === null) return names
  const wanted = valueText(query).toLowerCase()
  const found =
    names.find((name) => name.toLowerCase() === wanted) ??
    names.find((name) => name.toLowerCase().startsWith(wanted)) ??
    names.find((name) => name.toLowerCase().includes(wanted))
  if (found === undefined)
    throw new PlatenError('PRINTER_UNKNOWN', 'Specified printer could not be found.')
  return found
}

function describe(printer: KnownPrinter): object {
  const { name, makeAndModel, uri, isDefault, dpi, status } = printer
  return {
    name,
    driver: makeAndModel,
    connection: uri,
    default: isDefault,
    density: dpi,
    sizes: [],
    trays: [],
    status: status.state,
  }
}

function explain(error: unknown): string {
  if (!(error instanceof PlatenError)) return 'The print server has a fault; nothing was printed.'
  return error.hint === '' ? error.message : `${error.message} ${error.hint}`
}

function readCall(message: Readonly<Record<string, unknown>>, uid: string | undefined): QzCall {
  const { call, params, timestamp, signature, signAlgorithm } = message
  if (typeof call !== 'string') throw new PlatenError('FIELD_INVALID', 'call: wanted a string.')
  return { uid, call, params, timestamp, signature, signAlgorithm }
}

function readUid(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= LONGEST_UID ? value : undefined
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return undefined
  try {
    const value = parseJson(text, REQUEST_LIMITS)
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof PlatenError) return undefined
    throw error
  }
}
