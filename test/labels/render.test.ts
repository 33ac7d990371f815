import { Buffer } from 'node:buffer'
import sharp from 'sharp'
import t from 'tap'
import { png } from '../../src/labels/codecs/index.ts'
import { rowBytes } from '../../src/labels/languages/raster.ts'
import { renderPage, renderPicture } from '../../src/labels/render.ts'
import { encodePng, type RenderedLabel } from '../../src/labels/target.ts'
import { makeGif } from '../pictures/make-gif.ts'
import { makeJpeg } from '../pictures/make-jpeg.ts'
import { makePng } from '../pictures/make-png.ts'
import { makeUrf } from '../pictures/make-raster.ts'
import { inWords } from './in-words.ts'
import { makeTarget } from './make-target.ts'
import { decodeRows } from './rows.ts'

const TARGET = makeTarget()

type Paint = (x: number, y: number) => boolean

/** A PNG of one bit a pixel. */
function pictureOf(width: number, height: number, isBlack: Paint): Uint8Array {
  const bits = new Uint8Array(rowBytes(width) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!isBlack(x, y)) continue
      const at = y * rowBytes(width) + (x >> 3)
      bits[at] = (bits[at] ?? 0) | (0x80 >> (x & 7))
    }
  }
  return encodePng({ width, height, bits })
}

async function previewOf(rendered: RenderedLabel): Promise<number[][]> {
  return await decodeRows(png, rendered.preview ?? new Uint8Array())
}

/** Left, top, right, bottom of what is black, the last ones included. */
function inkOf(rows: readonly (readonly number[])[]): number[] {
  const ys = rows.flatMap((row, y) => (row.includes(0) ? [y] : []))
  const xs = rows.flatMap((row) => (row.includes(0) ? [row.indexOf(0), row.lastIndexOf(0)] : []))
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

function frame(left: number, top: number, right: number, bottom: number, thick = 3): Paint {
  return (x, y) =>
    x >= left &&
    x <= right &&
    y >= top &&
    y <= bottom &&
    (x < left + thick || y < top + thick || x > right - thick || y > bottom - thick)
}

t.test('a picture of the size of the label prints dot for dot', async (t) => {
  const label = pictureOf(812, 1218, (x, y) => (x * y) % 3 === 1)
  const rendered = await renderPicture(label, 'png', TARGET)
  t.same(rendered.preview, label)
  t.same(rendered.notes, [])
  t.match(Buffer.from(rendered.bytes).toString('latin1'), /^\^XA.*\^GFA,.*\^XZ\s*$/s)
})

t.test('each language gets its own bytes of the same picture', async (t) => {
  const label = pictureOf(800, 1200, frame(10, 10, 790, 1190))
  const starts = { zpl: /^\^XA/, epl: /^\r?\nN\r?\n/, tspl: /SIZE / } as const
  for (const language of ['zpl', 'epl', 'tspl'] as const) {
    const rendered = await renderPicture(label, 'png', { ...TARGET, language })
    t.match(Buffer.from(rendered.bytes).toString('latin1'), starts[language])
    t.same(inkOf(await previewOf(rendered)), [16, 19, 796, 1199])
  }
})

t.test('a printer of unknown language is said, before anything is drawn', async (t) => {
  await t.rejects(
    async () => await renderPicture(new Uint8Array(), 'png', { ...TARGET, language: undefined }),
    {
      code: 'PRINTER_LANGUAGE',
    },
  )
})

t.test('labels beyond all measure are refused', async (t) => {
  const label = pictureOf(8, 8, () => true)
  for (const [labelWidth, labelHeight] of [
    [0, 6],
    [100, 100],
    [Number.NaN, 6],
  ] as const) {
    await t.rejects(
      async () => await renderPicture(label, 'png', { ...TARGET, labelWidth, labelHeight }),
      {
        code: 'FIELD_INVALID',
      },
    )
  }
})

t.test('the UPS GIF is turned clockwise, its blank tail cut, its bars untouched', async (t) => {
  const palette = [
    [255, 255, 255],
    [0, 0, 0],
  ] as const
  const isBlack: Paint = (x, y) => x >= 20 && x < 1180 && y >= 15 && y < 785 && x % 4 < 2
  const index = (x: number, y: number): number => (isBlack(x, y) ? 1 : 0)
  const whole = { x: 0, y: 0, width: 1400, height: 800, index }
  const gif = makeGif({ width: 1400, height: 800, palette, frames: [whole] })
  const rendered = await renderPicture(gif, 'gif', TARGET)
  t.same(rendered.notes, [])
  const rows = await previewOf(rendered)
  // The window begins at column 0, since the margins of 19 dots on both sides go in; clockwise the left edge is on top.
  const [left, top, right, bottom] = inkOf(rows)
  t.same([left, right], [6 + 15, 6 + 784])
  t.equal((bottom ?? 0) - (top ?? 0), 1157)
  for (let y = 0; y + 4 < 1150; y += 4) {
    const pair = [0, 1, 2, 3].map((n) => rows[(top ?? 0) + y + n]?.[400])
    if (pair.join() !== '0,0,255,255') t.fail(`bars at row ${y} are ${pair}`)
  }
})

t.test('a label in the corner of a letter page prints dot for dot', async (t) => {
  const page = pictureOf(1726, 2233, frame(40, 50, 830, 1240, 4))
  const rendered = await renderPicture(page, 'png', TARGET)
  const [left = 0, top = 0, right = 0, bottom = 0] = inkOf(await previewOf(rendered))
  t.same([right - left, bottom - top], [790, 1190])
  t.ok(left >= 5 && right <= 806 && top >= 5 && bottom <= 1212, 'in the middle')
})

t.test('an EXIF orientation is obeyed, then the stock', async (t) => {
  // Stored lying, black on the left; 6 says that its right way up is a quarter turn clockwise: black on top.
  const stored = { width: 1200, height: 800, sampling: [[1, 1]] as const }
  const level = (_: number, x: number): number => (x < 20 ? 0 : 255)
  const rendered = await renderPicture(
    makeJpeg({ ...stored, level, orientation: 6 }),
    'jpeg',
    TARGET,
  )
  t.same(inkOf(await previewOf(rendered)), [6, 9, 805, 9 + 159])
  const other = await renderPicture(makeJpeg({ ...stored, level, orientation: 8 }), 'jpeg', TARGET)
  t.same(inkOf(await previewOf(other)), [6, 1208 - 159, 805, 1208])
})

t.test('a picture of the size of the label is black and white, whatever it was', async (t) => {
  const [width, height] = [812, 1218]
  const luma = Buffer.alloc(width * height, 255).fill(0, 0, 100 * width)
  const gray = sharp(luma, { raw: { width, height, channels: 1 } })
  const png = await gray.clone().png().toBuffer()
  const upright = inkOf(await previewOf(await renderPicture(png, 'png', TARGET)))
  t.same(upright, [0, 0, 811, 99])
  const fax = gray.toColourspace('b-w')
  const tiff = await fax.tiff({ compression: 'ccittfax4', bitdepth: 1 }).toBuffer()
  const orientation = tiff.indexOf(Buffer.of(0x12, 1, 3, 0, 1, 0, 0, 0)) // TIFF 6.0, tag 274
  tiff.writeUInt16LE(3, orientation + 8)
  const turned = inkOf(await previewOf(await renderPicture(tiff, 'tiff', TARGET)))
  t.same(turned, [0, 1118, 811, 1217], 'a fax that lies upside down')
})

t.test('a page with an EXIF orientation is set upright before it is trimmed', async (t) => {
  const level = (_: number, x: number, y: number): number => (x > 150 && y > 120 ? 0 : 255)
  const page = makeJpeg({ width: 2000, height: 1600, sampling: [[1, 1]], level, orientation: 6 })
  // The black part is 8*(250-151) by 8*(200-121) pixels in the stored lower right.
  const [left = 0, top = 0, right = 0, bottom = 0] = inkOf(
    await previewOf(await renderPicture(page, 'jpeg', TARGET)),
  )
  t.same([right - left + 1, bottom - top + 1], [8 * 79, 8 * 99])
})

t.test('a turn that is asked for is clockwise', async (t) => {
  const label = pictureOf(812, 1218, (_, y) => y < 100)
  const rows = await previewOf(await renderPicture(label, 'png', { ...TARGET, rotate: 180 }))
  t.same(inkOf(rows), [0, 1118, 811, 1217])
})

t.test('a stated resolution decides the size on another head', async (t) => {
  const label = pictureOf(1200, 1800, frame(0, 0, 1199, 1799, 6))
  const rows = await previewOf(await renderPicture(label, 'png', { ...TARGET, pictureDpi: 300 }))
  t.same(inkOf(rows), [0, 0, 811, 1217])
  t.same([rows[0]?.length, rows.length], [812, 1218])
})

t.test(
  'a starting point that cuts the picture is noted, one that cuts only paper is not',
  async (t) => {
    const label = pictureOf(800, 1200, frame(20, 20, 780, 1180))
    const kept = await renderPicture(label, 'png', {
      ...TARGET,
      startingPointX: 20,
      startingPointY: 30,
    })
    t.same(kept.notes, [])
    t.same(inkOf(await previewOf(kept)), [40, 50, 800, 1210])
    const cut = await renderPicture(label, 'png', {
      ...TARGET,
      startingPointX: -30,
      startingPointY: 30,
    })
    t.match(cut.notes, [/starting point -30, 30 moved part of the picture off the label: 800x1200/])
    t.same(cut.notes.length, 1)
  },
)

t.test(
  'a starting point counts in dots of `dpi`, whatever the label says of its own',
  async (t) => {
    const [size, samples] = [{ width: 200, height: 200 }, new Uint8Array(200 * 200)]
    const drawn = { ...size, luma: samples, notes: [] }
    const page = makeUrf({ ...size, dpi: 100, space: 0, bitsPerPixel: 8, samples })
    for (const [pictureDpi, at] of [
      [300, 203],
      [undefined, 300],
    ] as const) {
      const target = { ...TARGET, pictureDpi, startingPointX: 300, startingPointY: 300 }
      t.same(inkOf(await previewOf(renderPage(drawn, target))).slice(0, 2), [at, at])
      t.same(inkOf(await previewOf(await renderPicture(page, 'urf', target))).slice(0, 2), [at, at])
    }
  },
)

t.test('a picture that was scaled until its bars are too fine is noted', async (t) => {
  const bars: Paint = (x, y) => x > 100 && x < 1600 && y > 100 && y < 2100 && x % 4 < 2
  const page = pictureOf(1700, 2200, bars)
  const { notes } = await renderPicture(page, 'png', TARGET)
  t.match(notes, [
    /scaled to 53 % to fit: bar codes may not scan \(the finest bars are 1.1 dots wide, wanted 2\)/,
  ])
  const label = pictureOf(1200, 1800, (x, y) => y > 100 && y < 700 && x % 6 < 3)
  t.same(
    (await renderPicture(label, 'png', TARGET)).notes,
    [],
    '300 dpi, bars of 3 pixels, two thirds',
  )
})

t.test('a blank picture prints a blank label, and that is noted', async (t) => {
  const plan = {
    width: 300,
    height: 300,
    color: 6,
    depth: 8,
    samples: () => [0, 0, 0, 0],
  } as const
  const { notes, preview } = await renderPicture(makePng(plan), 'png', TARGET)
  t.match(inWords(notes), [/Nothing of the picture is dark enough/])
  t.ok(preview)
  const page = pictureOf(1700, 2200, () => false)
  t.match(
    inWords((await renderPicture(page, 'png', TARGET)).notes),
    [/Nothing/],
    'a page without ink too',
  )
})

t.test('one dot too many of rounding is dropped without a word', async (t) => {
  const { notes, preview } = await renderPicture(
    pictureOf(813, 1220, () => true),
    'png',
    TARGET,
  )
  t.same(notes, [])
  t.same(inkOf(await decodeRows(png, preview ?? new Uint8Array())), [0, 0, 811, 1217])
})

t.test('ink of a picture that is made to fit stays 1 mm off the edges', async (t) => {
  for (const [name, paint] of [
    ['a frame', frame(0, 0, 999, 1499, 8)],
    ['a frame without its first row', frame(0, 40, 999, 1499, 8)],
    ['its foot', frame(300, 1400, 700, 1499, 8)],
  ] as const) {
    for (const [dpi, edge] of [
      [203, 8],
      [300, 12],
    ] as const) {
      const rows = await previewOf(
        await renderPicture(pictureOf(1000, 1500, paint), 'png', { ...TARGET, dpi }),
      )
      const [left = 0, top = 0, right = 0, bottom = 0] = inkOf(rows)
      const [width, height] = [rows[0]?.length ?? 0, rows.length]
      const gaps = [left, top, width - 1 - right, height - 1 - bottom]
      t.ok(Math.min(...gaps) >= edge, `${name} at ${dpi} dpi: ${gaps}`)
      t.ok(Math.min(...gaps) <= edge + 2, `${name} at ${dpi} dpi is no smaller than it must be`)
    }
  }
})

t.test('narrow, lying and long stock get a sensible picture', async (t) => {
  const label = pictureOf(812, 1218, frame(0, 0, 811, 1217, 8))
  const stocks: [number, number, number[]][] = [
    [2, 1, [62, 8, 342, 194]],
    [6, 4, [0, 0, 1217, 811]],
    [4, 8, [0, 203, 811, 1420]],
    [2.25, 1.25, [50, 8, 406, 245]],
  ]
  for (const [labelWidth, labelHeight, wanted] of stocks) {
    const rows = await previewOf(
      await renderPicture(label, 'png', { ...TARGET, labelWidth, labelHeight }),
    )
    t.same(
      [rows[0]?.length, rows.length],
      [labelWidth, labelHeight].map((inches) => Math.round(inches * 203)),
    )
    t.same(inkOf(rows), wanted, `${labelWidth}x${labelHeight}`)
  }
})

t.test('a poster that is not scaled is drawn where it is on the label alone', async (t) => {
  const target = { ...TARGET, scaling: 'none', pictureDpi: 30 } as const
  const inside = pictureOf(1_500, 1_500, frame(700, 670, 800, 830))
  const before = process.resourceUsage().maxRSS
  const rendered = await renderPicture(inside, 'png', target)
  // 103 million dots else, a byte each, and more at other resolutions.
  t.ok(process.resourceUsage().maxRSS - before < 60_000, 'KB more')
  t.same(rendered.notes, [])
  const wanted = [68, 68, 750, 1_156]
  const ink = inkOf(await previewOf(rendered))
  t.ok(
    ink.every((at, n) => Math.abs(at - (wanted[n] ?? 0)) < 4),
    ink.join(),
  )
  const beyond = pictureOf(1_500, 1_500, frame(600, 670, 800, 830))
  t.match(inWords((await renderPicture(beyond, 'png', target)).notes), [
    /50x50 inches at its own size.*cut off/,
  ])
})
