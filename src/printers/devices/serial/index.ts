import { execFile } from 'node:child_process'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Connection, type Device, type FoundPrinter, mayUse } from '../../device.ts'
import { PrinterFault } from '../../fault.ts'
import type { Printer } from '../../known/printer.ts'
import {
  explainRights,
  type OpenPort,
  openNativePort,
  SerialPorts,
  type TakenLine,
} from './ports.ts'
import { countSeconds, readSerialUri } from './settings.ts'

/** Dependencies of the device; all that is left out is as this computer has it. */
interface SerialGround {
  readonly platform?: NodeJS.Platform
  /** `/dev` */
  readonly devFolder?: string
  /** `/sys` */
  readonly sysFolder?: string
  /** Opens a port; the native code is loaded by the first call, and never to list ports. */
  readonly openPort?: OpenPort
}

/** The serial device; disposing of it closes its ports, which otherwise stay open between jobs. */
type SerialDevice = Device<'serial'> & AsyncDisposable

/** Printers on a serial port or a USB-serial adapter. */
export function createSerialDevice(ground: SerialGround = {}): SerialDevice {
  const { platform = process.platform, devFolder = '/dev', sysFolder = '/sys' } = ground
  const names = { platform, devFolder }
  const sharedNames = new SharedNames({ devFolder, sysFolder })
  const ports = new SerialPorts(platform, ground.openPort ?? openNativePort)
  return {
    scheme: 'serial',
    example:
      platform === 'win32'
        ? 'serial:COM3?baud=9600'
        : `serial:${devFolder}/serial/by-id/NAME?baud=9600`,
    about:
      'A printer on a serial port or a USB-serial adapter; put baud, bits, parity, stop and flow (xonxoff, rtscts or none) after a question mark.',
    guesses: true,
    attached: true,
    asking: { isTwoWay: true, idleSeconds: 60, keepsLine: true },
    check(uri, text) {
      const settings = readSerialUri(uri, names, text)
      return typeof settings === 'string' ? settings : undefined
    },
    list(signal): Promise<readonly FoundPrinter[]> {
      if (platform === 'win32') return listWindowsPorts(signal)
      return platform === 'darwin'
        ? listMacPorts(devFolder)
        : listLinuxPorts({ devFolder, sysFolder })
    },
    async open(uri, signal): Promise<Connection> {
      const settings = readSerialUri(uri, names)
      if (typeof settings === 'string') {
        throw new PrinterFault('PRINTER_OFFLINE', `${uri.href}: ${settings}.`)
      }
      if (platform === 'linux') await sharedNames.check(settings.path)
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

/** Inches of the usual label, for printers whose entry names no size. */
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
  throw new PrinterFault('PRINTER_OFFLINE', message, { cause: signal.reason })
}

/** Never run by us: there is no Windows in the tests. The registry is asked, so that no native code is loaded to list. */
function listWindowsPorts(signal: AbortSignal): Promise<readonly FoundPrinter[]> {
  const { promise, resolve } = Promise.withResolvers<readonly FoundPrinter[]>()
  const query = ['query', String.raw`HKLM\HARDWARE\DEVICEMAP\SERIALCOMM`]
  if (signal.aborted) return Promise.resolve([])
  execFile('reg', query, { signal, windowsHide: true }, (_error, answer) => {
    resolve(readWindowsPorts(answer))
  })
  return promise
}

/** Folders in which Linux shows its devices. */
interface DeviceFolders {
  /** `/dev` */
  readonly devFolder: string
  /** `/sys` */
  readonly sysFolder: string
  /** Tells whether this program may read and write a port; asks the kernel when left out. */
  readonly mayUse?: (port: string) => Promise<boolean>
}

interface Adapter {
  /** The folder of its USB device: the same for all ports of one adapter. */
  readonly place?: string
  readonly vendorId?: number
  readonly productId?: number
  readonly serial?: string
  readonly label?: string
}

const MOST = 64 // ports that are looked at
const HIGHEST = 8 // folders between a tty and its USB device, at most

/**
 * The serial adapters of a Linux computer by names that stay the same: by their serial number (`/dev/serial/by-id`), or by
 * the socket they are plugged into (`/dev/serial/by-path`) when they have none, or one that another adapter has too: all
 * such adapters share one name, which leads to one of them, after the next start perhaps to another one. Reads folders
 * only. Built-in ports are left out: they are there whether or not anything is connected.
 */
export async function listLinuxPorts(folders: DeviceFolders): Promise<readonly FoundPrinter[]> {
  const { ids, paths, adapters } = await seePorts(folders)
  const found = adapters.map(async ({ port, adapter }): Promise<FoundPrinter | undefined> => {
    const isTold =
      adapter.serial !== undefined && !adapters.some((other) => sharesId(other.adapter, adapter))
    const link = isTold ? undefined : paths.get(port)
    const path = link ?? ids.get(port)
    if (path === undefined) return undefined
    const isFree = await (folders.mayUse ?? mayUse)(port)
    return describePort(path, adapter, isFree ? undefined : explainRights(port))
  })
  const all = await Promise.all(found)
  return all.filter((each) => each !== undefined).sort((a, b) => (a.uri < b.uri ? -1 : 1))
}

/** The adapters, and by the real paths of their ports the links that lead there. */
async function seePorts({ devFolder, sysFolder }: DeviceFolders) {
  const ids = await readLinks(join(devFolder, 'serial', 'by-id'))
  const paths = await readLinks(join(devFolder, 'serial', 'by-path'))
  const ports = new Set([...ids.keys(), ...paths.keys()])
  const seen = [...ports].slice(0, MOST).map(async (port) => {
    return { port, adapter: await readAdapter(basename(port), sysFolder) }
  })
  return { ids, paths, adapters: await Promise.all(seen) }
}

/**
 * Names in /dev/serial/by-id. One that several adapters share leads to the one that was plugged in last, and to any of them
 * while the others are off: perhaps to another bench.
 */
class SharedNames {
  readonly #folders: DeviceFolders
  readonly #shared = new Set<string>()
  /** Ports that names led to while no other adapter had them. */
  readonly #places = new Map<string, string | undefined>()

  constructor(folders: DeviceFolders) {
    this.#folders = folders
  }

  /** @throws PrinterFault PRINTER_OFFLINE for a name that is or was shared, unless it leads where it did before that */
  async check(path: string): Promise<void> {
    if (dirname(path) !== join(this.#folders.devFolder, 'serial', 'by-id')) return
    const { ids, paths, adapters } = await seePorts(this.#folders)
    const port = await realpath(path).catch(() => undefined)
    const own = adapters.find((each) => each.port === port)
    if (own === undefined) return
    const { place } = own.adapter
    const others = adapters.filter(
      (each) => !ids.has(each.port) && sharesId(each.adapter, own.adapter),
    )
    if (others.length > 0) this.#shared.add(path)
    else if (!this.#shared.has(path)) this.#places.set(path, place)
    if (others.length === 0 && this.#places.get(path) === place) return
    const links = [own, ...others].flatMap((each) => paths.get(each.port) ?? [])
    throw new PrinterFault(
      'PRINTER_OFFLINE',
      `Several adapters share the name ${path}, so it is not clear which one is meant: choose one by its USB port, ${links.map((link) => `serial:${encodePath(link)}`).join(' or ')}.`,
      { advice: 'correctPort' },
    )
  }
}

/** Cheap adapters all bear the same number. */
function sharesId(one: Adapter, other: Adapter): boolean {
  const nameOf = ({ vendorId, productId, serial }: Adapter) => `${vendorId} ${productId} ${serial}`
  return one.place !== other.place && nameOf(one) === nameOf(other)
}

/** The serial adapters of a Mac, whose names have the adapter's serial number or its place. */
export async function listMacPorts(devFolder: string): Promise<readonly FoundPrinter[]> {
  const names = await readNames(devFolder)
  const ports = names.filter((name) => /^cu\.(?:usb|wch)/.test(name)).slice(0, MOST)
  return ports.map((name) => describePort(join(devFolder, name), { label: name.slice(3) }))
}

/** The ports in the answer of `reg query HKLM\HARDWARE\DEVICEMAP\SERIALCOMM`, one a line: `\Device\VCP0  REG_SZ  COM3`. */
export function readWindowsPorts(answer: string): readonly FoundPrinter[] {
  const names = answer
    .split('\n')
    .flatMap((line) => /\sREG_SZ\s+(COM[1-9]\d{0,2})$/.exec(line.trimEnd())?.[1] ?? [])
  return names.slice(0, MOST).map((name) => describePort(name, { label: name }))
}

/** Real paths of ports, each with the link to it; of several the shortest. */
async function readLinks(folder: string): Promise<Map<string, string>> {
  const links = new Map<string, string>()
  const names = await readNames(folder)
  for (const name of names.sort((a, b) => a.length - b.length).slice(0, MOST)) {
    const link = join(folder, name)
    const port = await realpath(link).catch(() => undefined) // unplugged a moment ago
    if (port !== undefined && !links.has(port)) links.set(port, link)
  }
  return links
}

function readNames(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []) // no folder: no adapter is plugged in
}

async function readAdapter(tty: string, sysFolder: string): Promise<Adapter> {
  const start = join(sysFolder, 'class', 'tty', tty, 'device')
  let folder = await realpath(start).catch(() => undefined)
  for (let step = 0; folder !== undefined && step < HIGHEST; step += 1) {
    const vendorId = await readHex(join(folder, 'idVendor'))
    const productId = await readHex(join(folder, 'idProduct'))
    if (vendorId !== undefined && productId !== undefined) {
      const serial = await readText(join(folder, 'serial'))
      const maker = await readText(join(folder, 'manufacturer'))
      const product = await readText(join(folder, 'product'))
      const label = [maker, product].filter((word) => word !== undefined).join(' ')
      return {
        place: folder,
        vendorId,
        productId,
        label,
        ...(serial === undefined ? {} : { serial }),
      }
    }
    folder = dirname(folder)
  }
  return {}
}

async function readText(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim().slice(0, 128) || undefined
}

async function readHex(file: string): Promise<number | undefined> {
  const text = await readText(file)
  return text !== undefined && /^[0-9a-f]{4}$/i.test(text) ? Number.parseInt(text, 16) : undefined
}

function describePort(path: string, adapter: Adapter, hindrance?: string): FoundPrinter {
  const { label, place, ...ids } = adapter
  return {
    uri: `serial:${encodePath(path)}`,
    makeAndModel: `Serial port ${label || basename(path)}`,
    ...ids,
    ...(hindrance === undefined ? {} : { hindrance }),
  }
}

/** udev's names may have what a URI gives a meaning of its own. */
function encodePath(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent)
}
