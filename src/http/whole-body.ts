import { isUtf8 } from 'node:buffer'
import { parseJson } from '../core/request/bounded-json.ts'
import { type ContentType, parseContentType } from '../core/request/multipart.ts'
import { LabelMemory } from '../core/request/reader.ts'
import { isObject } from '../settings/field.ts'
import { freeIfWhole, freeMemory } from '../system/memory.ts'
import { PlatenError, quoteShort } from '../words/errors.ts'
import { readBody } from './guard/body.ts'
import type { BodyLimits } from './guard/body-limits.ts'
import type { HttpContext } from './parts.ts'

/** The Content-Type of a request, '' when it has none. */
export function contentTypeOf(c: HttpContext): ContentType {
  return parseContentType(c.req.header('content-type') ?? '')
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
