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
