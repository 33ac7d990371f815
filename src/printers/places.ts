import { PlatenError } from '../errors.ts'
import type { Connection } from './device.ts'
import { isSamePlace } from './same-place.ts'

/** A connection that is open, or that is being opened. */
interface Stay {
  readonly name: string
  readonly uri: string
  readonly gone: Promise<void>
}

/**
 * Who is at which printer. Two entries of the settings may lead to one printer, for two kinds of labels: the one waits for
 * the other, where the device itself would call it in use by somebody else.
 */
export class Places {
  readonly #stays: Stay[] = []

  /**
   * Opens by `open` once no other entry is at the place, in the order of asking.
   * @throws PlatenError PRINTER_BUSY when the signal ends the wait; what `open` throws
   */
  async enter(
    name: string,
    uri: string,
    signal: AbortSignal,
    open: () => Promise<Connection>,
  ): Promise<Connection> {
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    // Who is there already must not wait for who waits for it; its device has its own word on a second connection.
    const isThere = this.#stays.some((stay) => stay.name === name)
    const before = isThere ? [] : this.#stays.filter((stay) => isSamePlace(stay.uri, uri))
    const stay: Stay = { name, uri, gone }
    this.#stays.push(stay)
    const leave = (): void => {
      const at = this.#stays.indexOf(stay)
      if (at !== -1) this.#stays.splice(at, 1)
      resolve()
    }
    try {
      await waitFor(before, signal)
      return leaveAfter(await open(), leave)
    } catch (error) {
      leave()
      throw error
    }
  }
}

async function waitFor(before: readonly Stay[], signal: AbortSignal): Promise<void> {
  const [first] = before
  if (first === undefined) return
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = (): void => {
    const message = `${first.name} leads to the same printer, and a label is being printed there.`
    reject(new PlatenError('PRINTER_BUSY', message, { cause: signal.reason }))
  }
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([promise, Promise.all(before.map(({ gone }) => gone))])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function leaveAfter(connection: Connection, leave: () => void): Connection {
  const dispose = connection[Symbol.asyncDispose].bind(connection)
  Object.defineProperty(connection, Symbol.asyncDispose, {
    value: (): Promise<void> => dispose().finally(leave),
  })
  return connection
}
