import { type LineTexts, type PrintedText, type TextTurn, tidyPrinted } from '../texts.ts'
import { endOfData } from './scan.ts'

// EPL Programming Guide: A x,y,turn,font,width,height,N|R,"text"; B x,y,turn,kind,…,"data"; b x,y,kind,…,"data".
const WRITES = /^([ABb])(\d+),(\d+),([0-3])?[^"]*"(.*)"/s

function read(line: string): PrintedText | undefined {
  const [, letter, x, y, turn, text] = WRITES.exec(line) ?? []
  if (text === undefined) return undefined
  const plain = text.replace(/\\(["\\])/g, '$1')
  const place = { x: Number(x), y: Number(y), turn: Number(turn ?? 0) as TextTurn }
  return { text: tidyPrinted(plain), isBars: letter !== 'A', ...place }
}

/** `A`, `B` and `b`, and `I8` with its code page (EPL Programming Guide). */
export const texts: LineTexts = {
  letters: 'ABI',
  read,
  page: /^I8,([0-9A-F])/,
  pages: new Map(
    Object.entries({
      A: 1252,
      B: 1250,
      C: 1251,
      D: 1253,
      E: 1254,
      F: 1255,
    }),
  ),
  endOfData,
}
