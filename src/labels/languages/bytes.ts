import type { Buffer } from 'node:buffer'

/** Node's, which browsers do not have. */
const NodeBuffer = (globalThis as { readonly Buffer?: typeof Buffer }).Buffer

/** Bytes of a label that are scanned in one turn: others have their turn in between. */
export const SCANNED_A_TURN = 128 * 1024

/** Part of a label as text, one character a byte, for looking only: some thousand bytes at most. Browsers run it too. */
export function latin1(bytes: Uint8Array, from: number, length: number): string {
  const part = bytes.subarray(from, from + length)
  // Spread into arguments it takes a hundred times as long, and leaves an object a letter behind.
  if (NodeBuffer !== undefined)
    return NodeBuffer.from(part.buffer, part.byteOffset, part.length).toString('latin1')
  return String.fromCharCode(...part)
}

/** A line with its end, or its first `most` bytes, as text for looking only. */
export function lineHead(bytes: Uint8Array, from: number, most: number): string {
  const limit = Math.min(bytes.length, from + most)
  let at = from
  while (at < limit && !isLineEnd(bytes[at])) at += 1
  if (bytes[at] === 0x0d && bytes[at + 1] === 0x0a) at += 1
  return latin1(bytes, from, at + 1 - from)
}

/** Two bytes as one number, so that what a line begins with is looked up without making a text of it. */
export function pairOf(first: number | undefined, second: number | undefined): number {
  return ((first ?? 0) << 8) | (second ?? 0)
}

/** True for the bytes that end a line: CR and LF. */
export function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d
}

/** From here on the end of a line is searched for natively: ten times as fast, but dear to begin. */
const LONG_LINE = 1_024
const SEARCHED = 64 * 1024

/**
 * Finds where the line at `from` ends: its CR or LF, or the end of the label; looked for in `most` bytes, for data of no length
 * may follow each other on a line of megabytes.
 */
export function endOfLine(bytes: Uint8Array, from: number, most = bytes.length): number {
  const limit = Math.min(bytes.length, from + most)
  const near = Math.min(limit, from + LONG_LINE)
  for (let at = from; at < near; at += 1) if (isLineEnd(bytes[at])) return at
  // In pieces: where lines end with CR alone, all that follows would be searched for LF at each of them.
  for (let at = near; at < limit; at += SEARCHED) {
    const piece = bytes.subarray(at, Math.min(limit, at + SEARCHED))
    const feed = piece.indexOf(0x0a)
    const end = (feed < 0 ? piece : piece.subarray(0, feed)).indexOf(0x0d)
    if (end >= 0 || feed >= 0) return at + (end < 0 ? feed : end)
  }
  return Math.max(from, limit)
}

/** NUL counts as blank: some senders wake the printer with it. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0 || byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d)
}

/** A small letter as the large one; 0 beyond the end. */
export function upper(byte: number | undefined): number {
  if (byte === undefined) return 0
  return byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte
}

/** Patterns of a language's lines, one character a byte, without blanks around them. */
export interface LineSigns {
  /** A command that puts something on the label. */
  readonly draws: RegExp
  /** A command that prints the label. */
  readonly prints: RegExp
  /** Any other command. */
  readonly others: RegExp
  /** After this one lines may be any text. */
  readonly fills?: RegExp
  /** Finds the end of a line's data, which may hold any byte; undefined when it has none. */
  endOfData(bytes: Buffer, line: number): number | undefined
}

const LINES_MOST = 2_000
const LINE_HEAD = 120
/** Ratio of known lines to an unknown one. */
const KNOWN_FOR_UNKNOWN = 4
/** Unknown lines at the beginning, where some senders put a line of their own. */
const UNKNOWN_FIRST = 1

/**
 * True of a label whose lines are mostly commands, one of which draws and a later one prints. A letter, a table or a
 * program has no line that draws, or many that are not commands.
 */
export function areCommands(bytes: Buffer, start: number, signs: LineSigns): boolean {
  const seen = { known: 0, unknown: 0, draws: false, isFilled: false }
  let at = start
  for (let lines = 0; at < bytes.length && lines < LINES_MOST; lines++) {
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1 // templates stand in programs as indented texts
    const end = endOfLine(bytes, at, LINE_HEAD)
    const line = latin1(bytes, at, end - at).trim()
    if (seen.draws && signs.prints.test(line)) return seen.known >= seen.unknown * KNOWN_FOR_UNKNOWN
    count(seen, line, signs)
    if (seen.unknown > UNKNOWN_FIRST + seen.known / KNOWN_FOR_UNKNOWN) return false
    at = signs.endOfData(bytes, at) ?? endOfLine(bytes, end) + 1
  }
  return false
}

interface ByteCounts {
  known: number
  unknown: number
  draws: boolean
  isFilled: boolean
}

function count(seen: ByteCounts, line: string, { draws, prints, others, fills }: LineSigns): void {
  const isDrawn = draws.test(line)
  seen.draws ||= isDrawn
  seen.isFilled ||= fills?.test(line) ?? false
  if (isDrawn || prints.test(line) || others.test(line)) seen.known += 1
  else if (line !== '' && !seen.isFilled) seen.unknown += 1
}

const ESC = 0x1b
const BLANK_LAST = 0x20
const WRAPPER_BYTES = 1024
/** Seagull's drivers for every make set a page's facts between these, which their printers pass over. */
const WRAPPER = /^<xpml>[^<>]*(?:<[^<>]*>[^<>]*)*?<\/xpml>/i
/** Frames that Zebra's driver sends before a label: `ESC ##`, a length, bytes of any kind. */
const FRAME = '\x1b##'
const FRAME_BYTES = 4096
const FORMAT = /\^XA/i

/**
 * Skips to the beginning of a raw label: behind byte order marks, blanks, control characters (ZPL's own frame begins with STX,
 * ZebraDesigner with 0x10), `<xpml>` wrappers and driver frames. For looking only: labels print byte for byte.
 */
export function skipWrapping(bytes: Buffer): number {
  let at = 0
  while (at < bytes.length) {
    const next = endOfWrapping(bytes, at)
    if (next === at) break
    at = next
  }
  return at
}

function endOfWrapping(bytes: Buffer, at: number): number {
  if (isMark(bytes, at)) return at + 3
  const byte = bytes[at] as number
  if (byte <= BLANK_LAST && byte !== ESC) return at + 1
  if (byte === 0x3c) {
    return at + (WRAPPER.exec(latin1(bytes, at, WRAPPER_BYTES))?.[0].length ?? 0)
  }
  if (byte !== ESC) return at
  const frame = latin1(bytes, at, FRAME_BYTES)
  return frame.startsWith(FRAME) ? at + Math.max(0, frame.search(FORMAT)) : at
}

/** A byte order mark of UTF-8. */
function isMark(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf
}
