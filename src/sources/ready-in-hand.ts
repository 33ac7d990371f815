import { type Holding, hold } from './hold.ts'
import type { SourceIntake } from './source.ts'

/**
 * For messages that came when the printer had just stopped: keeps them ours until labels can be taken, or for `ms`. Given
 * back at every short stop of a printer they would be used up, since a queue counts how often it gave them away. False when
 * the time is over, the source is stopped, or none is ours any more.
 */
export async function readyInHand(
  intake: Pick<SourceIntake, 'ready' | 'isReady'>,
  ms: number,
  holding: Omit<Holding, 'settleMs'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (intake.isReady()) return true
  const end = AbortSignal.any([signal, AbortSignal.timeout(ms)])
  // That it was not ready in time is no failure.
  const ready = intake.ready(end).catch((error: unknown) => {
    if (!end.aborted) throw error
  })
  if (!(await holding.keep())) return false
  return (await hold(ready, { ...holding, settleMs: 0 }, signal)) && intake.isReady()
}
