import { type LineTexts, type PrintedText, type TextTurn, tidyPrinted } from '../texts.ts'
import { endOfData } from './scan.ts'

// TSC's manual: TEXT x,y,"font",turn,…,"text"; BLOCK x,y,width,height,"font",turn,…,"text"; BARCODE x,y,"kind",…,"data".
// One way to match a line: where quotes may stand in several places, a line of quotes takes a second to be none.
const WRITES = /^(TEXT|BLOCK|BARCODE)\s+(\d+)\s*,\s*(\d+)\s*,[^"]*"[^"]*"\s*,([^"]*)"(.*)"\s*$/is

function read(line: string): PrintedText | undefined {
  const [, word = '', x, y, between = '', text] = WRITES.exec(line) ?? []
  if (text === undefined) return undefined
  const isBars = word.toUpperCase() === 'BARCODE'
  const degrees = isBars ? 0 : Number.parseInt(between, 10) || 0
  const turn = ((((degrees / 90) % 4) + 4) % 4) as TextTurn
  const place = {
    x: Number(x),
    y: Number(y),
    turn: (Number.isInteger(turn) ? turn : 0) as TextTurn,
  }
  return { text: tidyPrinted(text.replaceAll('\\["]', '"')), isBars, ...place }
}

/** `TEXT`, `BLOCK` and `BARCODE`, and `CODEPAGE` (TSC's manual). */
export const texts: LineTexts = {
  letters: 'TBC',
  read,
  page: /^CODEPAGE[ \t]+([\w-]+)/i,
  pages: new Map(
    Object.entries({
      1250: 1250,
      1251: 1251,
      1252: 1252,
      1253: 1253,
      1254: 1254,
      1255: 1255,
      '8859-1': 1252,
    }),
  ),
  endOfData,
}
