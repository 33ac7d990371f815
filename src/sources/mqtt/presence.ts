import { pause } from '../../wait.ts'
import type { SourceIntake } from '../source.ts'

/** What the status topic says of this box, as JSON. */
interface Presence {
  readonly online: boolean
  /** Labels of this topic can print now. */
  readonly ready: boolean
  /** Why not, one sentence. */
  readonly message: string
}

const write = (presence: Presence): string => JSON.stringify(presence)

/** What is said of a box that broke off. */
export const GONE = write({ online: false, ready: false, message: 'The print server has gone.' })

/** What is said of a box that was stopped. */
export const STOPPED = write({
  online: false,
  ready: false,
  message: 'The print server was stopped.',
})

/** Tells of this box, at once and whenever it changes, until the signal aborts. */
export async function keepTelling(
  intake: Pick<SourceIntake, 'blockage'>,
  tell: (payload: string) => Promise<void>,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  let last = ''
  while (!signal.aborted) {
    const message = intake.blockage()
    const payload = write({ online: true, ready: message === '', message })
    if (payload !== last) await tell(payload)
    last = payload
    await pause(everyMs, signal)
  }
}
