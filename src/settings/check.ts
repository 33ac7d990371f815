import { findNearest, isSamePlace, placeOf } from '#printers'
import { readEverywhere } from '../system/address.ts'
import { quote } from '../words/errors.ts'
import type { FieldDescription } from './describe.ts'
import type { PrinterEntry } from './entry-schema.ts'
import { makeFault, makeWarning, type SettingFault } from './faults.ts'
import { type Issue, isObject } from './field.ts'
import { DEEPEST } from './json.ts'
import { listValues, namesPrinter } from './marks.ts'
import { findMasked, type Raw } from './masks.ts'
import { type Config, PRINTER_PLACEHOLDER, SECURE_PORT, type SettingsSchema } from './schema.ts'

/** The result of a check: the configuration, or all its faults. */
type CheckResult =
  | { readonly config: Config; readonly faults?: never }
  | { readonly config?: never; readonly faults: readonly SettingFault[] }

const OWN_PORT = { key: 'wantOwnPort', values: {} } as const

/** Checks a configuration as read from its file, after `dropBlanks`. */
export function checkConfig(raw: unknown, schema: SettingsSchema): CheckResult {
  if (!isObject(raw)) {
    // valibot takes a list for an object
    return { faults: [makeFault('', `got ${describeValue(raw, true)}, wanted an object { … }`)] }
  }
  const controls = findControls(raw, schema.fields)
  if (controls.length > 0) return { faults: controls }
  const result = schema.parse(raw)
  const faults = (result.issues ?? []).map((issue) => describeIssue(issue, schema.fields))
  if (!result.success) return { faults }
  const { port, secure_port = SECURE_PORT, use_ssl } = result.output
  if (use_ssl && secure_port === port && port !== '0') {
    const message = `got ${quote(secure_port)}, which is the port of HTTP too; wanted another one`
    return { faults: [makeFault('secure_port', message, OWN_PORT)] }
  }
  const clashes = findPortClashes(result.output, schema)
  return clashes.length > 0 ? { faults: clashes } : { config: result.output }
}

/** Finds oddities in a valid configuration: unknown keys and settings without effect. */
export function findWarnings(
  raw: unknown,
  config: Config,
  schema: SettingsSchema,
): readonly SettingFault[] {
  return [
    ...findUnknownKeys(raw, schema.fields, ''),
    ...findMasked(raw, schema.fields),
    ...findHalfCredentials(config),
    ...findLockedOut(config),
    ...findIdleBackups(config.printers ?? []),
    ...schema.findWarnings(config),
  ]
}

/** Finds a login that lacks one of its two keys, which alone protects nothing. */
function findHalfCredentials({ username, password }: Config): readonly SettingFault[] {
  if (Boolean(username) === Boolean(password)) return []
  const [has, lacks] = username ? ['username', 'password'] : ['password', 'username']
  const message = `set without ${lacks}, which counts as neither: only this machine itself may change the settings. Set both.`
  return [makeWarning(has, message, { key: 'halfLogin', values: {} })]
}

/**
 * Finds settings that nobody can change: a server on one address of the network has no loopback, and without a login nothing else counts as
 * this machine itself.
 */
function findLockedOut({ host, username, password }: Config): readonly SettingFault[] {
  const isAddress = /^[\d.]+$|:/.test(host) && readEverywhere(host) === undefined
  if (!isAddress || /^127\.|^::1$/.test(host) || (username && password)) return []
  const message =
    'while only this address is listened on, nobody can change the settings without username and password. Set both.'
  return [makeWarning('host', message)]
}

/** Finds rules that can never move a label. */
function findIdleBackups(printers: readonly PrinterEntry[]): readonly SettingFault[] {
  return printers.flatMap((printer, index) => {
    const { name, uri, backup, backup_box, backup_minutes } = printer
    const key = `printers[${index}]`
    if (backup === undefined) {
      const isLone = backup_box !== undefined || backup_minutes !== undefined
      const message = 'backup_box and backup_minutes do nothing without backup.'
      return isLone ? [makeWarning(key, message)] : []
    }
    if (backup_box !== undefined) return []
    const isSame = printers.some(
      (one) => one.name === backup && isSamePlace(placeOf(one.uri), placeOf(uri)),
    )
    if (!isSame && backup !== name) return []
    const message = `${quote(backup)} is the same printer; wanted another one.`
    return [makeWarning(`${key}.backup`, message)]
  })
}

function findUnknownKeys(
  raw: unknown,
  fields: readonly FieldDescription[],
  prefix: string,
): readonly SettingFault[] {
  if (!isObject(raw)) return []
  return Object.entries(raw).flatMap(([key, value]) => {
    const field = fields.find((each) => each.key === key)
    if (field === undefined) {
      const nearest = findNearest(
        key,
        fields.map((each) => each.key),
      )
      const guess = nearest === undefined ? '' : ` Did you mean ${quote(nearest)}?`
      const message = `unknown key; it is kept but has no effect.${guess}`
      return [makeWarning(`${prefix}${quote(key)}`, message, { key: 'unknownKeys', values: {} })]
    }
    const inner = field.fields
    if (inner === undefined || !Array.isArray(value)) return []
    return value.flatMap((item, index) =>
      findUnknownKeys(item, inner, `${prefix}${key}[${index}].`),
    )
  })
}

function describeIssue(issue: Issue, fields: readonly FieldDescription[]): SettingFault {
  const path = (issue.path ?? []).map((item) => item.key)
  const key = path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? String(part) : `${name}.${String(part)}`
  }, '')
  if (issue.isWhole) return makeFault(key, issue.message, issue.sentence)
  const isQuotable = !isUnquoted(
    path.filter((part) => typeof part === 'string'),
    fields,
  )
  const message = `got ${describeValue(issue.input, isQuotable)}, wanted ${issue.message}`
  return makeFault(key, message, issue.sentence)
}

/** True when a value of this key, or of one around it, must not be quoted. */
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

// Control characters, line separators of Unicode, and halves of a surrogate pair.
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u
const WANTED = 'wanted text on one line, without control characters'
const ONE_LINE = { key: 'wantLine', values: {} } as const

/**
 * Finds the keys and texts of a configuration that hold control characters, however deeply nested and whether or not the key is known:
 * other readers of the configuration (units, logs, headers of HTTP) work by lines. Only PEM texts have several.
 */
function findControls(
  value: unknown,
  fields: readonly FieldDescription[],
): readonly SettingFault[] {
  return [...search(value, { key: '', depth: 0, fields, mayHaveLines: false })]
}

interface KeyPosition {
  readonly key: string
  readonly depth: number
  /** The known keys inside the value. */
  readonly fields: readonly FieldDescription[]
  readonly mayHaveLines: boolean
}

function* search(value: unknown, place: KeyPosition): Generator<SettingFault> {
  if (typeof value === 'string') yield* searchText(value, place)
  else if (typeof value === 'object' && value !== null) yield* searchInside(value, place)
}

function* searchText(text: string, { key, mayHaveLines }: KeyPosition): Generator<SettingFault> {
  const line = mayHaveLines ? text.replaceAll(/\r?\n/g, '') : text
  if (CONTROL.test(line)) yield makeFault(key, `got ${nameControl(line)}, ${WANTED}`, ONE_LINE)
}

function* searchInside(value: object, place: KeyPosition): Generator<SettingFault> {
  const { key, depth } = place
  if (depth >= DEEPEST) {
    yield makeFault(key, `got more, wanted at most ${DEEPEST} lists and objects inside each other`)
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* search(item, { ...place, key: `${key}[${index}]`, depth: depth + 1 })
    }
  } else {
    for (const [name, item] of Object.entries(value)) yield* searchMember(name, item, place)
  }
}

function* searchMember(name: string, value: unknown, place: KeyPosition): Generator<SettingFault> {
  const isPlain = !CONTROL.test(name)
  const shown = isPlain ? name : quote(name)
  const key = place.key === '' ? shown : `${place.key}.${shown}`
  if (!isPlain) yield makeFault(key, `the key has ${nameControl(name)}, ${WANTED}`, ONE_LINE)
  const known = place.fields.filter((field) => field.key === name)
  yield* search(value, {
    key,
    depth: place.depth + 1,
    fields: known.flatMap((field) => field.fields ?? []),
    mayHaveLines: known.some((field) => field.lines),
  })
}

function nameControl(text: string): string {
  const code = CONTROL.exec(text)?.[0].codePointAt(0) ?? 0
  return `the control character U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Finds settings that name a printer which is not among the known ones; it may be found later. */
export function findUnknownPrinters(
  config: Raw,
  known: readonly string[],
  schema: SettingsSchema,
): readonly SettingFault[] {
  const named = listValues(config, schema.keys).filter(namesPrinter)
  return named.flatMap(({ place, value }) => {
    if (typeof value !== 'string' || value === '' || known.includes(value)) return []
    if (place === 'printer' && value === PRINTER_PLACEHOLDER) return []
    return [warnOfName(place, value, findNearest(value, known))]
  })
}

function warnOfName(key: string, unknown: string, nearest: string | undefined): SettingFault {
  const name = quote(unknown)
  if (nearest === undefined) {
    const message = `no printer is named ${name} yet; one that is found or added later may be.`
    return makeWarning(key, message, { key: 'comesLater', values: { name } })
  }
  const other = quote(nearest)
  return makeWarning(
    key,
    `no printer is named ${name}; did you mean ${other}?`,
    { key: 'namedNone', values: { name } },
    { key: 'didYouMean', values: { name: other } },
  )
}

const PORT_MOST = 65_535

/**
 * Finds two keys that want the same port: one fault for the second of each pair; also a port beyond the last one, of a door that needs the
 * next one too. Ports that are switched off do not count.
 */
function findPortClashes(config: Config, schema: SettingsSchema): readonly SettingFault[] {
  const taken = new Map<number, string>()
  const faults: SettingFault[] = []
  for (const [key, port] of listPorts(config, schema)) {
    const other = taken.get(port)
    if (port > PORT_MOST) {
      const message = `needs port ${port} too, wanted a whole number from 1 to ${PORT_MOST - 1}`
      const values = { from: '1', to: String(PORT_MOST - 1) }
      faults.push(makeFault(key, message, { key: 'wantWhole', values }))
    } else if (other === undefined) taken.set(port, key)
    else if (key !== other) {
      const message = `needs port ${port}, as ${other} does; wanted another one`
      faults.push(makeFault(key, message, OWN_PORT))
    }
  }
  return faults
}

function listPorts(config: Config, schema: SettingsSchema): readonly (readonly [string, number])[] {
  return [
    ['port', Number(config.port)] as const,
    ...(config.use_ssl ? [['secure_port', Number(config.secure_port)] as const] : []),
    ...listMarkedPorts(config, schema),
  ].filter(([, port]) => port !== 0)
}

/** Lists the ports of keys with the mark `ports`, unless they are switched off. */
function listMarkedPorts(config: Config, schema: SettingsSchema) {
  return listValues(config, schema.keys).flatMap(({ place, value, marks, around }) => {
    const { ports, when } = marks
    if (typeof value !== 'number' || (when !== undefined && around[when] !== true)) return []
    return Array.from({ length: ports ?? 0 }, (_, n) => [place, value + n] as const)
  })
}
