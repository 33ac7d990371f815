import type { Server } from 'node:tls'
import {
  type CertificateSettings,
  type Certificates,
  ensureCertificates,
  isClockSet,
} from '../tls.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** What keeps a running https server's certificate fresh. */
export interface FreshSettings extends Omit<CertificateSettings, 'names'> {
  readonly server: Pick<Server, 'setSecureContext'>
  /** The certificates that the server began with. */
  readonly certificates: Certificates
  /** Names and addresses as they are now. */
  readonly names: () => readonly string[]
  /** Told after the server got new certificates. */
  readonly onFresh?: (certificates: Certificates) => void
  /** Told when a check failed; the old certificate stays and the next check tries again. */
  readonly onFailure?: (error: unknown) => void
  /** Runs a function after some milliseconds; the call it returns takes that back. */
  readonly after?: (ms: number, run: () => void) => () => void
}

/** A running watch over a certificate. */
export interface FreshWatch {
  /** The certificates in use. */
  readonly certificates: Certificates
  /** Checks now, e.g. when the network changed. */
  check(): Promise<void>
  /** Ends the watch and a child that may be at work. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Looks every hour (every minute while the clock is not set) whether names, addresses or the date ask for a new
 * certificate, and gives it to the server without a restart; open connections stay. Its timer keeps no process alive.
 */
export function keepFresh(settings: FreshSettings): FreshWatch {
  const { after = runAfter, now } = settings
  const stopped = new AbortController()
  let certificates = settings.certificates
  let working: Promise<void> | undefined
  let cancel = schedule()

  function schedule(): () => void {
    return after(isClockSet(now()) ? HOUR_MS : MINUTE_MS, () => void check())
  }

  function check(): Promise<void> {
    cancel()
    working ??= renew().finally(() => {
      working = undefined
      if (!stopped.signal.aborted) cancel = schedule()
    })
    return working
  }

  async function renew(): Promise<void> {
    try {
      const found = await ensureCertificates(
        { ...settings, names: settings.names() },
        stopped.signal,
      )
      if (found.cert === certificates.cert || stopped.signal.aborted) return
      settings.server.setSecureContext({ key: found.key, cert: found.cert })
      certificates = found
      settings.onFresh?.(found)
    } catch (error) {
      if (!stopped.signal.aborted) settings.onFailure?.(error)
    }
  }

  return {
    get certificates() {
      return certificates
    },
    check,
    async [Symbol.asyncDispose]() {
      stopped.abort()
      cancel()
      await working
    },
  }
}

function runAfter(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref()
  return () => clearTimeout(timer)
}
