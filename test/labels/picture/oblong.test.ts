import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import sharp from 'sharp'
import t from 'tap'
import type { Plane } from '../../../src/labels/plane.ts'
import { renderPicture } from '../../../src/labels/render.ts'
import type { RenderedLabel } from '../../../src/labels/target.ts'
import { OBLONG_FORMATS, storeOblong } from '../../pictures/oblong.ts'
import { tries } from '../../random.ts'
import { makeTarget } from '../make-target.ts'

t.setTimeout(300_000)

const [WIDTH, HEIGHT] = [812, 1218]
/** Blocks whose places and sizes tell every turn, mirror and stretch: left, top, width, height. */
const BLOCKS = [
  [40, 60, 240, 120],
  [600, 100, 150, 150],
  [80, 900, 120, 260],
  [420, 560, 60, 60],
] as const

const label = drawBlocks()

function drawBlocks(): Plane {
  const luma = new Uint8Array(WIDTH * HEIGHT).fill(255)
  for (const [x, y, width, height] of BLOCKS) {
    for (let row = y; row < y + height; row++) {
      luma.fill(0, row * WIDTH + x, row * WIDTH + x + width)
    }
  }
  return { width: WIDTH, height: HEIGHT, luma }
}

/** The part of the label that is not as it should be, in thousandths. */
async function differenceOf(rendered: RenderedLabel): Promise<number> {
  const { data, info } = await sharp(rendered.preview)
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  t.same([info.width, info.height], [WIDTH, HEIGHT])
  let other = 0
  for (const [n, luma] of label.luma.entries()) if (luma < 128 !== (data[n] ?? 0) < 128) other++
  return (1000 * other) / label.luma.length
}

t.test('pixels that are not square come out in right proportions, whatever says so', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...OBLONG_FORMATS),
      fc.constantFrom([204, 98], [203, 101.5], [98, 204], [204, 196], [101.5, 203], [203, 60]),
      fc.constantFrom('inch', 'metric', 'none'),
      fc.integer({ min: 1, max: 8 }),
      async (format, [across, down], unit, mark) => {
        // Page rasters have neither.
        const orientation = format === 'pwg' ? 1 : mark
        // JFIF counts whole dots per centimeter: 101.5 an inch are 40.
        const isRough = format === 'jpeg' && unit === 'metric'
        const pixels = { across: across ?? 0, down: down ?? 0, unit, orientation } as const
        const file = await storeOblong(label, 203, format, pixels)
        const rendered = await renderPicture(file, nameOf(format), makeTarget())
        const found = await differenceOf(rendered)
        t.ok(found < (isRough ? 25 : 12), `${format} ${JSON.stringify(pixels)}: ${found}`)
      },
    ),
    { numRuns: tries(100) },
  )
})

function nameOf(format: string) {
  return format.split('-')[0] as 'png' | 'jpeg' | 'tiff' | 'pwg'
}

t.test(
  'the resolution that counts where the size is kept is that of the finer direction',
  async (t) => {
    for (const format of ['png', 'jpeg', 'tiff'] as const) {
      const pixels = { across: 203, down: 101.5, unit: 'inch', orientation: 1 } as const
      const half = await storeOblong(label, 406, format, pixels)
      const target = makeTarget({ scaling: 'none' })
      const rendered = await renderPicture(half, format, target)
      t.ok((await differenceOf(rendered)) > 12, 'at its own size it is half of the label')
      const { data } = await sharp(rendered.preview)
        .grayscale()
        .raw()
        .toBuffer({ resolveWithObject: true })
      const rows = Array.from({ length: HEIGHT }, (_, y) =>
        data.subarray(y * WIDTH, (y + 1) * WIDTH),
      )
      const inked = rows.flatMap((row, y) => (row.some((luma) => luma < 128) ? [y] : []))
      // From 60 to 1160 of the label, half as large, in the middle of it.
      t.ok(Math.abs((inked[0] ?? 0) - (305 + 30)) < 4, `${format}: ${inked[0]}`)
      t.ok(Math.abs((inked.at(-1) ?? 0) - (305 + 579)) < 4, `${format}: ${inked.at(-1)}`)
    }
  },
)

t.test('nearly square pixels, and densities beyond all measure, change nothing', async (t) => {
  const plain = { across: 203, down: 203, unit: 'inch', orientation: 1 } as const
  for (const format of OBLONG_FORMATS) {
    const name = nameOf(format)
    const square = await storeOblong(label, 203, format, plain)
    const { bytes } = await renderPicture(square, name, makeTarget())
    t.ok((await differenceOf(await renderPicture(square, name, makeTarget()))) < 1)
    for (const down of [206, 20]) {
      const file = await storeOblong(label, 203, format, plain, { ...plain, down })
      t.same((await renderPicture(file, name, makeTarget())).bytes, bytes, `${format} ${down}`)
    }
  }
})

t.test(
  'a fax of 204 x 98 dpi and a picture of half the rows print upright, all of them',
  async (t) => {
    for (const [file, format] of [
      ['fax-204x98.tif', 'tiff'],
      ['half-rows.png', 'png'],
    ] as const) {
      const bytes = readFileSync(new URL(`../../pictures/files/${file}`, import.meta.url))
      const { preview } = await renderPicture(bytes, format, makeTarget())
      const { data } = await sharp(preview).grayscale().raw().toBuffer({ resolveWithObject: true })
      const inkedRows = new Set<number>()
      const inkedColumns = new Set<number>()
      for (const [n, luma] of data.entries()) {
        if (luma > 127) continue
        inkedRows.add(Math.floor(n / WIDTH))
        inkedColumns.add(n % WIDTH)
      }
      const height = Math.max(...inkedRows) - Math.min(...inkedRows)
      const width = Math.max(...inkedColumns) - Math.min(...inkedColumns)
      t.ok(height > 1.3 * width, `${file}: ${width} x ${height}`)
      t.ok(width > 0.85 * WIDTH, `${file}: ${width} x ${height}`)
    }
  },
)
