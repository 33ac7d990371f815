import type { IncomingMessage } from 'node:http'
import { PlatenError } from '../../errors.ts'
import { explainNetwork, ForeignRedirect, send } from '../../http-client.ts'
import { NO_REPLY, type Reply, ReplyBody } from './reply.ts'
import type { HeartbeatLimits } from './settings.ts'

/** The receiver said no; `retryAfterMs` when it said until when (429, 503). */
export class Refusal extends PlatenError {
  readonly retryAfterMs: number | undefined

  constructor(message: string, retryAfterMs?: number) {
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
  { connectMs, exchangeMs, replyBytes }: HeartbeatLimits,
  signal: AbortSignal,
): Promise<Reply> {
  const { host } = new URL(address)
  const read = (response: IncomingMessage): Promise<Reply> => readAnswer(host, response, replyBytes)
  const times = { connectMs, wholeMs: exchangeMs }
  try {
    const answer = await send(address, { method: 'POST', body, ...times, read }, signal)
    if (answer.status >= 200 && answer.status <= 299) return answer.content
    const message = `${host} answered the heartbeat with HTTP ${answer.status}.`
    throw new Refusal(message, answer.retryAfterMs)
  } catch (error) {
    throw explain(host, error, signal)
  }
}

/** An error of the connection in words for people; the signal's reason, and our own, pass as they are. */
export function explain(host: string, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return error
  if (!(error instanceof ForeignRedirect)) return explainNetwork(host, error)
  return new Refusal(
    `${host} sends the heartbeat on to ${error.origin}, which is another server; set heart_beat_url to the right one.`,
  )
}

async function readAnswer(host: string, response: IncomingMessage, most: number): Promise<Reply> {
  const { statusCode = 0, headers } = response
  // Whatever an error page holds, it is not for us.
  if (statusCode < 200 || statusCode > 299) return NO_REPLY
  const packed = headers['content-encoding']
  if (packed !== undefined && packed !== 'identity') {
    const what = `sent a packed reply (${packed.slice(0, 20)}); wanted it as it is`
    throw new Refusal(`${host} ${what}.`)
  }
  const tooLarge = (): Refusal => new Refusal(`${host} sent a reply of more than ${most} bytes.`)
  if (Number(headers['content-length'] ?? 0) > most) throw tooLarge()
  const body = new ReplyBody()
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (!body.push(chunk)) break
      if (body.bytes > most) throw tooLarge()
    }
    return body.end()
  } finally {
    body.free()
  }
}
