import { PlatenError } from '../../../errors.ts'
import type { Line } from './line.ts'
import type { SerialSettings } from './settings.ts'
import { UnixLine, type UnixPort } from './unix-line.ts'
import { WindowsLine, type WindowsPort } from './windows-line.ts'

/** How a port is opened, in the words of `@serialport/bindings-cpp`. */
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
 * @throws PlatenError PRINTER_OFFLINE, PRINTER_BUSY
 */
export async function openLine(
  settings: SerialSettings,
  platform: NodeJS.Platform,
  openPort: OpenPort,
): Promise<Line> {
  const { path, baud, bits, parity, stop, flow } = settings
  try {
    const port = await openPort({
      ...{ path, baudRate: baud, dataBits: bits, parity, stopBits: stop, lock: true },
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

/** What a failed open means to the person at the bench; the package only gives texts (strerror, and its own on Windows). */
export function explainOpen(error: unknown, path: string): PlatenError {
  const text = error instanceof Error ? error.message : String(error)
  const fail = (code: 'PRINTER_OFFLINE' | 'PRINTER_BUSY', message: string, hint?: string) =>
    new PlatenError(code, message, { cause: error, ...(hint === undefined ? {} : { hint }) })
  if (/cannot lock|resource busy|access denied|temporarily unavailable/i.test(text)) {
    return fail('PRINTER_BUSY', `Another program uses the serial port ${path}: end it.`)
  }
  if (/permission denied|not permitted/i.test(text)) {
    return fail('PRINTER_OFFLINE', explainRights(path), RIGHTS_HINT)
  }
  if (/no such (?:file|device)|file not found|ENOENT|ENXIO|ENODEV/i.test(text)) {
    return fail('PRINTER_OFFLINE', explainMissing(path))
  }
  if (/inappropriate ioctl|input\/output error|is a directory|incorrect/i.test(text)) {
    return fail(
      'PRINTER_OFFLINE',
      `${path} is not a serial port that takes these settings: choose another port in the settings.`,
      'Correct the port in the settings of this printer.',
    )
  }
  return fail(
    'PRINTER_OFFLINE',
    `The serial port ${path} cannot be opened (${text.slice(0, 120)}).`,
  )
}

/** For a port that is not there. */
export function explainMissing(path: string): string {
  return `The serial port ${path} is not there: is its adapter plugged in?`
}

const RIGHTS_HINT = 'Tell whoever looks after this computer; the label prints by itself afterwards.'

/** For a port that this user may not open. */
export function explainRights(path: string): string {
  return `This program may not use the serial port ${path}: add its user to the group that owns the port (mostly dialout: sudo usermod -aG dialout USER), then log in again.`
}
