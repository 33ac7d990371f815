/** Time that a step may take in an emulated guest, with other tests beside it. */
export const EMULATED_MS = 180_000

/** Polls until `read` gives something, at most a minute and every 25 ms where nothing else is said. */
export async function until<T>(
  what: string,
  read: () => Promise<T | undefined>,
  limitMs = 60_000,
  everyMs = 25,
): Promise<T> {
  const end = Date.now() + limitMs
  while (Date.now() < end) {
    const value = await read()
    if (value !== undefined) return value
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  throw new Error(`waited ${limitMs / 1000} s for ${what}`)
}

/** Polls until `read` is true; `seconds` bounds it on the slowest machine. */
export async function poll(
  what: string,
  read: () => Promise<boolean> | boolean,
  seconds = 60,
): Promise<void> {
  const end = Date.now() + seconds * 1000
  while (!(await read())) {
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
