import * as v from 'valibot'
import { checkSpelling } from '../core/request/field-values.ts'
import { PlatenError, quoteShort } from '../words/errors.ts'
import type { CallFields } from './call.ts'
import type { BodyLimits } from './guard/body-limits.ts'
import type { HttpContext } from './parts.ts'
import { readObject } from './whole-body.ts'

/**
 * The JSON body of a call, checked; other names are ignored, but not if they differ from one of ours by case only.
 * @throws PlatenError FIELD_INVALID, and as `readObject`
 */
export async function readBodyFields<F extends CallFields>(
  c: HttpContext,
  limits: BodyLimits,
  fields: F,
): Promise<v.InferOutput<F>> {
  const body = await readObject(c, limits)
  checkSpelling(Object.keys(body), Object.keys(fields.entries))
  return check(fields, body, nameKind)
}

/**
 * The query of a call, checked. Names that a call does not know are refused, and so are those that come twice: what was
 * asked for is not what the answer would be.
 * @param what the call, as the start of a sentence
 * @throws PlatenError FIELD_INVALID
 */
export function readQuery<F extends CallFields>(
  c: HttpContext,
  what: string,
  fields: F,
): v.InferOutput<F> {
  const queries = c.req.queries()
  const known = Object.keys(fields.entries)
  const names = Object.keys(queries)
  const twice = names.find((name) => (queries[name]?.length ?? 0) > 1)
  if (twice !== undefined)
    throw refuse(twice, quoteShort(queries[twice]?.join('&') ?? ''), 'one value')
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const message = `${what} has no query ${quoteShort(unknown)}, wanted ${known.join(' or ')}.`
    throw new PlatenError('FIELD_INVALID', message, {
      hint: 'Remove it from the URL; /web/api.html lists the query parameters.',
    })
  }
  const given = names.map((name) => [name, queries[name]?.[0]] as const)
  return check(fields, Object.fromEntries(given), (value) => quoteShort(String(value)))
}

function check<F extends CallFields>(
  fields: F,
  values: unknown,
  describeSeen: (value: unknown) => string,
): v.InferOutput<F> {
  const { success, output, issues } = v.safeParse(fields, values, { abortEarly: true })
  if (success) return output
  const [issue] = issues
  const path = v.getDotPath(issue) ?? ''
  throw refuse(path, describeSeen(issue.input), describeWanted(fields, issue, path))
}

/**
 * Describes the wanted value. For a missing field the schema of the object complains in its own words, but the field knows what was wanted.
 */
function describeWanted(fields: CallFields, issue: v.BaseIssue<unknown>, path: string): string {
  const entry = fields.entries[path]
  if (issue.input !== undefined || entry === undefined) return issue.message
  const { issues = [issue] } = v.safeParse(entry, undefined, { abortEarly: true })
  return issues[0].message
}

function refuse(name: string, seen: string, wanted: string): PlatenError {
  return new PlatenError('FIELD_INVALID', `${name}: got ${seen}, wanted ${wanted}.`)
}

/** Names what a value of JSON is; its text may be a secret. */
function nameKind(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
