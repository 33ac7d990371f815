import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Load, Sent } from './clients.ts'
import { makeLabel } from './label.ts'

// Clients that send labels without a pause, each on a connection that it keeps.

const RETRY_MS_MOST = 1_000 // of what Retry-After asks for, so that a test comes to its end
const AGAIN_MS = 20

const load = JSON.parse(process.argv[2] ?? '{}') as Load
const { labels = Number.POSITIVE_INFINITY } = load
const sent = { accepted: 0, refused: 0, failed: 0, fault: '' }
let next = load.first

interface Answer {
  readonly status: number
  readonly retryMs: number
}

function post(agent: Agent, number: number): Promise<Answer> {
  const label = Buffer.from(makeLabel(`L${number}`, load.labelBytes)).toString('base64')
  const printer = load.printers[number % load.printers.length]
  const body = JSON.stringify({ printer, label })
  const headers = {
    host: 'localhost',
    prefer: 'respond-async',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(load.isKeyed ? { 'idempotency-key': `L${number}` } : {}),
  }
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const options = { host: '127.0.0.1', port: load.port, agent, method: 'POST', headers }
  const outgoing = request(options, (incoming) => {
    const retryMs = Number(incoming.headers['retry-after'] ?? 0) * 1_000
    incoming.resume()
    incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, retryMs }))
    incoming.on('error', reject)
  })
  outgoing.on('error', reject)
  outgoing.end(body)
  return promise
}

/** True when the label is taken. */
async function tryOnce(agent: Agent, number: number): Promise<boolean> {
  const { status, retryMs } = await post(agent, number)
  if (status === 200 || status === 202) return true
  if (status !== 503 && status !== 429) throw new Error(`label ${number} was answered ${status}`)
  sent.refused += 1
  await sleep(Math.min(RETRY_MS_MOST, Math.max(AGAIN_MS, retryMs)))
  return false
}

async function send(agent: Agent, number: number): Promise<void> {
  for (;;) {
    try {
      if (await tryOnce(agent, number)) break
    } catch (error) {
      sent.failed += 1
      sent.fault ||= (error as Error).message
      await sleep(AGAIN_MS)
    }
  }
  sent.accepted += 1
}

async function run(index: number): Promise<void> {
  const localAddress = load.from[index % load.from.length]
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ...(localAddress && { localAddress }) })
  while (next < load.first + labels) {
    const number = next
    next += 1
    await send(agent, number)
  }
  agent.destroy()
}

process.on('message', () => process.send?.({ ...sent } satisfies Sent))
process.on('disconnect', () => process.exit())
for (let index = 0; index < load.clients; index += 1) void run(index)
