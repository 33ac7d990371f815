import { Buffer } from 'node:buffer'
import { join } from 'node:path'
import bwipJs from 'bwip-js/node'
import sharp from 'sharp'

/** The order for a maker of PDFs: one page; points from its top left. */
export interface Document {
  /** The path of the PDF. */
  readonly file: string
  readonly title: string
  readonly page: Size
  /** x, y, width, height of black boxes. */
  readonly boxes: readonly Box[]
  /** x, baseline, size and text, in a font without serifs. */
  readonly texts: readonly (readonly [number, number, number, string])[]
  /** x, y, width, height and the file of a PNG. */
  readonly pictures: readonly (readonly [number, number, number, number, string])[]
  /** The place of the label on the page. */
  readonly label: Box
  /** Edges of the Code 128's bars along the page's width; none when it lies or is a picture. */
  readonly edges: readonly number[]
  /** The whole label is one picture of the head's dots. */
  readonly isPicture: boolean
}

type Size = readonly [width: number, height: number]
type Box = readonly [x: number, y: number, width: number, height: number]

const INCH = 72
const LABEL: Size = [4 * INCH, 6 * INCH]
const LETTER: Size = [8.5 * INCH, 11 * INCH]
const A4: Size = [595.28, 841.89]
const PIXELS_A_MODULE = 3

/** Codes on the label, by the scanner's names. */
export const CODES = {
  Code128: { bcid: 'code128', text: '1Z999AA10123456784', more: { height: 20 } },
  PDF417: { bcid: 'pdf417', text: 'PDF417 0123456789 ABCDEFGHIJ', more: { columns: 4 } },
  DataMatrix: { bcid: 'datamatrix', text: 'DATAMATRIX 0123456789', more: {} },
  QRCode: { bcid: 'qrcode', text: 'HTTPS://LABELS.EXAMPLE/R/9F3K2', more: {} },
} as const

const PLACES: Readonly<Record<keyof typeof CODES, Size>> = {
  Code128: [36, 130],
  PDF417: [36, 235],
  DataMatrix: [40, 330],
  QRCode: [170, 325],
}

interface Symbol {
  readonly name: keyof typeof CODES
  readonly size: Size
  /** Runs of dark modules: x, y, width, height in modules. */
  readonly runs: readonly Box[]
  readonly luma: Uint8Array
}

/** The documents that every maker writes, its pictures in `folder`. */
export async function makeDocuments(maker: string, folder: string): Promise<readonly Document[]> {
  const symbols = await Promise.all(
    (Object.keys(CODES) as (keyof typeof CODES)[]).map((name) => drawSymbol(name)),
  )
  const pictures = await writePictures(symbols, folder)
  const whole = join(folder, 'label.png')
  await writeLabel(symbols, whole)
  const document = (title: string, page: Size, more: Partial<Document>): Document => ({
    file: join(folder, `${maker}-${title.replaceAll(/\W+/g, '-')}.pdf`),
    title,
    page,
    boxes: [],
    texts: [],
    pictures: [],
    edges: [],
    isPicture: false,
    label: [0, 0, ...page],
    ...more,
  })
  const left: Size = [8, 8]
  const middle: Size = [(A4[0] - LABEL[0]) / 2, (A4[1] - LABEL[1]) / 2]
  const address = texts([0, 0])
  const boxes = bars(symbols, [0, 0], 0.96)
  return [
    document('4x6, modules of 13 mil', LABEL, { boxes, texts: address, edges: edgesOf(boxes) }),
    document('4x6, modules of 10 mil', LABEL, {
      boxes: bars(symbols, [0, 0], 0.72),
      texts: address,
      edges: edgesOf(bars(symbols, [0, 0], 0.72)),
    }),
    document('4x6, codes as pictures', LABEL, {
      pictures: symbols.map(({ name, size: [width, height] }) => {
        const [x, y] = PLACES[name]
        return [x, y, width * 0.72, height * 0.72, pictures[name]]
      }),
      texts: address,
    }),
    document('4x6, the label as one picture of 203 dpi', LABEL, {
      pictures: [[0, 0, ...LABEL, whole]],
      isPicture: true,
    }),
    document('6x4, lying', [LABEL[1], LABEL[0]], { boxes: bars(symbols, [0, 0], 0.96).map(turn) }),
    document('letter, the label at the top left, instructions below', LETTER, {
      boxes: bars(symbols, left, 0.96),
      texts: [...texts(left), ...instructions(530)],
      label: [...left, ...LABEL],
    }),
    document('A4, the label in the middle', A4, {
      boxes: bars(symbols, middle, 0.9),
      texts: texts(middle),
      label: [...middle, ...LABEL],
    }),
  ]
}

async function drawSymbol(name: keyof typeof CODES): Promise<Symbol> {
  const { bcid, text, more } = CODES[name]
  const png = await bwipJs.toBuffer({ bcid, text, scale: 1, ...more })
  const { data, info } = await sharp(png)
    .flatten({ background: '#fff' })
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const rows = name === 'Code128' ? [0] : Array.from({ length: info.height }, (_, y) => y)
  const runs = rows.flatMap((y) => {
    const row = data.subarray(y * info.width, (y + 1) * info.width)
    const dark = Array.from(row, (luma) => (luma < 128 ? '1' : ' ')).join('')
    return Array.from(
      dark.matchAll(/1+/g),
      ({ 0: run, index }): Box => [index, y, run.length, rows.length === 1 ? info.height : 1],
    )
  })
  return { name, size: [info.width, info.height], runs, luma: data }
}

function bars(symbols: readonly Symbol[], [left, top]: Size, module: number): readonly Box[] {
  return symbols.flatMap(({ name, runs }) => {
    const [x0, y0] = PLACES[name]
    return runs.map(
      ([x, y, width, height]): Box => [
        left + x0 + x * module,
        top + y0 + y * module,
        width * module,
        height * module,
      ],
    )
  })
}

/** The edges of the Code 128, which comes first and whose bars share their top. */
function edgesOf(boxes: readonly Box[]): readonly number[] {
  return boxes.filter(([, y]) => y === PLACES.Code128[1]).flatMap(([x, , width]) => [x, x + width])
}

/** A quarter to the left: what was the top is at the left. */
function turn([x, y, width, height]: Box): Box {
  return [y, LABEL[0] - x - width, height, width]
}

function texts([left, top]: Size): Document['texts'] {
  return [
    [left + 30, top + 40, 16, 'Jane Doe'],
    [left + 30, top + 62, 12, '12 Main Street, Springfield'],
    [left + 30, top + 80, 7, 'Shipper agrees to the terms of carriage of the carrier.'],
    [left + 36, top + 215, 10, '1Z 999 AA1 01 2345 6784'],
  ]
}

function instructions(top: number): Document['texts'] {
  return Array.from({ length: 14 }, (_, n) => [
    40,
    top + n * 16,
    11,
    'Fold the page here and put the label into the pouch. Thank you for shipping with us.',
  ])
}

async function writePictures(
  symbols: readonly Symbol[],
  folder: string,
): Promise<Readonly<Record<keyof typeof CODES, string>>> {
  const written = symbols.map(async ({ name, size: [width, height], luma }) => {
    const file = join(folder, `${name}.png`)
    await sharp(Buffer.from(luma), { raw: { width, height, channels: 1 } })
      .resize(width * PIXELS_A_MODULE, height * PIXELS_A_MODULE, { kernel: 'nearest' })
      .toColourspace('b-w')
      .png({ palette: true, colors: 2 })
      .toFile(file)
    return [name, file]
  })
  return Object.fromEntries(await Promise.all(written))
}

/** The label as 812x1218 dots of black and white, modules of three. */
async function writeLabel(symbols: readonly Symbol[], file: string): Promise<void> {
  const boxes = bars(symbols, [0, 0], (3 * INCH) / 203)
  const dot = (points: number): number => Math.round((points * 203) / INCH)
  const rects = boxes.map(
    ([x, y, width, height]) =>
      `<rect x="${dot(x)}" y="${dot(y)}" width="${dot(width)}" height="${dot(height)}"/>`,
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="812" height="1218" shape-rendering="crispEdges">${rects.join('')}</svg>`
  await sharp(Buffer.from(svg))
    .flatten({ background: '#fff' })
    .threshold(128)
    .toColourspace('b-w')
    .png({ palette: true, colors: 2 })
    .toFile(file)
}
