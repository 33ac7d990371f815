import { createHmac } from 'node:crypto'

/**
 * What proves that a body came from a box that knows the secret: `sha256=` and the HMAC-SHA256, in hex, over the
 * timestamp, a full stop and the body. `timestamp` is seconds since the epoch.
 */
export function sign(secret: string, timestamp: number, body: string): string {
  const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  return `sha256=${mac}`
}
