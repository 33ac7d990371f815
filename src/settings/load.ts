import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { realDpi } from '#labels'
import type { PrinterSettings } from '#printers'
import { PlatenError } from '../words/errors.ts'
import { checkConfig, findWarnings } from './check.ts'
import type { FieldDescription } from './describe.ts'
import type { PrinterEntry } from './entry-schema.ts'
import { formatFault, formatFaults, makeFault, type SettingFault } from './faults.ts'
import { isObject } from './field.ts'
import { inspectJson } from './json.ts'
import { type Config, PRINTER_PLACEHOLDER, SECURE_PORT, type SettingsSchema } from './schema.ts'
import { readCode, writeWhole } from './write.ts'

/** A configuration as it was read. */
export interface LoadedConfig {
  readonly config: Config
  /** Sentences for the log; each begins with the file's name. */
  readonly warnings: readonly string[]
  /** The object of the file, with unknown keys. */
  readonly raw: Readonly<Record<string, unknown>>
  /** The text of the file; undefined when it could not be written at the first start. */
  readonly text: string | undefined
  /** The schema that it was checked against. */
  readonly schema: SettingsSchema
}

/**
 * Reads and checks the configuration. A missing file is written with the defaults, mode 0600; if that fails, the defaults apply and a
 * warning says so.
 * @throws PlatenError CONFIG_BROKEN with every fault, one a line
 */
export function loadConfig(file: string, schema: SettingsSchema): LoadedConfig {
  const name = basename(file)
  const bytes = readBytes(file)
  if (bytes === undefined) return writeDefaults(file, schema)
  // As older editors of Windows save a name such as Büro.
  const isAnsi = !isUtf8(bytes)
  const body = isAnsi ? new TextDecoder('windows-1252').decode(bytes) : bytes.toString()
  const { value, repeated } = parseText(body, name)
  const raw = dropBlanks(value, schema.fields)
  const { config, faults } = checkConfig(raw, schema)
  if (faults !== undefined) throw broken(faults, name)
  const warnings = [
    ...(isAnsi ? ['not UTF-8, so it was read as Windows-1252; save it as UTF-8.'] : []),
    ...repeated.map((key) => `${key}: stands twice; the last one counts.`),
    ...findWarnings(raw, config, schema).map(formatFault),
    ...findOpenSecret(file, config),
  ]
  return {
    config: complete(config),
    warnings: warnings.map((warning) => `${name}: ${warning}`),
    raw: isObject(raw) ? raw : {},
    text: bytes.toString(),
    schema,
  }
}

/** Drops keys without a value: `null` always, and blank text for keys without a default (a form sends it). Returns a copy. */
export function dropBlanks(raw: unknown, fields: readonly FieldDescription[]): unknown {
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

function broken(faults: readonly SettingFault[], name: string): PlatenError {
  return new PlatenError('CONFIG_BROKEN', formatFaults(faults, name))
}

/** Finds the fault of a configuration of more than 1 MB; a thousand printers take 0.2. */
export function findExcess(bytes: number): SettingFault | undefined {
  if (bytes <= CONFIG_BYTES) return undefined
  return makeFault('', `got more than ${CONFIG_BYTES} bytes, wanted at most so many`)
}

const CONFIG_BYTES = 2 ** 20

function readBytes(file: string): Buffer | undefined {
  let bytes: Buffer
  try {
    bytes = readBeginning(file, CONFIG_BYTES + 1)
  } catch (cause) {
    if (readCode(cause) === 'ENOENT') return undefined
    const message = `${file} cannot be read (${readCode(cause)}).`
    throw new PlatenError('CONFIG_BROKEN', message, { cause })
  }
  const excess = findExcess(bytes.length)
  if (excess !== undefined) throw broken([excess], basename(file))
  return bytes
}

/** Reads the first bytes of a file, which may have no end (/dev/zero) and no size (a pipe). */
function readBeginning(file: string, most: number): Buffer {
  const bytes = Buffer.alloc(most)
  const handle = openSync(file, 'r')
  try {
    let length = 0
    let count = 0
    do {
      count = readSync(handle, bytes, length, most - length, null)
      length += count
    } while (count > 0 && length < most)
    return bytes.subarray(0, length)
  } finally {
    closeSync(handle)
  }
}

function parseText(text: string, name: string): { value: unknown; repeated: readonly string[] } {
  const body = text.replace(/^\uFEFF/, '') // editors on Windows write a byte order mark
  const { fault, repeated } = inspectJson(body)
  if (fault !== undefined) {
    const { line, column, seen, wanted } = fault
    const message = `line ${line}, column ${column}: got ${seen}, wanted ${wanted}`
    throw broken([makeFault('', message)], name)
  }
  return { value: JSON.parse(body) as unknown, repeated }
}

function writeDefaults(file: string, schema: SettingsSchema): LoadedConfig {
  const { raw, config } = schema.defaults()
  const text = `${JSON.stringify(raw, null, 2)}\n`
  const loaded = { config: complete(config), warnings: [], raw, text, schema }
  try {
    writeWhole(file, text)
    return loaded
  } catch (error) {
    if (!(error instanceof PlatenError)) throw error
    const warning = `${error.message} The defaults hold until then.`
    return { ...loaded, text: undefined, warnings: [warning] }
  }
}

function findOpenSecret(file: string, config: Config): readonly string[] {
  if (config.password === undefined || process.platform === 'win32') return []
  if ((statSync(file).mode & 0o077) === 0) return []
  return ['others on this computer can read the password; run: chmod 600 on this file.']
}

const BACKUP_MINUTES = 10

/** Fills in the secure port when HTTPS is on. */
export function complete(config: Config): Config {
  const isMissing = config.use_ssl && config.secure_port === undefined
  return isMissing ? { ...config, secure_port: SECURE_PORT } : config
}

/** Reads the configured printers; what the configuration leaves out is up to the printer itself. */
export function readPrinterSettings(config: Config): readonly PrinterSettings[] {
  return (config.printers ?? []).map(readPrinter)
}

/** Name of the default printer; '' = not chosen. */
export function readDefaultName(config: Config): string {
  return config.printer === PRINTER_PLACEHOLDER ? '' : config.printer
}

/** Milliseconds within which the same label is held; undefined = never. */
export function readDuplicateWindow(config: Config): number | undefined {
  const minutes = config.duplicate_guard_minutes
  return minutes === undefined ? undefined : minutes * 60_000
}

function readPrinter(entry: PrinterEntry): PrinterSettings {
  return {
    name: entry.name,
    uri: entry.uri,
    makeAndModel: '',
    language: entry.language,
    dpi: entry.dpi && realDpi(entry.dpi),
    labelWidth: entry.label_width,
    labelHeight: entry.label_height,
    rotate: entry.rotate,
    darkness: entry.darkness,
    speed: entry.speed,
    graphics: entry.graphics,
    asksStatus: entry.status === 'auto',
    ...(entry.backup !== undefined && {
      backup: {
        printer: entry.backup,
        box: entry.backup_box ?? '',
        minutes: entry.backup_minutes ?? BACKUP_MINUTES,
      },
    }),
  }
}
