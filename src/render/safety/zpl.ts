import type { Buffer } from 'node:buffer'
import { type Findings, latin1 } from './finding.ts'
import { lookOutside } from './outside.ts'
import { commandKey, ZPL_COMMANDS } from './zpl-commands.ts'

const CARET = 0x5e
const TILDE = 0x7e
const COMMA = 0x2c
const COLON = 0x3a
const LETTER_C = 0x43
const LETTER_D = 0x44
const LETTER_T = 0x54
const PARAMETERS = 32 // bytes looked at after a command
const FIELDS_MOST = 160 // bytes of all parameters before binary data

const KEYS = {
  start: keyOf('^XA'),
  end: keyOf('^XZ'),
  graphic: keyOf('^GF'),
  object: keyOf('~DY'),
} as const

function keyOf(name: string): number {
  return commandKey(name[0] === '~', name.charCodeAt(1), name.charCodeAt(2))
}

/** The characters that begin commands; a label may change them, and they stay changed until power off. */
interface Prefixes {
  caret: number
  tilde: number
  comma: number
  /** Where they were changed first. */
  changedAt: number
}

/**
 * Walks over ZPL from command to command. The bytes of binary graphics and objects (^GF B and C, ~DY) are data, as
 * many as the command says; hex, run lengths and base64 hold no prefix (ZPL II guide, ^GF: a `^` or `~` in A-data ends
 * it). Text of a field ends at the next prefix too: what looks like a command there is one, `_5E` under ^FH is not.
 */
export function scanZpl(bytes: Buffer, from: number, findings: Findings): void {
  const prefixes: Prefixes = { caret: CARET, tilde: TILDE, comma: COMMA, changedAt: -1 }
  let isInFormat = false
  let at = from
  while (true) {
    at = isInFormat
      ? findPrefix(bytes, at, prefixes)
      : lookUntilPrefix(bytes, at, prefixes, findings)
    if (at >= bytes.length) break
    const key = keyAt(bytes, at, prefixes)
    if (key === KEYS.start) isInFormat = true
    if (key === KEYS.end) isInFormat = false
    note(bytes, at, key, findings)
    at = nextAt(bytes, at, key, prefixes)
  }
  notePrefixes(prefixes, findings)
}

function keyAt(bytes: Buffer, at: number, { tilde }: Prefixes): number {
  return commandKey(bytes[at] === tilde, upper(bytes[at + 1]), upper(bytes[at + 2]))
}

/** Where to look for the next prefix; the two letters of an unknown command may be prefixes themselves. */
function nextAt(bytes: Buffer, at: number, key: number, prefixes: Prefixes): number {
  const first = bytes[at + 1]
  if (first === prefixes.caret || first === prefixes.tilde) return at + 1
  return changePrefix(bytes, at, prefixes) ?? skipData(bytes, at, key, prefixes) ?? at + 2
}

function findPrefix(bytes: Buffer, from: number, { caret, tilde }: Prefixes): number {
  let at = from
  while (at < bytes.length && bytes[at] !== caret && bytes[at] !== tilde) at += 1
  return at
}

function lookUntilPrefix(
  bytes: Buffer,
  from: number,
  { caret, tilde }: Prefixes,
  findings: Findings,
): number {
  let at = from
  while (at < bytes.length && bytes[at] !== caret && bytes[at] !== tilde) {
    lookOutside(bytes, at, findings)
    at += 1
  }
  return at
}

function note(bytes: Buffer, at: number, key: number, findings: Findings): void {
  const command = ZPL_COMMANDS.get(key)
  if (command === undefined) return
  const { name, isCommon = false } = command
  const parameters = latin1(bytes, at + 3, PARAMETERS)
  const variant = parameters.slice(0, 1).toUpperCase()
  const means = typeof command.means === 'string' ? command.means : command.means[variant]
  if (means === undefined || command.when?.(parameters) === false) return
  const shown = typeof command.means === 'string' ? name : name + variant
  findings.add({ command: shown, means, isCommon, offset: at })
}

/** `^CC`, `^CD`, `^CT` and their `~` forms take one character as it is. Gives where to go on, or undefined. */
function changePrefix(bytes: Buffer, at: number, prefixes: Prefixes): number | undefined {
  const changed = bytes[at + 3]
  if (upper(bytes[at + 1]) !== LETTER_C || changed === undefined) return undefined
  switch (upper(bytes[at + 2])) {
    case LETTER_C:
      prefixes.caret = changed
      break
    case LETTER_D:
      prefixes.comma = changed
      break
    case LETTER_T:
      prefixes.tilde = changed
      break
    default:
      return undefined
  }
  if (prefixes.changedAt < 0 && !isUsual(prefixes)) prefixes.changedAt = at
  return at + 4
}

function isUsual({ caret, tilde, comma }: Prefixes): boolean {
  return caret === CARET && tilde === TILDE && comma === COMMA
}

/** A label that puts the prefixes back has done no harm. */
function notePrefixes(prefixes: Prefixes, findings: Findings): void {
  if (isUsual(prefixes)) return
  const command = prefixes.caret !== CARET ? '^CC' : prefixes.tilde !== TILDE ? '^CT' : '^CD'
  findings.add({
    command,
    means: 'changes what commands begin with, which breaks the labels after it',
    isCommon: false,
    offset: prefixes.changedAt,
  })
}

/** Where the binary data of this command ends; undefined when it has none. */
function skipData(bytes: Buffer, at: number, key: number, { comma }: Prefixes): number | undefined {
  if (key === KEYS.graphic) {
    const read = readFields(bytes, at + 3, 4, comma)
    return read && /^[BC]$/i.test(read.fields[0] ?? '')
      ? read.end + countOf(read.fields[1])
      : undefined
  }
  if (key !== KEYS.object) return undefined
  const read = readFields(bytes, at + 3, 5, comma)
  if (read === undefined) return undefined
  const kind = read.fields[1] ?? ''
  // A PNG comes as base64 behind `:Z64:` or `:B64:`, or just as it is.
  const isBinary = /^[BC]$/i.test(kind) || (/^P$/i.test(kind) && bytes[read.end] !== COLON)
  return isBinary ? read.end + countOf(read.fields[3]) : undefined
}

function countOf(digits: string | undefined): number {
  return /^\d{1,9}$/.test(digits ?? '') ? Number(digits) : 0
}

/** So many parameters, each ended by the delimiter, and where the data behind them begins. */
function readFields(
  bytes: Buffer,
  from: number,
  count: number,
  comma: number,
): { readonly fields: readonly string[]; readonly end: number } | undefined {
  const fields: string[] = []
  let begin = from
  for (let at = from; at < Math.min(bytes.length, from + FIELDS_MOST); at += 1) {
    if (bytes[at] !== comma) continue
    fields.push(latin1(bytes, begin, at - begin).trim())
    begin = at + 1
    if (fields.length === count) return { fields, end: begin }
  }
  return undefined
}

/** ZPL takes small letters for large ones. */
function upper(byte: number | undefined): number {
  if (byte === undefined) return 0
  return byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte
}
