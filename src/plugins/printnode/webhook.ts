import { randomUUID } from 'node:crypto'
import type { Job } from '../../core/job.ts'
import { type DeliveryOutcome, post } from '../../system/post.ts'
import { type BackOff, backOffMs, pause, waitFor } from '../../system/wait.ts'
import { PlatenError, quoteShort } from '../../words/errors.ts'
import type { DoorBox, DoorRequest } from '../door/door.ts'
import type { PrintNodeJobs, PrintNodeState } from './jobs.ts'
import { COMPUTER } from './printers.ts'

/** The address to which states are reported, like PrintNode's webhooks. */
export interface Webhook {
  readonly url: string
  /** The secret; '' = none. */
  readonly secret: string
}

/** Bounds of the events that wait for the other side; docs/doors.md names them. */
export interface WebhookBounds extends BackOff {
  readonly tries: number
  readonly waiting: number
  readonly together: number
}

export const WEBHOOK_BOUNDS: WebhookBounds = {
  firstMs: 5_000,
  mostMs: 300_000,
  tries: 8,
  waiting: 1_000,
  together: 100,
}

const OPEN: readonly PrintNodeState[] = ['new', 'sent_to_client']

/** Jobs whose last state is remembered, so that each state is reported once. */
const KNOWN_MOST = 2_000

/**
 * Reports each new state of the door's jobs (printnode.com/en/docs/webhooks): a list of events in one POST, the secret in a header. Like
 * PrintNode's own it may lose some: events that the other side does not take are tried a few times and dropped, and nothing is kept over a
 * restart. A receiver that must know everything uses `result_url`.
 */
export class WebhookTeller {
  readonly #webhook: Webhook
  readonly #box: Pick<DoorBox, 'spool' | 'log' | 'fault'>
  readonly #jobs: PrintNodeJobs
  readonly #bounds: WebhookBounds
  readonly #known = new Map<number, PrintNodeState>()
  readonly #waiting: object[] = []
  #nudge: (() => void) | undefined

  constructor(
    webhook: Webhook,
    box: Pick<DoorBox, 'spool' | 'log' | 'fault'>,
    jobs: PrintNodeJobs,
    bounds: WebhookBounds = WEBHOOK_BOUNDS,
  ) {
    this.#webhook = webhook
    this.#box = box
    this.#jobs = jobs
    this.#bounds = bounds
  }

  /** Reports until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const end = this.#box.spool.onChange((job) => this.#note(job))
    while (!signal.aborted) {
      if (this.#waiting.length === 0) await this.#news(signal)
      else await this.#tellNext(signal)
    }
    end()
  }

  #note(label: Job): void {
    if (label.source !== 'printnode') return
    try {
      const part = this.#jobs.part(label)
      // One more of many is mostly no news; to find that out all of them would be read for each.
      if (this.#isOld(part)) return
      const now = this.#jobs.now(label.seq)
      if (now === undefined || this.#known.get(now.id) === now.state) return
      this.#remember(now.id, now.state)
      const { id: printJobId, state, message } = now
      this.#waiting.push({
        type: 'print job state',
        accountId: COMPUTER,
        controllingAccountId: COMPUTER,
        createdAt: new Date().toISOString(),
        data: { uid: randomUUID(), state, message, printJobId },
      })
      if (this.#waiting.length > this.#bounds.waiting) this.#drop(1, 'too many wait')
      this.#nudge?.()
    } catch (error) {
      this.#box.fault(error) // the disk is broken; the job must not suffer
    }
  }

  /** Tells whether the state was already reported: the job has ended, it waits or prints as others do, or it has ended and others go on. */
  #isOld({ id, state }: ReturnType<PrintNodeJobs['part']>): boolean {
    const known = this.#known.get(id)
    if (known === undefined) return false
    if (!OPEN.includes(known)) return true
    if (OPEN.includes(state)) return state === known
    return (known === 'sent_to_client' || state !== 'done') && this.#jobs.isOpen(id)
  }

  #remember(id: number, state: PrintNodeState): void {
    this.#known.delete(id)
    this.#known.set(id, state)
    const [oldest] = this.#known.keys()
    if (this.#known.size > KNOWN_MOST && oldest !== undefined) this.#known.delete(oldest)
  }

  /** Reports the oldest events, until they are taken or their tries are used up. */
  async #tellNext(signal: AbortSignal): Promise<void> {
    const { url, secret } = this.#webhook
    const events = this.#waiting.splice(0, this.#bounds.together)
    const headers = secret === '' ? {} : { 'X-PrintNode-Webhook-Secret': secret }
    const body = JSON.stringify(events)
    for (let failures = 0; !signal.aborted; ) {
      const outcome = await post(url, body, headers, signal)
      if (outcome.isDelivered || signal.aborted) return
      failures += 1
      if (failures === this.#bounds.tries) {
        this.#lost(events.length, outcome.message)
        return
      }
      await pause(this.#waitMs(outcome, failures), signal)
    }
  }

  #waitMs(
    { retryAfterMs }: DeliveryOutcome & { readonly retryAfterMs?: number },
    failures: number,
  ) {
    const { mostMs } = this.#bounds
    return Math.min(retryAfterMs ?? backOffMs(failures, Math.random(), this.#bounds), mostMs)
  }

  #drop(count: number, why: string): void {
    this.#waiting.splice(0, count)
    this.#lost(count, why)
  }

  #lost(count: number, message: string): void {
    this.#box.log.warn({ dropped: count, message }, 'printnode webhook dropped')
  }

  async #news(signal: AbortSignal): Promise<void> {
    await waitFor((resolve) => {
      this.#nudge = resolve
    }, signal)
    this.#nudge = undefined
  }
}

/**
 * Describes the webhook of the settings, if any; a key that prints may not choose whom this box calls.
 * @throws PlatenError METHOD_REFUSED
 */
export function describeWebhooks(
  { method, path }: Pick<DoorRequest, 'method' | 'path'>,
  url: string | undefined,
): readonly object[] {
  if (method !== 'GET' && method !== 'HEAD') {
    const message = `${method} of ${quoteShort(path)} is not done here: the webhook is a setting.`
    throw new PlatenError('METHOD_REFUSED', message, {
      hint: 'Its address is printnode_webhook in the settings.',
    })
  }
  return url === undefined ? [] : [{ webhookId: 1, url, messages: ['print job state'] }]
}
