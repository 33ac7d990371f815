import * as v from 'valibot'
import { field, filled, object, text, webAddress } from '../../settings/field.ts'
import { redelivered, SETTLE_MS } from '../source/source.ts'

/** The keys of an SQS queue. */
export const settings = v.object(
  {
    region: field(filled, 'Region', 'Region of the queue, e.g. "eu-central-1".'),
    url: field(webAddress, 'Queue address', 'The address of the queue.', { unquoted: true }),
    access_key_id: field(
      v.optional(text),
      'Access key',
      'Left out: taken from the usual places of AWS (environment, shared files, roles).',
    ),
    secret_access_key: field(v.optional(text), 'Secret access key', 'Belongs to the access key.', {
      secret: true,
    }),
    redelivered: redelivered('a label that the queue has delivered before', 'print'),
  },
  object,
)

/** Region, address and perhaps credentials. */
export type SqsSettings = v.InferOutput<typeof settings>

/** Time limits and counts of the source. */
export interface SqsTiming {
  readonly connectMs: number
  /** Time for every answer but the long poll's, and without a byte in the middle of one. */
  readonly replyMs: number
  /** Seconds of a long poll; SQS waits 20 at most. */
  readonly pollSeconds: number
  /** Interval between two counts of the waiting messages. */
  readonly countMs: number
  /** Seconds for which a message is hidden from others, again and again, with `ack: printed`. */
  readonly leaseSeconds: number
  /** Seconds after which a bad message comes again, doubled each time. */
  readonly badSeconds: number
  /** Time after a stop for labels that are on their way. */
  readonly settleMs: number
}

/** The limits in use. */
export const TIMING: SqsTiming = {
  connectMs: 10_000,
  replyMs: 10_000,
  pollSeconds: 20,
  countMs: 60_000, // every look is paid for
  leaseSeconds: 60,
  badSeconds: 1,
  settleMs: SETTLE_MS,
}

/** Host and path of a queue's address, without its possible secrets. */
export function nameQueue({ url }: { readonly url: string }): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
