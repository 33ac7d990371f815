import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import t from 'tap'
import { renderPicture } from '../../../src/labels/render.ts'
import type { RenderedLabel } from '../../../src/labels/target.ts'
import { makeRandom, tries } from '../../random.ts'
import { loadReader } from '../barcodes.ts'
import { drawAll } from '../codecs/pdf/draw.ts'
import { readCodes } from '../codecs/pdf/read-codes.ts'
import { inWords } from '../in-words.ts'
import { makeTarget } from '../make-target.ts'
import {
  type Color,
  drawPdf,
  drawSvg,
  gray,
  lumaOf,
  readBars,
  readWords,
  type Strip,
} from './strips.ts'

t.setTimeout(300_000)
await loadReader()
const skip =
  spawnSync('which', ['tesseract']).status === 0
    ? false
    : 'needs a reader of words: apt-get install tesseract-ocr'

const PAGE = { x: 9.3, width: 270 }
const COLORS: readonly Color[] = [
  ...[0, 64, 96, 128, 144, 160, 176, 192, 208, 255].map(gray),
  [220, 0, 0],
  [255, 128, 0],
  [255, 214, 0],
  [0, 160, 0],
  [0, 174, 230],
  [0, 0, 255],
  [255, 0, 255],
]
/** Least contrast that a person reads without effort. */
const CONTRAST_LEAST = 56

function pickColors(random: () => number): { ink: Color; ground: Color } {
  const pick = (): Color => COLORS[Math.floor(random() * COLORS.length)] ?? gray(0)
  const [ink, ground] = [pick(), pick()]
  const isSeen = Math.abs(lumaOf(ink) - lumaOf(ground)) >= CONTRAST_LEAST
  return isSeen ? { ink, ground } : pickColors(random)
}

async function printSvg(
  strips: readonly Strip[],
  dpi: number,
  quality?: number,
): Promise<RenderedLabel> {
  const png = await drawSvg(strips, dpi)
  if (quality === undefined) return renderPicture(png, 'png', makeTarget({ dpi }))
  return renderPicture(await sharp(png).jpeg({ quality }).toBuffer(), 'jpeg', makeTarget({ dpi }))
}

async function printPdf(strips: readonly Strip[], dpi: number): Promise<RenderedLabel> {
  return first(drawAll(await drawPdf(strips), { dpi }))
}

function first([print]: readonly RenderedLabel[]): RenderedLabel {
  if (print === undefined) throw new Error('nothing was printed')
  return print
}

const printCase = (name: string, dpi: number): RenderedLabel =>
  first(drawAll(readFileSync(join(import.meta.dirname, name)), { dpi }))

/** Dots of a print, 1 black. */
async function dotsOf({ preview }: RenderedLabel) {
  const { data, info } = await sharp(preview)
    .toColorspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { ...info, at: (x: number, y: number): number => (data[y * info.width + x] === 0 ? 1 : 0) }
}

type Dots = Awaited<ReturnType<typeof dotsOf>>

/** Share of black in a square of 16 dots. */
function shareOf(dots: Dots, left: number, top: number): number {
  let black = 0
  for (let y = top; y < top + 16; y++) for (let x = left; x < left + 16; x++) black += dots.at(x, y)
  return black / 256
}

function sharesOf(dots: Dots, { box }: Strip, dpi: number): readonly number[] {
  const inch = dpi / 72
  const shares: number[] = []
  for (let y = Math.ceil(box.y * inch) + 1; y + 17 < (box.y + box.height) * inch; y += 16) {
    for (let x = Math.ceil(box.x * inch) + 1; x + 17 < (box.x + box.width) * inch; x += 16) {
      shares.push(shareOf(dots, x, y))
    }
  }
  return shares
}

t.test('gray and colored bars of a label are read', async (t) => {
  for (const dpi of [203, 300]) {
    t.same(await readCodes(printCase('gray-bars55.pdf', dpi)), ['WEB0001234'], `gray at ${dpi} dpi`)
    // They are all the same, and the reader names such once: one by one.
    const print = printCase('colors.pdf', dpi)
    for (let n = 0; n < 8; n++) {
      const strip: Strip = {
        box: { x: 10, y: 34 + n * 46, width: 160, height: 30 },
        ink: gray(0),
        ground: gray(255),
        content: { bars: 'COLOR1', module: 1 },
      }
      t.ok(await readBars(print, strip, dpi), `color ${n + 1} at ${dpi} dpi`)
    }
  }
})

t.test('words in gray, and white ones on gray and colors, are read', { skip }, async (t) => {
  const names = ['gray .5', 'gray .6', 'orange', 'dhl yellow', 'light blue', 'red', 'gray .4']
  const titles = names.map(
    (name, n): Strip => ({
      box: { x: 14.5, y: 19 + n * 50, width: 166, height: 32 },
      ink: gray(255),
      ground: gray(128),
      content: { words: `EXPRESS ${name}`, points: 16 },
    }),
  )
  for (const dpi of [203, 300]) {
    const print = printCase('white-on-color.pdf', dpi)
    t.same(
      await readWords(print, titles, dpi),
      names.map(() => true),
      `at ${dpi} dpi`,
    )
  }
})

t.test('a box is black under white words, to its edges', async (t) => {
  const dots = await dotsOf(printCase('white-on-color.pdf', 203))
  for (let n = 0; n < 7; n++) {
    const top = 60 + n * 141
    const shares = Array.from({ length: 6 }, (_, column) => shareOf(dots, 660 + column * 16, top))
    t.same(shares, new Array(6).fill(1), `box ${n + 1}`)
  }
})

const LINES = ['Harbor Gate Ring', 'Return to Sender', 'Maple Street North', 'Copper Bridge Floor']

t.test('words of any tone that a person reads are read on the label', { skip }, async (t) => {
  const random = makeRandom(43)
  const makeStrips = (): readonly Strip[] =>
    Array.from({ length: 12 }, (_, n) => ({
      box: { ...PAGE, y: 8 + n * 34, height: 26 },
      ...pickColors(random),
      content: { words: LINES[n % 4] ?? '', points: [7, 8, 10, 12, 14][n % 5] ?? 8 },
    }))
  const judge = async (
    name: string,
    print: (strips: readonly Strip[]) => Promise<RenderedLabel>,
    dpi: number,
  ): Promise<void> => {
    const strips = makeStrips()
    const read = await readWords(await print(strips), strips, dpi)
    const lost = strips.filter((_, n) => read[n] !== true)
    // The reader itself misses one of black on white now and then.
    t.ok(lost.length <= 1, `${name}: ${JSON.stringify(lost)}`)
  }
  await judge('PDF at 203 dpi', (strips) => printPdf(strips, 203), 203)
  await judge('PNG at 300 dpi', (strips) => printSvg(strips, 300), 300)
  await judge('JPEG at 300 dpi', (strips) => printSvg(strips, 300, 90), 300)
})

t.test('bars of any tone are read, and never dithered', async (t) => {
  const random = makeRandom(7)
  for (let n = 0; n < tries(32); n++) {
    const dpi = n % 2 === 0 ? 203 : 300
    const module = ((2 + (n % 3)) * 72) / dpi
    const strip: Strip = {
      box: { ...PAGE, y: 30, height: 60 },
      ...pickColors(random),
      content: { bars: `AB${Math.floor(random() * 1e6)}`, module },
    }
    const quality = n % 4 === 3 ? 75 : undefined
    const print = n % 4 === 0 ? await printPdf([strip], dpi) : await printSvg([strip], dpi, quality)
    const name = JSON.stringify({ ...strip, dpi, quality })
    t.ok(await readBars(print, strip, dpi), name)
    if (quality !== undefined) continue
    const dots = await dotsOf(print)
    const row = (y: number): string =>
      Array.from({ length: Math.floor(dots.width * 0.9) }, (_, x) => dots.at(x + 30, y)).join('')
    const middle = Math.round((60 * dpi) / 72)
    t.equal(row(middle), row(middle + 7), `every row is the same: ${name}`)
  }
})

t.test('a box without words is one even tone, one with words black or white', async (t) => {
  const random = makeRandom(11)
  for (let n = 0; n < tries(32); n++) {
    const box = { x: 20.3, y: 40.7, width: 80 + random() * 160, height: 40 + random() * 80 }
    const { ink, ground } = pickColors(random)
    const empty: Strip = { box, ink, ground, content: { words: '', points: 8 } }
    const name = JSON.stringify({ box, ink, ground })
    const even = sharesOf(await dotsOf(await printSvg([empty], 203)), empty, 203)
    // The pattern has 64 dots: a square that begins elsewhere in it holds as many.
    t.ok(Math.max(...even) - Math.min(...even) < 0.001, name)
    const words: Strip = { ...empty, content: { words: 'Ring twice', points: 10 } }
    const shares = sharesOf(await dotsOf(await printPdf([words], 203)), words, 203)
    const edges = [shares[0], shares.at(-1)]
    const color = lumaOf(ink) < lumaOf(ground) ? 0 : 1
    t.same(edges, [color, color], `with words: ${name}`)
  }
})

t.test('black on white prints as it always has, whatever stands beside it', async (t) => {
  const lines = [4, 5, 6, 7, 8, 9, 10, 11, 12, 14].map(
    (points, n): Strip => ({
      box: { ...PAGE, y: 8 + n * 24, height: 22 },
      ink: gray(0),
      ground: gray(255),
      content: { words: 'Ann Buyer, 12 Elm Street - 1.5 kg; ring twice (floor 7)', points },
    }),
  )
  const bars: Strip = {
    box: { ...PAGE, y: 270, height: 40 },
    ink: gray(0),
    ground: gray(255),
    content: { bars: 'AB1234567', module: 0.75 },
  }
  const pages = [203, 300].map(async (dpi) => (await printPdf([...lines, bars], dpi)).bytes)
  const digests = (await Promise.all(pages)).map((bytes) =>
    createHash('sha256').update(bytes).digest('hex').slice(0, 16),
  )
  // Of the program before tones were drawn.
  t.same(digests, ['a1568708e1f9bb02', '7462b8621c67f7bc'])
  const toned: Strip = {
    box: { ...PAGE, y: 330, height: 60 },
    ink: gray(255),
    ground: [255, 128, 0],
    content: { words: 'EXPRESS', points: 14 },
  }
  const alone = await dotsOf(await printPdf([...lines, bars], 203))
  const beside = await dotsOf(await printPdf([...lines, bars, toned], 203))
  let different = 0
  for (let y = 0; y < 880; y++) {
    for (let x = 0; x < alone.width; x++) if (alone.at(x, y) !== beside.at(x, y)) different++
  }
  t.equal(different, 0)
})

/** Shades, edges and grain, as a camera sees them. */
function makePhoto(seed: number, side: number): Buffer {
  const random = makeRandom(seed)
  const [a, b, c] = [random(), random(), random()].map((value) => 12 + value * 25) as [
    number,
    number,
    number,
  ]
  return Buffer.from(
    Uint8Array.from({ length: side * side }, (_, at) => {
      const [x, y] = [at % side, Math.floor(at / side)]
      const shade = 128 + 45 * Math.sin(x / a) + 35 * Math.sin(y / b) + 20 * Math.sin((x + y) / c)
      return Math.max(0, Math.min(255, shade + 24 * (random() - 0.5)))
    }),
  )
}

t.test('photos are dithered: as dark as they are, all over', async (t) => {
  for (let seed = 1; seed <= tries(20); seed++) {
    const side = 240
    const photo = makePhoto(seed, side)
    const input = await sharp(photo, { raw: { width: side, height: side, channels: 1 } })
      .png()
      .toBuffer()
    const label = await sharp({
      create: { width: 812, height: 1218, channels: 3, background: '#fff' },
    })
      .composite([{ input, left: 96, top: 96 }])
      .png()
      .toBuffer()
    const dots = await dotsOf(await renderPicture(label, 'png', makeTarget()))
    let worst = 0
    for (let y = 0; y < side; y += 16) {
      for (let x = 0; x < side; x += 16) {
        let wanted = 0
        for (let n = 0; n < 256; n++) {
          const luma = photo[(y + (n >> 4)) * side + x + (n & 15)] ?? 0
          wanted += Math.max(0, Math.min(1, (199 - luma) / 143)) / 256
        }
        worst = Math.max(worst, Math.abs(wanted - shareOf(dots, 96 + x, 96 + y)))
      }
    }
    t.ok(worst < 0.12, `photo ${seed}: ${worst}`)
  }
})

t.test(
  'a pale mark under words is left out, and the job says so; faint lines say nothing',
  async (t) => {
    const mark =
      '<text x="60" y="600" font-size="110" font-weight="bold" fill="#dedede">COPY</text>'
    const lines = Array.from(
      { length: 40 },
      (_, n) =>
        `<path d="M0 ${500 + n * 6} Q 400 ${460 + n * 6} 812 ${510 + n * 6}" fill="none" stroke="#d8e6d8"/>`,
    ).join('')
    for (const [what, isTold] of [
      [mark, true],
      [lines, false],
    ] as const) {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="812" height="1218"><rect width="100%" height="100%" fill="#fff"/>${what}<rect x="40" y="900" width="500" height="100"/></svg>`
      const label = await sharp(Buffer.from(svg)).png().toBuffer()
      const print = await renderPicture(label, 'png', makeTarget())
      const dots = await dotsOf(print)
      let black = 0
      for (let y = 0; y < 880; y++) for (let x = 0; x < 812; x++) black += dots.at(x, y)
      t.equal(black, 0)
      t.equal(
        inWords(print.notes).some((note) => note.includes('too pale')),
        isTold,
      )
    }
  },
)
