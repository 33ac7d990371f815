import { isUtf8 } from 'node:buffer'
import type { Next } from 'hono'
import { paceChunks } from '../core/request/arrival.ts'
import type { Share } from '../core/request/body-budget.ts'
import { parseJson } from '../core/request/bounded-json.ts'
import { type ContentType, parseContentType } from '../core/request/multipart.ts'
import { LabelMemory } from '../core/request/reader.ts'
import { isObject } from '../settings/field.ts'
import { freeIfWhole, freeMemory } from '../system/memory.ts'
import { PlatenError, quoteShort } from '../words/errors.ts'
import { say } from '../words/say.ts'
import { findRemote, ownerOf } from './access/addresses.ts'
import type { BodyLimits } from './body-budget.ts'
import type { Bounds } from './bounds.ts'
import type { HttpContext } from './parts.ts'

/** The Content-Type of a request, '' when it has none. */
export function contentTypeOf(c: HttpContext): ContentType {
  return parseContentType(c.req.header('content-type') ?? '')
}

/**
 * Hands the body to `take` as it arrives; nothing is kept here.
 * @throws PlatenError BODY_TYPE (compressed), BODY_TOO_LARGE (as soon as it is known), BODY_TIMEOUT, BODY_BROKEN
 * (the client went away), SERVER_BUSY, and whatever `take` throws
 */
export async function readBody(
  c: HttpContext,
  { bounds, budget }: BodyLimits,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  refuseEarly(c, bounds)
  if (c.req.header('expect')?.toLowerCase() === '100-continue') c.env?.outgoing?.writeContinue()
  const share = budget.open(ownerOf(findRemote(c)))
  let isRead = false
  let bytes = 0
  try {
    const whole = takeWhole(c)
    if (whole !== undefined) {
      if (whole.length > bounds.bodyBytes) throw tooLarge(`more than ${bounds.bodyBytes}`, bounds)
      await share.take(whole.length)
      take(whole)
      isRead = true
      return
    }
    for await (const chunk of paceChunks(openBody(c), bounds)) {
      bytes += chunk.length
      if (bytes > bounds.bodyBytes) throw tooLarge(`more than ${bounds.bodyBytes}`, bounds)
      await share.take(chunk.length)
      take(chunk)
    }
    isRead = true
  } finally {
    if (isRead) held.set(c, [...(held.get(c) ?? []), share])
    else share.release()
  }
}

/** What the body of each request holds of the budget. */
const held = new WeakMap<HttpContext, readonly Share[]>()

/** What a request holds: what came of its body counts until it is answered, or gives it back before. */
export function holdBody(c: HttpContext): readonly Share[] {
  return held.get(c) ?? []
}

/** Its labels are on disk. */
export function releaseBody(c: HttpContext): void {
  for (const share of holdBody(c)) share.release()
  held.delete(c)
}

/** Whoever reads a body need not think of it: what it holds is given back when the request is answered. */
export async function releaseBodies(c: HttpContext, next: Next): Promise<void> {
  try {
    await next()
  } finally {
    releaseBody(c)
  }
}

/**
 * The whole body; its memory may be freed. Of one that is refused `onRefused` is given what came.
 * @throws PlatenError as `readBody`
 */
export async function readWhole(
  c: HttpContext,
  limits: BodyLimits,
  onRefused: (error: unknown, begun: Uint8Array) => Promise<void> = async () => {},
): Promise<Uint8Array> {
  const memory = new LabelMemory()
  try {
    await readBody(c, limits, (chunk) => {
      memory.append(chunk)
      freeIfWhole(chunk)
    })
  } catch (error) {
    await onRefused(error, memory.take())
    throw error
  }
  return memory.take()
}

/**
 * The whole body as text.
 * @throws PlatenError as `readBody`, and BODY_BROKEN when it is not UTF-8
 */
export async function readText(c: HttpContext, limits: BodyLimits): Promise<string> {
  const bytes = await readWhole(c, limits)
  try {
    if (!isUtf8(bytes)) throw new PlatenError('BODY_BROKEN', 'The body is not UTF-8 text.')
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
    return text.startsWith('\ufeff') ? text.slice(1) : text
  } finally {
    freeMemory(bytes)
  }
}

function refuseEarly(c: HttpContext, bounds: Bounds): void {
  const coding = c.req.header('content-encoding')?.trim().toLowerCase() ?? ''
  if (coding !== '' && coding !== 'identity') {
    throw new PlatenError(
      'BODY_TYPE',
      `The body has the Content-Encoding ${JSON.stringify(coding.slice(0, 40))}; wanted a body that is not compressed.`,
      { hint: 'Send the body as it is, without a Content-Encoding.' },
    )
  }
  const length = Number(c.req.header('content-length') ?? 0)
  if (length > bounds.bodyBytes) throw tooLarge(String(length), bounds)
}

function tooLarge(seen: string, bounds: Bounds): PlatenError {
  return new PlatenError(
    'BODY_TOO_LARGE',
    say('tooLarge', { most: Math.floor((bounds.bodyBytes / 2 ** 20) * 10) / 10 }),
    { detail: `The body has ${seen} bytes, wanted at most ${bounds.bodyBytes}.` },
  )
}

/** Node's own stream where there is one: the detour over a web stream costs a copy and a third of the time. */
function openBody(c: HttpContext): AsyncIterable<Uint8Array> {
  const incoming = c.env?.incoming
  // One that somebody has begun to read (a form's token is looked for first) can only be read on as they left it.
  if (!incoming?.readable || incoming.readableDidRead) {
    return c.req.raw.body ?? (async function* () {})()
  }
  // A refusal must not cut the connection before the client has read it, so the stream stays open.
  return { [Symbol.asyncIterator]: () => incoming.iterator({ destroyOnReturn: false }) }
}

/** A body that is here already, as most labels are: nobody is waited for, so no clock runs. */
function takeWhole(c: HttpContext): Uint8Array | undefined {
  const incoming = c.env?.incoming
  if (!incoming?.complete || !incoming.readable || incoming.readableDidRead) return undefined
  return (incoming.read() as Uint8Array | null) ?? undefined
}

/** True for application/json and its kin, e.g. application/vnd.api+json. */
export function isJson(type: string): boolean {
  return type === 'application/json' || type === 'text/json' || /^application\/.+\+json$/.test(type)
}

/**
 * Refuses a body that says it is something else than JSON, where nothing else is read.
 * @throws PlatenError BODY_TYPE
 */
export function wantJson(c: HttpContext, what: string): void {
  const { type } = contentTypeOf(c)
  if (type === '' || isJson(type)) return
  throw new PlatenError('BODY_TYPE', `${what} is ${quoteShort(type)}, wanted application/json.`, {
    hint: 'Send it as JSON, with the header Content-Type: application/json.',
  })
}

/**
 * A JSON body, parsed; an empty one is an empty object.
 * @throws PlatenError BODY_TYPE, BODY_BROKEN, and as `readBody`
 */
export async function readJson(c: HttpContext, limits: BodyLimits): Promise<unknown> {
  wantJson(c, 'The body')
  return parseJson(await readText(c, limits), limits.bounds)
}

/**
 * A JSON body that is an object; an empty one is an empty object.
 * @throws PlatenError as `readJson`
 */
export async function readObject(
  c: HttpContext,
  limits: BodyLimits,
): Promise<Readonly<Record<string, unknown>>> {
  const value = await readJson(c, limits)
  if (isObject(value)) return value
  throw new PlatenError('BODY_BROKEN', 'The JSON body must be an object.')
}
