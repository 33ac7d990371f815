/**
 * Runs `work` one at a time, so that an older answer never comes after a newer one. Whoever asks while it runs gets the
 * answer of the next run, which all that ask meanwhile share.
 */
export function inTurn<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const start = (): Promise<T> => {
    next = undefined
    running = work().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (running === undefined && next === undefined) return start()
    next ??= (running ?? Promise.resolve()).then(start, start)
    return next
  }
}
