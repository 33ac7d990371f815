import type { Socket } from 'node:net'

const INBOX_BYTES = 65_536 // what a printer may say before anybody asks; the rest is dropped
const FLOOD_BYTES = 1_048_576 // what is read and dropped until somebody asks again

/**
 * What a printer says. It is always read: closing a socket with unread bytes resets it, and a reset may drop the label's
 * end.
 */
export class Inbox {
  readonly #socket: Socket
  #parts: Uint8Array[] = []
  #dropped = 0

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes: Uint8Array) => this.#keep(bytes))
  }

  /** All that came since the last call. */
  take(): Uint8Array {
    const bytes = Buffer.concat(this.#parts)
    this.#parts = []
    this.#dropped = 0
    this.#socket.resume()
    return bytes
  }

  #keep(bytes: Uint8Array): void {
    const held = this.#parts.reduce((sum, part) => sum + part.length, 0)
    if (held < INBOX_BYTES) this.#parts.push(bytes.subarray(0, INBOX_BYTES - held))
    else this.#dropped += bytes.length
    if (this.#dropped > FLOOD_BYTES) this.#socket.pause() // it would talk for ever
  }
}
