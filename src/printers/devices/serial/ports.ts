import { realpath, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { OneJobEach } from '../../device.ts'
import { type Advice, PrinterFault } from '../../fault.ts'
import { type SerialLine, UnixLine, type UnixPort, WindowsLine, type WindowsPort } from './line.ts'
import type { SerialSettings } from './settings.ts'

const CLOSE_PATIENCE_MS = 1_000

/** A line in use, and how to give it back. */
export interface TakenLine {
  readonly line: SerialLine
  readonly release: () => void
}

interface PortInUse {
  readonly line: SerialLine
  readonly settings: string
  readonly node: number
}

/**
 * The ports that this program has open. A port stays open between jobs: closing it would lower DTR, and an XOFF that comes
 * meanwhile would be lost. It is opened again when the adapter went away, the settings changed or a label was stopped.
 */
export class SerialPorts {
  readonly #held = new Map<string, PortInUse>()
  readonly #jobs = new OneJobEach()
  readonly #ending = new Map<string, Promise<unknown>>()
  readonly #platform: NodeJS.Platform
  readonly #openPort: OpenPort
  #closing: Promise<void> = Promise.resolve()

  constructor(platform: NodeJS.Platform, openPort: OpenPort) {
    this.#platform = platform
    this.#openPort = openPort
  }

  /**
   * Takes a port for one job.
   * @throws PrinterFault PRINTER_OFFLINE, PRINTER_BUSY
   */
  async take(settings: SerialSettings): Promise<TakenLine> {
    const { name, node } = await this.#find(settings.path)
    await this.#untilClosed(name)
    return await this.#jobs.open(name, `The serial port ${settings.path}`, async (free) => {
      const line = await this.#open(name, node, settings)
      return { line, release: () => this.#giveBack(name, line, free) }
    })
  }

  /** Closes every port. */
  async close(): Promise<void> {
    const lines = [...this.#held.values()].map(({ line }) => line.close())
    this.#held.clear()
    await Promise.all([...lines, this.#closing])
  }

  /** Finds a port, which may have several names: links of udev, and capitals on Windows. */
  async #find(path: string): Promise<{ readonly name: string; readonly node: number }> {
    if (this.#platform === 'win32') return { name: path.toUpperCase(), node: 0 }
    try {
      const name = await realpath(path)
      const { ino } = await stat(name)
      return { name, node: ino } // an adapter that was plugged in again has a new node of the same name
    } catch (cause) {
      throw new PrinterFault('PRINTER_OFFLINE', explainMissing(path), { cause })
    }
  }

  async #open(name: string, node: number, settings: SerialSettings): Promise<SerialLine> {
    const { path, ...wanted } = settings
    const key = JSON.stringify(wanted)
    const held = this.#held.get(name)
    if (held?.line.fault === undefined && held?.settings === key && held.node === node) {
      return held.line
    }
    this.#held.delete(name)
    await held?.line.close()
    const line = await openLine(settings, this.#platform, this.#openPort)
    this.#held.set(name, { line, settings: key, node })
    void line.ended.then(() => this.#forget(name, line))
    return line
  }

  #giveBack(name: string, line: SerialLine, free: () => void): void {
    if (line.fault === undefined) free()
    else this.#ending.set(name, this.#forget(name, line).then(free))
  }

  /** A port whose last job broke off is mostly closed in no time; the next job need not hear that it is busy. */
  async #untilClosed(name: string): Promise<void> {
    const ending = this.#ending.get(name)
    if (ending === undefined) return
    await Promise.race([ending, sleep(CLOSE_PATIENCE_MS, undefined, { ref: false })])
    this.#ending.delete(name)
  }

  /**
   * Closes a line that ended, one at a time: a driver that cannot drop its bytes keeps close() for up to 30 s (closing_wait
   * of Linux), in one of the four threads that all file access shares.
   */
  #forget(name: string, line: SerialLine): Promise<void> {
    if (this.#held.get(name)?.line === line) this.#held.delete(name)
    this.#closing = this.#closing.then(() => line.close())
    return this.#closing
  }
}

/** Options for opening a port, in the words of `@serialport/bindings-cpp`. */
export interface PortOptions {
  readonly path: string
  readonly baudRate: number
  readonly dataBits: 7 | 8
  readonly parity: 'none' | 'even' | 'odd'
  readonly stopBits: 1 | 2
  readonly xon: boolean
  readonly xoff: boolean
  readonly rtscts: boolean
  readonly hupcl: boolean
  readonly lock: boolean
}

/** The part of `@serialport/bindings-cpp` that we use. */
export type OpenPort = (options: PortOptions) => Promise<UnixPort | WindowsPort>

/** Loads the native code (2 MB of memory) and opens a port with it. */
export async function openNativePort(options: PortOptions): Promise<UnixPort | WindowsPort> {
  const { autoDetect } = await import('@serialport/bindings-cpp')
  return autoDetect().open(options)
}

/**
 * Opens a port in raw mode with these settings, for us alone.
 * @throws PrinterFault PRINTER_OFFLINE, PRINTER_BUSY
 */
export async function openLine(
  settings: SerialSettings,
  platform: NodeJS.Platform,
  openPort: OpenPort,
): Promise<SerialLine> {
  const { path, baud, bits, parity, stop, flow } = settings
  try {
    const port = await openPort({
      path,
      baudRate: baud,
      dataBits: bits,
      parity,
      stopBits: stop,
      lock: true,
      xon: flow === 'xonxoff', // the printer stops us; the driver obeys
      xoff: false, // we never stop the printer, whose few answers always fit
      rtscts: flow === 'rtscts',
      // On Windows the package raises DTR only with this; elsewhere it would drop DTR at close.
      hupcl: platform === 'win32',
    })
    return 'poller' in port ? new UnixLine(port, platform) : await WindowsLine.start(port, flow)
  } catch (error) {
    throw explainOpen(error, path)
  }
}

/** Explains a failed open to the person at the bench; the package only gives texts (strerror, and its own on Windows). */
export function explainOpen(error: unknown, path: string): PrinterFault {
  const text = error instanceof Error ? error.message : String(error)
  const fail = (code: 'PRINTER_OFFLINE' | 'PRINTER_BUSY', message: string, advice?: Advice) =>
    new PrinterFault(code, message, { cause: error, ...(advice === undefined ? {} : { advice }) })
  if (/cannot lock|resource busy|access denied|temporarily unavailable/i.test(text)) {
    return fail('PRINTER_BUSY', `Another program uses the serial port ${path}: end it.`)
  }
  if (/permission denied|not permitted/i.test(text)) {
    return fail('PRINTER_OFFLINE', explainRights(path), 'tellKeeper')
  }
  if (/no such (?:file|device)|file not found|ENOENT|ENXIO|ENODEV/i.test(text)) {
    return fail('PRINTER_OFFLINE', explainMissing(path))
  }
  if (/inappropriate ioctl|input\/output error|is a directory|incorrect/i.test(text)) {
    return fail(
      'PRINTER_OFFLINE',
      `${path} is not a serial port that takes these settings: choose another port in the settings.`,
      'correctPort',
    )
  }
  return fail(
    'PRINTER_OFFLINE',
    `The serial port ${path} cannot be opened (${text.slice(0, 120)}).`,
  )
}

/** For a port that is not there. */
function explainMissing(path: string): string {
  return `The serial port ${path} is not there: is its adapter plugged in?`
}

/** For a port that this user may not open. */
export function explainRights(path: string): string {
  return `This program may not use the serial port ${path}: add its user to the group that owns the port (mostly dialout: sudo usermod -aG dialout USER), then log in again.`
}
