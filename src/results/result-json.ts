import { createHmac } from 'node:crypto'
import { jobJson } from '../jobs/job.ts'
import type { Waiting } from '../jobs/spool/outbox.ts'

/** An event as the result address gets it. `station` is the name of this computer. */
export function resultJson(
  { id, seq, result }: Waiting,
  station: string,
): Readonly<Record<string, unknown>> {
  const head = {
    event: result.type,
    event_id: id,
    seq,
    at: new Date(result.at).toISOString(),
    station,
  }
  if (result.type === 'job') return { ...head, ...jobJson(result.job) }
  if (result.type === 'shipment') return { ...head, ...result.shipment }
  const { name, status } = result.printer
  const { state, reasons, message, hint } = status
  return { ...head, printer: name, state, state_reasons: reasons, message, hint }
}

/** So many bytes of events at most in one request, unless one event alone is larger. */
const BODY_MOST = 256 * 1024

/** The body of one request: as many of the events, from the oldest, as fit, and how many they are. */
export function packResults(
  events: readonly Waiting[],
  station: string,
): { readonly body: string; readonly count: number } {
  const parts: string[] = []
  let bytes = 0
  for (const event of events) {
    const text = JSON.stringify(resultJson(event, station))
    bytes += Buffer.byteLength(text)
    if (parts.length > 0 && bytes > BODY_MOST) break
    parts.push(text)
  }
  return { body: `{"events":[${parts.join(',')}]}`, count: parts.length }
}

/**
 * What proves that a body came from a box that knows the secret: `sha256=` and the HMAC-SHA256, in hex, over the
 * timestamp, a full stop and the body. `timestamp` is seconds since the epoch.
 */
export function sign(secret: string, timestamp: number, body: string): string {
  const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  return `sha256=${mac}`
}
