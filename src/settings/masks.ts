import { createHmac, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { FieldDescription } from './describe.ts'
import { makeFault, makeWarning, type SettingFault } from './faults.ts'
import { isObject } from './field.ts'

/** A configuration as it is in its file. */
export type Raw = Readonly<Record<string, unknown>>

/** Replaces a secret in `GET /config`. In an entry of a list a reference to the secret follows it. */
export const MASK = '********'
const REFERENCE_DIGITS = 16
const TYPE_AGAIN = { key: 'wantSecret', values: {} } as const

/**
 * Hides the secrets of a configuration and restores them. In a list each mask refers to its secret, so that entries can be removed and
 * reordered while none gets the secret of its neighbor. References are valid until the program ends.
 */
export class Masks {
  /** Made on first use: no start needs node:crypto, which takes 4 ms. */
  #madeKey: Buffer | undefined

  get #key(): Buffer {
    this.#madeKey ??= randomBytes(32)
    return this.#madeKey
  }

  /** Returns the configuration with every secret masked. */
  hide(raw: Raw, fields: readonly FieldDescription[]): Raw {
    return mapFields(raw, fields, (value, field) => {
      if (field.secret) return MASK
      const inner = field.fields
      if (inner === undefined || !Array.isArray(value)) return value
      return value.map((item) => (isObject(item) ? this.#hideEntry(item, inner) : item))
    })
  }

  /** Returns the configuration with the secrets of `old` in place of their masks, and a fault for each mask that `old` does not have. */
  restore(
    raw: Raw,
    old: Raw,
    fields: readonly FieldDescription[],
  ): { readonly raw: Raw; readonly faults: readonly SettingFault[] } {
    const faults: SettingFault[] = []
    const restored = mapFields(raw, fields, (value, field) => {
      if (field.secret && value === MASK) {
        if (old[field.key] !== undefined) return old[field.key]
        const message = 'got the mask of a secret that is not set, wanted the secret'
        faults.push(makeFault(field.key, message, TYPE_AGAIN))
      }
      const inner = field.fields
      if (inner === undefined || !Array.isArray(value)) return value
      const entries = entriesOf(old, field.key)
      return value.map((item, index) =>
        isObject(item)
          ? this.#restoreEntry(item, entries, inner, `${field.key}[${index}].`, faults)
          : item,
      )
    })
    return { raw: restored, faults }
  }

  /** Finds the entries of the list `key` whose secret this masked value refers to; none for a mask without a reference. */
  findOwners(masked: string, raw: Raw, key: string): readonly Raw[] {
    return entriesOf(raw, key).filter((entry) =>
      Object.entries(entry).some(([name, secret]) => masked === this.#refer(name, secret)),
    )
  }

  #hideEntry(entry: Raw, fields: readonly FieldDescription[]): Raw {
    return mapFields(entry, fields, (value, { key, secret }) =>
      secret ? this.#refer(key, value) : value,
    )
  }

  #restoreEntry(
    entry: Raw,
    old: readonly Raw[],
    fields: readonly FieldDescription[],
    prefix: string,
    faults: SettingFault[],
  ): Raw {
    return mapFields(entry, fields, (value, { key, secret }) => {
      if (!secret || !isMasked(value)) return value
      const owner =
        old.find((each) => this.#refer(key, each[key]) === value) ?? findTwin(entry, old, fields)
      if (owner?.[key] !== undefined) return owner[key]
      const message = `got the mask of a secret that is not saved for this entry (${describeEntry(entry)}), wanted the secret itself`
      faults.push(makeFault(`${prefix}${key}`, message, TYPE_AGAIN))
      return value
    })
  }

  #refer(key: string, secret: unknown): string {
    const mac = createHmac('sha256', this.#key).update(JSON.stringify([key, secret]))
    return `${MASK}${mac.digest('hex').slice(0, REFERENCE_DIGITS)}`
  }
}

/** Tells whether a value is the mask of a secret. */
export const isMasked = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.startsWith(MASK) &&
  (value.length === MASK.length || value.length === MASK.length + REFERENCE_DIGITS)

/** Finds secrets that are masks, as in a file made from `GET /config` or `--check-config`: each is taken literally. */
export function findMasked(
  raw: unknown,
  fields: readonly FieldDescription[],
  prefix = '',
): readonly SettingFault[] {
  if (!isObject(raw)) return []
  return fields.flatMap(({ key, secret, fields: inner = [] }) => {
    const value = raw[key]
    if (Array.isArray(value))
      return value.flatMap((item, index) => findMasked(item, inner, `${prefix}${key}[${index}].`))
    if (!secret || !isMasked(value)) return []
    const message =
      'only the mask of a secret stands there, and counts as the secret. Type the secret.'
    return [makeWarning(`${prefix}${key}`, message, TYPE_AGAIN)]
  })
}

/** Finds the only old entry that differs from this one in nothing but its secrets: a bare mask can mean no other. */
function findTwin(
  entry: Raw,
  old: readonly Raw[],
  fields: readonly FieldDescription[],
): Raw | undefined {
  const secrets = fields.filter(({ secret }) => secret).map(({ key }) => key)
  const open = (each: Raw) =>
    Object.fromEntries(Object.entries(each).filter(([key]) => !secrets.includes(key)))
  const twins = old.filter((each) => isDeepStrictEqual(open(each), open(entry)))
  return twins.length === 1 ? twins[0] : undefined
}

function describeEntry(entry: Raw): string {
  const facts = ['name', 'type', 'url', 'endpoint'].map((key) => entry[key])
  return facts.filter((fact) => typeof fact === 'string').join(' ')
}

function entriesOf(raw: Raw, key: string): readonly Raw[] {
  const list = raw[key]
  return Array.isArray(list) ? list.filter(isObject) : []
}

function mapFields(
  raw: Raw,
  fields: readonly FieldDescription[],
  change: (value: unknown, field: FieldDescription) => unknown,
): Raw {
  return Object.fromEntries(
    Object.entries(raw).map(([key, value]) => {
      const field = fields.find((each) => each.key === key)
      return [key, field === undefined ? value : change(value, field)]
    }),
  )
}
