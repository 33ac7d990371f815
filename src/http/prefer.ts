/** How long a client wants to wait for its jobs, and what the answer says of that wish. */
export interface Wait {
  readonly seconds: number
  /** The header Preference-Applied, or undefined when nothing was asked. */
  readonly applied: string | undefined
}

const DEFAULT_SECONDS = 2

/** Reads `Prefer: wait=N` and `respond-async` (RFC 7240, 4.1 and 4.3); what cannot be read is ignored, as it says. */
export function readWait(prefer: string | undefined, maxSeconds: number): Wait {
  const wishes = (prefer ?? '').split(',').map((wish) => wish.split(';', 1)[0]?.trim() ?? '')
  const wait = wishes.map((wish) => /^wait\s*=\s*"?(\d{1,9})"?$/i.exec(wish)?.[1]).find(Boolean)
  if (wait !== undefined) {
    const seconds = Math.min(Number(wait), maxSeconds)
    return { seconds, applied: `wait=${seconds}` }
  }
  if (wishes.some((wish) => wish.toLowerCase() === 'respond-async')) {
    return { seconds: 0, applied: 'respond-async' }
  }
  return { seconds: DEFAULT_SECONDS, applied: undefined }
}
