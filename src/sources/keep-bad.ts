import type { FailureCode } from '../errors.ts'
import { isMessageFault } from './message-fault.ts'
import type { BadMessage, Message, SourceIntake } from './source.ts'

/** What is wrong with labels that are good elsewhere. */
const HOMELESS: ReadonlySet<FailureCode> = new Set(['PRINTER_UNKNOWN', 'LABEL_MISDIRECTED'])

/**
 * Keeps a message that cannot be printed here. One whose only fault is a printer that nobody knows, or that it is not for
 * us, keeps its labels as labels, which a person can print on the printer they are for; anything else is kept as it came.
 * `message` is what was read of it; undefined = it could not be read.
 * @throws PlatenError SPOOL_FULL, SPOOL_BROKEN; it was not kept
 */
export async function keepBad(
  intake: Pick<SourceIntake, 'park' | 'setAside'>,
  message: Message | undefined,
  bad: BadMessage,
): Promise<void> {
  if (message === undefined || !HOMELESS.has(bad.error.code)) {
    return await intake.setAside(bad)
  }
  try {
    await intake.park(message, bad.error)
  } catch (error) {
    // Nobody had looked at its labels yet: they are none, so the message is kept like any other bad one.
    if (!isMessageFault(error)) throw error
    await intake.setAside({ ...bad, error })
  }
}
