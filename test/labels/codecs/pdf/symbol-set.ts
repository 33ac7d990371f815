import { readBarcodes } from 'zxing-wasm/reader'
import { drawSymbol, INCH, makePdf, type Style, SYMBOLS } from './make-pdf.ts'

/** A PDF of the set: five symbols on a page. */
export interface SetPdf {
  readonly name: string
  readonly pdf: Uint8Array
}

/** Code 128 upright and turned, and one of each of the others. */
export const SYMBOLS_A_PAGE = 5

const PAGE = { width: 6 * INCH, height: 6 * INCH }
const MM = INCH / 25.4
const MODULES = {
  '2 dots': (2 * INCH) / 203,
  '3 dots': (3 * INCH) / 203,
  '7.5 mil': 0.0075 * INCH,
  '10 mil': 0.01 * INCH,
  '13 mil': 0.013 * INCH,
  '15 mil': 0.015 * INCH,
  '3 dots of 300 dpi': (3 * INCH) / 300,
  '0.25 mm': 0.25 * MM,
  '0.33 mm': 0.33 * MM,
} as const
const STYLES: readonly Style[] = ['rectangles', 'modules', 'path', 'strokes']
const PHASES = [
  [0, 0],
  [0.17, 0.11],
] as const

/** 72 PDFs: nine widths of modules, drawn in four ways, at two phases against the dots. */
export async function makeSet(): Promise<readonly SetPdf[]> {
  const set: SetPdf[] = []
  for (const [width, module] of Object.entries(MODULES)) {
    for (const style of STYLES) {
      for (const [dx, dy] of PHASES) {
        const draw = (kind: keyof typeof SYMBOLS, x: number, y: number, turned = false) =>
          drawSymbol(kind, { x: x + dx, y: y + dy, module, style, turned })
        const content = await Promise.all([
          draw('code128', 24, 370),
          draw('code128', 360, 30, true),
          draw('pdf417', 24, 270),
          draw('datamatrix', 24, 150),
          draw('qrcode', 170, 130),
        ])
        const pdf = makePdf([{ ...PAGE, content: content.join('\n') }])
        set.push({ name: `${width}, ${style}, ${dx}`, pdf })
      }
    }
  }
  return set
}

/** Counts how many of a page's five symbols a scanner reads in a picture of it. */
export async function countRead(picture: Uint8Array): Promise<number> {
  const wanted = new Set<string>(Object.values(SYMBOLS).map(({ text }) => text))
  const found = await readBarcodes(picture, { tryHarder: true, maxNumberOfSymbols: 8 })
  return found.filter(({ text }) => wanted.has(text)).length
}
