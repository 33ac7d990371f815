import { execFile } from 'node:child_process'
import { PlatenError } from '../../../errors.ts'
import type { Connection, Device, Found } from '../../device.ts'
import type { Printer } from '../../printer.ts'
import { listLinuxPorts, listMacPorts, readWindowsPorts } from './list-ports.ts'
import { type OpenPort, openNativePort } from './open-line.ts'
import { SerialPorts, type TakenLine } from './ports.ts'
import { countSeconds, readSerialUri } from './settings.ts'

/** What the device stands on; all that is left out is as this computer has it. */
export interface SerialGround {
  readonly platform?: NodeJS.Platform
  /** `/dev` */
  readonly devFolder?: string
  /** `/sys` */
  readonly sysFolder?: string
  /** Opens a port; the native code is loaded by the first call, and never to list ports. */
  readonly openPort?: OpenPort
}

/** The serial device; disposing of it closes its ports, which otherwise stay open between jobs. */
export type SerialDevice = Device<'serial'> & AsyncDisposable

/** Printers on a serial port or a USB-serial adapter. */
export function createSerialDevice(ground: SerialGround = {}): SerialDevice {
  const { platform = process.platform, devFolder = '/dev', sysFolder = '/sys' } = ground
  const names = { platform, devFolder }
  const ports = new SerialPorts(platform, ground.openPort ?? openNativePort)
  return {
    scheme: 'serial',
    example:
      platform === 'win32'
        ? 'serial:COM3?baud=9600'
        : `serial:${devFolder}/serial/by-id/NAME?baud=9600`,
    about:
      'A printer on a serial port or a USB-serial adapter; baud, bits, parity, stop and flow (xonxoff, rtscts or none) can follow a question mark.',
    guesses: true,
    attached: true,
    asking: { isTwoWay: true, idleSeconds: 60, keepsLine: true },
    check(uri, text) {
      const settings = readSerialUri(uri, names, text)
      return typeof settings === 'string' ? settings : undefined
    },
    list(signal): Promise<readonly Found[]> {
      if (platform === 'win32') return listWindowsPorts(signal)
      return platform === 'darwin'
        ? listMacPorts(devFolder)
        : listLinuxPorts({ devFolder, sysFolder })
    },
    async open(uri, signal): Promise<Connection> {
      const settings = readSerialUri(uri, names)
      if (typeof settings === 'string') {
        throw new PlatenError('PRINTER_OFFLINE', `${uri.href}: ${settings}.`)
      }
      refuseAborted(uri, signal)
      const { line, release } = await ports.take(settings)
      refuseAborted(uri, signal, release)
      const { SerialConnection } = await import('./connection.ts')
      return new SerialConnection(line, settings, release)
    },
    close: () => ports.close(),
    [Symbol.asyncDispose]: () => ports.close(),
  }
}

/** Inches of the seed's label, for printers whose entry names no size. */
const USUAL_LABEL = { width: 4, height: 6 } as const

/** Seconds that a picture of a whole label takes at most to a printer on a serial line; undefined for any other. */
export function estimatePictureSeconds(
  printer: Pick<Printer, 'uri' | 'dpi' | 'labelWidth' | 'labelHeight'>,
): number | undefined {
  const { uri, dpi, labelWidth, labelHeight } = printer
  const width = Math.ceil(((labelWidth ?? USUAL_LABEL.width) * dpi) / 8)
  const bytes = width * Math.ceil((labelHeight ?? USUAL_LABEL.height) * dpi)
  const seconds = estimateSeconds(bytes, uri)
  return seconds && Math.ceil(seconds)
}

/**
 * Seconds that so many bytes take to the printer of a serial device URI when nothing holds them up; undefined for any other
 * URI. For the page, which warns that a picture takes minutes at 9600 baud.
 */
export function estimateSeconds(bytes: number, uri: string): number | undefined {
  if (!/^serial:/i.test(uri) || !URL.canParse(uri)) return undefined
  const isWindows = /^serial:COM/i.test(uri)
  const names = { platform: isWindows ? 'win32' : 'linux', devFolder: '' } as const
  const settings = readSerialUri(new URL(uri), names)
  return typeof settings === 'string' ? undefined : countSeconds(bytes, settings)
}

function refuseAborted(uri: URL, signal: AbortSignal, release?: TakenLine['release']): void {
  if (!signal.aborted) return
  release?.()
  const message = `The serial port of ${uri.href} was not opened: the label was given up.`
  throw new PlatenError('PRINTER_OFFLINE', message, { cause: signal.reason })
}

/** Never run by us: there is no Windows in the tests. The registry is asked, so that no native code is loaded to list. */
function listWindowsPorts(signal: AbortSignal): Promise<readonly Found[]> {
  const { promise, resolve } = Promise.withResolvers<readonly Found[]>()
  const query = ['query', String.raw`HKLM\HARDWARE\DEVICEMAP\SERIALCOMM`]
  if (signal.aborted) return Promise.resolve([])
  execFile('reg', query, { signal, windowsHide: true }, (_error, answer) => {
    resolve(readWindowsPorts(answer))
  })
  return promise
}
