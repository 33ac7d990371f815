import { PlatenError } from '../../errors.ts'
import { freeIfWhole } from '../../free-memory.ts'
import type { HttpContext } from '../context.ts'
import { type BodyLimits, contentTypeOf, readBody } from './body.ts'
import { type Fields, quote } from './fields.ts'
import { FormReader } from './form.ts'
import { isJson, readJsonFields } from './json-body.ts'
import { MultipartReader } from './multipart.ts'

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'

/** A reader of one kind of body. */
interface Reader {
  push(chunk: Uint8Array): void
  end(): void
}

/**
 * Reads a print request in any of its three forms into `fields`, label by label as it arrives.
 * @throws PlatenError BODY_TYPE, BODY_BROKEN, BODY_TOO_LARGE, BODY_TIMEOUT, TOO_MANY_FIELDS, FIELD_INVALID, LABEL_BASE64
 */
export async function readPrintBody(
  c: HttpContext,
  limits: BodyLimits,
  fields: Fields,
): Promise<void> {
  const { type, parameters } = contentTypeOf(c)
  if (isJson(type)) {
    await readJsonFields(c, limits, fields)
  } else if (type === FORM) {
    const charset = readCharset(parameters.get('charset'))
    await readWith(c, limits, new FormReader(fields, limits.bounds, charset))
  } else if (type === MULTIPART) {
    await readWith(
      c,
      limits,
      new MultipartReader(parameters.get('boundary'), fields, limits.bounds),
    )
  } else {
    const seen = type === '' ? 'no Content-Type' : `the Content-Type ${quote(type)}`
    throw new PlatenError(
      'BODY_TYPE',
      `The request has ${seen}; wanted ${FORM}, ${MULTIPART} (curl -F label=@FILE) or application/json.`,
    )
  }
  fields.settle()
}

async function readWith(c: HttpContext, limits: BodyLimits, reader: Reader): Promise<void> {
  await readBody(c, limits, (chunk) => {
    reader.push(chunk)
    // The readers copy what they keep.
    freeIfWhole(chunk)
  })
  reader.end()
}

/** ISO 8859-1 means windows-1252 on the web (Encoding Standard, 4.2). */
function readCharset(charset = 'utf-8'): 'utf-8' | 'windows-1252' {
  const name = charset.toLowerCase()
  if (['utf-8', 'utf8', 'us-ascii', 'ascii'].includes(name)) return 'utf-8'
  if (['iso-8859-1', 'latin1', 'windows-1252', 'cp1252'].includes(name)) return 'windows-1252'
  throw new PlatenError('BODY_TYPE', `The form has the charset ${quote(charset)}, wanted utf-8.`, {
    hint: 'Send the form as UTF-8.',
  })
}
