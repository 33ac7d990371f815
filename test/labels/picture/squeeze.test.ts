import sharp from 'sharp'
import t from 'tap'
import { type Raster, rowBytes } from '../../../src/labels/languages/raster.ts'
import { squeeze } from '../../../src/labels/picture/dots.ts'
import { renderPicture } from '../../../src/labels/render.ts'
import { makeTarget } from '../make-target.ts'

/** Black where the function says so. */
function draw(width: number, height: number, isBlack: (x: number, y: number) => boolean): Raster {
  const bits = new Uint8Array(rowBytes(width) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * rowBytes(width) + (x >> 3)
      if (isBlack(x, y)) bits[at] = (bits[at] as number) | (0x80 >> (x & 7))
    }
  }
  return { width, height, bits }
}

t.test('rows and columns that repeat go, one of each place in turn', (t) => {
  // Two thin lines across and down, paper between.
  const dots = draw(120, 130, (x, y) => x === 60 || y === 40 || y === 90)
  const squeezed = squeeze(dots, { width: 118, height: 127 })
  t.same(
    squeezed,
    draw(118, 127, (x, y) => x === 59 || y === 39 || y === 88),
  )
  t.end()
})

t.test('what repeats nowhere is not squeezed', (t) => {
  const dots = draw(64, 64, (x, y) => (x ^ y) % 3 === 0)
  t.equal(squeeze(dots, { width: 64, height: 63 }), undefined)
  const narrow = draw(8, 64, (x, y) => x === y % 8)
  t.equal(squeeze(narrow, { width: 8, height: 63 }), undefined)
  t.end()
})

t.test(
  'a picture a hair too long prints dot for dot: DPD sends 1310 rows for 1218 and its ink is 9 too long',
  async (t) => {
    const [width, height] = [812, 1227]
    const luma = Buffer.alloc(width * height, 255)
    // A frame, bars of two dots, letters of single dots.
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const isFrame = x < 2 || y < 2 || x >= width - 2 || y >= height - 2
        const isBar = y > 300 && y < 500 && x > 100 && x < 700 && x % 4 < 2
        const isLetter = y > 700 && y < 712 && x > 100 && x < 700 && (x * 7 + y * 3) % 5 === 0
        if (isFrame || isBar || isLetter) luma[y * width + x] = 0
      }
    }
    const raw = { width, height, channels: 1 as const }
    const png = await sharp(luma, { raw }).png().toBuffer()
    const { preview, notes } = await renderPicture(png, 'png', makeTarget())
    t.same(notes, [])
    const printed = await sharp(preview).grayscale().raw().toBuffer()
    const row = (y: number): Buffer => printed.subarray(y * 812, (y + 1) * 812)
    t.same(row(350), luma.subarray(350 * width, 351 * width), 'bars as they were')
    const letters = Array.from({ length: 1218 }, (_, y) => y).filter((y) =>
      row(y).equals(luma.subarray(705 * width, 706 * width)),
    )
    t.ok(letters.length > 0, 'letters as they were')
  },
)
