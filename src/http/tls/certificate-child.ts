import { fork } from 'node:child_process'
import { once } from 'node:events'
import { PlatenError } from '../../errors.ts'

/** A private key (PKCS #8) and its certificate, both as PEM. */
export interface KeyPair {
  readonly key: string
  readonly cert: string
}

/** First and last moment of a certificate, in milliseconds since 1970. */
export interface Validity {
  readonly from: number
  readonly to: number
}

/** What the child that makes certificates is asked for. */
export interface CertificateRequest {
  /** The authority to sign with; undefined: make one. */
  readonly authority: KeyPair | undefined
  /** What people see when they trust it, e.g. `platen bench-3`. */
  readonly authorityName: string
  readonly authorityValidity: Validity
  readonly validity: Validity
  /** The server's private key (PKCS #8, PEM); undefined: make one. Another kind than ours is replaced. */
  readonly serverKey: string | undefined
  /** DNS names and addresses of the server. */
  readonly names: readonly string[]
}

/** What it answers; `names` of the request that the authority's constraints forbid are not in the certificate. */
export type CertificateReply =
  | { readonly authority: KeyPair; readonly server: KeyPair }
  | { readonly error: string }

// 0.1 s on a PC; a small ARM core that is busy starting up takes some ten times as long.
const LIMIT_MS = 60_000
const MAX_COMPLAINT = 400 // the error comes first, its stack after

/**
 * Has certificates made by a child process, which is gone afterwards.
 * @param entry `certificate.ts`, or the file that was built from it
 * @throws PlatenError INTERNAL with what the child said
 */
export async function runCertificateChild(
  entry: URL,
  request: CertificateRequest,
  signal: AbortSignal,
): Promise<{ readonly authority: KeyPair; readonly server: KeyPair }> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])
  const child = fork(entry, [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], signal: limited })
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(0, MAX_COMPLAINT)
  })
  const closed = once(child, 'close')
  // An error (aborted, not started) rejects both; it is reported by the wait for the reply.
  closed.catch(() => undefined)
  try {
    child.send(request, () => undefined) // a child that died already is seen by its close
    const reply = await Promise.race([once(child, 'message'), closed])
    await closed
    return readReply(reply[0])
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new PlatenError(
      'INTERNAL',
      `The certificate could not be made: ${said}. ${complaint}`.trim(),
      { cause },
    )
  }
}

function readReply(reply: CertificateReply | number | null) {
  if (typeof reply !== 'object' || reply === null)
    throw new PlatenError('INTERNAL', `the child ended with ${reply}`)
  if ('error' in reply) throw new PlatenError('INTERNAL', reply.error)
  return reply
}
