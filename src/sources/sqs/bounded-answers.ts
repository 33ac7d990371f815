import { Readable } from 'node:stream'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { PlatenError } from '../../errors.ts'
import { parseJson } from '../../request/bounded-json.ts'

// Ten messages of 1 MiB, the most that SQS gives at once, and what stands around them.
const ANSWER_BYTES = 12 * 2 ** 20
/** What is wrong takes a few lines. */
const FAULT_BYTES = 65_536
/** Ten messages have less than 200. */
const BOUNDS = { jsonDepth: 8, jsonValues: 2_000 } as const

/** The parts of an HTTP answer of the SDK that are bounded. */
interface HttpAnswer {
  statusCode: number
  body: unknown
}

/**
 * Answers are read here, within bounds, before the SDK gets them: it reads whatever comes to its end, and makes objects
 * of all that is in it (client-sqs 3.1169).
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

/** The status says what is wrong when there is too much to read. */
async function readFault(body: Readable): Promise<Uint8Array> {
  return (await readUpTo(body, FAULT_BYTES)) ?? Buffer.from('{}')
}

/** Undefined when there is more; nothing is read any further. */
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

function refused(message: string): PlatenError {
  return new PlatenError('SOURCE_REFUSED', message)
}
