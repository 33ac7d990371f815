import { PlatenError } from '../../errors.ts'
import { isLanguage } from '../../languages/index.ts'
import type { KnownPrinter } from '../../printers/printer.ts'
import type { Job } from '../job.ts'
import { walkWaiting } from '../spool/line.ts'
import type { Spool } from '../spool/spool.ts'

/** What became of the labels of one printer that were to go to another. */
export interface Moved {
  readonly moved: number
  /** Labels in a language that the other printer does not speak: they stay. */
  readonly foreign: number
}

/**
 * Moves all that waits for a printer to another, in its order, each label in a transaction of its own: one that begins or
 * ends meanwhile stays where it is. What is held for a person stays too. `move` throws JOB_STATE for a label that is past it.
 * @throws PlatenError as `move`; those before it are moved
 */
export async function moveWaiting(
  spool: Pick<Spool, 'line' | 'history'>,
  from: string,
  to: KnownPrinter,
  move: (job: Job) => void,
): Promise<Moved> {
  let [moved, foreign] = [0, 0]
  for await (const ids of walkWaiting(spool, from, ['pending'], 1)) {
    const job = spool.history.get(ids[0] ?? '')
    if (job === undefined) continue
    if (isForeign(job, to)) foreign += 1
    else if (tryMove(job, move)) moved += 1
  }
  return { moved, foreign }
}

function isForeign({ format }: Job, { language }: KnownPrinter): boolean {
  return isLanguage(format) && language !== undefined && language !== format
}

function tryMove(job: Job, move: (job: Job) => void): boolean {
  try {
    move(job)
    return true
  } catch (error) {
    if (error instanceof PlatenError && error.code === 'JOB_STATE') return false
    throw error
  }
}
