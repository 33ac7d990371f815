import { setTimeout as sleep } from 'node:timers/promises'
import type { SourceIntake } from './source.ts'

/** Milliseconds that labels in the printer get to come out after a source was told to stop. */
export const SETTLE_MS = 10_000

/**
 * Resolves when the labels are out, or so long after the signal's abort. For `ack: printed`: what is not out by then is
 * acknowledged all the same, since it is safe in the spool and prints here; given back, another station would print it
 * a second time.
 */
export async function settle(
  ended: Promise<void>,
  graceMs: number,
  signal: AbortSignal,
): Promise<void> {
  const late = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    timer = setTimeout(late.resolve, graceMs)
  }
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([ended, late.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** How a message is kept from others while its labels come out. */
export interface Holding {
  /** Milliseconds between two calls of `keep`. */
  readonly everyMs: number
  /** Milliseconds that labels get after a stop. */
  readonly settleMs: number
  /** Begins the message's time anew; false when it is not ours any more. */
  readonly keep: () => Promise<boolean>
}

/** Keeps a message ours until its labels are out (`ended`). False when the other side had taken it back before. */
export async function hold(
  ended: Promise<void>,
  { everyMs, settleMs, keep }: Holding,
  signal: AbortSignal,
): Promise<boolean> {
  let isOut = false
  const out = settle(ended, settleMs, signal).then(() => {
    isOut = true
  })
  while (!isOut) {
    const ticking = new AbortController()
    const tick = sleep(everyMs, undefined, { signal: ticking.signal }).catch(() => undefined)
    await Promise.race([out, tick])
    ticking.abort()
    if (!isOut && !(await keep())) return false
  }
  return true
}

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
  // That it was not ready in time is not a failure.
  const ready = intake.ready(end).catch((error: unknown) => {
    if (!end.aborted) throw error
  })
  if (!(await holding.keep())) return false
  return (await hold(ready, { ...holding, settleMs: 0 }, signal)) && intake.isReady()
}
