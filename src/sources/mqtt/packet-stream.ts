import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type PacketBounds, PacketReader } from './packet-reader.ts'

type Done = (error?: Error | null) => void

/**
 * A broker's connection as the client gets it: one whole packet in each turn of the loop. The client reads all that it
 * is given without letting anybody else have a turn, and a block of 64 KB may hold 32,000 packets. The socket rests
 * meanwhile.
 */
export class PacketStream extends Duplex {
  readonly #socket: Socket
  readonly #reader: PacketReader
  #packets: Iterator<Buffer> | undefined
  #isWanted = false
  #isDue = false
  /** What to do once all that came was passed on. */
  #finish: (() => void) | undefined

  constructor(socket: Socket, bounds: PacketBounds) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    this.#reader = new PacketReader(bounds)
    socket.on('data', (chunk: Buffer) => {
      socket.pause()
      this.#packets = this.#reader.read(chunk)
      this.#pass()
    })
    socket.on('end', () => this.#finishBy(() => this.push(null)))
    socket.on('error', (error) => this.#finishBy(() => this.destroy(error)))
    socket.on('close', () => this.#finishBy(() => this.destroy()))
    socket.pause()
  }

  override _read(): void {
    this.#isWanted = true
    if (this.#packets === undefined) this.#socket.resume()
    else this.#passLater()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: Done): void {
    this.#socket.write(chunk, done)
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: Done): void {
    this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: Done): void {
    if (this.#socket.writable) this.#socket.end(() => done())
    else done()
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#packets = undefined
    this.#socket.destroy()
    done(error)
  }

  #passLater(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#pass()
    })
  }

  #pass(): void {
    if (this.destroyed || this.#packets === undefined || !this.#isWanted) return
    try {
      const next = this.#packets.next()
      if (next.done === true) {
        this.#endChunk()
        return
      }
      this.#isWanted = this.push(next.value)
      this.#passLater()
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  #endChunk(): void {
    this.#packets = undefined
    if (this.#finish === undefined) this.#socket.resume()
    else this.#finish()
  }

  /** The last packet before an end says why it ends. */
  #finishBy(finish: () => void): void {
    this.#finish ??= finish
    if (this.#packets === undefined) this.#finish()
  }
}
