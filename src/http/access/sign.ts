import { createHmac, timingSafeEqual } from 'node:crypto'

/** Signs a text for one purpose; a signature for another purpose is another. */
export type Sign = (purpose: string, text: string) => string

/** @param secret 32 bytes; what was signed outlives a restart when it does */
export function createSign(secret: Uint8Array): Sign {
  return (purpose, text) =>
    createHmac('sha256', secret).update(`${purpose}\0${text}`).digest('base64url')
}

/** Compares signatures in constant time. */
export function isSame(seen: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(seen), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
