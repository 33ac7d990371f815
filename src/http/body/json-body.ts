import { PlatenError } from '../../errors.ts'
import { quoteShort } from '../../quote.ts'
import { parseJson } from '../../request/bounded-json.ts'
import type { HttpContext } from '../context.ts'
import { type BodyLimits, contentTypeOf, readText } from './body.ts'

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
