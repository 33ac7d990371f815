import { findLanguage } from '#labels'
import { isSamePlace, keepsHalfLabels, type Printer, placeOf } from '#printers'
import { TimeLimit } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'
import type { Change, Job } from '../job.ts'
import { wasCut } from '../job.ts'
import { cancel, hold, stopMidway } from '../moves.ts'
import { type Blockage, explainClosed, explainHalfLabel } from '../reasons/blocked-printer.ts'
import type { HalfLabel } from '../spool/line.ts'
import type { QueueParts } from './parts.ts'

interface WaitingCommand {
  readonly bytes: Uint8Array
  readonly done: () => void
  readonly fail: (error: unknown) => void
}

/** Queues bytes for a printer that are not a label, e.g. to calibrate: they wait for their turn between two labels. */
export class PrinterCommands {
  readonly #name: string
  readonly #parts: QueueParts
  readonly #waiting: WaitingCommand[] = []

  constructor(name: string, parts: QueueParts) {
    this.#name = name
    this.#parts = parts
  }

  /** Adds a command. Resolves once the printer took the bytes; rejects with the error of `runNext` or `refuseAll`. */
  add(bytes: Uint8Array): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ bytes, done: resolve, fail: reject })
    return promise
  }

  /** Sends the first command as a transmission of its own; calls `onSent` if there was one. */
  async runNext(onSent: () => void): Promise<void> {
    const command = this.#waiting.shift()
    if (command === undefined) return
    try {
      await this.#send(command.bytes)
      command.done()
    } catch (error) {
      command.fail(error)
    }
    onSent()
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Refuses all waiting commands, because the queue ends. */
  refuseAll(): void {
    const error = new PlatenError('PRINTER_STOPPED', say('serverStops'))
    for (const { fail } of this.#waiting.splice(0)) fail(error)
  }

  async #send(bytes: Uint8Array): Promise<void> {
    const { printers, timing } = this.#parts
    const printer = printers.get(this.#name)
    if (printer !== undefined && listHalfLabels(this.#parts, printer).length > 0) {
      const message = say('lookFirst', { printer: this.#name })
      throw new PlatenError('PRINTER_STOPPED', message)
    }
    using limit = new TimeLimit(timing.openMs)
    const { signal } = limit
    await using connection = await printers.open(this.#name, signal)
    await connection.send(bytes, signal)
    await connection.finish?.(() => undefined, signal)
    await connection.confirm?.(signal)
  }
}

type CommandParts = Pick<QueueParts, 'spool' | 'printers'>

/** Tells whether the printer can be reached now. */
export async function canOpen(
  { printers, timing }: Pick<QueueParts, 'printers' | 'timing'>,
  name: string,
): Promise<boolean> {
  using limit = new TimeLimit(timing.openMs)
  try {
    const connection = await printers.open(name, limit.signal)
    await connection[Symbol.asyncDispose]()
    return true
  } catch {
    return false
  }
}

/** Finds the command that gets the printer out of half a label; undefined when there is none. */
export function findResync(
  printer: Pick<Printer, 'language'> | undefined,
  { format }: Pick<HalfLabel, 'format'>,
): string | undefined {
  return findLanguage(printer?.language ?? format)?.resync
}

/**
 * Makes the printer forget its half labels, in a transmission of its own: sent together with a label, the command could cancel that label
 * too. Undefined = done; otherwise the reason, `gone` for a printer that is no longer there.
 */
export async function sendResync(
  parts: QueueParts,
  name: string,
  resync: string,
): Promise<Blockage | 'gone' | undefined> {
  using limit = new TimeLimit(parts.timing.openMs)
  const { signal } = limit
  const printer = parts.printers.get(name)
  if (printer === undefined) return 'gone'
  let halves: readonly HalfLabel[] = []
  try {
    await using connection = await parts.printers.open(name, signal)
    // What is cut there after the command is not cleared by it, nor what another language's printer keeps.
    const now = parts.printers.get(name)
    halves = listHalfLabels(parts, printer).filter((half) => findResync(now, half) === resync)
    await connection.send(Buffer.from(resync), signal)
    await connection.finish?.(() => undefined, signal)
    await connection.confirm?.(signal)
  } catch (error) {
    return explainClosed(name, error)
  }
  for (const half of halves) parts.spool.halfLabels.forget(half)
  return undefined
}

/** Finds the command for the entry of a half label while that leads to its place, else for another entry that does. */
export function findResyncThere({ printers }: CommandParts, half: HalfLabel): string | undefined {
  const there = half.place === '' ? [half.printer] : printers.at(half.place)
  const name = there.includes(half.printer) ? half.printer : there[0]
  return findResync(name === undefined ? undefined : printers.get(name), half)
}

/** Lists the half labels in the memory of the printer that this entry leads to, whichever entry they were for. */
export function listHalfLabels(
  { spool }: Pick<CommandParts, 'spool'>,
  printer: Pick<Printer, 'name' | 'uri'>,
): readonly HalfLabel[] {
  return spool.halfLabels.list().filter((half) => liesIn(half, printer))
}

/** Tells whether this entry leads to the printer that may have the half label in its memory. */
function liesIn(
  { place, printer }: Pick<HalfLabel, 'place' | 'printer'>,
  { name, uri }: Pick<Printer, 'name' | 'uri'>,
): boolean {
  return place === '' ? printer === name : isSamePlace(place, placeOf(uri))
}

/** Tells whether a half label needs an answer: not if its job has ended, or a person has decided. */
export function waitsForPerson(
  { spool }: Pick<CommandParts, 'spool'>,
  { job }: HalfLabel,
): boolean {
  const cut = spool.history.get(job)
  return cut !== undefined && wasCut(cut)
}

/**
 * Forgets half labels after a person's decision about a cut label: the person has looked at the printer that its name leads to now, as the
 * sentence asks. A half label in another printer is asked about with the next label there. Returns the places of the half labels.
 */
export function lookedAfter(parts: CommandParts, job: Job): readonly string[] {
  const halves = parts.spool.halfLabels.ofJob(job.id)
  const printer = parts.printers.get(job.printer)
  for (const half of halves) {
    const isThere = printer !== undefined && liesIn(half, printer)
    if (isThere && !findResyncThere(parts, half)) parts.spool.halfLabels.forget(half)
  }
  return halves.map(({ place }) => place)
}

/** Holds the next label, to ask a person about a half label before it begins: the cut one has been decided at another printer. */
export function askWith({ spool }: Pick<CommandParts, 'spool'>, job: Job, half: HalfLabel): void {
  spool.halfLabels.handTo(half, job)
  const { sentence } = explainHalfLabel(job.printer)
  spool.move(job.id, (held) => hold(held, 'platen-interrupted', sentence))
}

/**
 * Checks that a printer is still the same after it was opened. That takes long while another entry of the settings prints on the same
 * printer: the other label may have been cut off meanwhile, and this entry may lead elsewhere now, or speak another language than the label
 * was drawn in.
 */
export function checkPlace(parts: CommandParts, printer: Printer, isDrawn: boolean): void {
  const { name, uri, language } = printer
  const now = parts.printers.get(name)
  if (now?.uri !== uri || (isDrawn && now.language !== language)) {
    throw new PlatenError('PRINTER_OFFLINE', say('settingsChanged', { printer: name }))
  }
  const [half] = listHalfLabels(parts, printer)
  if (half === undefined) return
  const message = say('sameCut', { printer: half.printer })
  throw new PlatenError('PRINTER_BUSY', message)
}

/** Makes the change that cancels a label in hand: it is held for a person when its printer cannot be told to forget half of it. */
export function cancelInHand(
  printer: Printer,
  at: number,
  sentBytes: number | undefined,
  before: readonly string[],
): (job: Job) => Change {
  return (job) =>
    sentBytes === undefined || !keepsHalfLabels(printer.uri) || findResync(printer, job)
      ? cancel(job, at, sentBytes, before)
      : stopMidway(job, sentBytes, before)
}
