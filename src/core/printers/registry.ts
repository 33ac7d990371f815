import { isDeepStrictEqual } from 'node:util'
import {
  type Connection,
  type Device,
  type DeviceUri,
  findNearest,
  type InquirySettings,
  isSamePlace,
  Places,
  type Printer,
  PrinterFault,
  type PrinterPresence,
  parseDeviceUri,
  placeOf,
} from '#printers'
import { PlatenError, quote } from '../../words/errors.ts'
import { isSame, join, NOTHING, quoteEnglish, type Sentences, say } from '../../words/say.ts'
import { awaitPrinter, explainConnection, tellAdvice } from './faults.ts'
import { describeStatus, type KnownPrinter, type PrinterStatus, pausedStatus } from './status.ts'

const READY: PrinterStatus = { state: 'idle', reasons: ['none'], message: NOTHING, hint: NOTHING }
const NOT_ASKED: PrinterStatus = { ...READY, reasons: ['platen-not-asked'] }

const REMOVED: PrinterStatus = {
  state: 'stopped',
  reasons: ['offline'],
  message: say('removedPrinter'),
  hint: say('addOrCancel'),
}

/** The settings of the registry. */
export interface PrintersSettings {
  readonly printers: readonly Printer[]
  /** Name of the default printer; '' = none chosen. */
  readonly defaultName: string
  readonly devices: readonly Device[]
}

interface RegistryEntry {
  readonly printer: Printer
  /** The state that its queue reports. */
  status: PrinterStatus
  presence: PrinterPresence
  backupFault?: Sentences | undefined
}

const HERE: PrinterPresence = { isHere: true, hindrance: '' }

/** The printers that this box knows, with their present state: the default one, and the way to their devices. */
export class Printers {
  readonly #devices: readonly Device[]
  readonly #listeners = new Set<(printer: KnownPrinter) => void>()
  readonly #places = new Places()
  #entries = new Map<string, RegistryEntry>()
  #paused: ReadonlySet<string> = new Set()
  #defaultName: string

  constructor(settings: PrintersSettings) {
    this.#devices = settings.devices
    this.#defaultName = settings.defaultName
    for (const printer of settings.printers) {
      this.#entries.set(printer.name, {
        printer,
        status: this.#firstStatus(printer),
        presence: HERE,
      })
    }
  }

  /**
   * Calls `listener` after a printer's entry or state changed; returns a function that unsubscribes. A printer that was removed from the
   * configuration is reported once more, stopped and offline, when `get` does not know it any longer.
   */
  onChange(listener: (printer: KnownPrinter) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Applies a changed configuration; printers whose device URI is the same keep their state. */
  configure(printers: readonly Printer[], defaultName: string): void {
    const before = new Map(this.list().map((printer) => [printer.name, printer]))
    const entries = new Map<string, RegistryEntry>()
    for (const printer of printers) entries.set(printer.name, this.#renew(printer))
    this.#entries = entries
    this.#defaultName = defaultName
    for (const printer of this.list()) {
      if (!isDeepStrictEqual(printer, before.get(printer.name))) this.#tell(printer)
    }
    for (const printer of before.values()) {
      if (!entries.has(printer.name))
        this.#tell({ ...printer, isDefault: false, isPaused: false, status: REMOVED })
    }
  }

  #renew(printer: Printer): RegistryEntry {
    const old = this.#entries.get(printer.name)
    const isSame = old !== undefined && old.printer.uri === printer.uri
    const isRuled = isDeepStrictEqual(old?.printer.backup, printer.backup)
    return {
      printer,
      status: isSame ? old.status : this.#firstStatus(printer),
      presence: isSame ? old.presence : HERE,
      backupFault: isRuled ? old?.backupFault : undefined,
    }
  }

  /** All known printers, in the order of the configuration. */
  list(): readonly KnownPrinter[] {
    return [...this.#entries.values()].map((entry) => this.#known(entry))
  }

  /** The printer of exactly this name. */
  get(name: string): KnownPrinter | undefined {
    const entry = this.#entries.get(name)
    return entry && this.#known(entry)
  }

  /**
   * Finds the printer for a label: the named one, else the default, else the only one there is.
   * @throws PlatenError PRINTER_NONE, PRINTER_UNKNOWN, PRINTER_AMBIGUOUS; the messages list the names
   */
  resolve(name: string | undefined): KnownPrinter {
    if (this.#entries.size === 0) {
      throw new PlatenError('PRINTER_NONE', say('noneKnown'))
    }
    const wanted = name || this.#default()
    const entry = this.#entries.get(wanted)
    if (entry !== undefined) return this.#known(entry)
    if (wanted === '') {
      throw new PlatenError('PRINTER_AMBIGUOUS', say('severalPrinters', { names: this.#names() }))
    }
    throw new PlatenError('PRINTER_UNKNOWN', this.#explain(wanted, !name))
  }

  /** Names of all entries that lead to the printer at this device URI; a password in it does not count. */
  at(uri: string): readonly string[] {
    const isThere = ({ printer }: RegistryEntry): boolean =>
      isSamePlace(placeOf(printer.uri), placeOf(uri))
    return [...this.#entries].filter(([, entry]) => isThere(entry)).map(([name]) => name)
  }

  /** Notes what was learned about a printer; listeners are called only when something is new. Unknown names are ignored. */
  report(name: string, status: PrinterStatus): void {
    const entry = this.#entries.get(name)
    if (entry === undefined || isDeepStrictEqual(entry.status, status)) return
    entry.status = status
    this.#tell(this.#known(entry))
  }

  /** Notes whether discovery sees the printer; the report of its queue on a label in hand has priority. True when this is news. */
  notice(name: string, presence: PrinterPresence): boolean {
    const entry = this.#entries.get(name)
    if (entry === undefined || isDeepStrictEqual(entry.presence, presence)) return false
    const before = this.#known(entry)
    entry.presence = presence
    const now = this.#known(entry)
    if (!isDeepStrictEqual(before, now)) this.#tell(now)
    return true
  }

  /** Notes why the printer's backup cannot take its labels; none = nothing is known against it. */
  noteBackup(name: string, fault: Sentences): void {
    const entry = this.#entries.get(name)
    if (entry === undefined || isSame(entry.backupFault ?? NOTHING, fault)) return
    entry.backupFault = fault
    this.#tell(this.#known(entry))
  }

  /** Returns how the printer's device is asked for its state; undefined = never. */
  asking(name: string): InquirySettings | undefined {
    if (this.#entries.get(name)?.printer.asksStatus === false) return undefined
    return this.#target(name)?.device.asking
  }

  /** Pauses a printer, or resumes it; an unknown one may still come. */
  setPaused(name: string, isPaused: boolean): void {
    if (this.#paused.has(name) === isPaused) return
    const others = [...this.#paused].filter((one) => one !== name)
    this.#paused = new Set(isPaused ? [...others, name] : others)
    const known = this.get(name)
    if (known !== undefined) this.#tell(known)
  }

  /** Tells whether it is on a cable of this machine, so that a person at the printer is also at this machine. */
  isAttached(name: string): boolean {
    return this.#target(name)?.device.attached === true
  }

  /** Returns the advice for a paused printer; undefined = its button. */
  pausedHint(name: string): Sentences | undefined {
    const target = this.#target(name)
    const told = target?.device.explainPaused?.(target.uri)
    if (told === undefined) return undefined
    return 'words' in told ? quoteEnglish(told.words) : tellAdvice(told.advice)
  }

  /**
   * Opens the printer's device for one job.
   * @throws PlatenError PRINTER_UNKNOWN, PRINTER_OFFLINE, PRINTER_BUSY: no byte has left
   */
  open(name: string, signal: AbortSignal): Promise<Connection> {
    const entry = this.#entries.get(name)
    if (entry === undefined) {
      return Promise.reject(new PlatenError('PRINTER_UNKNOWN', this.#explain(name, false)))
    }
    const target = parseDeviceUri(entry.printer.uri, this.#devices)
    if (typeof target === 'string') {
      return Promise.reject(
        new PlatenError('PRINTER_OFFLINE', `Printer ${quote(name)}: ${target}.`),
      )
    }
    const { device, uri } = target
    return this.#open(name, entry.printer.uri, signal, () => device.open(uri, signal))
  }

  /**
   * Calls the device at a URI, which need not be a configured printer; undefined for devices that a call does not reach.
   * @throws PlatenError FIELD_INVALID
   */
  async answers(uri: string, signal: AbortSignal): Promise<boolean | undefined> {
    const target = parseDeviceUri(uri, this.#devices)
    if (typeof target === 'string') throw refuseAddress(target, this.#devices)
    if (target.device.isRemote !== true) return undefined
    try {
      const connection = await target.device.open(target.uri, signal)
      await connection[Symbol.asyncDispose]()
      return true
    } catch (error) {
      if (!(error instanceof PrinterFault)) throw error
      return error.code === 'PRINTER_BUSY'
    }
  }

  async #open(
    name: string,
    uri: string,
    signal: AbortSignal,
    open: () => Promise<Connection>,
  ): Promise<Connection> {
    const connection = await awaitPrinter(this.#places.enter(name, uri, signal, open))
    return explainConnection(connection)
  }

  #target(name: string): DeviceUri | undefined {
    const entry = this.#entries.get(name)
    return entry && this.#parse(entry.printer)
  }

  #parse({ uri }: Printer): DeviceUri | undefined {
    const target = parseDeviceUri(uri, this.#devices)
    return typeof target === 'string' ? undefined : target
  }

  /** The status before the printer was reached for the first time. */
  #firstStatus(printer: Printer): PrinterStatus {
    return this.#parse(printer)?.device.isRemote === true ? NOT_ASKED : READY
  }

  #default(): string {
    if (this.#defaultName !== '' || this.#entries.size !== 1) return this.#defaultName
    return this.#entries.keys().next().value ?? ''
  }

  #known({ printer, status, presence, backupFault }: RegistryEntry): KnownPrinter {
    const isDefault = printer.name === this.#default()
    const isPaused = this.#paused.has(printer.name)
    const own = describeStatus(printer, status, presence)
    return {
      ...printer,
      isDefault,
      isPaused,
      status: isPaused ? pausedStatus(printer, own) : own,
      ...(backupFault !== undefined && backupFault.length > 0 && { backupFault }),
    }
  }

  #names(): string {
    return [...this.#entries.keys()].map(quote).join(', ')
  }

  #explain(wanted: string, isDefault: boolean): Sentences {
    const nearest = findNearest(wanted, [...this.#entries.keys()])
    return join(
      say(isDefault ? 'defaultGone' : 'namedNone', { name: quote(wanted) }),
      say('thereAre', { names: this.#names() }),
      nearest === undefined ? NOTHING : say('didYouMean', { name: quote(nearest) }),
    )
  }

  #tell(printer: KnownPrinter): void {
    for (const listener of this.#listeners) listener(printer)
  }
}

/** Refuses a text that is not the address of a printer; `why` is the sentence of `parseDeviceUri`. */
function refuseAddress(why: string, devices: readonly Device[]): PlatenError {
  const examples = devices.map((device) => device.example).join(', ')
  return new PlatenError('FIELD_INVALID', say('noAddress'), {
    hint: say('typeAddress', { examples }),
    detail: `uri: ${why}.`,
  })
}
