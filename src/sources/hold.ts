import { setTimeout as sleep } from 'node:timers/promises'
import { settle } from './settle.ts'

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
