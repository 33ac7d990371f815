/** Bounds of the shipping API; with those of http/bounds.ts docs/api.md prints them. */
export const SHIPPING_BOUNDS = {
  bodyBytes: 1024 * 1024,
  /** Calls of one batch. */
  batch: 100,
  /** Calls of a batch, and calls to carriers, under way at once: each may hold an answer with labels. */
  atOnce: 4,
  /** What a carrier may take, and the most that a client may ask for. */
  timeoutMs: 30_000,
  /** Characters of a request's id. */
  requestId: 128,
  /** Of an answer of a carrier, labels included. */
  replyBytes: 8 * 1024 * 1024,
  /** Wrong API keys of one address in a minute. */
  wrongKeys: 10,
} as const
