import type { Context } from 'hono'
import { PlatenError } from '../../errors.ts'

/** A login, a token: no field of these is long. */
const MAX_BYTES = 8 * 1024
const FORM = 'application/x-www-form-urlencoded'

/**
 * The text fields of a small form or JSON body, for the login, which has to be there after `ms`.
 * @throws PlatenError BODY_TYPE, BODY_BROKEN, BODY_TOO_LARGE, BODY_TIMEOUT
 */
export async function readSmallBody(c: Context, ms: number): Promise<ReadonlyMap<string, string>> {
  const type = mediaType(c)
  if (type !== FORM && type !== 'application/json') {
    throw new PlatenError(
      'BODY_TYPE',
      `The login is not JSON or a form; wanted ${FORM} or application/json.`,
      { hint: 'Log in on the page, or send JSON or a form with username and password.' },
    )
  }
  const text = await readText(c.req.raw.body, ms)
  if (type === FORM) return new Map(new URLSearchParams(text))
  const fields = Object.entries(parseObject(text))
  return new Map(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/**
 * The field `token` of a page form, leaving the body to be read again; undefined for all other bodies.
 * @throws PlatenError BODY_TIMEOUT when the form is not there after `ms`
 */
export async function readFormToken(c: Context, ms: number): Promise<string | undefined> {
  const length = Number(c.req.header('content-length') ?? Number.NaN)
  if (mediaType(c) !== FORM || !(length <= MAX_BYTES)) return undefined
  const text = await readText(c.req.raw.clone().body, ms)
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

async function readText(body: ReadableStream<Uint8Array> | null, ms: number): Promise<string> {
  if (body === null) return ''
  const late = AbortSignal.timeout(ms)
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body.getReader()
  const ended = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => {
      const message = `The form did not arrive within ${ms / 1_000} s; only ${size} bytes of it did.`
      reject(new PlatenError('BODY_TIMEOUT', message))
    })
  })
  for (;;) {
    // A reader that waits stays with the body: the server ends that connection once it has said why.
    const { done, value } = await Promise.race([reader.read(), ended])
    if (done) return Buffer.concat(chunks).toString('utf8')
    size += value.length
    if (size > MAX_BYTES) {
      throw new PlatenError(
        'BODY_TOO_LARGE',
        `The body has more than ${MAX_BYTES} bytes, too many for a login.`,
      )
    }
    chunks.push(value)
  }
}
