import { setTimeout as sleep } from 'node:timers/promises'

/** Waits between tries: 1, 2, 4 .. 60 s, each shortened by up to half so that a fleet does not call at once. */
export const BACK_OFF = { firstMs: 1000, mostMs: 60_000 } as const

/** Milliseconds to wait after so many failures in a row; `random` is 0..1. */
export function backOffMs(failures: number, random: number, limits = BACK_OFF as BackOff): number {
  const ms = Math.min(limits.mostMs, limits.firstMs * 2 ** Math.min(Math.max(failures, 1) - 1, 16))
  return ms * (0.5 + random / 2)
}

/** Milliseconds. */
export interface BackOff {
  readonly firstMs: number
  readonly mostMs: number
}

/** Until `begin` calls what it was given, or the signal aborts; never throws. */
export async function waitFor(
  begin: (resolve: () => void) => void,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = (): void => resolve()
  signal.addEventListener('abort', stop, { once: true })
  begin(stop)
  await promise
  signal.removeEventListener('abort', stop)
}

/** Waits, or ends early when the signal aborts; never throws. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal })
  } catch {
    // The caller looks at the signal.
  }
}
