import { setTimeout as sleep } from 'node:timers/promises'
import type { PrinterReason } from '#labels'
import type { Connection } from '../../device.ts'
import { PrinterFault } from '../../fault.ts'
import { untilAborted } from '../../wait.ts'
import { readUsbFault } from './package.ts'
import type { UsbLine } from './printer.ts'

const SLICE_MS = 250 // one read: an abort takes effect between two of them
const QUIET_MS = 60 // an answer is over when nothing more comes for so long
const INBOX_BYTES = 65_536 // a printer that talks without end is cut off
const SPIN_MS = 5 // between reads that end at once with nothing
const GIVE_UP_MS = 5_000 // until the next job may open a printer whose reset hangs

// Port status (USB printer class 1.1, 4.2.2); jam and cover are a vendors' extension (PAPPL, device-usb.c).
const NO_ERROR = 0x08
const PORT_REASONS: readonly (readonly [number, PrinterReason])[] = [
  [0x20, 'media-empty'],
  [0x40, 'media-jam'],
  [0x80, 'cover-open'],
]

/** A job's turn at a USB printer. Decision `usb-retry`. */
export class UsbConnection implements Connection {
  readonly chunkBytes: number
  readonly #line: UsbLine
  readonly #name: string
  readonly #release: () => void
  #hasBegun = false
  #isLost = false
  #ended: Promise<void> | undefined

  constructor(line: UsbLine, name: string, release: () => void) {
    this.chunkBytes = line.chunkBytes
    this.#line = line
    this.#name = name
    this.#release = release
  }

  async send(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    let accepted = 0
    try {
      while (accepted < bytes.length) {
        signal.throwIfAborted()
        if (this.#isLost) throw new Error('the connection broke before')
        const { firstBytes, chunkBytes } = this.#line
        const size = this.#isFirst && firstBytes ? firstBytes : chunkBytes
        const chunk = bytes.subarray(accepted, accepted + size)
        accepted += await this.#write(chunk, signal)
        this.#hasBegun = true
      }
    } catch (error) {
      throw this.#fail(error, accepted, bytes.length, signal)
    }
  }

  /** Ends early when an answer is over; what is there at the end of the time is taken in full. */
  async receive(ms: number, signal: AbortSignal): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    const end = performance.now() + ms
    let length = 0
    while (!signal.aborted && length < INBOX_BYTES) {
      const left = end - performance.now()
      const part = await this.#read(Math.min(left, length > 0 ? QUIET_MS : SLICE_MS))
      if (part === undefined) break
      if (part.length === 0 && (length > 0 || performance.now() >= end)) break
      parts.push(part)
      length += part.length
    }
    return Buffer.concat(parts)
  }

  async status(signal: AbortSignal): Promise<readonly PrinterReason[]> {
    if (signal.aborted) return []
    const status = await this.#line.readPortStatus().catch(() => undefined)
    return status === undefined ? [] : readPortStatus(status)
  }

  async cancel(): Promise<void> {
    if (this.#line.isBroken) await this.#line.abandon()
    else await this.#line.dropJob()
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= this.#end()
    return this.#ended
  }

  async #end(): Promise<void> {
    const limit = AbortSignal.timeout(GIVE_UP_MS)
    const ending = this.#line.isBroken ? this.#line.abandon() : this.#line.endJob()
    await untilAborted(ending, limit)
    this.#release()
  }

  /** True if the next write is taken whole or not at all. */
  get #isFirst(): boolean {
    return !this.#hasBegun && this.#line.firstBytes !== undefined
  }

  /** A halted pipe took nothing of the first packet: cleared, it gets that packet once more. */
  async #write(chunk: Uint8Array, signal: AbortSignal): Promise<number> {
    try {
      return await this.#writeOnce(chunk, signal)
    } catch (error) {
      if (!this.#isFirst || signal.aborted || readUsbFault(error) !== 'stall') throw error
      await this.#line.clearHalt()
      return await this.#writeOnce(chunk, signal)
    }
  }

  /** Only a reset gets a transfer back that the printer does not take. */
  async #writeOnce(chunk: Uint8Array, signal: AbortSignal): Promise<number> {
    const writing = this.#line.write(chunk)
    if (!(await untilAborted(writing, signal))) {
      void this.#line.abandon()
      signal.throwIfAborted()
    }
    return await writing
  }

  /** Undefined when nothing more can come. */
  async #read(ms: number): Promise<Uint8Array | undefined> {
    const begun = performance.now()
    try {
      const part = await this.#line.read(Math.max(1, Math.round(ms)))
      // A one-way printer, or one that sends empty packets, must not keep the processor busy.
      if (part.length === 0 && performance.now() - begun < 1) await sleep(SPIN_MS)
      return part
    } catch {
      return undefined // the next write tells what is wrong
    }
  }

  #fail(error: unknown, accepted: number, length: number, signal: AbortSignal): PrinterFault {
    const wasLost = this.#isLost
    this.#isLost = true
    const sure = Math.max(0, accepted - this.#line.doubtBytes)
    const what = `at least ${sure} of ${length} bytes`
    if (signal.aborted) {
      const message = `The label to ${this.#name} was stopped after ${what}.`
      return new PrinterFault('PRINTER_LOST', message, { cause: signal.reason, accepted: sure })
    }
    void this.#line.abandon()
    const refusal = this.#isFirst && !wasLost ? this.#explainRefusal(error) : undefined
    if (refusal !== undefined) return refusal
    const message = `${this.#name} was lost after ${what}.`
    return new PrinterFault('PRINTER_LOST', message, { cause: error, accepted: sure })
  }

  /** Nothing was taken, since a packet is taken whole or not at all: the label can simply be tried again. */
  #explainRefusal(error: unknown): PrinterFault | undefined {
    const fault = readUsbFault(error)
    if (fault === 'gone' || fault === 'stall') {
      const message = `${this.#name} did not take the first bytes of the label: is it switched on?`
      return new PrinterFault('PRINTER_OFFLINE', message, { cause: error })
    }
    if (fault !== 'busy') return undefined
    const message = `${this.#name} was taken by another program of this computer.`
    return new PrinterFault('PRINTER_BUSY', message, { cause: error })
  }
}

/** Translates the port status to IPP reasons; empty when all is well, or when the printer does not tell. */
function readPortStatus(status: number): readonly PrinterReason[] {
  const told = PORT_REASONS.filter(([bit]) => (status & bit) !== 0).map(([, reason]) => reason)
  if (told.length > 0) return told
  return (status & NO_ERROR) === 0 ? ['other'] : []
}
