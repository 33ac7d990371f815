import type { PrinterDetails } from '#labels'
import type { Device, FoundPrinter } from '../device.ts'
import { isSameKind, isSamePlace } from '../places.ts'
import { TimeLimit, untilAborted } from '../wait.ts'
import {
  adopt,
  avoidConfiguredNames,
  demoPrinter,
  findAgain,
  listPrinters,
  type SeenPrinter,
  showPrinter,
} from './finds.ts'
import { tidyFinds } from './identity.ts'
import { type KnownEntry, type MemoryStore, PrinterMemory } from './memory.ts'
import type { Printer, PrinterPresence, PrinterSettings } from './printer.ts'

/** The printers that the program knows, as discovery keeps them. */
export interface PrinterList {
  list(): readonly Printer[]
  /** Takes over what is known now. */
  configure(printers: readonly Printer[], defaultName: string): void
  /** Takes over whether a printer is seen. True when this is news. */
  notice(name: string, presence: PrinterPresence): boolean
}

/** Dependencies of discovery. */
export interface DiscoveryParts {
  readonly devices: readonly Device[]
  readonly printers: PrinterList
  readonly store: MemoryStore
  /** Found printers that labels went to, for a memory that is lost. */
  readonly recall?: () => readonly KnownEntry[]
  /** The printers of the configuration and the name of the default; asked each time. */
  readonly configured: () => readonly PrinterSettings[]
  readonly defaultName: () => string
  /** Printers of the local network, looked for only when a person asks. */
  readonly searchNetwork?: (signal: AbortSignal) => Promise<readonly FoundPrinter[]>
  /** A printer came back or was found: its labels can print. */
  readonly onArrival?: (name: string) => void
  /** A printer was switched off and on, or plugged in again. */
  readonly onRestart?: (name: string) => void
  /** A printer without a serial number was put into another port. */
  readonly onMove?: (from: string, to: string) => void
  /** A found printer gets another name, since the configuration gave its own to another printer. */
  readonly onRename?: (before: string, name: string) => void
  readonly fault: (error: unknown) => void
  /** Between two looks at every device, beside the news that they give themselves. Default 60 s. */
  readonly pollMs?: number
}

/** A spooler that takes longer to list its queues does not keep printers on cables from being found. */
const QUEUES_MS = 5_000

/** Finds printers, names them, keeps them known while they are away, and tells when they come and go. */
export class Discovery {
  readonly #parts: DiscoveryParts
  readonly #memory: PrinterMemory
  /** Printers that each device saw at its last scan; no entry = it was not asked yet. */
  readonly #seen = new Map<Device, readonly FoundPrinter[]>()
  readonly #looks = new Map<Device, { running: Promise<void>; again: boolean }>()
  readonly #sessions = new Map<string, string>()
  #network: readonly FoundPrinter[] = []

  constructor(parts: DiscoveryParts) {
    this.#parts = parts
    this.#memory = new PrinterMemory(parts.store, parts.fault, parts.recall)
    this.refresh()
  }

  /** Looks at once, then whenever a device tells of a change and once in a while, until `signal` aborts. */
  start(signal: AbortSignal): void {
    const { devices, pollMs = 60_000 } = this.#parts
    for (const device of devices) device.watch?.(() => void this.#look(device, signal), signal)
    void this.#lookAtAll(signal)
    const poll = setInterval(() => void this.#lookAtAll(signal), pollMs).unref()
    signal.addEventListener('abort', () => clearInterval(poll), { once: true })
  }

  /** Looks everywhere now, in the network too: a person asked. Resolves with all that is not known yet. */
  async search(signal: AbortSignal): Promise<readonly SeenPrinter[]> {
    const [found] = await Promise.all([
      this.#parts.searchNetwork?.(signal) ?? [],
      this.#lookAtAll(signal),
    ])
    this.#network = tidyFinds(found)
    return this.found()
  }

  /** Lists what can be seen and is not known: it waits for a person to say what it is. */
  found(): readonly SeenPrinter[] {
    const known = this.#parts.printers.list()
    const all = [...this.#seen].flatMap(([device, list]) =>
      list.map((found) => ({ found, isGuess: device.guesses === true })),
    )
    const seen = [...all, ...this.#network.map((found) => ({ found, isGuess: false }))]
    return seen
      .filter(({ found }) => !known.some(({ uri }) => leadsTo(found, uri)))
      .map(({ found, isGuess }) => showPrinter(found, isGuess))
  }

  /** Gives the serial number of the printer that was found at this device URI: '' = it has none, undefined = nobody remembers. */
  serialOf(uri: string): string | undefined {
    const one = this.#memory.printers.find((each) => each.uri === uri)
    return one?.serial ?? (one?.vendorId === undefined ? undefined : '')
  }

  /** Takes over what a printer said of itself. */
  learn(uri: string, facts: PrinterDetails): void {
    if (this.#memory.learn(uri, facts)) this.refresh()
  }

  /** Serializes what was found and learned, for a backup. */
  memory(): string {
    return this.#memory.text()
  }

  /** Names that printers have here and lose to those of another box. @throws when it is not a memory file */
  namesLostTo(kept: string): readonly string[] {
    return this.#memory.namesLostTo(kept)
  }

  /** Takes over what another box had found, under its names. @throws when it is not a memory file */
  join(kept: string): void {
    this.#memory.join(kept)
    this.refresh()
  }

  /** A person removed the printer at this device URI: it is not added again automatically. */
  dismiss(uri: string): void {
    const isSeen = this.#everything().some((found) => isSamePlace(found.uri, uri))
    if (!isSeen && !this.#memory.printers.some((one) => isSamePlace(one.uri, uri))) return
    const left = this.#memory.printers.filter((printer) => !isSamePlace(printer.uri, uri))
    this.#memory.keep(left, [...this.#memory.dismissed, uri])
    this.refresh()
  }

  /** A person wants the printer at this device URI again. */
  welcome(uri: string): void {
    const { printers, dismissed } = this.#memory
    const left = dismissed.filter((each) => !isSamePlace(each, uri))
    if (left.length < dismissed.length) this.#memory.keep(printers, left)
  }

  /** The configuration or what is known changed: every printer's entry is made again. */
  refresh(): void {
    const { printers, configured, defaultName } = this.#parts
    this.#rename()
    const list = listPrinters(configured(), this.#memory)
    const first = defaultName() === '' ? this.#findFirst(list) : undefined
    this.#memory.keepFirst(first)
    printers.configure(list, first?.name ?? defaultName())
    this.#noticeAll()
  }

  /** The printer that stays the default until a person chooses one: it is the only one, or was when others came. */
  #findFirst(list: readonly Printer[]): Printer | undefined {
    const kept = this.#memory.first && findAgain(list, this.#memory.first)
    const [only, ...others] = list
    if (kept !== undefined || only === undefined || others.length > 0) return kept
    if (only.uri === demoPrinter.uri) return undefined // labels for a real printer must not end in a file
    // Among printers found at the start, the order in which devices are scanned must not make one the first.
    const isSettled = this.#parts.devices.every((device) => this.#seen.has(device))
    return only.isFound === true && !isSettled ? undefined : only
  }

  async #lookAtAll(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#parts.devices.map((device) => this.#look(device, signal)))
  }

  /** Scans a device, once at a time; a change during a scan means one more. */
  #look(device: Device, signal: AbortSignal): Promise<void> {
    const look = this.#looks.get(device)
    if (look !== undefined) {
      look.again = true
      return look.running
    }
    const fresh = { running: Promise.resolve(), again: false }
    this.#looks.set(device, fresh)
    fresh.running = this.#lookUntilQuiet(device, fresh, signal)
    return fresh.running
  }

  async #lookUntilQuiet(
    device: Device,
    look: { again: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    try {
      if (!this.#seen.has(device)) await this.#lookBehindQueues(device, signal)
      do {
        look.again = false
        const found = await device.list(signal)
        if (!signal.aborted) this.#take(device, tidyFinds(found, device))
      } while (look.again && !signal.aborted)
    } catch (error) {
      this.#parts.fault(error) // a look that failed tells nothing about who is here
    } finally {
      this.#looks.delete(device)
    }
  }

  /** A printer behind a queue of the settings is known by that queue. Only the queue's own look tells which one it is. */
  async #lookBehindQueues(device: Device, signal: AbortSignal): Promise<void> {
    if (device.findsQueues === true) return
    const isNamed = ({ scheme }: Device): boolean =>
      this.#parts.configured().some(({ uri }) => uri.startsWith(`${scheme}:`))
    const queues = this.#parts.devices.filter(
      (each) => each.findsQueues === true && !this.#seen.has(each) && isNamed(each),
    )
    if (queues.length === 0) return
    using limit = new TimeLimit(QUEUES_MS, signal)
    const looks = queues.map((each) => this.#looks.get(each)?.running ?? this.#look(each, signal))
    await untilAborted(Promise.all(looks), limit.signal)
  }

  #take(device: Device, found: readonly FoundPrinter[]): void {
    const { printers, onArrival } = this.#parts
    this.#seen.set(device, found)
    if (device.guesses !== true) this.#adopt(found)
    const before = new Set(printers.list().map(({ name }) => name))
    this.refresh()
    for (const { name } of printers.list()) if (!before.has(name)) onArrival?.(name)
    for (const each of found) this.#follow(each)
  }

  #adopt(found: readonly FoundPrinter[]): void {
    const { printers, dismissed } = this.#memory
    const configured = this.#parts.configured()
    const known = adopt(found, { known: printers, configured, dismissed, seen: this.#everything() })
    if (JSON.stringify(known) === JSON.stringify(printers)) return
    this.#memory.keep(known)
    for (const { name, uri } of known) {
      const from = printers.find((one) => one.name === name)?.uri ?? uri
      if (isSamePlace(from, uri)) continue
      this.#sessions.set(uri, '') // plugged in again, as its new place says
      this.#parts.onMove?.(from, uri)
    }
  }

  #everything(): readonly FoundPrinter[] {
    return [...this.#seen.values()].flat()
  }

  /** A name that the configuration gave to another printer is not ours any longer. */
  #rename(): void {
    const { printers } = this.#memory
    const renamed = avoidConfiguredNames(printers, this.#parts.configured())
    if (renamed === printers) return
    for (const [n, { name: before }] of printers.entries()) {
      const { name = before } = renamed[n] ?? {}
      if (name !== before) this.#parts.onRename?.(before, name)
    }
    this.#memory.keep(renamed)
  }

  #noticeAll(): void {
    const { printers, onArrival } = this.#parts
    for (const { name, uri } of printers.list()) {
      const now = this.#presence(uri)
      if (now === undefined) continue
      const isNews = printers.notice(name, now)
      if (isNews && now.isHere && now.hindrance === '') onArrival?.(name)
    }
  }

  /** Undefined where nobody looks: such a printer shows what its labels meet. */
  #presence(uri: string): PrinterPresence | undefined {
    const found = this.#everything().find((each) => isSamePlace(each.uri, uri))
    if (found !== undefined) return { isHere: true, hindrance: found.hindrance ?? '' }
    const scheme = uri.slice(0, uri.indexOf(':'))
    const device = this.#parts.devices.find((each) => each.scheme === scheme)
    const wasFound = this.#memory.printers.some((each) => isSamePlace(each.uri, uri))
    const isWatched = device?.watch !== undefined && device.guesses !== true
    if (device === undefined || !this.#seen.has(device) || !(wasFound || isWatched))
      return undefined
    return { isHere: false, hindrance: '', ...this.#findMoved(uri) }
  }

  /**
   * Finds where the printer of the settings, or one in its stead, probably is now; nothing when that is not clear. One that was
   * found moves by itself; without a serial number what is remembered of this one would have moved too.
   */
  #findMoved(uri: string): Pick<PrinterPresence, 'movedTo'> {
    const kept = this.#memory.printers.find((each) => isSamePlace(each.uri, uri))
    if (kept !== undefined && kept.serial === undefined) return {}
    const configured = this.#parts.configured()
    const isSet = (place: string) => configured.some((entry) => isSamePlace(entry.uri, place))
    const [kin, ...others] = this.#everything().filter(
      (each) => isSameKind(each.uri, uri) && !isSet(each.uri),
    )
    if (kin === undefined || others.length > 0 || !isSet(uri)) return {}
    return { movedTo: kin.uri }
  }

  #follow({ uri, session }: FoundPrinter): void {
    if (session === undefined) return
    const before = this.#sessions.get(uri)
    this.#sessions.set(uri, session)
    if (before === undefined || before === session) return
    const printer = this.#parts.printers.list().find((each) => isSamePlace(each.uri, uri))
    if (printer !== undefined) this.#parts.onRestart?.(printer.name)
  }
}

function leadsTo({ uri, behind = uri }: FoundPrinter, place: string): boolean {
  return isSamePlace(uri, place) || isSamePlace(behind, place)
}
