/** True when `work` settled, false when the signal aborted first. Never rejects; the rejection is for whoever awaits `work`. */
export async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  const { promise, resolve } = Promise.withResolvers<false>()
  const stop = () => resolve(false)
  signal.addEventListener('abort', stop, { once: true })
  const settled = work.then(
    () => true,
    () => true,
  )
  const isSettled = await Promise.race([settled, promise])
  signal.removeEventListener('abort', stop)
  return isSettled
}
