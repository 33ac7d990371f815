import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

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
