import { PlatenError } from '../../errors.ts'
import { TimeLimit } from '../../time-limit.ts'
import { listHalfLabels } from './half-label.ts'
import type { QueueParts } from './parts.ts'

interface WaitingCommand {
  readonly bytes: Uint8Array
  readonly done: () => void
  readonly fail: (error: unknown) => void
}

/** Bytes for a printer that are not a label, e.g. to calibrate: they wait for their turn between two labels. */
export class PrinterCommands {
  readonly #name: string
  readonly #parts: QueueParts
  readonly #waiting: WaitingCommand[] = []

  constructor(name: string, parts: QueueParts) {
    this.#name = name
    this.#parts = parts
  }

  /** Resolves once the printer took the bytes; rejects as `runNext` finds, or as `refuseAll` is told. */
  add(bytes: Uint8Array): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ bytes, done: resolve, fail: reject })
    return promise
  }

  /** Sends the first of them as a transmission of its own; false when there is none. */
  async runNext(): Promise<boolean> {
    const command = this.#waiting.shift()
    if (command === undefined) return false
    try {
      await this.#send(command.bytes)
      command.done()
    } catch (error) {
      command.fail(error)
    }
    return true
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** The queue ends. */
  refuseAll(): void {
    const error = new PlatenError('PRINTER_STOPPED', 'The print server is stopping.')
    for (const { fail } of this.#waiting.splice(0)) fail(error)
  }

  async #send(bytes: Uint8Array): Promise<void> {
    const { printers, timing } = this.#parts
    const printer = printers.get(this.#name)
    if (printer !== undefined && listHalfLabels(this.#parts, printer).length > 0) {
      const message = `${this.#name} was cut off in the middle of a label; somebody has to look at that one first.`
      throw new PlatenError('PRINTER_STOPPED', message)
    }
    using limit = new TimeLimit(timing.openMs)
    const { signal } = limit
    await using connection = await printers.open(this.#name, signal)
    await connection.send(bytes, signal)
    await connection.finish?.(() => undefined, signal)
    await connection.confirm?.(signal)
  }
}
