import { PlatenError, quoteShort } from '../errors.ts'
import { FormReader } from '../request/form.ts'
import { JsonReader } from '../request/json.ts'
import { MultipartReader } from '../request/multipart.ts'
import { beginsJson, beginsRaw, ChoosingReader, RawReader } from '../request/raw.ts'
import type { Reader } from '../request/reader.ts'
import type { RequestFields } from '../request/request-fields.ts'
import { freeIfWhole } from '../system/memory.ts'
import { contentTypeOf, isJson, readBody } from './body.ts'
import type { BodyLimits } from './body-budget.ts'
import type { HttpContext } from './context.ts'

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'
/** Of a body that is one label; what it is its bytes say. */
const RAW =
  /^(image\/.+|text\/plain|application\/(octet-stream|pdf|gzip|x-gzip|(x-)?zpl|vnd\.(zebra-zpl|eltron-epl|tsc-tspl)))$/

/**
 * Reads what stands before the body: the header Idempotency-Key, and the query, whose fields are those of a form. The body
 * may repeat them, not contradict them.
 * @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS, BODY_BROKEN
 */
export function readPrintHead(c: HttpContext, { bounds }: BodyLimits, fields: RequestFields): void {
  fields.enter('header')
  fields.addText('idempotency_key', c.req.header('idempotency-key') ?? '')
  fields.enter('address')
  const query = new FormReader(fields, bounds)
  query.push(Buffer.from(/\?([^#]*)/.exec(c.req.url)?.[1] ?? ''))
  query.end()
  fields.enter('body')
}

/**
 * Reads a print request in any of its forms into `fields`.
 * @throws PlatenError BODY_TYPE, BODY_BROKEN, BODY_TOO_LARGE, BODY_TIMEOUT, TOO_MANY_FIELDS, FIELD_INVALID
 */
export async function readPrintBody(
  c: HttpContext,
  limits: BodyLimits,
  fields: RequestFields,
): Promise<void> {
  const reader = openReader(c, limits, fields)
  try {
    await readBody(c, limits, (chunk) => {
      reader.push(chunk)
      // The readers copy what they keep.
      freeIfWhole(chunk)
    })
    reader.end()
  } finally {
    reader.free?.()
  }
}

function openReader(c: HttpContext, { bounds }: BodyLimits, fields: RequestFields): Reader {
  const { type, parameters } = contentTypeOf(c)
  if (isJson(type)) return new JsonReader(fields, bounds)
  if (type === MULTIPART) return new MultipartReader(parameters.get('boundary'), fields, bounds)
  if (type === FORM || type === '') {
    const charset = readCharset(parameters.get('charset'))
    return new ChoosingReader((first) => {
      if (type === '' && beginsJson(first)) return new JsonReader(fields, bounds)
      if (beginsRaw(first)) return new RawReader(fields)
      return new FormReader(fields, bounds, charset)
    })
  }
  if (RAW.test(type)) return new RawReader(fields)
  throw new PlatenError(
    'BODY_TYPE',
    `The request has the Content-Type ${quoteShort(type)}; wanted ${FORM}, ${MULTIPART} (curl -F label=@FILE), application/json, or application/octet-stream for a body that is a label.`,
  )
}

/** ISO 8859-1 means windows-1252 on the web (Encoding Standard, 4.2). */
function readCharset(charset = 'utf-8'): 'utf-8' | 'windows-1252' {
  const name = charset.toLowerCase()
  if (['utf-8', 'utf8', 'us-ascii', 'ascii'].includes(name)) return 'utf-8'
  if (['iso-8859-1', 'latin1', 'windows-1252', 'cp1252'].includes(name)) return 'windows-1252'
  throw new PlatenError(
    'BODY_TYPE',
    `The form has the charset ${quoteShort(charset)}, wanted utf-8.`,
    { hint: 'Send the form as UTF-8.' },
  )
}
