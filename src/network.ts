import { isIPv4 } from 'node:net'
import { PlatenError } from './errors.ts'

/** Node's codes of a connection that failed, in words that follow the other side's name. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections: nothing listens there',
  ECONNRESET: 'broke the connection',
  EPIPE: 'broke the connection',
  ENOTFOUND: 'is not a name that the network knows',
  EAI_AGAIN: 'cannot be looked up: the name server does not answer',
  EHOSTUNREACH: 'cannot be reached: there is no way to this address',
  ENETUNREACH: 'cannot be reached: this computer has no network',
  ETIMEDOUT: 'does not answer',
  ERR_ENDLESS_ANSWER: 'answers without an end',
  CERT_HAS_EXPIRED: 'shows a certificate that has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'presents an untrusted certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'presents an untrusted certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'presents an untrusted certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'shows the certificate of another name',
}

/** True for `999.1.1.1` and `10.0.0`: a host that ends in a number is an IPv4 address (URL Standard, 3.5), and these are none. */
export function isMistypedAddress(host: string): boolean {
  return /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i.test(host) && !isIPv4(host)
}

/** A failed connection to `whom` as one sentence; our own errors pass as they are. */
export function explainNetwork(whom: string, cause: unknown): PlatenError {
  if (cause instanceof PlatenError) return cause
  return new PlatenError('SOURCE_UNREACHABLE', `${whom} ${describeNetwork(cause)}.`, { cause })
}

/** Why a connection failed, in words that follow the other side's name. */
export function describeNetwork(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code === 'ERR_LATE_ANSWER') return (cause as Error).message
  const words = WORDS[code]
  if (words !== undefined) return words
  if (/^(?:HPE_|EPROTO$|ERR_SSL)/.test(code)) return `does not answer as it should (${code})`
  if (/CERT|UNABLE_TO_/.test(code)) return `shows a certificate that cannot be trusted (${code})`
  return `cannot be reached${code === '' ? '' : ` (${code})`}`
}
