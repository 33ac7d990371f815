import { Buffer } from 'node:buffer'
import { endOfLine, latin1, upper } from './bytes.ts'

/** A text on a label, or what a bar code says. */
export interface PrintedText {
  readonly text: string
  readonly isBars: boolean
  /** Dots from the origin of the label. */
  readonly x: number
  readonly y: number
  /** Quarter turns clockwise. */
  readonly turn: TextTurn
}

/** Quarter turns clockwise. */
export type TextTurn = 0 | 1 | 2 | 3

/** Characters of one text. */
export const TEXT_MOST = 600
const LINE_MOST = 1_000

/** Steps to the next line of a text, by its turn. */
export const LINE_STEPS: readonly [number, number][] & Record<TextTurn, readonly [number, number]> =
  [
    [0, 1],
    [-1, 0],
    [0, -1],
    [1, 0],
  ]

/** Makes one line of limited length; texts of bar codes keep the characters that only scanners see. */
export function tidyPrinted(text: string): string {
  return text.slice(0, TEXT_MOST).replace(/[\r\n]+/g, ' ')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Number of a code page of Windows; undefined = another one. */
export type CodePage = number | undefined

/** The text; '' when nobody can say what its letters beyond ASCII are. */
export function decodePrinted(bytes: Uint8Array, page: CodePage): string {
  if (bytes.every((byte) => byte < 0x80)) return latin1(bytes, 0, bytes.length)
  try {
    return utf8.decode(bytes)
  } catch {
    return page === undefined ? '' : new TextDecoder(`windows-${page}`).decode(bytes)
  }
}

/** Texts of a language whose commands are lines. */
export interface LineTexts {
  /** Capitals that the lines which matter here begin with. */
  readonly letters: string
  /** The text that a line writes; undefined when it writes none. */
  read(line: string): PrintedText | undefined
  /** Name of the code page that a line chooses. */
  readonly page: RegExp
  /** Code pages of Windows by these names. */
  readonly pages: ReadonlyMap<string, number>
  /** Finds the end of a line's data; undefined when it has none. */
  endOfData(bytes: Uint8Array, line: number): number | undefined
}

/** Each text that a line writes; the bytes of pictures are passed over. */
export function* readLineTexts(bytes: Uint8Array, lines: LineTexts): Generator<PrintedText> {
  let page: CodePage
  for (const part of listLines(bytes, lines)) {
    const line = decodePrinted(part, page)
    const named = lines.page.exec(line)
    if (named !== null) page = lines.pages.get(named[1] ?? '')
    const text = lines.read(line)
    if (text !== undefined) yield text
  }
}

/** The lines that begin with one of the letters and are no longer than lines of text are. */
function* listLines(bytes: Uint8Array, { letters, endOfData }: LineTexts): Generator<Uint8Array> {
  const begins = new Set(Buffer.from(letters))
  let at = 0
  while (at < bytes.length) {
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1
    const end = endOfLine(bytes, at, LINE_MOST)
    if (end - at < LINE_MOST && begins.has(upper(bytes[at]))) yield bytes.subarray(at, end)
    at = endOfData(bytes, at) ?? endOfLine(bytes, end) + 1
  }
}
