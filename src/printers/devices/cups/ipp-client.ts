import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { PrinterFault } from '../../fault.ts'
import { decodeMessage, encodeMessage, IppFault } from '../../ipp/codec.ts'
import { GROUPS, type IppGroup, type IppValue, TAGS } from '../../ipp/message.ts'
import { TimeLimit } from '../../wait.ts'

/** Address of a print spooler. Decision `card-libraries`. */
export type SpoolerAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number }

/** Request to the spooler. */
export interface SpoolerRequest {
  /** HTTP path, e.g. `/printers/Zebra`; CUPS takes it for its access rules. */
  readonly path: string
  readonly operation: number
  readonly attributes: readonly SentAttribute[]
}

/** An answer, and whether it came over another connection than the one before: then the spooler was restarted. */
interface SpoolerResponse extends IppResponse {
  readonly isNewLine: boolean
}

const ANSWER_MS = 10_000 // CUPS answers in milliseconds; a machine that is swapping takes longer
const MOST_ASIDES = 10 // answers such as "100 Continue" before the answer; CUPS sends one at most
const KEEP_MS = 60_000 // longer than CUPS keeps it (30 s): only the spooler ends it

/**
 * A kept connection to the print spooler, one question at a time. That it was closed between two questions is how a
 * restart is noticed: with systemd's socket activation no call is ever refused.
 */
export class SpoolerLine {
  readonly #address: SpoolerAddress
  readonly #agent: Agent
  #requestId = 0

  constructor(address: SpoolerAddress) {
    this.#address = address
    const { Agent } = process.getBuiltinModule('node:http')
    this.#agent = new Agent({ keepAlive: true, keepAliveMsecs: KEEP_MS, maxSockets: 1 })
  }

  /** @throws PrinterFault PRINTER_OFFLINE when the spooler does not answer, or not as a spooler does */
  async ask(question: SpoolerRequest, signal: AbortSignal): Promise<SpoolerResponse> {
    this.#requestId += 1
    using limit = new TimeLimit(ANSWER_MS, signal)
    const body = encodeQuestion(question, this.#requestId)
    const options = { ...describeRequest(this.#address, question.path), agent: this.#agent }
    try {
      const request = process
        .getBuiltinModule('node:http')
        .request({ ...options, signal: limit.signal })
      const response = awaitResponse(request)
      request.setHeader('content-length', body.length)
      request.end(body)
      const answer = await readAnswer(await response)
      return { ...answer, isNewLine: !request.reusedSocket }
    } catch (error) {
      throw explainSilence(error, this.#address, signal, limit.signal)
    }
  }

  /** Ends the connection; the line is not used again. */
  close(): void {
    this.#agent.destroy()
  }
}

/** The question as bytes. */
export function encodeQuestion(
  { operation, attributes }: SpoolerRequest,
  requestId: number,
): Uint8Array {
  return encodeRequest({ operation, requestId, attributes })
}

/** HTTP's part of a question. */
export function describeRequest(address: SpoolerAddress, path: string): RequestOptions {
  return {
    ...address,
    path,
    method: 'POST',
    // CUPS refuses other names on its socket as DNS rebinding.
    headers: { host: 'localhost', 'content-type': 'application/ipp' },
  }
}

/** The answer's head, or the fault that came instead. */
export function awaitResponse(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let asides = 0
    request.on('information', () => {
      asides += 1
      if (asides > MOST_ASIDES) request.destroy(explainAsides())
    })
    request.once('response', resolve)
    request.on('error', reject)
  })
}

/**
 * Reads an answer to its end, within bounds.
 * @throws PrinterFault PRINTER_OFFLINE when it is not one of a print spooler
 */
export async function readAnswer(response: IncomingMessage): Promise<IppResponse> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MOST_BYTES) break
    parts.push(part)
  }
  if (response.statusCode !== 200) throw explainStatus(response.statusCode ?? 0)
  return decodeResponse(Buffer.concat(parts))
}

// The printer itself may be on and well.
function explainAsides(): PrinterFault {
  return new PrinterFault(
    'PRINTER_OFFLINE',
    'The print spooler of this computer says over and over that it is about to answer, and does not.',
    { advice: 'startCups' },
  )
}

function explainStatus(status: number): PrinterFault {
  const isDenied = status === 401 || status === 403
  return new PrinterFault(
    'PRINTER_OFFLINE',
    isDenied
      ? `The print spooler of this computer does not let platen in (HTTP ${status}): allow it in the access rules of cupsd.conf.`
      : `The print spooler of this computer answered HTTP ${status}; wanted 200.`,
    { advice: 'startCups' },
  )
}

/** Explains a failed question to the person at the bench. */
export function explainSilence(
  error: unknown,
  address: SpoolerAddress,
  signal: AbortSignal,
  limit?: AbortSignal,
): PrinterFault {
  if (error instanceof PrinterFault) return error
  const where =
    'socketPath' in address ? address.socketPath : `${address.host} port ${address.port}`
  if (signal.aborted) {
    return new PrinterFault('PRINTER_OFFLINE', `The question to CUPS at ${where} was given up.`, {
      cause: signal.reason,
    })
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code'
  const seen = limit?.aborted ? `no answer within ${ANSWER_MS / 1_000} s` : code
  return new PrinterFault(
    'PRINTER_OFFLINE',
    `CUPS, the print spooler of this computer, does not answer at ${where} (${seen}): is it installed and running (systemctl status cups)?`,
    { cause: error, advice: 'startCups' },
  )
}

/** Operations we ask for (RFC 8011, 5.4.15; CUPS's own from "CUPS Implementation of IPP"). */
export const OPERATIONS = {
  createJob: 0x0005,
  sendDocument: 0x0006,
  cancelJob: 0x0008,
  getJobAttributes: 0x0009,
  getPrinterAttributes: 0x000b,
  cupsGetPrinters: 0x4002,
} as const

/** Status of an answer (RFC 8011, appendix B); everything below 0x0100 is a success. */
export const STATUS = { firstFailure: 0x0100, notPossible: 0x0404, notFound: 0x0406 } as const

/** The most of an answer that is read; 1,000 queues with the attributes we ask for take about 0.5 MB. */
export const MOST_BYTES = 1_048_576

/** Kinds of value that we send. */
type SentTag = 'integer' | 'boolean' | 'enum' | 'name' | 'keyword' | 'uri' | 'mimeMediaType'

/** An attribute of a request. */
export interface SentAttribute {
  readonly name: string
  readonly tag: SentTag
  readonly values: readonly (string | number | boolean)[]
}

/** A request; charset and language are added by `encodeRequest`. */
interface IppRequest {
  readonly operation: number
  readonly requestId: number
  /** In order: the target (`printer-uri` or `job-uri`) comes first (RFC 8011, 4.1.5). */
  readonly attributes: readonly SentAttribute[]
}

/** An answer. */
export interface IppResponse {
  readonly status: number
  readonly requestId: number
  readonly groups: readonly IppGroup[]
}

/** The request as it goes over the wire, version 2.0, which cupsd has spoken since 1.5; a document's bytes follow directly. */
export function encodeRequest({ operation, requestId, attributes }: IppRequest): Uint8Array {
  const list: readonly (readonly [string, readonly IppValue[]])[] = [
    // These two come first, in this order (RFC 8011, 4.1.4).
    ['attributes-charset', [{ tag: TAGS.charset, value: 'utf-8' }]],
    ['attributes-natural-language', [{ tag: TAGS.naturalLanguage, value: 'en' }]],
    ...attributes.map(
      ({ name, tag, values }) =>
        [name, values.map((value) => ({ tag: TAGS[tag], value }))] as const,
    ),
  ]
  const groups = [{ tag: GROUPS.operation, attributes: new Map(list) }]
  return encodeMessage({ version: [2, 0], code: operation, requestId, groups })
}

/**
 * Reads an answer. Bytes behind its end are ignored.
 * @throws PrinterFault PRINTER_OFFLINE when the bytes are not a whole IPP message: what answered is not a print spooler
 */
export function decodeResponse(bytes: Uint8Array): IppResponse {
  if (bytes.length > MOST_BYTES) throw broken(`${bytes.length} bytes; wanted ${MOST_BYTES} at most`)
  const [major = 0, minor = 0] = bytes
  if (bytes.length >= 8 && major !== 1 && major !== 2) {
    throw broken(`version ${major}.${minor}; wanted 1 or 2`)
  }
  try {
    const { code, requestId, groups } = decodeMessage(bytes).message
    return { status: code, requestId, groups }
  } catch (error) {
    throw error instanceof IppFault ? broken(error.message) : error
  }
}

function broken(seen: string): PrinterFault {
  return new PrinterFault(
    'PRINTER_OFFLINE',
    `The print spooler of this computer sent an answer that cannot be read: ${seen}.`,
  )
}
