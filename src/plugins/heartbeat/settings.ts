import * as v from 'valibot'

/** What the heartbeat is configured with. */
export const settings = v.object({
  url: v.string(),
  /** Seconds between beats. */
  seconds: v.optional(v.number(), 60),
  /** Sent as it is. */
  params: v.unknown(),
})

/** Where to, how often, and what of the user's own is sent. */
export type HeartbeatSettings = v.InferOutput<typeof settings>

/** What a heartbeat tells of this box (the specification has these names). */
export interface HeartbeatFacts {
  /** Name of the default printer; '' = none. */
  readonly printer: string
  readonly availablePrinters: readonly string[]
  readonly port: string
  /** A printer is ready: labels print. */
  readonly isOnline: boolean
  readonly ip: string
  readonly version: string
}

/** As much of a printer as a heartbeat needs. */
interface PrinterNow {
  readonly name: string
  readonly isDefault: boolean
  readonly status: { readonly state: string }
}

/** What a heartbeat tells of the printers; its labels may name any of them. */
export function tellPrinters(
  printers: readonly PrinterNow[],
): Pick<HeartbeatFacts, 'printer' | 'availablePrinters' | 'isOnline'> {
  return {
    printer: printers.find(({ isDefault }) => isDefault)?.name ?? '',
    availablePrinters: printers.map(({ name }) => name),
    isOnline: printers.some(({ status }) => status.state !== 'stopped'),
  }
}

/** How patient the heartbeat is, and what it takes. */
export interface HeartbeatLimits {
  readonly connectMs: number
  /** For the whole of an exchange. */
  readonly exchangeMs: number
  /** Bytes of the reply. */
  readonly replyBytes: number
  /** Seconds; the longest pause after failures, unless the interval is longer. */
  readonly mostSeconds: number
  /** Share of a pause by which it is longer or shorter, so that no two boxes keep step. */
  readonly jitter: number
  /** 0..1. */
  readonly random: () => number
}

/** The limits in use. */
export const LIMITS: HeartbeatLimits = {
  connectMs: 10_000,
  exchangeMs: 30_000,
  replyBytes: 4 * 2 ** 20,
  mostSeconds: 600,
  jitter: 0.1,
  random: Math.random,
}
