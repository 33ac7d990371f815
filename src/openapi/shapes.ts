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
  ...{ type: 'array', items },
  ...about(more),
})

/** The same, or nothing. */
export const orNull = (schema: Schema): Schema => ({ oneOf: [schema, { type: 'null' }] })

/** An object of exactly these fields; those in `optional` may be missing. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return {
    ...{ type: 'object', properties, additionalProperties: false },
    ...(required.length > 0 && { required }),
  }
}

/** An object of any names. */
export const record = (values: Schema, more: About = {}): Schema => ({
  ...{ type: 'object', additionalProperties: values },
  ...about(more),
})

/** A part of `components`. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** One answer: what it means and what it holds; no schema = nothing. */
export interface Answer {
  readonly status: number
  readonly about: string
  readonly schema?: Schema
  /** `application/json` when left out. */
  readonly type?: string
}

/** What a request may hold. */
export interface Body {
  readonly types: Readonly<Record<string, Schema>>
  readonly isOptional?: true
}

/** One way to call the box. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** As OpenAPI writes it: `/jobs/{id}`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly query?: readonly Parameter[]
  readonly headers?: readonly Parameter[]
  readonly body?: Body
  readonly answers: readonly Answer[]
  /** How its refusals look: every 4xx and 5xx. */
  readonly refusal: 'Refusal' | 'SeedRefusal' | 'Envelope' | 'none'
  /** Who may: with an API key, or as the settings say. */
  readonly security?: 'key' | 'admin' | 'none'
}

export interface Parameter {
  readonly name: string
  readonly about: string
  readonly schema: Schema
}

/** A body or an answer of JSON. */
export const json = (schema: Schema): Body => ({ types: { 'application/json': schema } })
export const ok = (about_: string, schema: Schema): readonly Answer[] => [
  { status: 200, about: about_, schema },
]
