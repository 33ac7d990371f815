import type { Env, Handler, Hono, MiddlewareHandler } from 'hono'
import * as v from 'valibot'
import type { FieldDescription } from '../settings/describe.ts'
import type { AnswerDescription, Parameter, Schema } from './json-schema.ts'

/** Names and values of a JSON body or a query. Decision `calls-described-by-schemas`. */
export type CallFields = v.ObjectSchema<v.ObjectEntries, undefined>

/** Describes a value that its schema does not check itself, or checks as a text. */
export const describeAs = <Input>(schema: Schema): v.MetadataAction<Input, Schema> =>
  v.metadata(schema)

/**
 * A call of the API. What checks its body and query describes them, too: `openapi/document.ts` makes `/openapi.json` of the
 * calls, and only what no schema here checks (answers, files, foreign protocols) is described by itself.
 */
export interface Call {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** The path in Hono's notation: `/jobs/:id`. */
  readonly path: string
  /** Under which heading it is described. */
  readonly tag: string
  readonly summary: string
  /** The fields that the query may hold. */
  readonly query?: CallFields
  /** The parameters of a query that are checked elsewhere. */
  readonly parameters?: () => readonly Parameter[]
  readonly headers?: readonly Parameter[]
  /** The fields that a JSON body may hold; all of it is optional if no entry is required. */
  readonly body?: CallFields
  /** The schema of another body, by its type; or a body of JSON that is checked elsewhere. */
  readonly content?: (plugins: PluginAdditions) => Readonly<Record<string, Schema>>
  readonly isBodyOptional?: true
  readonly answers: (plugins: PluginAdditions) => readonly AnswerDescription[]
  /** The schemas of its refusals: every 4xx and 5xx. By default the one shape of the API, `Refusal`. */
  readonly refusal?: string | readonly string[]
  /** The caller that is allowed: with an API key, the admin, anybody; by default as the settings say. */
  readonly security?: 'key' | 'admin' | 'none'
}

/** Additions of plugins to the description of the core's calls. */
export interface PluginAdditions {
  /** All keys of config.json. */
  readonly settings: readonly FieldDescription[]
  /** Additions of plugins to `GET /info`. */
  readonly info: Readonly<Record<string, Schema>>
}

/** The calls of a resource, by their names, which are the operation ids of the description. */
export type Calls = Readonly<Record<string, Call>>

/** Adds the route of a call: who may comes before what it does. */
export function route<E extends Env>(
  app: Hono<E>,
  { method, path }: Call,
  ...handlers: readonly [...MiddlewareHandler[], Handler<E>]
): void {
  app.on(method.toUpperCase(), [path], ...(handlers as [Handler<E>]))
}
