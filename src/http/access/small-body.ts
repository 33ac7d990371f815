import type { Context } from 'hono'
import { PlatenError } from '../../errors.ts'

/** A login, a token: no field of these is long. */
const MAX_BYTES = 8 * 1024
const FORM = 'application/x-www-form-urlencoded'

/**
 * The text fields of a small form or JSON body, for the login.
 * @throws PlatenError BODY_TYPE, BODY_BROKEN, BODY_TOO_LARGE
 */
export async function readSmallBody(c: Context): Promise<ReadonlyMap<string, string>> {
  const type = mediaType(c)
  if (type !== FORM && type !== 'application/json') {
    throw new PlatenError(
      'BODY_TYPE',
      `The login is not JSON or a form; wanted ${FORM} or application/json.`,
    )
  }
  const text = await readText(c.req.raw.body)
  if (type === FORM) return new Map(new URLSearchParams(text))
  const fields = Object.entries(parseObject(text))
  return new Map(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/** The field `token` of a page form, leaving the body to be read again; undefined for all other bodies. */
export async function readFormToken(c: Context): Promise<string | undefined> {
  const length = Number(c.req.header('content-length') ?? Number.NaN)
  if (mediaType(c) !== FORM || !(length <= MAX_BYTES)) return undefined
  const text = await readText(c.req.raw.clone().body)
  return new URLSearchParams(text).get('token') ?? undefined
}

function mediaType(c: Context): string {
  return (c.req.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    throw new PlatenError('BODY_BROKEN', 'The login is not valid JSON.', { cause })
  }
  throw new PlatenError(
    'BODY_BROKEN',
    'The login is not a JSON object; wanted username and password.',
  )
}

async function readText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) {
      throw new PlatenError(
        'BODY_TOO_LARGE',
        `The body has more than ${MAX_BYTES} bytes, too many for a login.`,
      )
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
