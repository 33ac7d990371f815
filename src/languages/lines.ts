import type { Buffer } from 'node:buffer'
import { endOfLine, latin1 } from './bytes.ts'

/** What the lines of a language look like, one character a byte, without blanks around them. */
export interface LineSigns {
  /** A command that puts something on the label. */
  readonly draws: RegExp
  /** A command that prints the label. */
  readonly prints: RegExp
  /** Any other command. */
  readonly others: RegExp
  /** After this one lines may be any text. */
  readonly fills?: RegExp
  /** Where the data of a line end, which may hold any byte; undefined when it has none. */
  endOfData(bytes: Buffer, line: number): number | undefined
}

const LINES_MOST = 2_000
const LINE_HEAD = 120
/** One line may be unknown for so many that are known. */
const KNOWN_FOR_UNKNOWN = 4
/** Unknown lines at the beginning, where some senders put a line of their own. */
const UNKNOWN_FIRST = 1

/**
 * True of a label whose lines are mostly commands, one of which draws and a later one prints. A letter, a table or a
 * program has no line that draws, or many that are no commands.
 */
export function areCommands(bytes: Buffer, start: number, signs: LineSigns): boolean {
  const seen = { known: 0, unknown: 0, draws: false, isFilled: false }
  let at = start
  for (let lines = 0; at < bytes.length && lines < LINES_MOST; lines++) {
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1 // templates stand in programs as indented texts
    const end = endOfLine(bytes, at)
    const line = latin1(bytes, at, Math.min(end - at, LINE_HEAD)).trim()
    if (seen.draws && signs.prints.test(line)) return seen.known >= seen.unknown * KNOWN_FOR_UNKNOWN
    count(seen, line, signs)
    if (seen.unknown > UNKNOWN_FIRST + seen.known / KNOWN_FOR_UNKNOWN) return false
    at = signs.endOfData(bytes, at) ?? end + 1
  }
  return false
}

interface Seen {
  known: number
  unknown: number
  draws: boolean
  isFilled: boolean
}

function count(seen: Seen, line: string, { draws, prints, others, fills }: LineSigns): void {
  const isDrawn = draws.test(line)
  seen.draws ||= isDrawn
  seen.isFilled ||= fills?.test(line) ?? false
  if (isDrawn || prints.test(line) || others.test(line)) seen.known += 1
  else if (line !== '' && !seen.isFilled) seen.unknown += 1
}
