import { cellsOf } from '../font/glyph.ts'
import type { TextStyle } from './canvas.ts'
import { keepBase, shapeArabic } from './right-to-left.ts'

/** A text that can be set in lines: no control characters, one blank between words, `\n` between lines. */
export interface Printable {
  readonly text: string
  /** Characters that no font has, in the order of the text; a box is drawn in their place. */
  readonly lost: readonly string[]
}

const LINE_BREAKS = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g
/** Control and format characters: they have no picture, and the bidirectional ones would turn the text around. */
const UNSEEN = /[\p{Cc}\p{Cf}]/gu
const BLANKS = /[\t\p{Zs}]+/gu
const MARK = /^\p{M}+$/u

/** A character, or what stands for it: its compatibility form, the letter without its accents, nothing for a lone accent. */
function replaceCharacter(
  character: string,
  has: (codePoint: number) => boolean,
): string | undefined {
  if (has(character.codePointAt(0) ?? 0)) return character
  if (MARK.test(character)) return ''
  const parts = [...character.normalize('NFKD')].filter((part) => !MARK.test(part))
  const isKnown = parts.length > 0 && parts.every((part) => has(part.codePointAt(0) ?? 0))
  return isKnown ? parts.join('') : undefined
}

const ROUNDS_MOST = 4

/** Makes any text of a request fit to print with a font that has the characters `has` tells of. */
export function makePrintable(text: string, has: (codePoint: number) => boolean): Printable {
  let made = replaceOnce(text, has)
  // What stands for a character may be letters that join, or a blank at the end of a line (U+FC00, U+FC5E).
  for (let round = 1; round < ROUNDS_MOST; round += 1) {
    const again = replaceOnce(made.text, has)
    if (again.text === made.text) break
    made = again
  }
  return made
}

function replaceOnce(text: string, has: (codePoint: number) => boolean): Printable {
  const clean = text
    .toWellFormed()
    .normalize('NFC')
    .replace(LINE_BREAKS, '\n')
    .split('\n')
    .map((line) => line.replace(BLANKS, ' ').replace(UNSEEN, '').trim())
    .filter((line) => line !== '')
    .join('\n')
  const lost: string[] = []
  let printable = ''
  for (const character of shapeArabic(clean)) {
    const replaced = character === '\n' ? character : replaceCharacter(character, has)
    if (replaced === undefined) lost.push(character)
    printable += replaced ?? character
  }
  return { text: printable, lost }
}

/**
 * Height of ZPL's font 0 in our cell: its capitals are 0.74 of the height it is asked for, ours are 0.63 of the cell, so both
 * drawings look alike.
 */
export const ZPL_HEIGHT = 0.85

/** Width that ZPL's font 0 is asked for, in our cell: a little wider than it would be by itself, which reads better from afar. */
export const ZPL_WIDTH = 0.93

// Widths of the printable ASCII characters in ZPL's font 0 (CG Triumvirate Bold Condensed), in thousandths of its height:
// measured on what zebrash draws, and 2 % more.
const ZPL_WIDTHS = [
  [250, 340, 340, 510, 510, 850, 680, 330, 340, 340, 510, 510, 340, 820, 340, 280], // blank !"#$%&'()*+,-./
  [510, 510, 510, 510, 510, 510, 510, 510, 510, 510, 280, 280, 510, 510, 510, 820], // 0123456789:;<=>?
  [850, 570, 570, 570, 620, 510, 600, 620, 620, 280, 450, 570, 510, 790, 620, 620], // @ABCDEFGHIJKLMNO
  [600, 620, 620, 570, 510, 620, 570, 850, 570, 570, 510, 340, 250, 340, 510, 510], // PQRSTUVWXYZ[\]^_
  [340, 510, 510, 450, 510, 510, 280, 510, 510, 280, 280, 450, 280, 790, 510, 510], // `abcdefghijklmno
  [510, 510, 340, 450, 280, 510, 450, 680, 450, 450, 400, 280, 250, 280, 510], // pqrstuvwxyz{|}~
].flat()
// The characters of Windows-1252 that are wider than the letter they resemble, likewise.
const ZPL_WIDER: ReadonlyMap<string, number> = new Map([
  ['Æ', 810],
  ['Œ', 850],
  ['æ', 740],
  ['œ', 740],
  ['™', 880],
  ['…', 1020],
  ['—', 1020],
  ['‰', 1130],
  ['©', 850],
  ['®', 850],
  ['¼', 820],
  ['½', 820],
  ['¾', 820],
  ['×', 610],
  ['÷', 610],
  ['Ø', 620],
])
const ZPL_ORDINARY = 510

/** Width of one character in ZPL's font, in cells of half the height. */
function measureCharacter(character: string): number {
  const point = character.codePointAt(0) ?? 0
  const cells = cellsOf(point)
  if (cells !== 1) return cells
  const plain = point < 0x7f ? point : (character.normalize('NFD').codePointAt(0) ?? point)
  const width = ZPL_WIDER.get(character) ?? ZPL_WIDTHS[plain - 32] ?? ZPL_ORDINARY
  return (width * 2 * ZPL_WIDTH) / 1000
}

/** Width of a line in dots, so that it fits in the printer's own font and in ours. */
export function measureLine(text: string, style: TextStyle): number {
  let drawn = 0
  let own = 0
  for (const character of text) {
    drawn += cellsOf(character.codePointAt(0) ?? 0)
    own += measureCharacter(character)
  }
  return Math.ceil((Math.max(drawn, own) * style.height) / 2)
}

/**
 * The pieces that a line can be broken between: blanks, words, parts of a word that end in a hyphen or the like (article
 * numbers, addresses of web pages), and every East Asian character, since such text has no blanks.
 */
function splitWords(line: string): readonly string[] {
  const words: string[] = []
  let word = ''
  const end = () => {
    if (word !== '') words.push(word)
    word = ''
  }
  for (const character of line) {
    const isAlone = character === ' ' || cellsOf(character.codePointAt(0) ?? 0) === 2
    if (isAlone) end()
    word += character
    if (isAlone || '-/,;'.includes(character)) end()
  }
  end()
  return words
}

/** Cuts a word that is longer than a line; every piece has at least one character. */
function cutWord(word: string, width: number, style: TextStyle): readonly string[] {
  const pieces: string[] = []
  let piece = ''
  for (const character of word) {
    if (piece !== '' && measureLine(piece + character, style) > width) {
      pieces.push(piece)
      piece = ''
    }
    piece += character
  }
  return [...pieces, piece]
}

function wrapLine(line: string, width: number, style: TextStyle): readonly string[] {
  const lines: string[] = []
  let current = ''
  for (const word of splitWords(line)) {
    if (measureLine(current + word, style) <= width) {
      current += word
      continue
    }
    if (current.trim() !== '') lines.push(current.trimEnd())
    const pieces = word === ' ' ? [''] : cutWord(word, width, style)
    lines.push(...pieces.slice(0, -1))
    current = pieces.at(-1) ?? ''
  }
  if (current.trim() !== '') lines.push(current.trimEnd())
  return lines
}

/** Breaks a printable text into lines no wider than `width` dots; nothing of it is lost but blanks at line ends. */
export function wrapText(text: string, width: number, style: TextStyle): readonly string[] {
  return text.split('\n').flatMap((line) => keepBase(line, wrapLine(line, width, style)))
}

/** A text in the first of some styles in which it keeps to so many lines without a word cut, else in the last one. */
export interface FittedText {
  readonly style: TextStyle
  readonly lines: readonly string[]
}

/** Sets a text as large as it fits. `styles` are in order of preference, at least one. */
export function fitText(
  text: string,
  width: number,
  styles: readonly [TextStyle, ...TextStyle[]],
  mostLines: number,
): FittedText {
  let fitted: FittedText = { style: styles[0], lines: [] }
  for (const style of styles) {
    fitted = { style, lines: wrapText(text, width, style) }
    if (fitted.lines.length <= mostLines && !hasCutWord(text, width, style)) return fitted
  }
  return fitted
}

function hasCutWord(text: string, width: number, style: TextStyle): boolean {
  return text
    .split('\n')
    .some((line) => splitWords(line).some((word) => measureLine(word, style) > width))
}

/** Shortens a line until it fits, the end replaced by an ellipsis where it must be. */
export function shortenLine(text: string, width: number, style: TextStyle): string {
  if (measureLine(text, style) <= width) return text
  let end = ''
  for (const character of text) {
    if (measureLine(`${end}${character}…`, style) > width) break
    end += character
  }
  return `${end.trimEnd()}…`
}
