import type { Job, PrintOptions } from '../job.ts'
import type { CommandPolicy } from './label-commands.ts'

/**
 * Whose idempotency key it is. The same key with the same labels is the same request for all senders of a kind: a client
 * that tries again may have another address by then. With other labels it is a conflict for the same sender only.
 */
export interface KeySender {
  readonly kind: string
  readonly from: string
}

/** Labels for one printer. */
export interface LabelRequest {
  readonly labels: readonly Uint8Array[]
  readonly options: PrintOptions
  /** `http` or the type of a source. */
  readonly source: string
  /** Whose share of the spool they take: where they come from; default `source`. */
  readonly network?: string
  /** 1..100, default 1: so many jobs a label. */
  readonly copies?: number
  readonly idempotencyKey?: string
  /** Left out: all share their keys. */
  readonly sender?: KeySender
  /** What becomes of commands that change the printer itself; the setting of the box when left out. */
  readonly commands?: CommandPolicy
  /** Called when all labels were looked at, before they are written. */
  readonly onChecked?: () => void
}

/** A document of our own, drawn when it prints; the body is JSON text in UTF-8 that its owner has checked. */
export interface DocumentRequest {
  readonly format: 'packlist' | 'test' | 'start'
  readonly body: Uint8Array
  readonly options: PrintOptions
  readonly source: string
  /** Whose share of the spool it takes: where it comes from; default `source`. */
  readonly network?: string
  readonly idempotencyKey?: string
  /** Left out: all share their keys. */
  readonly sender?: KeySender
}

/** What was taken. */
export interface Accepted {
  readonly jobs: readonly Job[]
  /** True when these are the jobs of an earlier request. */
  readonly repeated: boolean
  /** Resolves when each of the jobs has ended or waits for a person, which may be never. */
  readonly ended: Promise<void>
}
