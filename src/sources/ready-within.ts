import type { SourceIntake } from './source.ts'

/**
 * Waits until labels can be taken. False after `ms` of waiting, so that a source can look at its other side now and then.
 * @throws the signal's reason
 */
export async function readyWithin(
  intake: Pick<SourceIntake, 'ready' | 'isReady'>,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (intake.isReady()) return true
  const look = AbortSignal.timeout(ms)
  try {
    await intake.ready(AbortSignal.any([signal, look]))
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (look.aborted) return false
    throw error
  }
}
