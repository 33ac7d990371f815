import { EventEmitter, once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeLabel } from '../load/label.ts'
import { printerNames, type Request } from './kill-contract.ts'

const CLIENTS = 16
const REQUESTS_A_LIFE = 48 // more would be accepted faster than they print, and fill any spool
const LEAST_BYTES = 100
const MOST_BYTES = 6_100 // 3 KB on average
const ANSWER_MS = 60_000
const RETRY_MS_MOST = 1_000

/** Sixteen clients that send labels without a pause, and send again what nobody answered. */
export class KillClients {
  readonly sent = new Map<string, Request>()
  readonly acknowledged = new Set<string>()
  /** Answers that nobody should get, in words. */
  readonly faults: string[] = []
  labels = 0
  readonly #random: () => number
  readonly #answers = new EventEmitter()
  /** The latest request of each client without an answer. */
  readonly #open = new Map<number, Request>()
  #budget = 0

  constructor(random: () => number) {
    this.#random = random
  }

  /** All clients talk to this server until it dies, or has answered all that they have. */
  async talk(port: number, isLoading: boolean): Promise<void> {
    this.#budget = isLoading ? REQUESTS_A_LIFE : 0
    const clients = Array.from({ length: CLIENTS }, (_, index) => this.#run(index, port))
    await Promise.all(clients)
  }

  /** Resolves when so many answers more have been read, or the signal says that the server has died; not forever. */
  async answered(count: number, signal: AbortSignal): Promise<void> {
    const wanted = this.acknowledged.size + count
    const end = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
    while (this.acknowledged.size < wanted && !end.aborted) {
      await once(this.#answers, 'answer', { signal: end }).catch(() => undefined)
    }
  }

  async #run(client: number, port: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    try {
      for (;;) {
        const open = this.#open.get(client) ?? this.#make(client)
        if (open === undefined) return
        await this.#send(open, port, agent)
        this.#open.delete(client)
        this.acknowledged.add(open.key)
        this.#answers.emit('answer')
      }
    } catch {
      // No answer: the server is dead, and the next one gets it again.
    } finally {
      agent.destroy()
    }
  }

  #make(client: number): Request | undefined {
    if (this.#budget === 0) return undefined
    this.#budget -= 1
    const key = `k${this.sent.size}`
    const count = this.#random() < 0.75 ? 1 : 2 + Math.floor(this.#random() * 2)
    const bytes = (): number =>
      LEAST_BYTES + Math.floor(this.#random() * (MOST_BYTES - LEAST_BYTES))
    const labels = Array.from({ length: count }, (_, index) =>
      makeLabel(`${key}.${index}`, bytes()),
    )
    const printer = printerNames[Math.floor(this.#random() * printerNames.length)] ?? 'A'
    const made = { key, printer, labels }
    this.labels += count
    this.sent.set(key, made)
    this.#open.set(client, made)
    return made
  }

  /** Resolves when it is accepted. */
  async #send({ key, printer, labels }: Request, port: number, agent: Agent): Promise<void> {
    const encoded = labels.map((label) => Buffer.from(label).toString('base64'))
    const body = JSON.stringify({ printer, labels: encoded })
    for (;;) {
      const { statusCode = 0, headers } = await post(body, key, port, agent)
      if (statusCode === 200 || statusCode === 202) return
      if (statusCode !== 503 && statusCode !== 429) {
        this.faults.push(`${key} was answered ${statusCode}`)
        return
      }
      await sleep(Math.min(RETRY_MS_MOST, Number(headers['retry-after'] ?? 0) * 1_000))
    }
  }
}

/** Gives the answer once it has been read. */
async function post(
  body: string,
  key: string,
  port: number,
  agent: Agent,
): Promise<IncomingMessage> {
  const headers = {
    'content-type': 'application/json',
    prefer: 'respond-async',
    'idempotency-key': key,
    'content-length': Buffer.byteLength(body),
  }
  const outgoing = request({ host: '127.0.0.1', port, agent, method: 'POST', headers })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  incoming.resume()
  await once(incoming, 'end')
  return incoming
}
