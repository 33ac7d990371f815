import { Readable } from 'node:stream'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { parseJson } from '../../core/request/bounded-json.ts'
import { explainNetwork } from '../../system/http-client.ts'
import { PlatenError } from '../../words/errors.ts'
import { type Sentences, say } from '../../words/say.ts'

/** The rights that the box needs, for the policy of its user. */
const RIGHTS =
  'sqs:ReceiveMessage, sqs:DeleteMessage, sqs:ChangeMessageVisibility and sqs:GetQueueAttributes'

const MESSAGE_MOST = 200

/**
 * Explains a failed call in one sentence. The names are those of the service (Amazon SQS API Reference, Common Errors) and of the SDK's own
 * errors.
 */
export function explainAws(where: string, region: string, cause: unknown): PlatenError {
  if (cause instanceof PlatenError || !(cause instanceof Error)) return explainNetwork(where, cause)
  const { name } = cause
  const status = readStatus(cause)
  if (name === 'CredentialsProviderError') {
    return refused(
      say('noCredentials', { where }),
      cause,
      'Set access_key_id and secret_access_key, or one of the places that AWS looks at.',
    )
  }
  if (/QueueDoesNotExist|NonExistentQueue/.test(name)) {
    return refused(say('noQueue', { where, region }), cause)
  }
  if (status === 401 || status === 403) {
    return refused(say('notLetIn', { where }), cause, `${name}: these credentials need ${RIGHTS}.`)
  }
  // AbortError: a deadline of our own; who was stopped from outside asks for no sentence.
  if (name === 'TimeoutError' || name === 'AbortError') {
    return new PlatenError('SOURCE_UNREACHABLE', say('silent', { printer: where }), { cause })
  }
  if (status === undefined) return explainNetwork(where, cause)
  if (status >= 500 || status === 429 || /Throttl|OverLimit|LimitExceeded/.test(name)) {
    const more = { cause, detail: `HTTP ${status} ${name}.` }
    return new PlatenError('SOURCE_UNREACHABLE', say('cannotServe', { where }), more)
  }
  const detail = `${name}: ${cause.message.slice(0, MESSAGE_MOST)}`
  return refused(say('turnsAway', { where }), cause, detail)
}

/** True when the queue knows the caller and only this call is not allowed (AccessDenied, AccessDeniedException). */
export function isDenied(error: unknown): error is PlatenError {
  if (!(error instanceof PlatenError) || !(error.cause instanceof Error)) return false
  return readStatus(error.cause) === 403 && error.cause.name.includes('AccessDenied')
}

function refused(message: Sentences | string, cause?: unknown, detail = ''): PlatenError {
  return new PlatenError('SOURCE_REFUSED', message, { cause, detail })
}

/** The HTTP status, if there was an answer. */
function readStatus(error: Error): number | undefined {
  const metadata = '$metadata' in error ? error.$metadata : undefined
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const status = 'httpStatusCode' in metadata ? metadata.httpStatusCode : undefined
  return typeof status === 'number' ? status : undefined
}

// Ten messages of 1 MiB, the most that SQS gives at once, and what stands around them.
const ANSWER_BYTES = 12 * 2 ** 20
/** Most bytes of an error answer, which takes a few lines. */
const FAULT_BYTES = 65_536
/** Bounds of a good answer; ten messages have fewer than 200 values. */
const BOUNDS = { jsonDepth: 8, jsonValues: 2_000 } as const

/** The parts of an HTTP answer of the SDK that are bounded. */
interface HttpAnswer {
  statusCode: number
  body: unknown
}

/**
 * Makes the client read answers within bounds: the SDK reads whatever comes to its end, and makes objects of everything in it (client-sqs
 * 3.1169).
 */
export function boundAnswers(client: SQSClient, where: string): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      const answer = result.response as HttpAnswer
      if (answer.body instanceof Readable) {
        const isGood = answer.statusCode >= 200 && answer.statusCode <= 299
        answer.body = isGood ? await readGood(answer.body, where) : await readFault(answer.body)
      }
      return result
    },
    // The innermost: whoever comes after it sees the whole body.
    { step: 'deserialize', name: 'boundAnswers', priority: 'low' },
  )
}

/** @throws PlatenError SOURCE_REFUSED */
async function readGood(body: Readable, where: string): Promise<Uint8Array> {
  const bytes = await readUpTo(body, ANSWER_BYTES)
  if (bytes === undefined) {
    throw refused(`${where} sent an answer of more than ${ANSWER_BYTES} bytes.`)
  }
  try {
    parseJson(bytes.toString('utf8'), BOUNDS, 'The answer')
  } catch (cause) {
    if (!(cause instanceof PlatenError)) throw cause
    throw refused(`${where} sent something else than the answer of a queue. ${cause.message}`)
  }
  return bytes
}

/** Reads an error answer; if there is too much to read, the status says what is wrong. */
async function readFault(body: Readable): Promise<Uint8Array> {
  return (await readUpTo(body, FAULT_BYTES)) ?? Buffer.from('{}')
}

/** Reads a body up to a size; undefined when there is more, and nothing more is read then. */
async function readUpTo(body: Readable, most: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  // Left early, the loop ends the connection.
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > most) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
