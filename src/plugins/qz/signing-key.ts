import { createPublicKey, type KeyObject } from 'node:crypto'

/** The key that a site signs its calls with, or the reason why it cannot be used, without a full stop. */
export type SigningKey =
  | { readonly key: KeyObject; readonly fault?: never }
  | { readonly key?: never; readonly fault: string; readonly cause?: unknown }

/**
 * Reads a signing key. RSA only, the only kind that QZ Tray itself can check. An elliptic-curve signature (r, s) can be turned into a
 * second one, (r, n - s), without the key: a print that counts once by its signature would print twice.
 */
export function readSigningKey(pem: string): SigningKey {
  let key: KeyObject
  try {
    key = createPublicKey(pem)
  } catch (cause) {
    return { fault: 'is not a certificate in PEM form', cause }
  }
  const kind = key.asymmetricKeyType
  if (kind === 'rsa') return { key }
  return { fault: `has a key of the kind ${kind}, wanted RSA, as QZ Tray signs` }
}
