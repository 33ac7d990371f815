import { createHash, type KeyObject, verify } from 'node:crypto'
import { valueText } from '../../settings/field.ts'
import { PlatenError } from '../../words/errors.ts'
import { readSigningKey } from './signing-key.ts'

/** Milliseconds before and after its time in which a signed call is valid, as in QZ Tray (Constants.VALID_SIGNING_PERIOD). */
const VALID_MS = 15 * 60_000
/** Signatures that are remembered: enough for a busy shop, and about 1 MB. */
const REMEMBERED = 4_096
const ALGORITHMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    SHA1: 'RSA-SHA1',
    SHA256: 'RSA-SHA256',
    SHA512: 'RSA-SHA512',
  }),
)

/** The signed parts of a call. */
export interface SignedCall {
  readonly call: string
  readonly params: unknown
  readonly timestamp: unknown
  readonly signature: unknown
  readonly signAlgorithm: unknown
}

/**
 * Verifies the signatures of the site whose certificate the owner installed: RSA over the hexadecimal SHA-256 of call, params and timestamp
 * as JSON (qz-tray.js, `sendData`). QZ Tray takes a signature any number of times in its half hour; here a print counts once.
 */
export class Signatures {
  readonly #key: KeyObject
  /** The time at which a signature can be forgotten, by signature. */
  readonly #seen = new Map<string, number>()

  /** @throws PlatenError FIELD_INVALID when it is not an RSA certificate or key */
  constructor(certificate: string) {
    const { key, fault, ...why } = readSigningKey(certificate)
    if (key === undefined) throw new PlatenError('FIELD_INVALID', `qz_certificate ${fault}.`, why)
    this.#key = key
  }

  /** Tells whether the site signed this call. */
  isSigned({ call, params, timestamp, signature, signAlgorithm }: SignedCall): boolean {
    if (typeof signature !== 'string' || typeof timestamp !== 'number') return false
    if (Math.abs(Date.now() - timestamp) > VALID_MS) return false
    const algorithm = ALGORITHMS.get(valueText(signAlgorithm ?? 'SHA1').toUpperCase())
    if (algorithm === undefined) return false
    const text = createHash('sha256')
      .update(JSON.stringify({ call, params, timestamp }))
      .digest('hex')
    return verify(algorithm, Buffer.from(text), this.#key, Buffer.from(signature, 'base64'))
  }

  /**
   * Takes the signature of a print, once; returns the digest that stands for it.
   * @throws PlatenError IDEMPOTENCY_CONFLICT, SERVER_BUSY
   */
  use(signature: string): string {
    const now = Date.now()
    for (const [known, until] of this.#seen) {
      if (until > now) break
      this.#seen.delete(known)
    }
    const digest = createHash('sha256').update(Buffer.from(signature, 'base64')).digest('base64url')
    if (this.#seen.has(digest)) throw printedBefore()
    if (this.#seen.size >= REMEMBERED)
      throw new PlatenError('SERVER_BUSY', 'Too many signed prints within half an hour.')
    this.#seen.set(digest, now + 2 * VALID_MS)
    return digest
  }

  /** Lets a signature be used again; `digest` is what `use` returned. */
  forget(digest: string): void {
    this.#seen.delete(digest)
  }
}

export function printedBefore(): PlatenError {
  return new PlatenError('IDEMPOTENCY_CONFLICT', 'This signature has printed before.', {
    hint: 'Sign each print again.',
  })
}
