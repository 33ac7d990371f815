import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { CLI } from './prism.ts'

const FOLDER = import.meta.dirname
/** Specifications whose licenses do not let us have them: beside the project, or not at all. */
const OTHERS = join(FOLDER, '../../../shared/carrier-specs/other')

/** A part of a specification; what is not there is undefined at every depth. */
interface Spec {
  [name: string]: Spec
}

/** Tells why contracts of these specifications cannot be tested here; undefined = they can. */
export function findMissingSpec(names: readonly string[]): string | undefined {
  const missing = names.find((name) => !existsSync(join(OTHERS, name)))
  return missing === undefined
    ? undefined
    : `the carrier's own specification ${missing} is not here`
}

/**
 * A specification as Prism is given it: every change has its reason beside it.
 * @param name a file of `others`, or below this folder
 */
export function prepare(name: string, folder: string): string {
  const yaml = createRequire(CLI)('js-yaml') as { load(text: string): Spec }
  const own = join(FOLDER, name)
  const text = readFileSync(existsSync(own) ? own : join(OTHERS, name), 'utf8')
  // Tabs stand in descriptions of UPS's files, which YAML forbids.
  const spec = name.endsWith('.json')
    ? (JSON.parse(text) as Spec)
    : yaml.load(text.replaceAll('\t', ' '))
  const paths = spec['paths'] ?? {}
  // UPS lists each path a second time under a name of its own, and Prism would route to that.
  for (const path of Object.keys(paths))
    if (path.includes('{deprecatedVersion}')) delete paths[path]
  MENDS[name]?.(spec['components']?.['schemas'] ?? {})
  makeCompilable(spec)
  closeBodies(spec)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${basename(name)}.json`)
  writeFileSync(file, JSON.stringify(spec))
  return file
}

/** Corrections of files that disagree with themselves or with recorded requests that the carrier took. */
const MENDS: Readonly<Record<string, (schemas: Spec) => void>> = {
  'ups/Rating.yaml': (schemas) => {
    // 3 characters here; its own list of codes, and Shipping of the same commit, have 2.
    Object.assign(propertyOf(schemas, 'Shipment_Service', 'Code'), { minLength: 2, maxLength: 2 })
    // At least 8 characters here; the recorded requests say "0", and UPS answered with rates.
    for (const schema of Object.keys(schemas).filter((one) => one.endsWith('_DeclaredValue'))) {
      Object.assign(propertyOf(schemas, schema, 'MonetaryValue'), { minLength: 1 })
    }
  },
  'ups/Shipping.yaml': (schemas) => {
    // At least 4 characters, while every code of its own list has 3.
    const format = propertyOf(schemas, 'LabelRecovery_LabelSpecification_LabelImageFormat', 'Code')
    Object.assign(format, { minLength: 3 })
    // Required, while its description says that only Roadie shipments have it.
    const recovery = schemas['LabelRecoveryRequest']
    const left = textsOf(recovery?.['required']).filter((one) => one !== 'TrackingNumbers')
    if (recovery) Object.assign(recovery, { required: left })
  },
  'fedex-rate-api.json': (schemas) => {
    // One of 23 schemas of which 22 are empty: nothing can be exactly one.
    Object.assign(schemas, { body: { $ref: '#/components/schemas/Full_Schema_Quote_Rate' } })
  },
  'shipengine.yaml': mendRates,
  'shipstation-v2.yaml': (schemas) => {
    mendRates(schemas)
    // Fields required on the way in that its own guide leaves out; ShipEngine's file of the same schemas does not ask for them.
    const label = schemas['create_label_request_body']
    const first = listOf(label?.['allOf'])[0]
    const name =
      String(first?.['$ref'] ?? '')
        .split('/')
        .pop() ?? ''
    const target = schemas[name] ?? first ?? {}
    const required = ['carrier_id', 'service_code', 'ship_to', 'packages']
    const shipment = { allOf: [{ $ref: '#/components/schemas/partial_shipment' }], required }
    const properties = { ...target['properties'], shipment }
    Object.assign(target, { required: ['shipment'], properties })
  },
}

/** Both ids and shipment are required, while only one of them is allowed; and a shipment to rate has no id. */
function mendRates(schemas: Spec): void {
  const body = schemas['calculate_rates_request_body']
  if (body === undefined) return
  const shapes = listOf(body['oneOf']).map((one) => {
    const name =
      String(one['$ref'] ?? '')
        .split('/')
        .pop() ?? ''
    return schemas[name] ?? one
  })
  const find = (field: string): Spec | undefined =>
    shapes.find((one) => one['properties']?.[field])?.['properties']?.[field]
  const more = { shipment_id: find('shipment_id'), shipment: find('shipment') }
  delete body['oneOf']
  delete body['required']
  Object.assign(body, { properties: { ...body['properties'], ...more } })
  Object.assign(schemas['address_validating_shipment'] ?? {}, {
    required: ['ship_to', 'ship_from'],
  })
}

function propertyOf(schemas: Spec, schema: string, field: string): object {
  return schemas[schema]?.['properties']?.[field] ?? {}
}

function listOf(value: unknown): readonly Spec[] {
  return Array.isArray(value) ? (value as readonly Spec[]) : []
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : []
}

/** Prism says nothing where its validator cannot read a schema: the body then passes unjudged. */
function makeCompilable(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const schema = value as Record<string, unknown>
  // DHL and karrio have the same value twice, karrio null beside `nullable`.
  if (Array.isArray(schema['enum'])) {
    const once = [...new Set(schema['enum'] as readonly unknown[])]
    schema['enum'] = once.filter((one) => one !== null || schema['nullable'] !== true)
  }
  const { pattern } = schema
  if (typeof pattern === 'string' && !isPattern(pattern)) {
    // `\-` outside a class is no regular expression under the flag u, which Prism sets.
    const plain = pattern.replace(/\\([-:,_ ])/g, '$1')
    if (isPattern(plain)) schema['pattern'] = plain
    else delete schema['pattern']
  }
  for (const one of Object.values(schema)) makeCompilable(one)
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}

function closeBodies(spec: Spec): void {
  const operations = Object.values(spec['paths'] ?? {}).flatMap((path) => Object.values(path ?? {}))
  for (const operation of operations) {
    const body = operation?.['requestBody']
    const content = body && resolve(spec, body)['content']?.['application/json']
    if (!content?.['schema']) continue
    // Without what is undefined in it.
    const closed = JSON.parse(JSON.stringify(close(spec, content['schema'], [])))
    Object.assign(content, { schema: closed })
  }
}

function resolve(spec: Spec, schema: Spec): Spec {
  let found = schema
  for (let ref = found['$ref']; ref !== undefined; ref = found['$ref']) {
    const steps = (ref as unknown as string).split('/').slice(1)
    found = steps.reduce<Spec>((at, step) => at[step] ?? {}, spec)
  }
  return found
}

/** The same schema with every object closed, so that a misspelt name is a violation too. */
function close(spec: Spec, schema: Spec, seen: readonly string[]): Spec {
  const ref = schema['$ref'] as unknown as string | undefined
  if (ref !== undefined && seen.includes(ref)) return {}
  const next = ref === undefined ? seen : [...seen, ref]
  const found = resolve(spec, schema)
  const closed: Spec = found['allOf'] ? closeAll(spec, found, next) : { ...found }
  for (const name of ['oneOf', 'anyOf']) {
    const several = listOf(closed[name]).map((one) => close(spec, one, next))
    if (several.length > 0) Object.assign(closed, { [name]: several })
  }
  if (closed['items']) closed['items'] = close(spec, closed['items'], next)
  return closed['properties'] ? closeObject(spec, closed, next) : closed
}

/** Several objects in one become one: each closed by itself would refuse the fields of the others. */
function closeAll(spec: Spec, schema: Spec, seen: readonly string[]): Spec {
  if (isPlain(spec, schema)) return merge(spec, schema)
  return {
    ...schema,
    allOf: listOf(schema['allOf']).map((one) => close(spec, one, seen)) as unknown as Spec,
  }
}

function isPlain(spec: Spec, schema: Spec): boolean {
  if (schema['oneOf'] || schema['anyOf'] || schema['enum']) return false
  if (schema['properties']) return true
  const parts = listOf(schema['allOf'])
  return parts.length > 0 && parts.every((one) => isPlain(spec, resolve(spec, one)))
}

function merge(spec: Spec, schema: Spec): Spec {
  const { allOf, ...own } = schema
  if (allOf === undefined) return schema
  const parts = listOf(allOf).map((one) => merge(spec, resolve(spec, one)))
  const required = [...parts, own].flatMap((one) => textsOf(one['required']))
  const properties = Object.assign({}, ...parts.map((one) => one['properties']), own['properties'])
  const merged: unknown = { ...own, type: 'object', properties, required: [...new Set(required)] }
  return merged as Spec
}

function isOpen({ additionalProperties }: Spec): boolean {
  return additionalProperties === undefined || (additionalProperties as unknown) === true
}

function closeObject(spec: Spec, schema: Spec, seen: readonly string[]): Spec {
  const entries = Object.entries(schema['properties'] ?? {})
  const required = textsOf(schema['required'])
  // A name that stands under `required` only (RequestOption) counts as known.
  const bare = required.filter((name) => !entries.some(([known]) => known === name))
  const all = [...entries, ...bare.map((name) => [name, {}] as const)]
  const properties = Object.fromEntries(
    all.map(([name, one]) => [name, close(spec, (one ?? {}) as Spec, seen)]),
  )
  const { required: _, ...rest } = schema
  const closed: unknown = {
    ...rest,
    properties,
    // USPS says "anything else" at every object, which hides misspelt names.
    additionalProperties: isOpen(schema) ? false : schema['additionalProperties'],
    // Empty is not allowed.
    ...(required.length > 0 && { required }),
  }
  return closed as Spec
}
