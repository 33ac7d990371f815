import * as v from 'valibot'
import type { Marks } from './field.ts'

/** The kind of input on the settings page. */
export type FieldType = 'text' | 'number' | 'boolean' | 'choice' | 'texts' | 'list' | 'json'

/** A key of the configuration, for the settings page, the docs and the checks that valibot does not make. */
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
  /** The types of entries of a list that have this key; left out = all. */
  readonly only?: readonly string[]
}

/** The parts of a valibot schema that are read here; they are public, but generic code cannot name them. */
export interface Shape {
  readonly type: string
  readonly wrapped?: Shape
  readonly item?: Shape
  readonly entries?: v.ObjectEntries
  readonly options?: readonly unknown[]
}

/** Lists the names of all secret keys, including those inside lists, for the log. */
export function listSecretKeys(fields: readonly FieldDescription[]): readonly string[] {
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

/** Describes the keys of a schema in their order, with the keys of lists inside. */
export function describeEntries(entries: v.ObjectEntries): readonly FieldDescription[] {
  return Object.entries(entries).map(([key, entry]) => describeField(key, entry))
}

function describeField(key: string, entry: v.GenericSchema): FieldDescription {
  const fallback: unknown = v.getDefault(entry)
  const marks: Marks = v.getMetadata(entry)
  return {
    key,
    title: v.getTitle(entry) ?? key,
    description: v.getDescription(entry) ?? '',
    ...describeType(readShape(entry), marks),
    ...(fallback === undefined ? {} : { default: fallback }),
    required: entry.type !== 'optional',
    restart: marks.restart ?? false,
    secret: marks.secret ?? false,
    unquoted: marks.unquoted ?? false,
    lines: marks.lines ?? false,
    ...(marks.words === undefined ? {} : { words: marks.words }),
  }
}

/** Reads the schema of a key's value, whether or not it may be left out. */
export function readShape(entry: v.GenericSchema): Shape {
  const shape: Shape = entry
  return shape.wrapped ?? shape
}

function describeType(
  shape: Shape,
  { types }: Marks,
): Pick<FieldDescription, 'type' | 'choices' | 'fields'> {
  if (shape.type === 'array') {
    if (shape.item?.entries === undefined) return { type: 'texts' }
    const own = describeEntries(shape.item.entries)
    return { type: 'list', fields: [...own, ...describeTypes(own, types)] }
  }
  const type = TYPES.get(shape.type) ?? 'json'
  if (type !== 'choice') return { type }
  return { type, choices: (shape.options ?? []) as readonly (string | number)[] }
}

/** Describes the keys that only some types of entries have; a key that two types share is listed twice. */
function describeTypes(
  own: readonly FieldDescription[],
  types: Marks['types'] = new Map(),
): readonly FieldDescription[] {
  return [...types].flatMap(([type, { entries }]) =>
    describeEntries(entries)
      .filter(({ key }) => !own.some((common) => common.key === key))
      .map((field) => ({ ...field, only: [type] })),
  )
}
