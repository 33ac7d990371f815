import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { PlatenError } from '../../../../errors.ts'
import { TimeLimit } from '../../../../wait.ts'
import {
  decodeResponse,
  encodeRequest,
  type IppResponse,
  MOST_BYTES,
  type SentAttribute,
} from './message.ts'

/** Where a print spooler listens. */
export type SpoolerAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number }

/** What is asked of the spooler. */
export interface Question {
  /** HTTP path, e.g. `/printers/Zebra`; CUPS takes it for its access rules. */
  readonly path: string
  readonly operation: number
  readonly attributes: readonly SentAttribute[]
}

/** An answer, and whether it came over another connection than the one before: then the spooler was restarted. */
export interface Answer extends IppResponse {
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

  /** @throws PlatenError PRINTER_OFFLINE when the spooler does not answer, or not as a spooler does */
  async ask(question: Question, signal: AbortSignal): Promise<Answer> {
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
export function encodeQuestion({ operation, attributes }: Question, requestId: number): Uint8Array {
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
 * @throws PlatenError PRINTER_OFFLINE when it is not one of a print spooler
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
const SPOOLER_HINT =
  'Start CUPS on this computer, or tell whoever looks after it; the label prints by itself afterwards.'

function explainAsides(): PlatenError {
  return new PlatenError(
    'PRINTER_OFFLINE',
    'The print spooler of this computer says over and over that it is about to answer, and does not.',
    { hint: SPOOLER_HINT },
  )
}

function explainStatus(status: number): PlatenError {
  const isDenied = status === 401 || status === 403
  return new PlatenError(
    'PRINTER_OFFLINE',
    isDenied
      ? `The print spooler of this computer does not let platen in (HTTP ${status}): allow it in the access rules of cupsd.conf.`
      : `The print spooler of this computer answered HTTP ${status}; wanted 200.`,
    { hint: SPOOLER_HINT },
  )
}

/** What a failed question means to the person at the bench. */
export function explainSilence(
  error: unknown,
  address: SpoolerAddress,
  signal: AbortSignal,
  limit?: AbortSignal,
): PlatenError {
  if (error instanceof PlatenError) return error
  const where =
    'socketPath' in address ? address.socketPath : `${address.host} port ${address.port}`
  if (signal.aborted) {
    return new PlatenError('PRINTER_OFFLINE', `The question to CUPS at ${where} was given up.`, {
      cause: signal.reason,
    })
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code'
  const seen = limit?.aborted ? `no answer within ${ANSWER_MS / 1_000} s` : code
  return new PlatenError(
    'PRINTER_OFFLINE',
    `CUPS, the print spooler of this computer, does not answer at ${where} (${seen}): is it installed and running (systemctl status cups)?`,
    { cause: error, hint: SPOOLER_HINT },
  )
}
