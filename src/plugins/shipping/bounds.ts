import type { BoundTable } from '../../http/bounds.ts'

/** Bounds of the shipping API. */
export const SHIPPING_BOUNDS = {
  bodyBytes: 1024 * 1024,
  /** Calls of one batch. */
  batch: 100,
  /** Calls of a batch, and calls to carriers, under way at once: each may hold an answer with labels. */
  atOnce: 4,
  /** Time that a purchase waits for its turn before it is refused. */
  lineMs: 30_000,
  /** Time that a carrier gets, and the most that a client may ask for. */
  timeoutMs: 30_000,
  /** Carriers and accounts of one call that asks for rates. */
  sellers: 20,
  /** Time that each of them gets if the call names none. */
  sellerMs: 10_000,
  /** Size of an answer of one of them. */
  ratesBytes: 2 * 1024 * 1024,
  /** Characters of a request's id. */
  requestId: 128,
  /** Size of a carrier's answer, labels included. */
  replyBytes: 8 * 1024 * 1024,
  /** Papers of a shipment, such as commercial invoices, and the bytes of all of them. */
  papers: 12,
  paperBytes: 4 * 1024 * 1024,
  /** Wrong API keys of one address in a minute. */
  wrongKeys: 10,
} as const

/** The bounds for docs/api.md. */
export const BOUND_ROWS: BoundTable = {
  callBytes: [SHIPPING_BOUNDS.bodyBytes, 'bytes', 'one body of `POST /v1` (413)'],
  callsOfBatch: [SHIPPING_BOUNDS.batch, '', 'calls in one body of `POST /v1` (400)'],
  carriersAtOnce: [
    SHIPPING_BOUNDS.atOnce,
    '',
    'calls to carriers at the same time, in all and per batch',
  ],
  requestIdLength: [SHIPPING_BOUNDS.requestId, '', 'characters of a `request_id` (400)'],
  carrierMs: [
    SHIPPING_BOUNDS.timeoutMs,
    'ms',
    'time limit of a carrier; `timeout` sets a shorter one',
  ],
  carrierBytes: [SHIPPING_BOUNDS.replyBytes, 'bytes', 'one answer from a carrier'],
  papersOfShipment: [SHIPPING_BOUNDS.papers, '', 'papers of a shipment that are kept and printed'],
  paperBytes: [SHIPPING_BOUNDS.paperBytes, 'bytes', 'all papers of a shipment together'],
  wrongKeys: [SHIPPING_BOUNDS.wrongKeys, '', 'wrong API keys from one address in a minute (429)'],
}
