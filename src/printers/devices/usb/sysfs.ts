import { type FSWatcher, watch } from 'node:fs'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { UsbPrinter } from './printer.ts'

/** Folder in which Linux shows what is plugged in. */
export const SYSFS = '/sys/bus/usb/devices'

const INTERFACE = /^(\d+-[\d.]+):\d+\.\d+$/
const PRINTER_CLASS = '07'
const PRINTER_SUBCLASS = '01'
// Uni- and bidirectional; 3 is IEEE 1284.4 and 4 IPP over USB, which are not ours (USB printer class 1.1, 4.1).
const PROTOCOLS: readonly string[] = ['01', '02']

/** Facts that do not change while the printer is plugged in. */
type UsbDescription = Omit<UsbPrinter, 'driver' | 'lp' | 'deviceId'>

interface UsbSnapshot {
  /** The folder's own number: another one after each plugging in. */
  readonly mark: string
  /** Undefined: no printer. */
  readonly fixed: UsbDescription | undefined
  deviceId: string | undefined
}

/**
 * Gives a function that finds the printers by reading sysfs: no I/O to any device. A further look reads only what is new
 * and which driver has each printer. The device id is kept, since it goes away with the kernel's own driver.
 */
export function createSysfsScan(root: string): () => Promise<readonly UsbPrinter[]> {
  const known = new Map<string, UsbSnapshot>()
  return async () => {
    const names = (await readNames(root)).filter((name) => INTERFACE.test(name))
    for (const name of known.keys()) if (!names.includes(name)) known.delete(name)
    const printers: UsbPrinter[] = []
    for (const name of names.sort()) {
      const printer = await look(root, name, known)
      if (printer !== undefined) printers.push(printer)
    }
    return printers
  }
}

async function look(
  root: string,
  name: string,
  known: Map<string, UsbSnapshot>,
): Promise<UsbPrinter | undefined> {
  const folder = join(root, name)
  const mark = await readMark(folder)
  let seen = known.get(name)
  if (seen === undefined || seen.mark !== mark) {
    seen = { mark, fixed: await readFixed(root, name), deviceId: undefined }
    known.set(name, seen)
  }
  if (seen.fixed === undefined) return undefined
  seen.deviceId ??= (await readText(join(folder, 'ieee1284_id'))) || undefined
  const driver = await readDriver(folder)
  const lp = (await readNames(join(folder, 'usbmisc'))).find((node) => /^lp\d+$/.test(node))
  return { ...seen.fixed, driver, lp, deviceId: seen.deviceId }
}

async function readFixed(root: string, name: string): Promise<UsbDescription | undefined> {
  const read = (attribute: string) => readText(join(root, name, attribute))
  if ((await read('bInterfaceClass')) !== PRINTER_CLASS) return undefined
  if ((await read('bInterfaceSubClass')) !== PRINTER_SUBCLASS) return undefined
  if (!PROTOCOLS.includes(await read('bInterfaceProtocol'))) return undefined
  const port = INTERFACE.exec(name)?.[1] ?? ''
  const about = (attribute: string) => readText(join(root, port, attribute))
  const address = Number(await about('devnum'))
  if (!(address > 0)) return undefined // it went away in between
  return {
    port,
    interfaceNumber: Number.parseInt(await read('bInterfaceNumber'), 16),
    bus: await about('busnum'),
    address,
    vendorId: Number.parseInt(await about('idVendor'), 16),
    productId: Number.parseInt(await about('idProduct'), 16),
    manufacturer: await about('manufacturer'),
    product: await about('product'),
    serial: await about('serial'),
  }
}

/** '' for what is not there: attributes come and go with the printer and its driver. */
async function readText(file: string): Promise<string> {
  return (await readFile(file, 'utf8').catch(() => '')).trim()
}

async function readNames(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => [])
}

async function readDriver(folder: string): Promise<string> {
  return basename(await readlink(join(folder, 'driver')).catch(() => ''))
}

async function readMark(folder: string): Promise<string> {
  return await lstat(folder).then(
    ({ ino, ctimeMs }) => `${ino} ${ctimeMs}`,
    () => '',
  )
}

const SETTLE_MS = 200 // from the node's appearance until the kernel's driver has read the device id

/** Subjects of a watch. */
interface WatchParts {
  /** Folder of the device nodes, e.g. `/dev/bus/usb`. */
  readonly nodes: string
  /** Between looks, whatever the nodes tell. */
  readonly pollMs: number
  /** Describes what there is as a text that changes when anything did. */
  readonly look: () => Promise<string>
}

/**
 * Calls `changed` when printers come or go, until `signal` aborts. The truth is the look, every `pollMs`; device nodes that
 * come and go only make it come sooner. They work without udev, and cost no native code; nothing here keeps the process
 * alive.
 */
export function watchPrinters(parts: WatchParts, changed: () => void, signal: AbortSignal): void {
  const watchers = new Map<string, FSWatcher>()
  let before: string | undefined
  let isLooking = false
  let soon: NodeJS.Timeout | undefined
  const look = async () => {
    if (isLooking || signal.aborted) return
    isLooking = true
    await follow(parts.nodes, watchers, hurry)
    const now = await parts.look().catch(() => before ?? '')
    isLooking = false
    const isNew = before !== undefined && now !== before
    before = now
    if (isNew && !signal.aborted) changed()
  }
  const hurry = () => {
    clearTimeout(soon)
    soon = setTimeout(() => void look(), SETTLE_MS).unref()
  }
  const timer = setInterval(() => void look(), parts.pollMs).unref()
  const stop = () => {
    clearInterval(timer)
    clearTimeout(soon)
    for (const watcher of watchers.values()) watcher.close()
    watchers.clear()
  }
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  void look()
}

/** Watches the folder of the nodes and those of the buses in it, which may come later. */
async function follow(
  nodes: string,
  watchers: Map<string, FSWatcher>,
  told: () => void,
): Promise<void> {
  const buses = await readdir(nodes).catch(() => undefined)
  if (buses === undefined) return
  for (const folder of [nodes, ...buses.map((bus) => join(nodes, bus))]) {
    if (watchers.has(folder)) continue
    const watcher = tryWatch(folder, told)
    watcher?.on('error', () => {
      watcher.close()
      watchers.delete(folder)
    })
    if (watcher !== undefined) watchers.set(folder, watcher)
  }
}

/** Undefined when the system has no watches left: scanning continues anyway. */
function tryWatch(folder: string, told: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, told)
  } catch {
    return undefined
  }
}

/**
 * Runs `work` one at a time, so that an older answer never comes after a newer one. Whoever asks while it runs gets the
 * answer of the next run, which all that ask meanwhile share.
 */
export function inTurn<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const start = (): Promise<T> => {
    next = undefined
    running = work().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (running === undefined && next === undefined) return start()
    next ??= (running ?? Promise.resolve()).then(start, start)
    return next
  }
}
