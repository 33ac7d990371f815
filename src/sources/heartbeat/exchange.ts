import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { PlatenError } from '../../errors.ts'
import { freeIfWhole } from '../../system/memory.ts'
import { explainNetwork } from '../network.ts'
import { NO_REPLY, type Reply, ReplyBody } from './reply.ts'
import type { HeartbeatLimits } from './settings.ts'

/** What came back. */
export interface Answer {
  readonly status: number
  /** '' = none. */
  readonly location: string
  readonly retryAfter: string
  /** Empty unless the status is 2xx. */
  readonly reply: Reply
}

type Limits = Pick<HeartbeatLimits, 'connectMs' | 'exchangeMs' | 'replyBytes'>

/**
 * One request and its answer, bounded in time and in bytes. No redirect is followed and nothing is unpacked.
 * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED; the signal's reason
 */
export async function exchange(
  url: URL,
  options: { readonly method: 'POST' | 'HEAD'; readonly body?: string },
  limits: Limits,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const request = open(url, options)
  const late = (ms: number) => () =>
    reject(unreachable(url, `did not answer within ${Math.ceil(ms / 1000)} seconds`))
  const timers = [
    setTimeout(late(limits.connectMs), limits.connectMs),
    setTimeout(late(limits.exchangeMs), limits.exchangeMs),
  ]
  const stop = (): void => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  request.once('socket', (socket) => {
    const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect'
    socket.once(ready, () => clearTimeout(timers[0]))
    // The parser, which listens before us, has copied what it wants.
    socket.on('data', (chunk: Buffer) => freeIfWhole(chunk))
  })
  request.on('error', (error) => reject(explainNetwork(url.host, error)))
  request.on('response', (response) => {
    readAnswer(url, response, limits.replyBytes).then(resolve, reject)
  })
  request.end(options.body)
  try {
    return await promise
  } finally {
    for (const timer of timers) clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    request.destroy()
  }
}

function open(url: URL, { method, body }: { method: string; body?: string }): ClientRequest {
  // Not by import: the ESM facade of node:http loads all of fetch, 6 MB.
  const http = process.getBuiltinModule('node:http')
  const https = process.getBuiltinModule('node:https')
  const settings: RequestOptions = {
    method,
    agent: false, // a connection each: nothing is kept open between two beats
    headers: {
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      ...(body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    },
  }
  return url.protocol === 'https:' ? https.request(url, settings) : http.request(url, settings)
}

async function readAnswer(url: URL, response: IncomingMessage, most: number): Promise<Answer> {
  const { statusCode: status = 0, headers } = response
  const { location = '', 'retry-after': retryAfter = '', 'content-encoding': packed } = headers
  const answer = { status, location, retryAfter, reply: NO_REPLY }
  // Whatever an error page holds, it is not for us.
  if (status < 200 || status > 299) return answer
  if (packed !== undefined && packed !== 'identity') {
    throw refused(url, `sent a packed reply (${packed.slice(0, 20)}); wanted it as it is`)
  }
  if (Number(headers['content-length'] ?? 0) > most) throw tooLarge(url, most)
  return { ...answer, reply: await readBody(url, response, most) }
}

async function readBody(url: URL, response: IncomingMessage, most: number): Promise<Reply> {
  const body = new ReplyBody()
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (!body.push(chunk)) break
      if (body.bytes > most) throw tooLarge(url, most)
    }
    return body.end()
  } catch (error) {
    throw explainNetwork(url.host, error)
  } finally {
    body.free()
  }
}

function tooLarge(url: URL, most: number): PlatenError {
  return refused(url, `sent a reply of more than ${most} bytes`)
}

function refused(url: URL, what: string): PlatenError {
  return new PlatenError('SOURCE_REFUSED', `${url.host} ${what}.`)
}

function unreachable(url: URL, what: string): PlatenError {
  return new PlatenError('SOURCE_UNREACHABLE', `${url.host} ${what}.`)
}
