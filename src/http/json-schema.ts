/** A JSON Schema (2020-12), as OpenAPI 3.1 has it. */
export type Schema = Readonly<Record<string, unknown>>

type About = Schema | string

const about = (more: About): Schema => (typeof more === 'string' ? { description: more } : more)

export const text = (more: About = {}): Schema => ({ type: 'string', ...about(more) })
export const whole = (more: About = {}): Schema => ({ type: 'integer', ...about(more) })
export const number = (more: About = {}): Schema => ({ type: 'number', ...about(more) })
export const flag = (more: About = {}): Schema => ({ type: 'boolean', ...about(more) })
export const time = (more: About = {}): Schema => text({ format: 'date-time', ...about(more) })
export const choice = (values: readonly unknown[], more: About = {}): Schema => ({
  enum: values,
  ...about(more),
})
export const list = (items: Schema, more: About = {}): Schema => ({
  type: 'array',
  items,
  ...about(more),
})

/** A schema of the same, or nothing. */
export const orNull = (schema: Schema): Schema => ({ oneOf: [schema, { type: 'null' }] })

/** An object of exactly these fields; those in `optional` may be missing. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return {
    type: 'object',
    properties,
    additionalProperties: false,
    ...(required.length > 0 && { required }),
  }
}

/** An object of any names. */
export const record = (values: Schema, more: About = {}): Schema => ({
  type: 'object',
  additionalProperties: values,
  ...about(more),
})

/** A part of `components`. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** An answer: what it means and what it holds; no schema = nothing. */
export interface AnswerDescription {
  readonly status: number
  readonly about: string
  readonly schema?: Schema
  /** `application/json` when left out. */
  readonly type?: string
}

/** A header, or a value of the query. */
export interface Parameter {
  readonly name: string
  readonly about: string
  readonly schema: Schema
}

/** A body of JSON that no schema of its call checks. */
export const json = (schema: Schema) => (): Readonly<Record<string, Schema>> => ({
  'application/json': schema,
})
export const ok = (about_: string, schema: Schema): readonly AnswerDescription[] => [
  { status: 200, about: about_, schema },
]

/** An answer that is a text of another type than JSON. */
export const textAnswer = (about_: string, type: string) => (): readonly AnswerDescription[] => [
  { status: 200, about: about_, type, schema: text() },
]

/** The answer to a call of which there is nothing to tell. */
export const done = (): readonly AnswerDescription[] => ok('Done.', ref('Done'))

/** Labels by state. */
export const jobCounts = record(whole())

/** The counts of one printer. */
export const countsOfPrinter = object({
  printer: text('`""`: labels that found none'),
  not_completed: whole(),
  pending: whole(),
  'pending-held': whole(),
  processing: whole(),
  'processing-stopped': whole(),
  today: object({ completed: whole(), canceled: whole(), aborted: whole() }),
})
