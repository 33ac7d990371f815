import { Buffer } from 'node:buffer'
import { endOfLine, isBlank, latin1 } from './bytes.ts'

// A file of another kind may hold a word of a printer's language by chance, or in what it says of itself. Printers take
// commands as plain ASCII, so that what stands outside of the data of a label tells one from the other.

/** Looked at: a label may be megabytes. Decision `recognizing-raw-labels`. */
export const LOOKED_AT = 65_536
/** Bytes that are none of a command; real labels have a mark or a name in letters of their own. */
export const ODD_LEAST = 3
export const ODD_SHARE = 0.03
const SKIPPED_MOST = 8
const ESC = 0x1b

/** Counts bytes, and those among them that are odd. */
export class ByteTally {
  #all = 0
  #odd = 0

  get all(): number {
    return this.#all
  }

  add(bytes: Uint8Array, from: number, to: number, isOdd: (byte: number) => boolean): void {
    for (let at = from; at < to && this.#all < LOOKED_AT; at++) {
      this.#all += 1
      if (isOdd(bytes[at] as number)) this.#odd += 1
    }
  }

  isAbove(least: number, share: number): boolean {
    return this.#odd >= least && this.#odd > share * this.#all
  }
}

/** No text holds it: a control character but for blanks, NUL, STX, ETX, EOT, Ctrl-Z and ESC. */
function isControl(byte: number): boolean {
  if (byte >= 0x20) return byte === 0x7f
  return !(isBlank(byte) || (byte >= 2 && byte <= 4) || byte === 0x1a || byte === ESC)
}

/** No command holds it. */
export function isOutside(byte: number): boolean {
  return byte >= 0x80 || byte === 0 || isControl(byte)
}

/** Begins the bytes of any kind that Zebra's driver sends before each label. */
export const FRAME = '\x1b##'

/** Tells whether only a wrapping precedes a label: a control character or two, and blanks. */
export function isPlainBefore(bytes: Uint8Array, start: number): boolean {
  if (latin1(bytes, 0, start).includes(FRAME)) return true
  let odd = 0
  for (let at = 0; at < start; at++) if (isControl(bytes[at] as number)) odd += 1
  return odd <= SKIPPED_MOST
}

const QUOTED = /"[^"]*"/g
const LINE_MOST = 4_096

/** Parts of a line language that hold no commands. */
interface PlainLines {
  /** Finds the end of a line's data; undefined when it has none. */
  endOfData(bytes: Uint8Array, line: number): number | undefined
  /** From here on nobody can tell data from commands. */
  readonly ends: RegExp
  /** A line of words. */
  readonly comment: RegExp
  /** Behind it lines are words. */
  readonly fills?: RegExp
}

/** True when the lines of a label are plain text, whatever stands in quotes, comments and pictures. */
export function isPlainLines(bytes: Uint8Array, start: number, lines: PlainLines): boolean {
  if (!isPlainBefore(bytes, start)) return false
  const commands = new ByteTally()
  let isFilled = false
  for (let at = start; at < bytes.length && commands.all < LOOKED_AT; ) {
    const data = lines.endOfData(bytes, at)
    const end = data ?? endOfLine(bytes, at)
    const line = data === undefined ? lineAt(bytes, at, end) : ''
    if (lines.ends.test(line)) break
    addLine(commands, line, isFilled || lines.comment.test(line))
    isFilled ||= lines.fills?.test(line) ?? false
    at = data ?? end + 1
  }
  return !commands.isAbove(ODD_LEAST, ODD_SHARE)
}

function lineAt(bytes: Uint8Array, at: number, end: number): string {
  return trimPadding(latin1(bytes, at, Math.min(end - at, LINE_MOST)))
}

/** Without blanks and NUL at its ends, with which senders pad labels. */
function trimPadding(line: string): string {
  const isPadding = (letter: string | undefined) => letter !== undefined && /[\s\0]/.test(letter)
  let [from, to] = [0, line.length]
  while (from < to && isPadding(line[from])) from += 1
  while (to > from && isPadding(line[to - 1])) to -= 1
  return line.slice(from, to)
}

function addLine(commands: ByteTally, line: string, isWords: boolean): void {
  const plain = Buffer.from(isWords ? line : line.replace(QUOTED, ''), 'latin1')
  commands.add(plain, 0, plain.length, isWords ? isUnreadable : isOutside)
}

/** No words hold it, in whatever letters. */
export function isUnreadable(byte: number): boolean {
  return byte === 0 || isControl(byte)
}
