import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Message } from '../../core/intake/requests.ts'
import { blameLabel } from '../../core/reasons/held-label.ts'
import { nameKind, parseExact } from '../../core/request/bounded-json.ts'
import { LabelMemory } from '../../core/request/reader.ts'
import { isObject } from '../../settings/field.ts'
import { explainNetwork, ForeignRedirect, send } from '../../system/http-client.ts'
import { freeIfWhole } from '../../system/memory.ts'
import { PlatenError } from '../../words/errors.ts'
import { type Sentences, say } from '../../words/say.ts'
import { readMessageFields, readPayload } from '../source/message.ts'
import type { HeartbeatLimits } from './settings.ts'

/** A refusal by the receiver; `retryAfterMs` if it named a time (429, 503). */
export class HeartbeatRefusal extends PlatenError {
  readonly retryAfterMs: number | undefined

  constructor(message: Sentences | string, retryAfterMs?: number) {
    super('SOURCE_REFUSED', message)
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Posts a heartbeat and returns the reply. Redirects are followed within the same origin only: the body describes this box, and the reply
 * makes labels.
 * @throws PlatenError SOURCE_UNREACHABLE, SOURCE_REFUSED; the signal's reason
 */
export async function post(
  address: string,
  body: string,
  { connectMs, exchangeMs, replyBytes }: HeartbeatLimits,
  signal: AbortSignal,
): Promise<HeartbeatReply> {
  const { host } = new URL(address)
  const read = (response: IncomingMessage): Promise<HeartbeatReply> =>
    readAnswer(host, response, replyBytes)
  const times = { connectMs, wholeMs: exchangeMs }
  try {
    const answer = await send(address, { method: 'POST', body, ...times, read }, signal)
    if (answer.status >= 200 && answer.status <= 299) return answer.content
    const message = say('heartbeatStatus', { where: host, status: answer.status })
    throw new HeartbeatRefusal(message, answer.retryAfterMs)
  } catch (error) {
    throw explain(host, error, signal)
  }
}

/** Explains an error of the connection in words for people; the signal's reason, and our own errors, pass unchanged. */
export function explain(host: string, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return error
  if (!(error instanceof ForeignRedirect)) return explainNetwork(host, error)
  return new HeartbeatRefusal(say('heartbeatMoved', { where: host, other: error.origin }))
}

async function readAnswer(
  host: string,
  response: IncomingMessage,
  most: number,
): Promise<HeartbeatReply> {
  const { statusCode = 0, headers } = response
  // Whatever an error page holds, it is not for us.
  if (statusCode < 200 || statusCode > 299) return NO_REPLY
  const packed = headers['content-encoding']
  if (packed !== undefined && packed !== 'identity') {
    const what = `sent a packed reply (${packed.slice(0, 20)}); wanted it as it is`
    throw new HeartbeatRefusal(`${host} ${what}.`)
  }
  const tooLarge = (): HeartbeatRefusal =>
    new HeartbeatRefusal(`${host} sent a reply of more than ${most} bytes.`)
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

/** Most entries of `labels` in one reply. */
const LABELS_MOST = 500

const BOUNDS = { jsonDepth: 8, jsonValues: 5_000 } as const
const ID_MOST = 200

/** Prefix of the ids of entries that have none of their own. */
export const LIST_IDS = 'list:'

/** An entry of a reply's `labels`: its message, or the reason why it cannot be printed. */
export type ReplyItem =
  | { readonly message: Message }
  | { readonly error: PlatenError; readonly bytes: Uint8Array; readonly messageId: string }

/**
 * Reads the labels of a reply. By the specification `labels` is a list of base64 texts. Our optional additions: `ids` beside it, or entries
 * `{id, label}` with any field of `POST /`; an id seen before prints nothing. Any other reply has no labels.
 * @throws PlatenError BODY_BROKEN, TOO_MANY_FIELDS when it is JSON beyond the bounds
 */
export function readReply(text: string): readonly ReplyItem[] {
  // "OK", a page, nothing: many receivers only count the beats.
  if (text === '') return []
  const json = parseExact(text, BOUNDS, 'The reply to the heartbeat') as Record<string, unknown>
  const labels = entriesOf(json['labels'])
  if (labels.length > LABELS_MOST) {
    const message = `The reply to the heartbeat has ${labels.length} labels; wanted at most ${LABELS_MOST}.`
    throw new PlatenError('TOO_MANY_FIELDS', message)
  }
  const list = hashOf(JSON.stringify([json['labels'], json['ids']]))
  const ids = new Map(entriesOf(json['ids']))
  return labels.map(([place, item], index) => readItem(item, ids.get(place), `${list}:${index}`))
}

/** Lists the entries of a list by position; PHP writes a list with gaps, as array_filter leaves it, as an object. */
function entriesOf(value: unknown): readonly (readonly [place: string, entry: unknown])[] {
  if (!Array.isArray(value) && !isObject(value)) return []
  const entries = Object.entries(value)
  return entries.every(([place]) => /^\d+$/.test(place)) ? entries : []
}

function readItem(item: unknown, id: unknown, place: string): ReplyItem {
  try {
    const own = readId(id ?? (isObject(item) ? item['id'] : undefined))
    const messageId = own === undefined ? `${LIST_IDS}${place}` : `id:${own}`
    if (typeof item === 'string') return { message: readPayload(item, messageId) }
    if (isObject(item)) return { message: readMessageFields(item, messageId) }
    throw new PlatenError('LABEL_BASE64', `The entry is ${nameKind(item)}; wanted base64 text.`)
  } catch (thrown) {
    // A fault of ours in one entry is none of the others.
    const error = thrown instanceof PlatenError ? thrown : blameLabel(thrown)
    const bytes = Buffer.from(typeof item === 'string' ? item : JSON.stringify(item))
    return { error, bytes, messageId: hashOf(bytes) }
  }
}

function readId(id: unknown): string | undefined {
  if (id === undefined || id === null || id === '') return undefined
  const text = typeof id === 'number' ? String(id) : id
  if (typeof text === 'string' && text.length <= ID_MOST) return text
  throw new PlatenError(
    'FIELD_INVALID',
    `The id is ${typeof id === 'string' ? `${id.length} letters long` : nameKind(id)}; wanted a text of at most ${ID_MOST} letters.`,
  )
}

/** A hash, the same for the same content. */
export function hashOf(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex').slice(0, 32)
}

const OBJECT = 0x7b // {
const PAGE = 0x3c // <
/** Blanks, and the bytes of the mark that some programs write before every text (U+FEFF). */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** The content of a good answer to a heartbeat. */
interface HeartbeatReply {
  /** A JSON object as text; '' when there was none. */
  readonly text: string
  /** True for a page (HTML, XML) instead, which a proxy or a hotspot may have sent in the receiver's place. */
  readonly isPage: boolean
}

/** The reply without a body. */
const NO_REPLY: HeartbeatReply = { text: '', isPage: false }

/**
 * Collects a reply as it arrives. A reply that does not begin as a JSON object is not worth reading: a page, a word, nothing. Memory is
 * freed at once, because a receiver that floods us does so at every beat.
 */
class ReplyBody {
  readonly #memory = new LabelMemory()
  #bytes = 0
  #isPage = false

  /** Bytes so far, including those dropped before the beginning. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds a chunk, which is unusable afterwards. False when nothing that follows matters. */
  push(chunk: Buffer): boolean {
    this.#bytes += chunk.length
    const hasBegun = this.#memory.length > 0
    const at = hasBegun ? 0 : chunk.findIndex((byte) => !BLANKS.has(byte))
    const isOpen = hasBegun || at < 0 || chunk[at] === OBJECT
    if (!isOpen) this.#isPage = chunk[at] === PAGE
    if (at >= 0 && isOpen) this.#memory.append(chunk.subarray(at))
    freeIfWhole(chunk)
    return isOpen
  }

  /** Returns the whole reply, without the blanks before it, and frees the memory. */
  end(): HeartbeatReply {
    const { buffer, byteOffset, byteLength } = this.#memory.take()
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
    this.#memory.free()
    return { text, isPage: this.#isPage }
  }

  /** Frees the memory. */
  free(): void {
    this.#memory.free()
  }
}
