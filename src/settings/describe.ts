import * as v from 'valibot'
import { queueSettings } from './entry-schema.ts'
import type { Marks } from './field.ts'
import { schema } from './schema.ts'

/** The kind of input on the settings page. */
export type FieldType = 'text' | 'number' | 'boolean' | 'choice' | 'texts' | 'list' | 'json'

/** One key of the configuration, for the settings page, the docs and the checks that valibot does not make. */
export interface FieldDescription {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly type: FieldType
  /** Left out when there is none. */
  readonly default?: unknown
  /** The values of a choice. */
  readonly choices?: readonly (string | number)[]
  /** The names of the values for people; left out where the page has words of its own. */
  readonly words?: Readonly<Record<string, string>>
  readonly required: boolean
  readonly restart: boolean
  readonly secret: boolean
  readonly unquoted: boolean
  readonly lines: boolean
  /** The keys of each entry of a list. */
  readonly fields?: readonly FieldDescription[]
  /** The types of queue that have this key; left out = all. */
  readonly only?: readonly string[]
}

/** The parts of a valibot schema that are read here; they are public, but generic code cannot name them. */
interface Node {
  readonly type: string
  readonly wrapped?: Node
  readonly item?: Node
  readonly entries?: Readonly<Record<string, Node>>
  readonly options?: readonly unknown[]
}

/** Describes every key of config.json in the order of the schema, with the keys of `printers` and `queues` inside. */
export function describeSchema(): readonly FieldDescription[] {
  return describeEntries(asNode(schema))
}

/** Lists the names of all secret keys, including those inside printers and queues, for the log. */
export function listSecretKeys(fields = describeSchema()): readonly string[] {
  return fields.flatMap((field) => [
    ...(field.secret ? [field.key] : []),
    ...listSecretKeys(field.fields ?? []),
  ])
}

const TYPES: ReadonlyMap<string, FieldType> = new Map(
  Object.entries({
    string: 'text',
    union: 'text', // a port: text or number
    number: 'number',
    boolean: 'boolean',
    picklist: 'choice',
    unknown: 'json',
  }),
)

function asNode(value: unknown): Node {
  return value as Node
}

function describeEntries(node: Node): readonly FieldDescription[] {
  return Object.entries(node.entries ?? {}).map(([key, entry]) => describeField(key, entry))
}

function describeField(key: string, entry: Node): FieldDescription {
  const generic = entry as unknown as v.GenericSchema
  const inner = entry.type === 'optional' ? (entry.wrapped ?? entry) : entry
  const fallback: unknown = v.getDefault(generic)
  const marks: Marks = v.getMetadata(generic)
  return {
    key,
    title: v.getTitle(generic) ?? key,
    description: v.getDescription(generic) ?? '',
    ...describeType(key, inner),
    ...(fallback === undefined ? {} : { default: fallback }),
    required: entry.type !== 'optional',
    restart: marks.restart ?? false,
    secret: marks.secret ?? false,
    unquoted: marks.unquoted ?? false,
    lines: marks.lines ?? false,
    ...(marks.words === undefined ? {} : { words: marks.words }),
  }
}

function describeType(
  key: string,
  node: Node,
): Pick<FieldDescription, 'type' | 'choices' | 'fields'> {
  if (node.type === 'array') {
    if (node.item?.entries === undefined) return { type: 'texts' }
    const own = describeEntries(node.item)
    return { type: 'list', fields: key === 'queues' ? [...own, ...describeQueueKeys(own)] : own }
  }
  const type = TYPES.get(node.type) ?? 'json'
  if (type !== 'choice') return { type }
  return { type, choices: (node.options ?? []) as readonly (string | number)[] }
}

/** Describes the keys that only some types of queue have; a key that two types share is listed twice. */
function describeQueueKeys(own: readonly FieldDescription[]): readonly FieldDescription[] {
  return [...queueSettings].flatMap(([type, settings]) =>
    describeEntries(asNode(settings))
      .filter(({ key }) => !own.some((common) => common.key === key))
      .map((field) => ({ ...field, only: [type] })),
  )
}
