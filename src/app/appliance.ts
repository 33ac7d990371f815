import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StartLabel } from '#labels'
import type { Intake } from '../core/intake/intake.ts'
import type { RequestReceipt } from '../core/intake/requests.ts'
import type { Printers } from '../core/printers/registry.ts'
import type { KnownPrinter } from '../core/printers/status.ts'
import type { Certificates } from '../http/tls/certificates.ts'
import type { ConfigStore } from '../settings/store.ts'
import { keepFile } from '../settings/write.ts'
import { findInternalAddress } from '../system/address.ts'
import { type BoxState, followBox, readAnnounced } from '../system/box.ts'
import { version } from '../system/process.ts'
import { inEnglish } from '../words/say.ts'

/** The parts for what the SD image does besides printing. */
interface ApplianceParts {
  readonly store: ConfigStore
  readonly printers: Printers
  readonly intake: Intake
  readonly stateFolder: string
  /** Folder that root's units read (`RUNTIME_DIRECTORY`); undefined = the state is not shown anywhere. */
  readonly runtimeFolder: string | undefined
  readonly certificates: () => Certificates | undefined
  readonly fault: (error: unknown) => void
}

/** The running appliance. */
export interface Appliance {
  /**
   * Prints the start label again.
   * @throws PlatenError PRINTER_UNKNOWN, SPOOL_*
   */
  startLabel(printer: string): RequestReceipt
}

/**
 * Starts the PIN, the start label, and the state for LED and STATUS.TXT. The box answers on port 80 (platen-web.socket), so its addresses
 * need no port.
 */
export async function startAppliance(
  parts: ApplianceParts,
  signal: AbortSignal,
): Promise<Appliance> {
  const { store, printers, intake, stateFolder, runtimeFolder, certificates, fault } = parts
  const kept = keepFile(join(stateFolder, 'start-label'))
  const onNew = (): void => kept.save('')
  const pin = await ensurePin({ store, kept: keepFile(join(stateFolder, 'pin')), onNew, fault })
  const facts = (): StartLabel => ({
    ...locate(),
    // Somebody may have chosen another password since.
    pin: pin() ?? '',
    fingerprint: certificates()?.fingerprint ?? '',
    version,
  })
  void printFirstStart({ printers, intake, facts, kept, fault }, signal)
  if (runtimeFolder !== undefined) {
    const state = () => ({ ...locate(), version, printers: printers.list().map(describe) })
    void followBox({ folder: runtimeFolder, state, fault }, signal)
  }
  return { startLabel: (printer) => printStartLabel({ intake, facts }, printer) }
}

/** Addresses of the page, as avahi announces them. */
function locate(): Pick<StartLabel, 'name' | 'url' | 'alias'> {
  const address = findInternalAddress()
  const host = address.includes(':') ? `[${address}]` : address
  const alias = readAnnounced('alias')
  return {
    name: readAnnounced('host') ?? `${hostname()}.local`,
    url: address === '127.0.0.1' ? '' : `http://${host}/`,
    alias: alias === undefined ? '' : `http://${alias}/`,
  }
}

function describe({
  name,
  status,
}: ReturnType<Printers['list']>[number]): BoxState['printers'][number] {
  const isOffline = status.reasons.includes('offline')
  const { message, hint } = status
  return {
    name,
    isOffline,
    isStopped: status.state === 'stopped',
    message: inEnglish(message),
    hint: inEnglish(hint),
  }
}

/** A small text that is kept over restarts. */
interface KeptText {
  load(): string | undefined
  save(text: string): void
}

const DIGITS = 8
const PIN = new RegExp(`^\\d{${DIGITS}}$`)
/** Replaces the PIN once a person chose a password. */
const USED_UP = 'used'

/** The parts of the PIN. */
interface PinParts {
  readonly store: Pick<ConfigStore, 'current' | 'masked' | 'put' | 'onChange'>
  readonly kept: KeptText
  /** Called before a new PIN replaces one that is used up or lost: the start label has to show the new one. */
  readonly onNew: () => void
  /** Called with faults. A note that cannot be read counts as lost, and one that cannot be written is not a reason to stop printing. */
  readonly fault: (error: unknown) => void
}

/**
 * Gives a box without a password one: a PIN that is made once, kept, and set as the password of user `admin`, also after a configuration
 * without one was imported. A password that a person chose uses it up for good: a box that loses that one gets a new PIN at its next start.
 * Resolves with a function that returns the PIN while it is the password.
 * @throws PlatenError STATE_UNWRITABLE
 */
export async function ensurePin(parts: PinParts): Promise<() => string | undefined> {
  const { store } = parts
  const kept = withFaults(parts)
  let pin = findPin({ ...parts, kept })
  const useUp = (): void => {
    const { password } = store.current
    if (pin === undefined || !password || password === pin) return
    pin = undefined
    kept.save(USED_UP)
  }
  const { username, password } = store.current
  if (!username || !password) {
    const chosen = { username: username || 'admin', password: password || pin }
    await store.put({ ...store.masked(), ...chosen })
  }
  useUp()
  store.onChange(useUp)
  return () => (store.current.password === pin ? pin : undefined)
}

function withFaults({ kept, fault }: PinParts): KeptText {
  return {
    load() {
      try {
        return kept.load()
      } catch (error) {
        fault(error)
        return ''
      }
    },
    save(text) {
      try {
        kept.save(text)
      } catch (error) {
        fault(error)
      }
    },
  }
}

/** Returns the kept PIN, or a new one for a box without a password; undefined when it is used up. */
function findPin({ store, kept, onNew }: PinParts): string | undefined {
  const known = kept.load()?.trim()
  // Blank or zeros after a damage of the card, which are no password.
  if (known !== undefined && PIN.test(known)) return known
  if (store.current.password) {
    if (known !== USED_UP) kept.save(USED_UP)
    return undefined
  }
  if (known !== undefined) onNew()
  const pin = makePin()
  kept.save(pin)
  return pin
}

function makePin(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
}

/** The parts of the start label. */
interface FirstStartParts {
  readonly printers: Pick<Printers, 'list'>
  readonly intake: Pick<Intake, 'acceptDocument' | 'ended'>
  /** Returns the content of the label; called when it is printed. */
  readonly facts: () => StartLabel
  /** Record of the print, kept over restarts: `offline` (printed without an address) or `done`. */
  readonly kept: { load(): string | undefined; save(text: string): void }
  readonly fault: (error: unknown) => void
  /** Milliseconds between two checks, default 5 s. */
  readonly everyMs?: number
  /** Milliseconds that the network gets before a label without an address is printed, default 90 s. */
  readonly networkMs?: number
}

const EVERY_MS = 5_000
const NETWORK_MS = 90_000
const TRIES = 3

/**
 * Prints the start label once in the life of a box: as soon as there is a printer and an address; without an address after a while, and
 * then once more when there is one. Resolves when nothing is left to print or the signal aborts.
 */
export async function printFirstStart(parts: FirstStartParts, signal: AbortSignal): Promise<void> {
  const { everyMs = EVERY_MS, networkMs = NETWORK_MS } = parts
  let triesLeft = TRIES
  // Also what could not be written down: it would print at each look, until the roll is empty.
  let printed = readPrinted(parts)
  for (let waited = 0; printed !== 'done'; waited += everyMs) {
    // First of all: a box that has just started has better things to do.
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return
    try {
      const before = printed
      const accepted = tryToPrint(parts, before, waited >= networkMs)
      if (accepted === undefined) continue
      triesLeft -= 1
      printed = accepted.printed
      parts.kept.save(printed)
      const ids = accepted.jobs.map(({ id }) => id)
      const jobs = await parts.intake.ended(ids, signal)
      // A small processor that was busy may not have drawn it in time.
      if (triesLeft === 0 || jobs.every(({ state }) => state !== 'aborted')) continue
      printed = before
      parts.kept.save(printed)
    } catch (error) {
      parts.fault(error)
    }
  }
}

/** Reads the record of the print. An unreadable one counts as done: the label must not print at each start, and the box has to go on. */
function readPrinted({ kept, fault }: FirstStartParts): string {
  try {
    return kept.load() ?? ''
  } catch (error) {
    fault(error)
    return 'done'
  }
}

/**
 * Prints the start label on one printer.
 * @throws PlatenError PRINTER_*, SPOOL_*
 */
function printStartLabel(
  { intake, facts }: { intake: Pick<Intake, 'acceptDocument'>; facts: () => StartLabel },
  printer: string,
): RequestReceipt {
  const body = Buffer.from(JSON.stringify(facts()))
  return intake.acceptDocument({ format: 'start', body, options: { printer }, source: 'start' })
}

function tryToPrint(
  parts: FirstStartParts,
  before: string,
  isPatienceOver: boolean,
): (Pick<RequestReceipt, 'jobs'> & { readonly printed: 'done' | 'offline' }) | undefined {
  const printer = choosePrinter(parts.printers.list())
  const hasNetwork = parts.facts().url !== ''
  const isDue = hasNetwork || (isPatienceOver && before !== 'offline')
  if (printer === undefined || !isDue) return undefined
  const { jobs } = printStartLabel(parts, printer.name)
  return { jobs, printed: hasNetwork ? 'done' : 'offline' }
}

/** Chooses the default printer, else the first one present. */
function choosePrinter(printers: readonly KnownPrinter[]): KnownPrinter | undefined {
  const here = printers.filter(({ status }) => !status.reasons.includes('offline'))
  return here.find(({ isDefault }) => isDefault) ?? here[0]
}
