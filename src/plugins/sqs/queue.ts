import {
  type Message as AwsMessage,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { Message } from '../../core/intake/requests.ts'
import { parseJson } from '../../core/request/bounded-json.ts'
import { PlatenError } from '../../words/errors.ts'
import { readPayload } from '../source/message.ts'
import { boundAnswers, explainAws } from './answers.ts'
import { nameQueue, type SqsSettings, type SqsTiming } from './settings.ts'

/** A message that is ours until it is deleted or its visibility timeout is over. */
export interface SqsMessage {
  /** The id that the queue gave it, the same at every delivery. */
  readonly id: string
  /** The id of this delivery. */
  readonly receipt: string
  readonly body: string
  /** Deliveries so far, this one included. */
  readonly receives: number
}

/** The attributes of the queue. */
interface QueueFacts {
  /** Waiting messages, including those that a receiver has in hand. */
  readonly waiting: number
  /** Deliveries after which the queue sets a message aside (a redrive policy); undefined = never. */
  readonly receivesMost: number | undefined
  /** Seconds for which a message stays with its receiver. */
  readonly visibilitySeconds: number
}

const TRIES = 3 // of the SDK, within a call; then the source starts again after a while
/** The limit of deliveries if that of the queue cannot be read: no sensible one is smaller. */
export const USUAL_RECEIVES = 3
const VISIBILITY_MOST = 43_200 // seconds, Amazon SQS API Reference, ChangeMessageVisibility

type SqsCall<T> = (client: SQSClient, options: { readonly abortSignal: AbortSignal }) => Promise<T>

/** A queue of Amazon SQS. Every call may fail with SOURCE_UNREACHABLE or SOURCE_REFUSED. */
export class SqsQueue {
  /** Host and path of its address. */
  readonly where: string
  readonly #settings: SqsSettings
  readonly #timing: SqsTiming
  readonly #client: SQSClient

  constructor(settings: SqsSettings, timing: SqsTiming) {
    this.where = nameQueue(settings)
    this.#settings = settings
    this.#timing = timing
    this.#client = makeClient(settings, timing)
    boundAnswers(this.#client, this.where)
  }

  /**
   * Receives messages for a number of seconds; none when none came within the long poll.
   * @throws the signal's reason too
   */
  async receive(
    most: number,
    seconds: number,
    signal: AbortSignal,
  ): Promise<readonly SqsMessage[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: this.#settings.url,
      MaxNumberOfMessages: most,
      VisibilityTimeout: Math.min(seconds, VISIBILITY_MOST),
      WaitTimeSeconds: this.#timing.pollSeconds,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    })
    const { Messages = [] } = await this.#ask(
      (client, options) => client.send(command, options),
      signal,
    )
    return Messages.map(readMessage)
  }

  /** Deletes messages. Returns the ids of those that could not be deleted: their time was over, and they come again. */
  async delete(messages: readonly SqsMessage[]): Promise<readonly string[]> {
    if (messages.length === 0) return []
    const command = new DeleteMessageBatchCommand({
      QueueUrl: this.#settings.url,
      Entries: messages.map(({ receipt }, index) => ({ Id: `${index}`, ReceiptHandle: receipt })),
    })
    const { Failed = [] } = await this.#ask((client, options) => client.send(command, options))
    return Failed.map(({ Id }) => messages[Number(Id)]?.id ?? '')
  }

  /** Hides the message from others for a time from now. False when it is no longer ours. */
  async hide(message: SqsMessage, seconds: number): Promise<boolean> {
    const command = new ChangeMessageVisibilityCommand({
      QueueUrl: this.#settings.url,
      ReceiptHandle: message.receipt,
      VisibilityTimeout: Math.min(seconds, VISIBILITY_MOST),
    })
    try {
      await this.#call((client, options) => client.send(command, options))
      return true
    } catch (error) {
      if (isTooLate(error)) return false
      throw this.#explain(error)
    }
  }

  /** @throws PlatenError, also when only the right to ask is missing; the signal's reason */
  async readAttributes(signal?: AbortSignal): Promise<QueueFacts> {
    const command = new GetQueueAttributesCommand({
      QueueUrl: this.#settings.url,
      AttributeNames: ['All'],
    })
    const { Attributes = {} } = await this.#ask(
      (client, options) => client.send(command, options),
      signal,
    )
    const {
      ApproximateNumberOfMessages: ready = '0',
      ApproximateNumberOfMessagesNotVisible: inHand = '0',
      ApproximateNumberOfMessagesDelayed: delayed = '0',
      RedrivePolicy: policy,
      VisibilityTimeout: visibility = '0',
    } = Attributes
    const waiting = Number(ready) + Number(inHand) + Number(delayed)
    const receivesMost = policy === undefined ? undefined : readReceives(policy)
    return { waiting, receivesMost, visibilitySeconds: Number(visibility) }
  }

  [Symbol.dispose](): void {
    this.#client.destroy()
  }

  async #ask<T>(call: SqsCall<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await this.#call(call, signal)
    } catch (error) {
      signal?.throwIfAborted()
      throw this.#explain(error)
    }
  }

  /** Makes a call with a time limit: a stop must not wait for a queue that has gone, nor anything for an answer that trickles. */
  #call<T>(call: SqsCall<T>, signal?: AbortSignal): Promise<T> {
    const { pollSeconds, replyMs } = this.#timing
    const pollMs = signal === undefined ? 0 : pollSeconds * 1000
    const late = AbortSignal.timeout((pollMs + replyMs) * TRIES)
    const abortSignal = signal === undefined ? late : AbortSignal.any([signal, late])
    return call(this.#client, { abortSignal })
  }

  #explain(error: unknown): unknown {
    return explainAws(this.where, this.#settings.region, error)
  }
}

function makeClient(settings: SqsSettings, timing: SqsTiming): SQSClient {
  const { region, url, access_key_id: id, secret_access_key: secret } = settings
  const { connectMs, replyMs, pollSeconds } = timing
  if ((id === undefined) !== (secret === undefined)) {
    const message = 'access_key_id and secret_access_key go together; one of them is not set.'
    throw new PlatenError('SOURCE_REFUSED', message)
  }
  const { AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL } = process.env
  return new SQSClient({
    region,
    // The SDK takes the host of the queue's address and passes over the variable that it knows itself, with a warning.
    endpoint: AWS_ENDPOINT_URL_SQS || AWS_ENDPOINT_URL || new URL(url).origin,
    maxAttempts: TRIES,
    requestHandler: {
      connectionTimeout: connectMs,
      // To the head of the answer, which comes at the end of a long poll.
      requestTimeout: pollSeconds * 1000 + replyMs,
      throwOnRequestTimeout: true,
      socketTimeout: pollSeconds * 1000 + replyMs,
    },
    ...(id !== undefined && secret !== undefined
      ? { credentials: { accessKeyId: id, secretAccessKey: secret } }
      : {}),
  })
}

/** Reads the number of deliveries. SQS writes it as a number, the creator of the queue perhaps as text. */
function readReceives(policy: string): number {
  const most = /"maxReceiveCount"\s*:\s*"?(\d{1,4})\b/.exec(policy)?.[1]
  return most === undefined ? USUAL_RECEIVES : Number(most)
}

function readMessage(message: AwsMessage): SqsMessage {
  const { MessageId = '', ReceiptHandle = '', Body = '', Attributes } = message
  const receives = Number(Attributes?.ApproximateReceiveCount ?? 1)
  return { id: MessageId, receipt: ReceiptHandle, body: Body, receives }
}

/** Tells whether the message was deleted, is visible again, or has been hidden for 12 hours. */
function isTooLate(error: unknown): boolean {
  return (
    error instanceof Error &&
    /MessageNotInflight|ReceiptHandleIsInvalid|InvalidParameterValue/.test(error.name)
  )
}

const BOUNDS = { jsonDepth: 8, jsonValues: 2_000 } as const

/**
 * Reads a message's body: as every source does, or inside the envelope that SNS makes around it (Amazon SNS Developer Guide, HTTP/HTTPS
 * notification JSON format), whose own id identifies a message that SNS delivered twice.
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

/** Parses JSON; other text is reported by the code that reads it as a label. */
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

  /** `seconds`: the time for which the messages, just received, are ours. */
  constructor(queue: Pick<SqsQueue, 'hide'>, messages: readonly SqsMessage[], seconds: number) {
    this.#queue = queue
    this.#rest = messages
    this.#begin(seconds)
  }

  /** The messages that are not taken yet and, as far as known, are ours. */
  get rest(): readonly SqsMessage[] {
    return this.#rest
  }

  /** True when half of their time is over. */
  get isOld(): boolean {
    return performance.now() >= this.#renewAt
  }

  /** Restarts their time; those that the queue has taken back are dropped. */
  async renew(seconds: number): Promise<void> {
    const ours: SqsMessage[] = []
    for (const message of this.#rest) {
      if (await this.#queue.hide(message, seconds)) ours.push(message)
    }
    this.#rest = ours
    this.#begin(seconds)
  }

  /** Removes a settled message. */
  drop(message: SqsMessage): void {
    this.#rest = this.#rest.filter((each) => each !== message)
  }

  #begin(seconds: number): void {
    this.#renewAt = performance.now() + (seconds * 1000) / 2
  }
}
