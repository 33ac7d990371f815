import * as v from 'valibot'
import { COMMAND_POLICIES } from '../../core/intake/requests.ts'
import { choice, field, type ValuesOf, webAddress, whole } from '../../settings/field.ts'

/** The keys of the heartbeat in config.json. */
export const entries = {
  heart_beat_url: field(
    v.optional(webAddress),
    'Heartbeat address',
    'Receives a heartbeat at regular intervals; its reply may contain labels to print.',
    { unquoted: true },
  ),
  heart_beat_interval: field(
    v.optional(whole(1, 86_400)),
    'Heartbeat interval',
    'Seconds between heartbeats; 60 when left out.',
  ),
  heart_beat_params: field(
    v.optional(v.unknown()),
    'Heartbeat parameters',
    'Your own JSON, sent with every heartbeat.',
    { unquoted: true },
  ),
  heart_beat_printer_commands: field(
    v.optional(choice(COMMAND_POLICIES)),
    'Printer commands in heartbeat labels',
    'Like "Printer commands", but only for labels in replies to heartbeats. Left out: the same as there.',
  ),
}

/** The values of these keys. */
export type HeartbeatKeys = ValuesOf<typeof entries>

/** The settings of the heartbeat as a source. */
export const settings = v.object({
  url: v.string(),
  /** Seconds between beats. */
  seconds: v.optional(v.number(), 60),
  /** Sent unchanged. */
  params: v.unknown(),
})

/** Address, interval and the user's own data of the heartbeat. */
export type HeartbeatSettings = v.InferOutput<typeof settings>

/** Facts about this box in a heartbeat (the specification has these names). */
export interface HeartbeatFacts {
  /** Name of the default printer; '' = none. */
  readonly printer: string
  readonly availablePrinters: readonly string[]
  readonly port: string
  /** True when a printer is ready and labels print. */
  readonly isOnline: boolean
  readonly ip: string
  readonly version: string
}

/** The part of a printer's state that a heartbeat needs. */
interface PrinterNow {
  readonly name: string
  readonly isDefault: boolean
  readonly status: { readonly state: string }
}

/** Describes the printers for a heartbeat; its labels may name any of them. */
export function tellPrinters(
  printers: readonly PrinterNow[],
): Pick<HeartbeatFacts, 'printer' | 'availablePrinters' | 'isOnline'> {
  return {
    printer: printers.find(({ isDefault }) => isDefault)?.name ?? '',
    availablePrinters: printers.map(({ name }) => name),
    isOnline: printers.some(({ status }) => status.state !== 'stopped'),
  }
}

/** Time limits and bounds of the heartbeat. */
export interface HeartbeatLimits {
  readonly connectMs: number
  /** Time for the whole exchange. */
  readonly exchangeMs: number
  /** Bytes of the reply. */
  readonly replyBytes: number
  /** Seconds; the longest pause after failures, unless the interval is longer. */
  readonly mostSeconds: number
  /** Fraction of a pause by which it is longer or shorter, so that no two boxes keep step. */
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
