import { access, constants, readdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Found } from '../../device.ts'
import { explainRights } from './open-line.ts'

/** Where Linux shows its devices. */
export interface DeviceFolders {
  /** `/dev` */
  readonly devFolder: string
  /** `/sys` */
  readonly sysFolder: string
  /** Whether this program may read and write a port; asks the kernel when left out. */
  readonly mayUse?: (port: string) => Promise<boolean>
}

interface Adapter {
  readonly vendorId?: number
  readonly productId?: number
  readonly serial?: string
  readonly label?: string
}

const MOST = 64 // ports that are looked at
const HIGHEST = 8 // folders between a tty and its USB device, at most

/**
 * The serial adapters of a Linux computer by names that stay the same: by their serial number (`/dev/serial/by-id`), or by
 * the socket they are plugged into (`/dev/serial/by-path`) when they have none, since all such adapters share one name. Reads
 * folders only. Built-in ports are left out: they are there whether or not anything is connected.
 */
export async function listLinuxPorts(folders: DeviceFolders): Promise<readonly Found[]> {
  const ids = await readLinks(join(folders.devFolder, 'serial', 'by-id'))
  const paths = await readLinks(join(folders.devFolder, 'serial', 'by-path'))
  const ports = new Set([...ids.keys(), ...paths.keys()])
  const found = [...ports].slice(0, MOST).map(async (port): Promise<Found | undefined> => {
    const adapter = await readAdapter(basename(port), folders.sysFolder)
    const link = adapter.serial === undefined ? paths.get(port) : undefined
    const path = link ?? ids.get(port)
    if (path === undefined) return undefined
    const isFree = await (folders.mayUse ?? mayUse)(port)
    return describePort(path, adapter, isFree ? undefined : explainRights(port))
  })
  const all = await Promise.all(found)
  return all.filter((each) => each !== undefined).sort((a, b) => (a.uri < b.uri ? -1 : 1))
}

/** The serial adapters of a Mac, whose names have the adapter's serial number or its place. */
export async function listMacPorts(devFolder: string): Promise<readonly Found[]> {
  const names = await readNames(devFolder)
  const ports = names.filter((name) => /^cu\.(?:usb|wch)/.test(name)).slice(0, MOST)
  return ports.map((name) => describePort(join(devFolder, name), { label: name.slice(3) }))
}

/** The ports in the answer of `reg query HKLM\HARDWARE\DEVICEMAP\SERIALCOMM`, one a line: `\Device\VCP0  REG_SZ  COM3`. */
export function readWindowsPorts(answer: string): readonly Found[] {
  const ports = answer.matchAll(/^\s+\S.*\sREG_SZ\s+(COM[1-9]\d{0,2})\s*$/gm)
  return [...ports].slice(0, MOST).map(([, name = '']) => describePort(name, { label: name }))
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
      return { vendorId, productId, label, ...(serial === undefined ? {} : { serial }) }
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

function mayUse(port: string): Promise<boolean> {
  return access(port, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  )
}

function describePort(path: string, adapter: Adapter, hindrance?: string): Found {
  const { label, ...ids } = adapter
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
