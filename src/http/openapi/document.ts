import { toJsonSchema } from '@valibot/to-json-schema'
import type { FieldDescription } from '../../settings/describe.ts'
import type { Call, CallFields, Calls, PluginAdditions } from '../call.ts'
import type { AnswerDescription, Parameter, Schema } from '../json-schema.ts'
import { components } from './components.ts'

/** The calls of a plugin, and the schemas that they name. */
export interface DescribedCalls {
  readonly calls: Calls
  readonly schemas: Readonly<Record<string, Schema>>
  /** Its additions to the answer of `GET /info`. */
  readonly info?: Readonly<Record<string, Schema>>
}

/**
 * The whole box as OpenAPI 3.1, from the calls whose schemas check its requests; `plugins` are their calls, `settings` the keys of
 * config.json.
 */
export function describeApi(
  version: string,
  calls: Calls,
  plugins: readonly DescribedCalls[],
  settings: readonly FieldDescription[],
): Schema {
  const paths: Record<string, Record<string, unknown>> = {}
  const all: Calls = Object.assign({ ...calls }, ...plugins.map((one) => one.calls))
  const info = Object.assign({}, ...plugins.map((one) => one.info))
  const added = { settings, info }
  for (const [id, call] of Object.entries(all)) {
    const path = call.path.replace(/:(\w+)(?:\{\.\+\})?/g, '{$1}')
    paths[path] = { ...paths[path], [call.method]: describe(id, path, call, added) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'platen',
      version,
      summary: 'Prints shipping labels',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: Object.assign(components(), ...plugins.map(({ schemas }) => schemas)),
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        login: { type: 'http', scheme: 'basic' },
      },
    },
  }
}

function describe(operationId: string, path: string, call: Call, added: PluginAdditions): Schema {
  const { tag, summary, query, headers = [], refusal = 'Refusal' } = call
  const others = call.parameters?.() ?? []
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const parameters = [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...(query === undefined ? [] : describeQuery(query)),
    ...others.map((one) => describeParameter(one, 'query')),
    ...headers.map((one) => describeParameter(one, 'header')),
  ]
  const body = describeBody(call, added)
  const answers = call
    .answers(added)
    .map((one) => [String(one.status), describeAnswer(one)] as const)
  return {
    operationId,
    tags: [tag],
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: Object.fromEntries([...answers, ['default', describeRefusal(refusal)]]),
    security: describeSecurity(call),
  }
}

/** An empty entry: without a login, as far as the settings allow it. */
function describeSecurity({ security }: Call): readonly Schema[] {
  if (security === 'key') return [{ key: [] }]
  return security === 'none' ? [] : [{}, { login: [] }]
}

/** Converts fields to JSON Schema; a check without a counterpart there is in the description. */
function toSchema(
  fields: CallFields,
): Schema & { readonly properties: Readonly<Record<string, Schema>> } {
  const { $schema: _, ...schema } = toJsonSchema(fields, {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'ignore',
    // What a check of another part, or of the text of a query, wants of the value: `describeAs` in call.ts.
    overrideAction: ({ valibotAction, jsonSchema }) =>
      valibotAction.type === 'metadata' && 'metadata' in valibotAction
        ? { ...jsonSchema, ...Object(valibotAction.metadata) }
        : undefined,
  })
  return { properties: {}, ...schema } as ReturnType<typeof toSchema>
}

function describeQuery(query: CallFields): readonly Schema[] {
  return Object.entries(toSchema(query).properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    description,
    schema,
  }))
}

function describeParameter({ name, about, schema }: Parameter, where: 'query' | 'header'): Schema {
  return { name, in: where, description: about, schema }
}

function describeBody(
  { body, content, isBodyOptional }: Call,
  added: PluginAdditions,
): Schema | undefined {
  if (body === undefined && content === undefined) return undefined
  const schema = body === undefined ? undefined : toSchema(body)
  const types = content?.(added) ?? { 'application/json': schema }
  const isOptional =
    isBodyOptional ?? (schema !== undefined && Object(schema['required']).length === 0)
  const described = Object.entries(types).map(([type, one]) => [type, { schema: one }] as const)
  return { required: !isOptional, content: Object.fromEntries(described) }
}

function describeAnswer({ about, schema, type = 'application/json' }: AnswerDescription): Schema {
  return {
    description: about,
    ...(schema !== undefined && { content: { [type]: { schema } } }),
  }
}

function describeRefusal(refusal: NonNullable<Call['refusal']>): Schema {
  const schemas = [refusal].flat().map((name) => ({ $ref: `#/components/schemas/${name}` }))
  return {
    description: 'Refused; the message says what is wrong and what to do.',
    content: {
      'application/json': { schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas } },
    },
  }
}
