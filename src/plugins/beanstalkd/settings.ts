import * as v from 'valibot'
import { endpoint, field, object } from '../../settings/field.ts'
import { redelivered, SETTLE_MS } from '../source/source.ts'

const TUBE = 'a name of up to 200 letters, digits and - + / ; . $ _ ( ), such as "labels"'

/** The keys of a beanstalkd queue. */
export const settings = v.object(
  {
    endpoint: field(endpoint, 'Endpoint', 'Host and port of the queue server.'),
    tube: field(
      v.optional(
        // beanstalkd, doc/protocol.txt: names
        v.pipe(v.string(TUBE), v.regex(/^[A-Za-z0-9+/;.$_()][A-Za-z0-9+/;.$_()-]{0,199}$/, TUBE)),
        'default',
      ),
      'Tube',
      'The tube from which labels are taken.',
    ),
    redelivered: redelivered(
      'a label that it reserved and neither returned nor buried',
      'hold where another server was seen on the tube in the last 30 days, otherwise print',
    ),
  },
  object,
)

/** Host, port and tube. */
export type BeanstalkdSettings = v.InferOutput<typeof settings>

/** Time limits and counts of the source. */
export interface BeanstalkdTiming {
  readonly connectMs: number
  readonly replyMs: number
  readonly bodyIdleMs: number
  /** Seconds for which a reserve waits for a job. */
  readonly reserveSeconds: number
  /** Interval between two counts of the waiting jobs. */
  readonly countMs: number
  /** Time after a stop for labels that are on their way. */
  readonly settleMs: number
  /** Number of reserves after which a job for a printer that no station knows is buried. */
  readonly strangerReserves: number
}

/** The limits in use. */
export const TIMING: BeanstalkdTiming = {
  connectMs: 10_000,
  replyMs: 5_000,
  bodyIdleMs: 10_000,
  reserveSeconds: 20,
  countMs: 15_000,
  settleMs: SETTLE_MS,
  strangerReserves: 60,
}
