import { EventEmitter, once } from 'node:events'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import koffi from 'koffi'

/** A serial port of the kernel (a pseudo-terminal) with a stand-in printer at its other end. */
export class Pty {
  /** `/dev/pts/N` */
  readonly path: string
  readonly #printer: ReadStream
  readonly #keeper: number
  readonly #events = new EventEmitter()
  #parts: Uint8Array[] = []

  constructor() {
    const flags = constants.O_RDWR | constants.O_NOCTTY
    const { fd, path } = openPair(flags)
    this.path = path
    this.#keeper = openSync(path, flags) // while somebody has it open, closing the port does not end the printer
    this.#printer = new ReadStream(fd)
    this.#printer.on('data', (bytes: Uint8Array) => {
      this.#parts.push(bytes)
      this.#events.emit('change')
    })
  }

  /** The bytes that the printer has got so far. */
  get received(): Buffer {
    return Buffer.concat(this.#parts)
  }

  get length(): number {
    return this.#parts.reduce((sum, part) => sum + part.length, 0)
  }

  /** The printer says this: at most 4000 bytes at a time, for the kernel keeps no more until they are read. */
  say(words: string | Uint8Array): void {
    this.#printer.write(words)
  }

  /** Puts bytes on the line past the port under test, in their turn. */
  mark(bytes: Uint8Array): void {
    writeSync(this.#keeper, bytes)
  }

  /** The printer reads nothing, until `resume`. */
  stall(): void {
    this.#printer.pause()
  }

  resume(): void {
    this.#printer.resume()
  }

  /** Resolves when `wanted` says so; asked again whenever bytes came. */
  async until(wanted: (pty: Pty) => boolean): Promise<void> {
    while (!wanted(this)) await once(this.#events, 'change')
  }

  /** Pulls the plug: the port hangs up, as that of a USB adapter does. */
  unplug(): void {
    if (this.#printer.destroyed) return
    this.#printer.destroy()
    closeSync(this.#keeper)
  }
}

/** Node can open neither end by itself, so the C library is asked. */
function openPair(flags: number): { readonly fd: number; readonly path: string } {
  const library = koffi.load(null)
  const fd: number = library.func('int posix_openpt(int)')(flags)
  library.func('int unlockpt(int)')(fd)
  return { fd, path: library.func('str ptsname(int)')(fd) }
}
