import * as v from 'valibot'
import { findNearest } from '../printers/nearest.ts'
import { quote } from '../quote.ts'
import { SENTENCE } from './checks.ts'
import { findControls } from './controls.ts'
import { describeSchema, type FieldDescription } from './describe.ts'
import type { Fault } from './fault.ts'
import { findQueueClashes } from './queue-schema.ts'
import { type Config, schema } from './schema.ts'

/** A value that was checked: the configuration, or all its faults. */
export type Checked =
  | { readonly config: Config; readonly faults?: never }
  | { readonly config?: never; readonly faults: readonly Fault[] }

type Json = Readonly<Record<string, unknown>>

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Checks a configuration as it stands in the file, after `dropBlanks`. */
export function checkConfig(raw: unknown): Checked {
  if (!isObject(raw)) {
    // valibot takes a list for an object
    return {
      faults: [{ key: '', message: `got ${describeValue(raw, true)}, wanted an object { … }` }],
    }
  }
  const controls = findControls(raw)
  if (controls.length > 0) return { faults: controls }
  const result = v.safeParse(schema, raw)
  const faults = (result.issues ?? []).map(describeIssue)
  if (!result.success) return { faults }
  const { port, secure_port, use_ssl } = result.output
  if (use_ssl && secure_port === port && port !== '0') {
    const message = `got ${quote(secure_port)}, which is the port of HTTP too; wanted another one`
    return { faults: [{ key: 'secure_port', message }] }
  }
  return { config: result.output }
}

/**
 * Keys without a value are as good as left out: `null` always, and the blank text for keys without a default (a form
 * sends it so). Gives a copy.
 */
export function dropBlanks(raw: unknown, fields = describeSchema()): unknown {
  if (!isObject(raw)) return raw
  const kept = Object.entries(raw).filter(([key, value]) => {
    const field = fields.find((each) => each.key === key)
    const hasDefault = field === undefined || field.required || 'default' in field
    return field?.type === 'json' || (value !== null && (value !== '' || hasDefault))
  })
  return Object.fromEntries(
    kept.map(([key, value]) => {
      const inner = fields.find((each) => each.key === key)?.fields
      const isList = inner !== undefined && Array.isArray(value)
      return [key, isList ? value.map((item) => dropBlanks(item, inner)) : value]
    }),
  )
}

/** What is odd in a right configuration: keys that nobody knows and settings that do nothing. */
export function findWarnings(raw: unknown, config: Config): readonly string[] {
  const warnings = findUnknownKeys(raw, describeSchema(), '')
  if (config.result_secret !== undefined && config.result_url === undefined) {
    warnings.push('result_secret: nothing is sent or signed, as there is no result_url.')
  }
  warnings.push(...findHalfCredentials(config), ...findQueueClashes(config.queues ?? []))
  return warnings
}

/** One of the two keys alone protects nothing. */
function findHalfCredentials({ username, password }: Config): readonly string[] {
  if (Boolean(username) === Boolean(password)) return []
  const [has, lacks] = username ? ['username', 'password'] : ['password', 'username']
  return [
    `${has}: set without ${lacks}, which counts as neither: only this machine itself may change the settings. Set both.`,
  ]
}

function findUnknownKeys(
  raw: unknown,
  fields: readonly FieldDescription[],
  prefix: string,
): string[] {
  if (!isObject(raw)) return []
  return Object.entries(raw).flatMap(([key, value]) => {
    const field = fields.find((each) => each.key === key)
    if (field === undefined) {
      const nearest = findNearest(
        key,
        fields.map((each) => each.key),
      )
      const guess = nearest === undefined ? '' : ` Is ${quote(nearest)} meant?`
      return [`${prefix}${quote(key)}: nobody knows this key; it is kept but does nothing.${guess}`]
    }
    const inner = field.fields
    if (inner === undefined || !Array.isArray(value)) return []
    return value.flatMap((item, index) =>
      findUnknownKeys(item, inner, `${prefix}${key}[${index}].`),
    )
  })
}

function describeIssue(issue: v.BaseIssue<unknown>): Fault {
  const path = (issue.path ?? []).map((item) => item.key)
  const key = path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? String(part) : `${name}.${String(part)}`
  }, '')
  if (issue.expected === SENTENCE) return { key, message: issue.message }
  const isQuotable = !isUnquoted(
    path.filter((part) => typeof part === 'string'),
    describeSchema(),
  )
  return { key, message: `got ${describeValue(issue.input, isQuotable)}, wanted ${issue.message}` }
}

/** True when a value of this key, or of one around it, must not be repeated. */
function isUnquoted(path: readonly string[], fields: readonly FieldDescription[]): boolean {
  const [first, ...rest] = path
  return fields
    .filter(({ key }) => key === first)
    .some((each) => each.secret || each.unquoted || isUnquoted(rest, each.fields ?? []))
}

function describeValue(value: unknown, isQuotable: boolean): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  if (!isQuotable) return typeof value === 'string' ? 'another text' : `a ${typeof value}`
  return typeof value === 'string' ? quote(value) : String(value)
}
