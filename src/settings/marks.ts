import * as v from 'valibot'
import { readShape } from './describe.ts'
import { isObject, type Marks } from './field.ts'
import type { Raw } from './masks.ts'

/** A key of the settings, with what is known of it besides its value. */
export interface MarkedKey {
  readonly key: string
  readonly marks: Marks
  /** The keys of each entry of a list. */
  readonly inner: readonly MarkedKey[]
}

/** Lists the keys of a schema in their order. */
export function listMarks(entries: v.ObjectEntries): readonly MarkedKey[] {
  return Object.entries(entries).map(([key, entry]) => ({
    key,
    marks: v.getMetadata(entry),
    inner: listMarks(readShape(entry).item?.entries ?? {}),
  }))
}

/** A value of the settings. */
interface MarkedValue {
  /** The place in the settings, e.g. `printers[0].uri`. */
  readonly place: string
  readonly value: unknown
  readonly marks: Marks
  /** The object around it: the settings or an entry of a list. */
  readonly around: Raw
}

/** Lists the values of known keys, including those in lists. */
export function listValues(
  around: Raw,
  keys: readonly MarkedKey[],
  path = '',
): readonly MarkedValue[] {
  return keys.flatMap(({ key, marks, inner }) => {
    const value = around[key]
    const place = `${path}${key}`
    if (!Array.isArray(value)) return { place, value, marks, around }
    return value.flatMap((entry, index) =>
      isObject(entry) ? listValues(entry, inner, `${place}[${index}].`) : [],
    )
  })
}

/** True if the value names a printer of this server. */
export function namesPrinter({ marks, around }: Pick<MarkedValue, 'marks' | 'around'>): boolean {
  const { printer, unless } = marks
  return printer === true && (unless === undefined || around[unless] === undefined)
}

/** Renames a printer in all values that name it. */
export function renamePrinter(
  around: Raw,
  keys: readonly MarkedKey[],
  before: string,
  name: string,
): Raw {
  const changed: (readonly [string, unknown])[] = []
  const rename = (entry: unknown, inner: readonly MarkedKey[]): unknown =>
    isObject(entry) ? renamePrinter(entry, inner, before, name) : entry
  for (const { key, marks, inner } of keys) {
    const value = around[key]
    if (Array.isArray(value)) changed.push([key, value.map((entry) => rename(entry, inner))])
    else if (value === before && namesPrinter({ marks, around })) changed.push([key, name])
  }
  return { ...around, ...Object.fromEntries(changed) }
}
