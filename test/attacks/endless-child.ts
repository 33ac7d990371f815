// A server, as far as PDFs are concerned, that has just been given a page without an end.
import { Pdfs } from '../../src/core/drawing/pdf.ts'
import { PDF_FILES } from '../core/pdf-files.ts'
import { LETTER, makePdf } from '../labels/codecs/pdf/make-pdf.ts'

const pdf = makePdf([{ ...LETTER, content: '[0.00001] 0 d 10 w 0 0 m 100000000 0 l S' }])
const paper = { canvas: { width: 812, height: 1218 }, dpi: 203, rotate: 'auto' } as const
const pdfs = new Pdfs({ ...PDF_FILES, timeLimitMs: 240_000 })
pdfs.draw(pdf, { page: 1, area: undefined }, paper).catch(() => undefined)
process.send?.('asked')
setInterval(() => undefined, 60_000)
