import type { Socket } from 'node:net'
import { endsOf, readTcpRow, type TcpRow } from './tcp-row.ts'

/** What the system shows of a connection: how far the printer is, and whether anything at its end still answers. */
export class Sight {
  readonly #socket: Socket
  readonly #tables: string
  readonly #vanishMs: number
  readonly #vanished: (silentMs: number) => void
  #isGiven = false
  #silentSince: number | undefined

  /** `vanished` is called when nothing at the other end answered for `vanishMs`, not even its network chip. */
  constructor(
    socket: Socket,
    tables: string,
    vanishMs: number,
    vanished: (silentMs: number) => void,
  ) {
    this.#socket = socket
    this.#tables = tables
    this.#vanishMs = vanishMs
    this.#vanished = vanished
  }

  /** The system has shown this connection at least once. */
  get isGiven(): boolean {
    return this.#isGiven
  }

  /** Undefined where the system shows nothing, or when the connection has ended. */
  async look(): Promise<TcpRow | undefined> {
    const ends = endsOf(this.#socket)
    const found = ends && (await readTcpRow(ends, this.#tables))
    const row = found === 'hidden' ? undefined : found
    this.#isGiven ||= row !== undefined
    const now = performance.now()
    this.#silentSince = row?.isUnanswered ? (this.#silentSince ?? now) : undefined
    const silentMs = this.#silentSince === undefined ? 0 : now - this.#silentSince
    if (silentMs >= this.#vanishMs) this.#vanished(silentMs)
    return row
  }
}
