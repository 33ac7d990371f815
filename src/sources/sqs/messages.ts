import { PlatenError } from '../../errors.ts'
import type { Message } from '../../jobs/intake/requests.ts'
import { parseJson } from '../../request/bounded-json.ts'
import { readPayload } from '../message.ts'
import type { SqsMessage, SqsQueue } from './queue.ts'

const BOUNDS = { jsonDepth: 8, jsonValues: 2_000 } as const

/**
 * Reads a message's body: as every source takes it, or inside the envelope that SNS makes around it (Amazon SNS Developer
 * Guide, HTTP/HTTPS notification JSON format), whose own id tells a message that SNS delivered twice.
 * @throws PlatenError as `readPayload` does
 */
export function readBody(body: string, where: string, messageId: string): Message {
  const envelope = readEnvelope(body)
  if (envelope === undefined) return readPayload(body, `${where}:${messageId}`)
  return readPayload(envelope.text, `${where}:sns:${envelope.id ?? messageId}`)
}

function readEnvelope(body: string): { readonly text: string; readonly id?: string } | undefined {
  if (!/^\s*\{/.test(body) || !body.includes('"Notification"')) return undefined
  const json = tryJson(body)
  if (json['Type'] !== 'Notification' || typeof json['Message'] !== 'string') return undefined
  const id = json['MessageId']
  return { text: json['Message'], ...(typeof id === 'string' ? { id } : {}) }
}

/** What is not JSON is reported by whoever reads it as a label. */
function tryJson(body: string): Readonly<Record<string, unknown>> {
  try {
    return parseJson(body, BOUNDS, 'The message') as Readonly<Record<string, unknown>>
  } catch (error) {
    if (error instanceof PlatenError) return {}
    throw error
  }
}

/** Messages that were received together, until each is taken or goes back. */
export class Batch {
  readonly #queue: Pick<SqsQueue, 'hide'>
  #rest: readonly SqsMessage[]
  #renewAt = 0

  /** They have just come, and are ours for so many seconds. */
  constructor(queue: Pick<SqsQueue, 'hide'>, messages: readonly SqsMessage[], seconds: number) {
    this.#queue = queue
    this.#rest = messages
    this.#begin(seconds)
  }

  /** Those that are not taken yet and, as far as we know, are ours. */
  get rest(): readonly SqsMessage[] {
    return this.#rest
  }

  /** Half of their time is over. */
  get isOld(): boolean {
    return performance.now() >= this.#renewAt
  }

  /** Begins their time anew; those that the queue has taken back are not ours any more. */
  async renew(seconds: number): Promise<void> {
    const ours: SqsMessage[] = []
    for (const message of this.#rest) {
      if (await this.#queue.hide(message, seconds)) ours.push(message)
    }
    this.#rest = ours
    this.#begin(seconds)
  }

  /** This one is settled. */
  drop(message: SqsMessage): void {
    this.#rest = this.#rest.filter((each) => each !== message)
  }

  #begin(seconds: number): void {
    this.#renewAt = performance.now() + (seconds * 1000) / 2
  }
}
