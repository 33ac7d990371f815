import { isDeepStrictEqual } from 'node:util'
import { type Backup, isSamePlace, placeOf } from '#printers'
import type { Intake } from '../../core/intake/intake.ts'
import type { MoveCount, MoveRule } from '../../core/intake/new-jobs.ts'
import type { Job } from '../../core/job.ts'
import { wasCut } from '../../core/job.ts'
import type { Printers } from '../../core/printers/registry.ts'
import type { KnownPrinter } from '../../core/printers/status.ts'
import type { Spool } from '../../core/spool/spool.ts'
import { PlatenError } from '../../words/errors.ts'
import { isSame, NOTHING, type Sentences, say } from '../../words/say.ts'
import { isInsisted } from './handover-moves.ts'
import type { Peers } from './peers.ts'

/** The parts of the rules. */
export interface BackupRuleParts {
  readonly printers: Pick<Printers, 'list' | 'get' | 'onChange' | 'noteBackup'>
  readonly spool: { readonly line: Pick<Spool['line'], 'waiting'> }
  readonly intake: Pick<Intake, 'moveWaiting'>
  /** Called only for a printer of another box. */
  readonly peers: () => Promise<Pick<Peers, 'moveWaiting' | 'checkGoal'>>
  /** Called with a rule that names no printer, or another reason why it moves nothing. */
  readonly warn: (printer: string, fault: Sentences) => void
  readonly fault: (error: unknown) => void
  readonly signal: AbortSignal
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

const MINUTE_MS = 60_000
const LOOK_MS = 10_000
/** Pause after a check that moved nothing: the labels and the other printer are unchanged. */
const REST_MS = 60_000

interface PrinterOutage {
  /** The time since which it has been unable to print. */
  readonly since: number
  /** No check before this time. */
  restsUntil: number
}

/**
 * Applies the rules `backup` of the printers: labels of a printer that has been unable to print for that many minutes move to the printer
 * that its rule names. A rule moves a label once: one that came by a move, or from another box, stays, so a circle of rules ends. The
 * outage of a printer is counted from the start of the program at the earliest.
 */
export class Backups {
  readonly #parts: BackupRuleParts & { readonly now: () => number }
  readonly #troubles = new Map<string, PrinterOutage>()
  /** The rules that were checked, as texts. */
  readonly #checked = new Map<string, string>()
  /** Names of printers. */
  readonly #known = new Set<string>()
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(parts: BackupRuleParts) {
    this.#parts = { now: () => performance.now(), ...parts }
  }

  start(): void {
    const { printers, signal } = this.#parts
    for (const printer of printers.list()) this.#see(printer)
    const end = printers.onChange((printer) => this.#see(printer))
    const stop = (): void => {
      end()
      clearTimeout(this.#timer)
    }
    signal.addEventListener('abort', stop, { once: true })
  }

  /** Moves the labels that are due; one check at a time. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = undefined
      this.#schedule()
    })
    return this.#looking
  }

  #see({ name }: KnownPrinter): void {
    const { printers, now } = this.#parts
    const printer = printers.get(name)
    if (printer?.backup === undefined || canPrint(printer)) this.#troubles.delete(name)
    else if (!this.#troubles.has(name)) this.#troubles.set(name, { since: now(), restsUntil: 0 })
    const rule = JSON.stringify(printer?.backup ?? null)
    if (rule !== (this.#checked.get(name) ?? 'null')) {
      this.#checked.set(name, rule)
      if (printer?.backup !== undefined) void this.#check(printer, printer.backup)
    }
    this.#seeWhether(printer !== undefined, name)
    this.#schedule()
  }

  /** Checks the rules that name a printer which came or went. */
  #seeWhether(isKnown: boolean, name: string): void {
    if (isKnown === this.#known.has(name)) return
    if (isKnown) this.#known.add(name)
    else this.#known.delete(name)
    for (const other of this.#parts.printers.list())
      if (other.backup?.box === '' && other.backup.printer === name)
        void this.#check(other, other.backup)
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#troubles.size === 0 || this.#parts.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.look()
    }, LOOK_MS).unref()
  }

  /** Checks a new rule for its target; a box that does not answer now may do so later. */
  async #check(printer: KnownPrinter, rule: Backup): Promise<void> {
    try {
      if (rule.box === '') this.#findHere(printer, rule)
      else await (await this.#parts.peers()).checkGoal(rule.box, rule.printer)
      this.#note(printer.name, NOTHING)
    } catch (error) {
      if (!(error instanceof PlatenError)) this.#parts.fault(error)
      else if (error.code !== 'PEER_UNREACHABLE') this.#note(printer.name, error.said)
    }
  }

  #note(name: string, fault: Sentences): void {
    const { printers, signal, warn } = this.#parts
    if (signal.aborted) return
    const before = printers.get(name)?.backupFault ?? NOTHING
    if (fault.length > 0 && !isSame(before, fault)) warn(name, fault)
    printers.noteBackup(name, fault)
  }

  async #lookAtAll(): Promise<void> {
    const { printers, spool, now } = this.#parts
    for (const [name, trouble] of this.#troubles) {
      const rule = printers.get(name)?.backup
      const minutes = Math.floor((now() - trouble.since) / MINUTE_MS)
      const isDue = rule !== undefined && minutes >= rule.minutes && now() >= trouble.restsUntil
      if (!isDue || (spool.line.waiting().get(name) ?? 0) === 0) continue
      const moved = await this.#move(name, rule, minutes)
      if (moved === 0) trouble.restsUntil = now() + REST_MS
    }
  }

  /** Moves labels by a rule; returns how many moved. */
  async #move(name: string, rule: Backup, minutes: number): Promise<number> {
    const { printers, fault, signal } = this.#parts
    const outage = { printer: name, minutes }
    const isWanted = (job: Job): boolean => {
      const printer = printers.get(name)
      // Somebody may have changed the rule since the look began.
      const isRuled = printer !== undefined && isDeepStrictEqual(printer.backup, rule)
      return isRuled && !canPrint(printer) && !signal.aborted && mayMove(job)
    }
    try {
      const { moved, foreign, message } = await this.#moveTo(name, rule, {
        only: isWanted,
        outage,
      })
      const [why, n] = [message ?? NOTHING, foreign]
      const isTold = why.length > 0 || n === 0
      this.#note(name, isTold ? why : say('otherLanguage', { n, printer: rule.printer }))
      return moved
    } catch (error) {
      if (error instanceof PlatenError) this.#note(name, error.said)
      else if (!signal.aborted) fault(error)
      return 0
    }
  }

  async #moveTo(
    name: string,
    rule: Backup,
    { only, outage }: Required<MoveRule>,
  ): Promise<MoveCount & { readonly message?: Sentences }> {
    const { printers, intake, peers } = this.#parts
    const { printer: to, box } = rule
    if (box !== '') {
      const goal = { box, printer: to }
      return await (await peers()).moveWaiting(name, goal, { only, outage })
    }
    const other = this.#findHere({ name, uri: printers.get(name)?.uri ?? '' }, rule)
    if (!isReady(other)) return { moved: 0, foreign: 0, message: other.status.message }
    return await intake.moveWaiting(name, to, {
      only: (job) => isReady(printers.get(to)) && only(job),
      outage,
    })
  }

  /** @throws PlatenError PRINTER_UNKNOWN when no printer of this box can be the backup */
  #findHere({ name, uri }: Pick<KnownPrinter, 'name' | 'uri'>, { printer: to }: Backup) {
    const other = this.#parts.printers.get(to)
    if (other === undefined)
      throw new PlatenError('PRINTER_UNKNOWN', say('backupNobody', { printer: to }))
    if (!isSamePlace(placeOf(other.uri), placeOf(uri))) return other
    throw new PlatenError('PRINTER_UNKNOWN', say('backupSame', { printer: name, to }))
  }
}

/** Tells whether a printer takes labels now. */
function isReady(printer: KnownPrinter | undefined): boolean {
  if (printer === undefined || printer.status.reasons.includes('paused')) return false
  return printer.status.state !== 'stopped'
}

/** Tells whether a printer can print. One that was paused, here or at its button, is not broken. */
function canPrint({ status: { state, reasons } }: KnownPrinter): boolean {
  return state !== 'stopped' || reasons.includes('paused')
}

/**
 * Tells whether a rule may move a label. False for one that has begun at its printer, was sent there by a person (a reprint, a move), was
 * moved here by a rule, or is about the printer itself.
 */
function mayMove(job: Job): boolean {
  const { attempts, reprintOf, source, format } = job
  const isFresh = attempts === 0 && !wasCut(job) && !isInsisted(job)
  return isFresh && reprintOf === '' && source !== 'peer' && format !== 'test' && format !== 'start'
}
