import { createHmac } from 'node:crypto'
import { jobJson } from '../../core/job.ts'
import type { Outbox, PendingResult } from '../../core/spool/outbox.ts'
import { type DeliveryOutcome, type PostLimits, post } from '../../system/post.ts'
import { type BackOff, backOffMs, pause, waitFor } from '../../system/wait.ts'
import { inEnglish, saidJson } from '../../words/say.ts'

/** The address for results, and the signature of this box. */
interface ResultAddress {
  readonly url: string
  /** '' = unsigned. */
  readonly secret: string
  /** Name of this computer. */
  readonly station: string
}

/** The parts of the sender. */
export interface SenderParts {
  readonly outbox: Pick<Outbox, 'oldest' | 'delivered' | 'waiting' | 'dropped'>
  readonly address: ResultAddress
  readonly log: {
    info(fields: object, event: string): void
    warn(fields: object, event: string): void
  }
  readonly now?: () => number
  /** 0..1. */
  readonly random?: () => number
  /** First and longest wait after a failure. */
  readonly backOff?: BackOff
  readonly limits?: PostLimits
}

/** Figures for the metrics. */
export interface ResultFigures {
  readonly waiting: number
  readonly dropped: number
  /** Failed requests since the last successful one. */
  readonly failures: number
  /** Milliseconds since the epoch; 0 = not since the start. */
  readonly deliveredAt: number
}

const BATCH = 100
/** The waits in use. */
export const BACK_OFF = { firstMs: 1000, mostMs: 300_000 } as const

/**
 * Delivers events to the result address: in order, one request at a time, each until the receiver has confirmed it. An event that is sent
 * twice, after a lost answer or a restart, has the same event id.
 */
export class ResultSender {
  readonly #parts: SenderParts
  #batch = BATCH
  #failures = 0
  #dropped = 0
  #deliveredAt = 0
  #hasNews = false
  #nudge: (() => void) | undefined

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  /** Wakes the sender for new events. A wait after a failure is not shortened. */
  wake(): void {
    this.#hasNews = true
    this.#nudge?.()
  }

  /** Figures of the deliveries. */
  figures(): ResultFigures {
    const { outbox } = this.#parts
    return {
      waiting: outbox.waiting(),
      dropped: outbox.dropped,
      failures: this.#failures,
      deliveredAt: this.#deliveredAt,
    }
  }

  /** Sends until the signal aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const outcome = await this.#trySendNext(signal)
      if (signal.aborted) return
      if (outcome === undefined) await this.#news(signal)
      else await this.#settle(outcome, signal)
    }
  }

  async #trySendNext(signal: AbortSignal): Promise<DeliveryOutcome | undefined> {
    try {
      return await this.#sendNext(signal)
    } catch (error) {
      // The spool may be full or broken for a while: what was not noted as delivered is sent again.
      return { isDelivered: false, message: error instanceof Error ? error.message : String(error) }
    }
  }

  /** Sends the next events; undefined when there are none. */
  async #sendNext(signal: AbortSignal): Promise<DeliveryOutcome | undefined> {
    const { outbox, address, limits } = this.#parts
    this.#hasNews = false
    const events = outbox.oldest(this.#batch)
    if (events.length === 0) return undefined
    const { body, count } = packResults(events, address.station)
    const outcome = await post(address.url, body, this.#headers(body), signal, limits)
    const last = events[count - 1]
    if (outcome.isDelivered && last !== undefined) outbox.delivered(last.seq)
    return outcome
  }

  #headers(body: string): Readonly<Record<string, string>> {
    const { secret } = this.#parts.address
    if (secret === '') return {}
    const timestamp = Math.floor((this.#parts.now ?? Date.now)() / 1000)
    return {
      'X-Platen-Timestamp': String(timestamp),
      'X-Platen-Signature': sign(secret, timestamp, body),
    }
  }

  async #settle(outcome: DeliveryOutcome, signal: AbortSignal): Promise<void> {
    this.#warnOfDropped()
    if (outcome.isDelivered) {
      if (this.#failures > 0) this.#parts.log.info({}, 'results are delivered again')
      this.#failures = 0
      this.#batch = BATCH
      this.#deliveredAt = (this.#parts.now ?? Date.now)()
      return
    }
    if (outcome.isTooLarge && this.#batch > 1) this.#batch = Math.ceil(this.#batch / 2)
    if (this.#failures === 0) {
      const hint = 'They are kept and sent again; check result_url and its server.'
      this.#parts.log.warn({ message: outcome.message, hint }, 'results not delivered')
    }
    this.#failures += 1
    await pause(outcome.retryAfterMs ?? this.#backOffMs(), signal)
  }

  #warnOfDropped(): void {
    const { dropped } = this.#parts.outbox
    if (dropped === this.#dropped) return
    this.#parts.log.warn({ dropped }, 'too many results wait: the oldest were dropped')
    this.#dropped = dropped
  }

  #backOffMs(): number {
    const { backOff = BACK_OFF, random = Math.random } = this.#parts
    return backOffMs(this.#failures, random(), backOff)
  }

  /** Waits until `wake` or the end. */
  async #news(signal: AbortSignal): Promise<void> {
    if (this.#hasNews) return
    await waitFor((resolve) => {
      this.#nudge = resolve
    }, signal)
    this.#nudge = undefined
  }
}

/** An event in the form that the result address gets. `station` is the name of this computer. */
function resultJson(
  { id, seq, result }: PendingResult,
  station: string,
): Readonly<Record<string, unknown>> {
  const head = {
    event: result.type === 'plugin' ? result.name : result.type,
    event_id: id,
    seq,
    at: new Date(result.at).toISOString(),
    station,
  }
  if (result.type === 'job') return { ...head, ...jobJson(result.job) }
  if (result.type === 'plugin') return { ...head, ...result.facts }
  const { name, status } = result.printer
  const { state, reasons, message, hint } = status
  const said = {
    message: inEnglish(message),
    hint: inEnglish(hint),
    ...saidJson(message, hint),
  }
  return { ...head, printer: name, state, state_reasons: reasons, ...said }
}

/** Most bytes of events in one request, unless one event alone is larger. */
const BODY_MOST = 256 * 1024

/** Makes the body of one request: as many of the events, from the oldest, as fit, and their number. */
function packResults(
  events: readonly PendingResult[],
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
 * Signs a body, to prove that it came from a box that knows the secret: `sha256=` and the HMAC-SHA256, in hex, over the timestamp, a full
 * stop and the body. `timestamp` is seconds since the epoch.
 */
export function sign(secret: string, timestamp: number, body: string): string {
  const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  return `sha256=${mac}`
}
