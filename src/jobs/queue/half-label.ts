import { PlatenError } from '../../errors.ts'
import { findLanguage } from '../../languages/index.ts'
import type { Printer } from '../../printers/printer.ts'
import type { Job } from '../job.ts'
import { type Change, cancel, stopMidway, wasCut } from '../moves.ts'
import type { Soiled } from '../spool/types.ts'
import type { QueueParts } from './parts.ts'

/** The command that gets the printer out of half a label; undefined when there is none. */
export function findResync(
  printer: Pick<Printer, 'language'> | undefined,
  { format }: Pick<Soiled, 'format'>,
): string | undefined {
  return findLanguage(printer?.language ?? format)?.resync
}

/** What a printer may still have of a label that was cut, and the entry of the settings that was printing it. */
export interface HalfLabel extends Soiled {
  readonly entry: string
}

type Parts = Pick<QueueParts, 'spool' | 'printers'>

/** Half a label in the memory of the printer that this entry leads to, whichever entry it was for. */
export function findHalfLabel({ spool, printers }: Parts, name: string): HalfLabel | undefined {
  for (const entry of printers.sharing(name)) {
    const soiled = spool.soiled(entry)
    if (soiled !== undefined) return { ...soiled, entry }
  }
  return undefined
}

/** The printer has forgotten it, or somebody has looked after it. */
export function forgetHalfLabel({ spool, printers }: Parts, name: string): void {
  for (const entry of printers.sharing(name)) spool.clean(entry)
}

/** False when nobody can be asked about the label that was cut: it has ended, or somebody has said what becomes of it. */
export function waitsForPerson({ spool }: Pick<Parts, 'spool'>, { job }: Soiled): boolean {
  const cut = spool.history.get(job)
  return cut !== undefined && wasCut(cut)
}

/**
 * Opening takes long where another entry of the settings prints on the same printer: that one may have been cut off
 * meanwhile, and this one may lead elsewhere now.
 */
export function checkPlace(parts: Parts, { name, uri }: Pick<Printer, 'name' | 'uri'>): void {
  if (parts.printers.get(name)?.uri !== uri) {
    throw new PlatenError('PRINTER_OFFLINE', `The settings of ${name} have changed.`)
  }
  const half = findHalfLabel(parts, name)
  if (half === undefined) return
  const message = `${half.entry} was cut off in the middle of a label on the same printer.`
  throw new PlatenError('PRINTER_BUSY', message)
}

/** A printer that cannot be told to forget half a label needs somebody: the label is held until then. */
export function cancelInHand(
  printer: Printer,
  at: number,
  sentBytes: number | undefined,
): (job: Job) => Change {
  return (job) =>
    sentBytes === undefined || findResync(printer, job)
      ? cancel(job, at, sentBytes)
      : stopMidway(job, sentBytes)
}
