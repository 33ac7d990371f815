import type { ClientRequest } from 'node:http'
import { PlatenError } from '../../../../errors.ts'
import {
  awaitResponse,
  describeRequest,
  encodeQuestion,
  explainSilence,
  type Question,
  readAnswer,
  type SpoolerAddress,
} from './line.ts'
import type { IppResponse } from './message.ts'

const PIECE_BYTES = 65_536 // an abort takes effect between two pieces at the latest

/**
 * A question with a document behind it, sent piece by piece. The spooler acts on it when `finish` ends the document, and
 * throws away what came when the connection breaks before.
 */
export class DocumentUpload {
  readonly #request: ClientRequest
  readonly #address: SpoolerAddress
  readonly #answer: Promise<IppResponse>
  /** Never resolves; rejects when the connection is gone. */
  readonly #broken: Promise<never>

  constructor(address: SpoolerAddress, question: Question) {
    this.#address = address
    const request = process.getBuiltinModule('node:http').request({
      ...describeRequest(address, question.path),
      agent: false,
    })
    this.#request = request
    this.#answer = awaitResponse(request).then(readAnswer)
    const closed = new Promise((resolve) => request.once('close', resolve))
    this.#broken = closed.then(() => this.#answer).then(explainEarlyAnswer)
    // Told by the next write, or by `finish`.
    for (const promise of [this.#answer, this.#broken]) promise.catch(() => undefined)
    request.write(encodeQuestion(question, 1))
  }

  /**
   * Resolves with every byte taken by the spooler's socket.
   * @throws PlatenError PRINTER_OFFLINE when the connection broke or was aborted: nothing of the document counts
   */
  async write(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const stop = () => this.abandon()
    signal.addEventListener('abort', stop, { once: true })
    try {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        signal.throwIfAborted()
        await this.#push(bytes.subarray(at, at + PIECE_BYTES))
      }
    } catch (error) {
      this.abandon()
      throw explainSilence(error, this.#address, signal)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /**
   * Ends the document and gives the spooler's word on it. From here on a failure does not prove that it was not taken.
   * @throws PlatenError PRINTER_OFFLINE
   */
  async finish(signal: AbortSignal): Promise<IppResponse> {
    const stop = () => this.abandon()
    signal.addEventListener('abort', stop, { once: true })
    try {
      signal.throwIfAborted()
      this.#request.end()
      return await this.#answer
    } catch (error) {
      throw explainSilence(error, this.#address, signal)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Breaks the connection off. */
  abandon(): void {
    this.#request.destroy()
  }

  async #push(piece: Uint8Array): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#request.write(piece, (error) => (error ? reject(error) : resolve()))
    // A request that breaks before it was connected forgets the callbacks of its writes.
    await Promise.race([promise, this.#broken])
  }
}

/** The spooler answered before it had the document. */
function explainEarlyAnswer({ status }: IppResponse): never {
  throw new PlatenError(
    'PRINTER_OFFLINE',
    `CUPS refused the label before it was read (IPP status 0x${status.toString(16).padStart(4, '0')}).`,
  )
}
