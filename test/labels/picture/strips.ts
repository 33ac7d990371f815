import { Buffer } from 'node:buffer'
import { execFile } from 'node:child_process'
import sharp, { type Sharp } from 'sharp'
import { readBarcodes } from 'zxing-wasm/reader'
import { drawCode128, planCode128 } from '../../../src/labels/documents/drawing/barcodes.ts'
import type { Box } from '../../../src/labels/plane.ts'
import { makePdf } from '../codecs/pdf/make-pdf.ts'

/** Red, green and blue. */
export type Color = readonly [number, number, number]

/** A box of one color with words or bars of another in it, in points from the top left of the label. */
export interface Strip {
  readonly box: Box
  readonly ink: Color
  readonly ground: Color
  readonly content:
    | { readonly words: string; readonly points: number }
    | { readonly bars: string; readonly module: number }
}

export const gray = (luma: number): Color => [luma, luma, luma]

/** Rec. 601, as the decoders weigh it. */
export const lumaOf = ([red, green, blue]: Color): number =>
  (77 * red + 150 * green + 29 * blue) >> 8

const LABEL = { width: 288, height: 432 }
const INCH = 72
/** The indent of words in their box. */
const INDENT = 6

/** Places bars, in points: all of them, or those of the given `module`. */
async function placeBars(strip: Strip): Promise<readonly Box[]> {
  if (!('bars' in strip.content)) return []
  const { bars, module } = strip.content
  const plan = planCode128(bars)
  if (plan === undefined) throw new Error(`not a Code 128: ${bars}`)
  const widths = await drawCode128(plan)
  const { x, y, height } = strip.box
  let at = x + 10 * module
  return widths.flatMap((width, n) => {
    const box = { x: at, y: y + 4, width: width * module, height: height - 8 }
    at += width * module
    return n % 2 === 0 ? [box] : []
  })
}

/** The baseline of the letters: a third of their size above the middle of the box is that of capitals. */
const baseline = ({ box, content }: Strip): number =>
  box.y + box.height / 2 + ('points' in content ? content.points * 0.35 : 0)

export async function drawSvg(strips: readonly Strip[], dpi: number): Promise<Buffer> {
  const paint = (color: Color): string => `fill="rgb(${color.join(',')})"`
  const rect = ({ x, y, width, height }: Box, color: Color): string =>
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" ${paint(color)}/>`
  const parts = strips.map(async (strip) => {
    const { box, ink, ground, content } = strip
    const bars = (await placeBars(strip)).map((bar) => rect(bar, ink)).join('')
    const words =
      'words' in content
        ? `<text x="${box.x + INDENT}" y="${baseline(strip)}" font-size="${content.points}" ${paint(ink)}>${content.words}</text>`
        : ''
    return rect(box, ground) + bars + words
  })
  const [width, height] = [(LABEL.width * dpi) / INCH, (LABEL.height * dpi) / INCH]
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${LABEL.width} ${LABEL.height}" font-family="Helvetica, Arial, sans-serif"><rect width="100%" height="100%" fill="#fff"/>${(await Promise.all(parts)).join('')}</svg>`
  return sharp(Buffer.from(svg)).flatten({ background: '#fff' }).removeAlpha().png().toBuffer()
}

export async function drawPdf(strips: readonly Strip[]): Promise<Buffer> {
  const paint = (color: Color): string => `${color.map((value) => value / 255).join(' ')} rg`
  const rect = ({ x, y, width, height }: Box): string =>
    `${x} ${LABEL.height - y - height} ${width} ${height} re f`
  const parts = strips.map(async (strip) => {
    const { box, ink, ground, content } = strip
    const words =
      'words' in content
        ? `BT /F1 ${content.points} Tf ${box.x + INDENT} ${LABEL.height - baseline(strip)} Td (${content.words}) Tj ET`
        : ''
    return [
      paint(ground),
      rect(box),
      paint(ink),
      ...(await placeBars(strip)).map(rect),
      words,
    ].join('\n')
  })
  return makePdf([{ ...LABEL, content: (await Promise.all(parts)).join('\n') }])
}

interface Print {
  readonly preview?: Uint8Array | undefined
}

/** Cuts out the content of a strip's box on the label, as black on white: a box that is mostly black is turned to its negative. */
async function cutOut(print: Print, { box }: Strip, dpi: number): Promise<Sharp> {
  const dots = (points: number): number => Math.round((points * dpi) / INCH)
  const part = {
    left: dots(box.x) + 1,
    top: dots(box.y) + 1,
    width: dots(box.x + box.width) - dots(box.x) - 2,
    height: dots(box.y + box.height) - dots(box.y) - 2,
  }
  const cut = await sharp(print.preview).extract(part).toColorspace('b-w').raw().toBuffer()
  const mean = cut.reduce((sum, value) => sum + value, 0) / cut.length
  const raw = { width: part.width, height: part.height, channels: 1 } as const
  const picture = sharp(cut, { raw }).toColorspace('b-w')
  return mean < 128 ? picture.negate() : picture
}

const ENLARGED = 3 // letters of 6 points are too small for the program as they are
const APART = 30

/** Reads strips' words with tesseract; true for those without a fault, whatever their spaces. */
export async function readWords(
  print: Print,
  strips: readonly Strip[],
  dpi: number,
): Promise<readonly boolean[]> {
  let top = APART
  const lines: {
    readonly input: Buffer
    readonly top: number
    readonly left: number
    height: number
  }[] = []
  let widest = 0
  for (const strip of strips) {
    const cut = await (await cutOut(print, strip, dpi)).png().toBuffer()
    const { width, height } = await sharp(cut).metadata()
    const large = sharp(cut).resize({
      width: width * ENLARGED,
      height: height * ENLARGED,
      kernel: 'cubic',
    })
    lines.push({ input: await large.png().toBuffer(), top, left: APART, height: height * ENLARGED })
    top += height * ENLARGED + APART
    widest = Math.max(widest, width * ENLARGED)
  }
  const page = sharp({
    create: { width: widest + 2 * APART, height: top, channels: 3, background: '#fff' },
  }).composite(lines.map(({ input, top, left }) => ({ input, top, left })))
  const found = await recognize(await page.toColorspace('b-w').png().toBuffer())
  return strips.map(({ content }, n) => {
    const line = lines[n]
    if (line === undefined || !('words' in content)) return false
    const read = found
      .filter(({ middle }) => middle >= line.top && middle < line.top + line.height)
      .map(({ word }) => word)
    return plain(read.join('')) === plain(content.words)
  })
}

// Of these pairs a person who reads them alone is not sure either.
const plain = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9]/g, '')
    .toUpperCase()
    .replaceAll('0', 'O')
    .replace(/[1L|]/g, 'I')

async function recognize(png: Buffer): Promise<readonly { word: string; middle: number }[]> {
  const tsv = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      'tesseract',
      ['stdin', 'stdout', '--psm', '6', '--dpi', '600', 'tsv'],
      { env: { ...process.env, OMP_THREAD_LIMIT: '1' } },
      (error, stdout) => (error ? reject(error) : resolve(stdout)),
    )
    child.stdin?.end(png)
  })
  return tsv
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .filter((cells) => cells[0] === '5')
    .map((cells) => ({ word: cells[11] ?? '', middle: Number(cells[7]) + Number(cells[9]) / 2 }))
}

/** Tells whether zxing reads a strip's bars. */
export async function readBars(print: Print, strip: Strip, dpi: number): Promise<boolean> {
  const cut = (await cutOut(print, strip, dpi)).extend({
    left: 20,
    right: 20,
    top: 10,
    bottom: 10,
    background: '#fff',
  })
  const found = await readBarcodes(new Uint8Array(await cut.png().toBuffer()), {
    tryHarder: true,
    formats: ['Code128'],
  })
  return found.some(({ text }) => 'bars' in strip.content && text === strip.content.bars)
}
