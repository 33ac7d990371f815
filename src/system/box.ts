import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Health of the computer; undefined or empty where the system does not tell. */
interface BoxHealth {
  /** Temperature of the processor, in degrees Celsius. */
  readonly temperature: number | undefined
  /** The supply voltage is too low now (Raspberry Pi). */
  readonly isUndervolted: boolean | undefined
  /** Bytes of memory that programs can still get. */
  readonly memoryAvailable: number | undefined
  /** Bytes of memory in all. */
  readonly memoryTotal: number | undefined
  /** Errors that ext4 met since the file system was made, by device: a dying card counts up here. */
  readonly fileSystemErrors: Readonly<Record<string, number>>
}

/**
 * Reads the kernel's own files below `root`: sysfs-class-thermal, the hwmon driver raspberrypi-hwmon (`rpi_volt`),
 * proc(5) meminfo and ext4's errors_count (Documentation/ABI/testing of the Linux kernel).
 */
export function readBoxHealth(root = '/'): BoxHealth {
  const memory = readText(join(root, 'proc/meminfo')) ?? ''
  return {
    temperature: findTemperature(join(root, 'sys/class/thermal')),
    isUndervolted: findUndervoltage(join(root, 'sys/class/hwmon')),
    memoryAvailable: findMemory(memory, 'MemAvailable'),
    memoryTotal: findMemory(memory, 'MemTotal'),
    fileSystemErrors: findErrors(join(root, 'sys/fs/ext4')),
  }
}

/** The hottest zone that is a processor's; where none says so, the first zone. Zones count in thousandths of a degree. */
function findTemperature(folder: string): number | undefined {
  const zones = listNames(folder)
    .filter((name) => name.startsWith('thermal_zone'))
    .flatMap((name) => {
      const value = readNumber(join(folder, name, 'temp'))
      const type = readText(join(folder, name, 'type')) ?? ''
      return value === undefined
        ? []
        : [{ celsius: value / 1000, isCpu: /cpu|pkg|soc/i.test(type) }]
    })
  const cpu = zones.filter(({ isCpu }) => isCpu).map(({ celsius }) => celsius)
  return cpu.length > 0 ? Math.max(...cpu) : zones[0]?.celsius
}

function findUndervoltage(folder: string): boolean | undefined {
  const sensor = listNames(folder).find(
    (name) => readText(join(folder, name, 'name'))?.trim() === 'rpi_volt',
  )
  if (sensor === undefined) return undefined
  const alarm = readNumber(join(folder, sensor, 'in0_lcrit_alarm'))
  return alarm === undefined ? undefined : alarm !== 0
}

/** Kilobytes stand there, as in `MemAvailable:    401234 kB`. */
function findMemory(text: string, key: string): number | undefined {
  const kilobytes = new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

function findErrors(folder: string): Readonly<Record<string, number>> {
  const found = listNames(folder).flatMap((device) => {
    const count = readNumber(join(folder, device, 'errors_count'))
    return count === undefined ? [] : [[device, count] as const]
  })
  return Object.fromEntries(found)
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return [] // another system, or a kernel without it
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return undefined // a sensor may be there and refuse to be read
  }
}

function readNumber(file: string): number | undefined {
  const text = readText(file)?.trim()
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined
}

/** State of the box, for its LED and for STATUS.TXT. */
export interface BoxState {
  readonly version: string
  /** The name on the network, e.g. `printserver-1a2b.local`. */
  readonly name: string
  /** '' = no network. */
  readonly url: string
  /** The address by the name that is easier to remember; '' = another box has it. */
  readonly alias: string
  readonly printers: readonly BoxPrinter[]
}

/** A printer in words. */
interface BoxPrinter {
  readonly name: string
  readonly isOffline: boolean
  readonly isStopped: boolean
  readonly message: string
  readonly hint: string
}

const EVERY_MS = 5_000

/** Judges what the LED shows: all is well, no network, no printer, or a printer needs a person. */
export function judgeBox({
  url,
  printers,
}: BoxState): 'ready' | 'no-network' | 'no-printer' | 'attention' {
  if (url === '') return 'no-network'
  if (printers.every(({ isOffline }) => isOffline)) return 'no-printer'
  return printers.some(({ isStopped }) => isStopped) ? 'attention' : 'ready'
}

/** The state in plain words: the word for the LED in the first line, then what a person reads. */
export function describeBox(state: BoxState): string {
  const { url, alias, name, version, printers } = state
  const address =
    url === ''
      ? ['Network:  none. Plug in the cable, or put wifi.txt into this folder.']
      : [
          `Address:  ${url}`,
          ...(alias === '' ? [] : [`          ${alias}`]),
          `          http://${name}/`,
        ]
  const none = [
    'Printer:  none found. Plug it into a USB socket and switch it on; a network printer is added on the page.',
  ]
  return `${[
    judgeBox(state),
    `Label print server, version ${version}`,
    ...address,
    ...(printers.length === 0 ? none : printers.map(describePrinter)),
  ].join('\n')}\n`
}

function describePrinter({ name, message, hint }: BoxPrinter): string {
  const words = [message || 'ready.', hint].filter((text) => text !== '').join(' ')
  return `Printer:  ${name}: ${words}`
}

/**
 * Writes the state into a file whenever it changes, looking every few seconds; units of root show it. A state that cannot be
 * had or written is told once. Resolves when the signal aborts.
 */
export async function followBox(
  settings: {
    readonly folder: string
    readonly state: () => BoxState
    readonly fault: (error: unknown) => void
    readonly everyMs?: number
  },
  signal: AbortSignal,
): Promise<void> {
  const { folder, state, fault, everyMs = EVERY_MS } = settings
  let written = ''
  let isTold = false
  while (!signal.aborted) {
    try {
      const text = describeBox(state())
      if (text !== written) {
        // Whole or not at all: a unit reads it at any time.
        writeFileSync(join(folder, 'state.new'), text)
        renameSync(join(folder, 'state.new'), join(folder, 'state'))
        written = text
      }
      isTold = false
    } catch (error) {
      if (!isTold) fault(error)
      isTold = true
    }
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** A name that avahi holds for the box (image/appliance/announce); undefined = none, or no avahi. */
export function readAnnounced(
  kind: 'host' | 'alias',
  folder = '/run/platen-names',
): string | undefined {
  try {
    return readFileSync(join(folder, kind), 'utf8').trim() || undefined
  } catch {
    return undefined // not announced yet, or another box has it
  }
}

/** Every name that avahi holds for the box now, its own first. */
export function listAnnounced(folder?: string): readonly string[] {
  const names = [readAnnounced('host', folder), readAnnounced('alias', folder)]
  return names.filter((name) => name !== undefined)
}
