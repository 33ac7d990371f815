import { createGray, fillBox, type Gray } from './gray.ts'
import { write } from './lettering.ts'
import { drawBars, drawMatrix } from './symbols.ts'

/** The symbols on a shelf label, by the reader's names of the formats. */
export const SHELF_SYMBOLS: Readonly<Record<string, string>> = {
  Code128: 'B17-10042',
  DataMatrix: 'SHELF B-17 ITEM 10042',
}

/** A label of 2x1 inches at 203 dpi, small enough to keep its bytes and different from every side. */
export function shelfLabel(): Gray {
  const gray = createGray(406, 203)
  write(gray, 16, 14, 'Shelf B-17', 3)
  write(gray, 16, 44, 'Paper, A4, 500 sheets', 2)
  drawBars(gray, { x: 24, y: 70, module: 2, height: 84 }, SHELF_SYMBOLS['Code128'] ?? '')
  write(gray, 40, 166, '10042', 3)
  drawMatrix(gray, { x: 302, y: 70, module: 4 }, 'datamatrix', SHELF_SYMBOLS['DataMatrix'] ?? '')
  fillBox(gray, 8, 194, 390, 3)
  return gray
}
