import type { Connection, Device } from './device.ts'
import { PrinterFault } from './fault.ts'
import { quote } from './quote.ts'

/** A connection that is open, or that is being opened. */
interface PlaceConnection {
  readonly name: string
  readonly uri: string
  readonly gone: Promise<void>
}

/**
 * The connections to each printer. Two entries of the settings may lead to one printer, for two kinds of labels: one waits for the other,
 * where the device itself would report it in use by somebody else.
 */
export class Places {
  readonly #stays: PlaceConnection[] = []

  /**
   * Opens by `open` once no other entry is at the place, in the order of asking.
   * @throws PrinterFault PRINTER_BUSY when the signal ends the wait; what `open` throws
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
    const stay: PlaceConnection = { name, uri, gone }
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

async function waitFor(before: readonly PlaceConnection[], signal: AbortSignal): Promise<void> {
  const [first] = before
  if (first === undefined) return
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = (): void => {
    const message = `${first.name} leads to the same printer, and a label is being printed there.`
    reject(new PrinterFault('PRINTER_BUSY', message, { cause: signal.reason }))
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

const MANY_SPELLINGS = /^(usb|serial):/i

/**
 * True when two device URIs lead to the same printer: the parameters of a line do not make another printer of it, and
 * two spellings of one USB printer (CUPS's and ours) have its serial number or its port in common.
 */
export function isSamePlace(one: string, other: string): boolean {
  if (one === other) return true
  if (one.startsWith('socket:')) return plainSocket(one) === plainSocket(other)
  // Of the others every letter counts, and strangers may bring thousands of them to compare.
  if (!MANY_SPELLINGS.test(one) || !MANY_SPELLINGS.test(other)) return false
  if (!URL.canParse(one) || !URL.canParse(other)) return false
  const [a, b] = [new URL(one), new URL(other)]
  if (a.protocol !== b.protocol) return false
  if (a.protocol === 'serial:') return a.pathname === b.pathname
  return a.protocol === 'usb:' && isSameUsb(a, b)
}

/** A folder takes each label as a file of its own: what is left of one that was cut does not reach the next. */
export function keepsHalfLabels(place: string): boolean {
  return !place.startsWith('file:')
}

/** A device URI without its user and password, which are not kept in the spool and make no other printer of it. */
export function placeOf(uri: string): string {
  return uri.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1')
}

/** Without what a network printer's address may leave out: its raw port and a slash. */
function plainSocket(uri: string): string {
  return uri
    .toLowerCase()
    .replace(/\/$/, '')
    .replace(/:9100$/, '')
}

/** True when both lead to USB printers of one maker and model. */
export function isSameKind(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false
  const [a, b] = [new URL(one), new URL(other)]
  const isUsb = a.protocol === 'usb:' && b.protocol === 'usb:'
  return isUsb && modelOf(a) !== '' && modelOf(a) === modelOf(b)
}

function isSameUsb(a: URL, b: URL): boolean {
  const at = (key: string) => [a.searchParams.get(key), b.searchParams.get(key)] as const
  const [serialA, serialB] = at('serial')
  const [portA, portB] = at('port')
  if (!namesAgree(a, b)) return false
  const ports = portA === null || portB === null ? undefined : portA === portB
  if (serialA !== null && serialB !== null) return serialA === serialB && ports !== false
  return ports ?? (serialA ?? serialB ?? portA ?? portB) === null
}

/** `usb://Zebra%20Technologies/ZTC%20GC420d` of CUPS and `usb://Zebra/GC420d` mean one model. */
function namesAgree(a: URL, b: URL): boolean {
  const [x, y] = [modelOf(a), modelOf(b)]
  return x === y || (x !== '' && y !== '' && (x.includes(y) || y.includes(x)))
}

function modelOf({ pathname }: URL): string {
  return pathname
    .replace(/%[0-9a-f]{2}/gi, ' ')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}

/** A device URI that a device of ours can open. */
export interface DeviceUri {
  readonly device: Device
  readonly uri: URL
}

const MOST_PORT = 65_535

/**
 * Reads a device URI. Gives the device that opens it, or a sentence that says what is wrong with it and what was wanted.
 * Never touches the device.
 */
export function parseDeviceUri(text: string, devices: readonly Device[]): DeviceUri | string {
  const examples = devices.map((device) => device.example).join(' or ')
  if (!URL.canParse(text)) {
    const port = Number(/^[^/]*\/\/[^/?#]*:(\d{1,9})(?:[/?#]|$)/.exec(text)?.[1] ?? 0)
    const why =
      port > MOST_PORT ? `has the port ${port}, wanted 1 to ${MOST_PORT}` : 'is not a device URI'
    return `${quote(text)} ${why}; wanted one like ${examples}`
  }
  const uri = new URL(text)
  const device = devices.find((each) => `${each.scheme}:` === uri.protocol)
  if (device === undefined) {
    return `${quote(text)} begins with ${quote(uri.protocol)}, which no device of this version opens; wanted one like ${examples}`
  }
  const fault = device.check(uri, text)
  if (fault !== undefined) return `${quote(text)}: ${fault}`
  return { device, uri }
}

/** Edits (insert, delete, replace, swap of neighbors) that turn `a` into `b`: optimal string alignment distance. */
function editDistance(a: string, b: string): number {
  // cost[row][column] = edits between the first `row` letters of a and the first `column` of b
  const cost = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => cost[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    cost.push(current)
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const edits = [at(row - 1, column) + 1, at(row, column - 1) + 1]
      edits.push(at(row - 1, column - 1) + (isSame ? 0 : 1))
      if (isSwap) edits.push(at(row - 2, column - 2) + 1)
      current.push(Math.min(...edits))
    }
  }
  return at(a.length, b.length)
}

const LONGEST = 100 // characters compared; a name beyond that is not a typing slip

/**
 * The name that somebody most likely meant, or undefined when none is near: at most a third of its letters differ.
 * Upper and lower case count as the same letter here, though names themselves are compared exactly.
 */
export function findNearest(wanted: string, names: readonly string[]): string | undefined {
  const slim = wanted.slice(0, LONGEST).toLowerCase()
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of names) {
    const distance = editDistance(slim, name.slice(0, LONGEST).toLowerCase())
    if (distance < least && distance <= Math.max(1, Math.floor(name.length / 3))) {
      nearest = name
      least = distance
    }
  }
  return nearest
}
