import { Buffer } from 'node:buffer'
import bwipJs from 'bwip-js/node'
import sharp from 'sharp'

/** A page: sizes in points, the content stream as text. */
export interface Page {
  readonly width: number
  readonly height: number
  readonly content: string
  /** Entries of the page's dictionary, e.g. `/Rotate 90`. */
  readonly more?: string
}

export const INCH = 72
export const LABEL = { width: 4 * INCH, height: 6 * INCH }
export const LETTER = { width: 8.5 * INCH, height: 11 * INCH }
export const A4 = { width: 595.28, height: 841.89 }

/**
 * A PDF of these pages, written as the specification's own example (PDF 1.7, appendix H.3) is; `/F1` is Helvetica or the
 * font dictionary given. The first of `others` is object 4 + 2 * pages.
 */
export function makePdf(
  pages: readonly Page[],
  {
    trailer = '',
    font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    others = [] as readonly string[],
  } = {},
): Buffer {
  const kids = pages.map((_, n) => `${4 + 2 * n} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    font,
    ...pages.flatMap(({ width, height, content, more = '' }, n) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${5 + 2 * n} 0 R /Resources << /Font << /F1 3 0 R >> >> ${more} >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
    ...others,
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, n) => {
    const at = text.length
    text += `${n + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  text += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}

export const SYMBOLS = {
  code128: { text: '1Z999AA10123456784', format: 'Code128', more: { height: 12 } },
  pdf417: { text: 'PDF417 0123456789 ABCDEFGHIJ', format: 'PDF417', more: { columns: 4 } },
  datamatrix: { text: 'DATAMATRIX 0123456789', format: 'DataMatrix', more: {} },
  qrcode: { text: 'HTTPS://LABELS.EXAMPLE/R/9F3K2', format: 'QRCode', more: {} },
} as const

/**
 * The way in which makers draw bars: one rectangle painted after the other (iText, FPDF, ReportLab), one for each module, all in one path
 * (cairo, Skia), or as lines.
 */
export type Style = 'rectangles' | 'modules' | 'path' | 'strokes'

type Box = readonly [x: number, y: number, width: number, height: number]

/** A bar code as vectors; `x` and `y` of its lower left and `module` in points; `turned` by a quarter to the left. */
export async function drawSymbol(
  kind: keyof typeof SYMBOLS,
  at: { x: number; y: number; module: number; style: Style; turned?: boolean },
): Promise<string> {
  const { text, more } = SYMBOLS[kind]
  const png = await bwipJs.toBuffer({ bcid: kind, text, scale: 1, ...more })
  const { data, info } = await sharp(png)
    .flatten({ background: '#fff' })
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  // Bars are drawn whole; symbols of squares a run of modules at a time.
  const rows = kind === 'code128' ? 1 : info.height
  const height = kind === 'code128' ? info.height : 1
  const boxes = Array.from({ length: rows }, (_, row) =>
    runsOf(data.subarray(row * info.width, (row + 1) * info.width))
      .flatMap(([from, to]) => (at.style === 'modules' ? split(from, to) : [[from, to] as const]))
      .map(([from, to]): Box => [from, info.height - row - height, to - from, height]),
  ).flat()
  return paint(
    boxes.map(([left, bottom, wide, high]): Box => {
      const box: Box = at.turned
        ? [info.height - bottom - high, left, high, wide]
        : [left, bottom, wide, high]
      const [x, y, width, tall] = box.map((modules) => modules * at.module) as unknown as Box
      return [at.x + x, at.y + y, width, tall]
    }),
    at.style,
  )
}

function paint(boxes: readonly Box[], style: Style): string {
  if (style === 'strokes') return boxes.map(stroke).join('\n')
  const rectangles = boxes.map((box) => `${box.join(' ')} re`)
  return style === 'path'
    ? `${rectangles.join('\n')}\nf`
    : rectangles.map((one) => `${one} f`).join('\n')
}

/** A box as a line along its longer side. */
function stroke([x, y, width, height]: Box): string {
  return width > height
    ? `${height} w ${x} ${y + height / 2} m ${x + width} ${y + height / 2} l S`
    : `${width} w ${x + width / 2} ${y} m ${x + width / 2} ${y + height} l S`
}

function split(from: number, to: number): readonly (readonly [number, number])[] {
  return Array.from({ length: to - from }, (_, n) => [from + n, from + n + 1])
}

function runsOf(row: Uint8Array): readonly (readonly [number, number])[] {
  const dark = Array.from(row, (luma) => (luma < 128 ? '1' : ' ')).join('')
  return Array.from(dark.matchAll(/1+/g), ({ 0: run, index }) => [index, index + run.length])
}

/** Text in Helvetica. */
export function drawText(text: string, x: number, y: number, size = 12): string {
  return `BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET`
}

/** A label of this size: a frame, an address, a Code 128. */
export async function drawLabel(
  at: { x: number; y: number },
  size: { width: number; height: number } = LABEL,
): Promise<string> {
  const bars = await drawSymbol('code128', {
    x: at.x + 30,
    y: at.y + size.height / 3,
    style: 'rectangles',
    module: 0.96, // 13.3 mil
  })
  return [
    `${at.x + 8} ${at.y + 8} ${size.width - 16} ${size.height - 16} re S`,
    drawText('Jane Doe, 12 Main Street', at.x + 24, at.y + size.height - 48),
    bars,
  ].join('\n')
}
