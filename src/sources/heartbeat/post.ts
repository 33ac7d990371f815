import { PlatenError } from '../../errors.ts'
import { type Answer, exchange } from './exchange.ts'
import type { Reply } from './reply.ts'
import type { HeartbeatLimits } from './settings.ts'

const REDIRECTS_MOST = 3
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308])

/** The receiver said no; `retryAfterMs` when it said until when (429, 503). */
export class Refusal extends PlatenError {
  readonly retryAfterMs: number | undefined

  constructor(message: string, retryAfterMs: number | undefined) {
    super('SOURCE_REFUSED', message)
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Posts a heartbeat and gives the reply. Redirects are followed within the same origin only: the body tells
 * of this box, and the reply makes labels.
 * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED; the signal's reason
 */
export async function post(
  address: string,
  body: string,
  limits: HeartbeatLimits,
  signal: AbortSignal,
): Promise<Reply> {
  let url = new URL(address)
  for (let redirects = 0; ; redirects++) {
    const answer = await exchange(url, { method: 'POST', body }, limits, signal)
    if (answer.status >= 200 && answer.status <= 299) return answer.reply
    if (!REDIRECTS.has(answer.status) || redirects === REDIRECTS_MOST) throw refuse(url, answer)
    url = follow(url, answer)
  }
}

function follow(from: URL, answer: Answer): URL {
  const to = answer.location === '' ? null : URL.parse(answer.location, from.href)
  if (to === null) throw refuse(from, answer)
  if (to.origin === from.origin) {
    // Location has no credentials, and they belong to this origin.
    to.username = from.username
    to.password = from.password
    return to
  }
  throw new Refusal(
    `${from.host} sends the heartbeat on to ${to.origin}, which is another server; set heart_beat_url to the right one.`,
    undefined,
  )
}

function refuse(url: URL, { status, retryAfter }: Answer): Refusal {
  const wait = status === 429 || status === 503 ? readRetryAfter(retryAfter) : undefined
  return new Refusal(`${url.host} answered the heartbeat with HTTP ${status}.`, wait)
}

const DAY_MS = 86_400_000

/** Retry-After in seconds or as a date (RFC 9110, 10.2.3), at most a day; undefined when it says nothing. */
function readRetryAfter(text: string): number | undefined {
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), DAY_MS)
}
