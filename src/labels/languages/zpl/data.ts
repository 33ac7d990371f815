import { latin1, upper } from '../bytes.ts'

/** Packs prefix and two upper-case letters into a number, so that looking one up costs nothing. */
function commandKey(isControl: boolean, first: number, second: number): number {
  return (isControl ? 0x10000 : 0) | (first << 8) | second
}

/** Gives the key of a command's name, e.g. `^GF`. */
export function keyOf(name: string): number {
  return commandKey(name[0] === '~', name.charCodeAt(1), name.charCodeAt(2))
}

/** The characters that begin commands; a label may change them, and they stay changed until power off. */
interface ZplPrefixes {
  caret: number
  tilde: number
  comma: number
}

/** The data of a command. */
interface ZplData {
  readonly command: string
  /** Position to go on from. */
  readonly end: number
  /** The label ends before the data do. */
  readonly isCut: boolean
}

const COLON = 0x3a
const HASH = 0x23
const FIELDS_MOST = 160 // bytes of all parameters before the data
/** Most commands end within them; a picture in hex goes on for 100 KB, which the native search passes 30 times sooner. */
const NEAR_BYTES = 64
const PIECE_BYTES = 1_024

/** The meaning of the parameters before the data. */
interface ParameterLayout {
  readonly command: string
  /** Parameters before the data. */
  readonly fields: number
  /** The one that counts bytes; of `~DB`: characters. */
  readonly count: number
  /** The one that says how the data are written; without it they are hexadecimal. */
  readonly coding?: number
  /** The one that says how many bytes a row has. */
  readonly row?: number
}

// ZPL II guide. All but ^GF and ~DY carry hexadecimal digits only.
const LAYOUTS: readonly ParameterLayout[] = [
  { command: '^GF', fields: 4, count: 1, coding: 0, row: 3 },
  { command: '~DY', fields: 5, count: 3, coding: 1, row: 4 },
  { command: '~DG', fields: 3, count: 1, row: 2 },
  { command: '~DB', fields: 8, count: 6 },
  ...['~DE', '~DS', '~DT', '~DU'].map((command) => ({ command, fields: 2, count: 1 })),
]
const BY_KEY = new Map(LAYOUTS.map((layout) => [keyOf(layout.command), layout]))

/**
 * The data of the command at `at`; undefined when it has none that are not commands too. Binary data are as many bytes
 * as the command says. A prefix ends other data, so that only those are cut that nothing follows.
 */
export function readZplData(
  bytes: Uint8Array,
  at: number,
  key: number,
  prefixes: ZplPrefixes,
): ZplData | undefined {
  const layout = BY_KEY.get(key)
  if (layout === undefined) return undefined
  const { command } = layout
  const read = readParameters(bytes, at + 3, layout.fields, prefixes)
  // The label ends among the parameters: the printer waits for more.
  if (read === undefined) return undefined
  const { fields, begin } = read
  const count = countOf(fields[layout.count])
  if (isBinary(bytes, begin, layout, fields)) {
    const end = begin + count
    return { command, end, isCut: end > bytes.length }
  }
  const end = findPrefix(bytes, begin, prefixes)
  if (end < bytes.length) return { command, end, isCut: false }
  return { command, end, isCut: countData(bytes, begin, layout, fields) < count }
}

/** True of the commands that may have such data. */
export function hasZplData(key: number): boolean {
  return BY_KEY.has(key)
}

function countData(
  bytes: Uint8Array,
  begin: number,
  { command, row }: ParameterLayout,
  fields: readonly string[],
): number {
  if (command === '~DB') return countCharacters(bytes, begin)
  if (isMarked(bytes, begin)) return isWhole(bytes, begin) ? Number.POSITIVE_INFINITY : 0
  return countBytes(bytes, begin, countOf(fields[row ?? -1]))
}

const MARK = /^\s*:[ZB]64:/i
const MARK_BYTES = 16

/** Base64 follows, whatever the command says of its data: printers look at the mark first (ZPL II guide, ~DY and ^GF). */
function isMarked(bytes: Uint8Array, begin: number): boolean {
  return MARK.test(latin1(bytes, begin, MARK_BYTES))
}

/** Binary data are as many bytes as the command says. */
function isBinary(
  bytes: Uint8Array,
  begin: number,
  { coding }: ParameterLayout,
  fields: readonly string[],
): boolean {
  const kind = coding === undefined ? '' : (fields[coding] ?? '')
  return /^[BCP]$/i.test(kind) && !isMarked(bytes, begin)
}

function countOf(digits: string | undefined): number {
  return /^\d{1,12}$/.test(digits ?? '') ? Number(digits) : 0
}

/** Finds where the next command begins; the end of the label when there is none. */
export function findPrefix(
  bytes: Uint8Array,
  from: number,
  { caret, tilde }: Pick<ZplPrefixes, 'caret' | 'tilde'>,
): number {
  const near = Math.min(bytes.length, from + NEAR_BYTES)
  let at = from
  while (at < near && bytes[at] !== caret && bytes[at] !== tilde) at += 1
  if (at < near) return at
  // In pieces that grow: of two prefixes one may be rare, and would be looked for up to the end of the label each time.
  for (let size = PIECE_BYTES; at < bytes.length; size *= 2) {
    const most = Math.min(size, bytes.length - at)
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset + at, most)
    const end = indexOrEnd(piece, caret)
    const found = indexOrEnd(piece.subarray(0, end), tilde)
    at += found
    if (found < most) break
  }
  return at
}

function indexOrEnd(bytes: Buffer, byte: number): number {
  const at = bytes.indexOf(byte)
  return at === -1 ? bytes.length : at
}

/** So many parameters, each ended by the delimiter, and where the data behind them begin. */
function readParameters(
  bytes: Uint8Array,
  from: number,
  count: number,
  { caret, tilde, comma }: ZplPrefixes,
): { readonly fields: readonly string[]; readonly begin: number } | undefined {
  const fields: string[] = []
  let begin = from
  for (let at = from; at < Math.min(bytes.length, from + FIELDS_MOST); at += 1) {
    if (bytes[at] === caret || bytes[at] === tilde) return undefined
    if (bytes[at] !== comma) continue
    fields.push(latin1(bytes, begin, at - begin).trim())
    begin = at + 1
    if (fields.length === count) return { fields, begin }
  }
  return undefined
}

/** Characters of a bitmap font: each begins with a `#`. */
function countCharacters(bytes: Uint8Array, from: number): number {
  let count = 0
  for (let at = from; at < bytes.length; at += 1) if (bytes[at] === HASH) count += 1
  return count
}

// Programs in C send the zero that ends their texts along, DOS a Ctrl-Z, and ZPL has a frame of STX and ETX.
const BASE64_END = /:[0-9A-F]{4}[\0-\x20]*$/i
const DIGITS = new Set([...'0123456789ABCDEFabcdef'].map((digit) => digit.charCodeAt(0)))
/** Codes for the rest of a row and for the row above. */
const FILLS = new Set([...',!:'].map((letter) => letter.charCodeAt(0)))

/** Base64 (`:Z64:`, `:B64:`) is complete if it ends with its checksum. */
function isWhole(bytes: Uint8Array, from: number): boolean {
  return BASE64_END.test(latin1(bytes, Math.max(from + 5, bytes.length - 40), 40))
}

/** The bytes that hexadecimal digits and run lengths stand for (ZPL II guide, ^GF, alternative data compression). */
function countBytes(bytes: Uint8Array, from: number, row: number): number {
  // A row without its length may be of any.
  const rowDigits = row > 0 ? 2 * row : Number.MAX_SAFE_INTEGER
  let digits = 0
  let run = 0
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (DIGITS.has(byte)) {
      digits += Math.max(1, run)
      run = 0
    } else if (FILLS.has(byte)) {
      digits += byte === COLON ? rowDigits : rowDigits - (digits % rowDigits)
    } else run += runOf(byte)
  }
  return digits / 2
}

/** Repeat count of a letter: `G` = 1 to `Y` = 19, `g` = 20 to `z` = 400. */
function runOf(byte: number): number {
  if (byte >= 0x47 && byte <= 0x59) return byte - 0x46
  return byte >= 0x67 && byte <= 0x7a ? 20 * (byte - 0x66) : 0
}

const CARET = 0x5e
const TILDE = 0x7e
const COMMA = 0x2c
const LETTER_C = 0x43
const LETTER_D = 0x44
const LETTER_T = 0x54

/** The prefixes so far. */
export interface Prefixes extends ZplPrefixes {
  /** Position of their first change; -1 = never. */
  changedAt: number
}

/** The prefixes that every label may count on. */
export function usualPrefixes(): Prefixes {
  return { caret: CARET, tilde: TILDE, comma: COMMA, changedAt: -1 }
}

/** The command at a prefix, as `keyOf` has it. */
export function keyAt(bytes: Uint8Array, at: number, { tilde }: Prefixes): number {
  return commandKey(bytes[at] === tilde, upper(bytes[at + 1]), upper(bytes[at + 2]))
}

/** `^CC`, `^CD`, `^CT` and their `~` forms take one character as it is. Gives where to go on, or undefined. */
export function changePrefix(
  bytes: Uint8Array,
  at: number,
  prefixes: Prefixes,
): number | undefined {
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

/** True while commands begin as they usually do. */
export function isUsual({ caret, tilde, comma }: Prefixes): boolean {
  return caret === CARET && tilde === TILDE && comma === COMMA
}

/** A command of a label, from its prefix to the next one; its data belong to it. */
export interface ZplPart {
  /** The key from `keyOf`; 0 = bytes before the first command. */
  readonly key: number
  readonly at: number
  readonly end: number
  /** The character that begins commands here. */
  readonly caret: number
}

/** The label in parts that follow each other without a gap; binary data are never taken for commands. */
export function* walkZpl(bytes: Uint8Array): Generator<ZplPart, void, undefined> {
  const prefixes = usualPrefixes()
  let at = findPrefix(bytes, 0, prefixes)
  if (at > 0) yield { key: 0, at: 0, end: at, caret: prefixes.caret }
  while (at < bytes.length) {
    const { caret } = prefixes
    const key = keyAt(bytes, at, prefixes)
    const end = findPrefix(bytes, skipCommand(bytes, at, key, prefixes), prefixes)
    yield { key, at, end, caret }
    at = end
  }
}

/** Behind the letters of a command and its data; they may be prefixes themselves. */
function skipCommand(bytes: Uint8Array, at: number, key: number, prefixes: Prefixes): number {
  const first = bytes[at + 1]
  if (first === prefixes.caret || first === prefixes.tilde) return at + 1
  const changed = changePrefix(bytes, at, prefixes)
  if (changed !== undefined) return changed
  return readZplData(bytes, at, key, prefixes)?.end ?? at + 2
}
