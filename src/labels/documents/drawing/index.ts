export { loadFont } from '../font/font.ts'
export { planCode128 } from './barcodes.ts'
export {
  createPen,
  drawAllBars,
  drawPage,
  styleAt203,
} from './canvas.ts'
export { MarkColumn } from './column.ts'
export { makePrintable, shortenLine, wrapText } from './lines.ts'
export { writePage } from './zpl.ts'
