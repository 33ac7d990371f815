import { shapeArabic } from './arabic.ts'

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
