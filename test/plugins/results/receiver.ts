import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { listen } from '../../listen.ts'

/** An event as it came. */
export interface ReceivedEvent {
  readonly event: string
  readonly event_id: string
  readonly seq: number
  readonly station: string
  readonly [key: string]: unknown
}

/** A request to the receiver, read whole. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  readonly events: readonly ReceivedEvent[]
}

/** The receiver's reaction to a request; what it leaves open stays open. */
export type Manner = (response: ServerResponse, request: Received, n: number) => void

/** Answers as it should. */
export const polite: Manner = (response) => response.end()

/** A real HTTP server that takes results, in whatever manner it is told. */
export interface Receiver {
  readonly url: string
  readonly port: number
  readonly requests: readonly Received[]
  /** All events in the order of their arrival, repeats too. */
  events(): readonly ReceivedEvent[]
  behave(manner: Manner): void
}

/** Polls until this is true, at most a minute. */
export async function until(what: string, isTrue: () => boolean): Promise<void> {
  const end = performance.now() + 60_000
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`waited 60 s for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Starts a receiver on a free port; ends with the test. */
export async function startReceiver(t: Test, first: Manner = polite): Promise<Receiver> {
  let manner = first
  const requests: Received[] = []
  const server = createServer((request, response) => {
    const take = (received: Received): void => {
      requests.push(received)
      manner(response, received, requests.length)
    }
    void read(request).then(take, () => undefined) // the sender may be killed in the middle of it
  })
  const port = await listen(t, server)
  return {
    url: `http://127.0.0.1:${port}/results?token=s3cret`,
    port,
    requests,
    events: () => requests.flatMap(({ events }) => events),
    behave: (next) => {
      manner = next
    },
  }
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  const { events } = JSON.parse(body) as { readonly events: readonly ReceivedEvent[] }
  return { path: request.url ?? '', headers: request.headers, body, events }
}
