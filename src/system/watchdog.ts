/** How the watchdog is fed. */
export interface WatchdogSettings {
  /** Milliseconds within which the service manager must hear of us. */
  readonly limitMs: number
  /** Throws or gives false when the program cannot do its work: then nothing is said, and we are started anew. */
  readonly isAlive: () => boolean
  readonly ping: () => void
  /** Told why nothing was said. */
  readonly fault: (error: unknown) => void
}

/**
 * Says every third of the limit that the program lives, as long as it does: the timer itself shows that the event loop
 * turns, `isAlive` that the work does. Never keeps the process alive.
 */
export function startWatchdog(settings: WatchdogSettings, signal: AbortSignal): void {
  const { limitMs, isAlive, ping, fault } = settings
  const look = (): void => {
    try {
      if (isAlive()) ping()
      else fault(new Error('The watchdog is not fed: the program does not do its work.'))
    } catch (error) {
      fault(error)
    }
  }
  const timer = setInterval(look, limitMs / 3).unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}
