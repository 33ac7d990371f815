import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { listen } from '../../listen.ts'

/** A message as a test puts it. */
export interface Put {
  readonly id: string
  readonly body: string
  /** Deliveries so far, this one included; 1 when left out. */
  readonly receives?: number
}

/** A call of a client: its name, and its parameters without the address of the queue. */
export interface Call {
  readonly name: string
  readonly asked: Readonly<Record<string, unknown>>
}

/** The answer to a call: a fault of this status and name, or content. */
export type Verdict = readonly [status: number, type: string] | Readonly<Record<string, unknown>>

/**
 * A queue of Amazon SQS that does as a test says, in this process (Amazon SQS Developer Guide, JSON protocol): it gives each
 * batch of messages once, in its order, and notes the calls.
 */
export class SmallSqs {
  readonly calls: Call[] = []
  readonly attributes: Record<string, string> = {}
  /** Replacements for answers to some calls. */
  readonly verdicts: ((call: Call) => Verdict | undefined)[] = []
  readonly #batches: (readonly Put[])[] = []
  readonly #server = createServer()
  #polling: ServerResponse | undefined

  static async start(t: Test): Promise<SmallSqs> {
    const queue = new SmallSqs()
    queue.#server.on('request', (request, answer) => {
      let text = ''
      request.setEncoding('utf8')
      request.on('data', (part: string) => {
        text += part
      })
      request.on('end', () => {
        const { QueueUrl, ...asked } = JSON.parse(text) as Record<string, unknown>
        const name = String(request.headers['x-amz-target']).replace('AmazonSQS.', '')
        queue.#take({ name, asked }, answer)
      })
    })
    await listen(t, queue.#server)
    return queue
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/1/labels`
  }

  /** Its name in sentences. */
  get where(): string {
    return this.url.replace('http://', '')
  }

  /** Gives these together. */
  give(...batch: readonly Put[]): void {
    this.#batches.push(batch)
    const polling = this.#polling
    this.#polling = undefined
    if (polling) this.#deliver(polling)
  }

  /** The calls of one name. */
  named(name: string): readonly Call['asked'][] {
    return this.calls.filter((call) => call.name === name).map(({ asked }) => asked)
  }

  /** Hidden messages, as `id seconds`, in order. */
  get hidden(): readonly string[] {
    return this.named('ChangeMessageVisibility').map(
      ({ ReceiptHandle, VisibilityTimeout }) => `${ReceiptHandle} ${VisibilityTimeout}`,
    )
  }

  /** Messages of each deletion, in order. */
  get deleted(): readonly (readonly string[])[] {
    return this.named('DeleteMessageBatch').map(({ Entries }) =>
      (Entries as { ReceiptHandle: string }[]).map(({ ReceiptHandle }) => ReceiptHandle),
    )
  }

  #take(call: Call, answer: ServerResponse): void {
    this.calls.push(call)
    const verdict = this.verdicts.map((judge) => judge(call)).find(Boolean)
    if (Array.isArray(verdict)) {
      const [status, type] = verdict as [number, string]
      reply(answer, status, { __type: `com.amazonaws.sqs#${type}`, message: 'So it is.' })
    } else if (verdict !== undefined) reply(answer, 200, verdict)
    else if (call.name === 'ReceiveMessage') this.#deliver(answer)
    else if (call.name === 'GetQueueAttributes') {
      reply(answer, 200, { Attributes: this.attributes })
    } else reply(answer, 200, {})
  }

  #deliver(answer: ServerResponse): void {
    const batch = this.#batches.shift()
    if (batch === undefined) {
      this.#polling = answer
      return
    }
    const Messages = batch.map(({ id, body, receives = 1 }) => ({
      MessageId: id,
      ReceiptHandle: id,
      Body: body,
      MD5OfBody: createHash('md5').update(body).digest('hex'),
      Attributes: { ApproximateReceiveCount: `${receives}` },
    }))
    reply(answer, 200, { Messages })
  }
}

function reply(answer: ServerResponse, status: number, body: unknown): void {
  answer.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
  answer.end(JSON.stringify(body))
}

/** A service that answers every call with this status and error, or not at all with the status 0. */
export async function refuseAll(t: Test, status: number, type: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    if (status === 0) return
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
    response.end(JSON.stringify({ __type: `com.amazonaws.sqs#${type}`, message: 'So it is.' }))
  })
  return `http://127.0.0.1:${await listen(t, server)}/1/labels`
}
