import { theBox } from './box.ts'
import {
  type Answer,
  type Body,
  components,
  type Operation,
  type Parameter,
  type Schema,
} from './components.ts'
import { printServer } from './print-server.ts'
import { shipping, shippingComponents } from './shipping.ts'

/** What of the description depends on the box. */
export interface About {
  readonly version: string
  /** The paths of the shipping API. */
  readonly shipPaths: readonly string[]
}

/** The whole box as OpenAPI 3.1, from the tables that check its requests. */
export function describeApi({ version, shipPaths }: About): Schema {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of [...printServer(), ...theBox(), ...shipping(shipPaths)]) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method]: describe(operation) }
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
      schemas: { ...components(), ...shippingComponents() },
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        login: { type: 'http', scheme: 'basic' },
      },
    },
  }
}

function describe(operation: Operation): Schema {
  const { path, method, tag, summary, query = [], headers = [], body, refusal } = operation
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const parameters = [
    ...names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...query.map((one) => parameter(one, 'query')),
    ...headers.map((one) => parameter(one, 'header')),
  ]
  const answers = operation.answers.map((one) => [String(one.status), answer(one)] as const)
  return {
    // A path with a slash at its end is another one.
    operationId: `${method}${path.replace(/\/$/, '/slash')}`.replace(/\W+/g, '_').replace(/_$/, ''),
    tags: [tag],
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: requestBody(body) }),
    responses: Object.fromEntries([...answers, ['default', refused(refusal)]]),
    security: securityOf(operation),
  }
}

/** An empty entry: without a login, as far as the settings allow it. */
function securityOf({ security }: Operation): readonly Schema[] {
  if (security === 'key') return [{ key: [] }]
  return security === 'none' ? [] : [{}, { login: [] }]
}

function parameter({ name, about, schema }: Parameter, where: 'query' | 'header'): Schema {
  return { name, in: where, description: about, schema }
}

function requestBody({ types, isOptional }: Body): Schema {
  const content = Object.entries(types).map(([type, schema]) => [type, { schema }])
  return { required: isOptional !== true, content: Object.fromEntries(content) }
}

function answer({ about, schema, type = 'application/json' }: Answer): Schema {
  return {
    description: about,
    ...(schema !== undefined && { content: { [type]: { schema } } }),
  }
}

function refused(refusal: Operation['refusal']): Schema {
  const [schema, ...more] = [refusal]
    .flat()
    .map((name) => ({ $ref: `#/components/schemas/${name}` }))
  return {
    description: 'Refused; the message says what is wrong and what to do.',
    content: {
      'application/json': { schema: more.length === 0 ? schema : { oneOf: [schema, ...more] } },
    },
  }
}
