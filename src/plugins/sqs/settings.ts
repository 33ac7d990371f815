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

/** How patient the source is. */
export interface SqsTiming {
  readonly connectMs: number
  /** For every answer but the long poll's, and without a byte in the middle of one. */
  readonly replyMs: number
  /** A long poll; SQS waits 20 at most. */
  readonly pollSeconds: number
  /** Between two looks at how many messages wait. */
  readonly countMs: number
  /** With `ack: printed` a message is kept from others so long, again and again. */
  readonly holdSeconds: number
  /** A bad message comes again after so long, each time after twice as long. */
  readonly badSeconds: number
  /** After a stop, for labels that are on their way. */
  readonly settleMs: number
}

/** The patience in use. */
export const TIMING: SqsTiming = {
  connectMs: 10_000,
  replyMs: 10_000,
  pollSeconds: 20,
  countMs: 60_000, // every look is paid for
  holdSeconds: 60,
  badSeconds: 1,
  settleMs: SETTLE_MS,
}

/** Host and path of a queue's address, without what may be secret in it. */
export function nameQueue({ url }: { readonly url: string }): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
