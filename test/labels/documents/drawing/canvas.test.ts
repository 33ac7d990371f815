import t from 'tap'
import {
  createCanvas,
  createPen,
  drawBars,
  fillBox,
  frameBox,
  turnUpsideDown,
} from '../../../../src/labels/documents/drawing/canvas.ts'
import { loadFont } from '../../../../src/labels/documents/font/font.ts'
import type { Raster } from '../../../../src/labels/languages/raster.ts'

/** Rows of a raster as `#` and `.`, padding included. */
function show(raster: Raster): readonly string[] {
  const bytes = (raster.width + 7) >> 3
  return Array.from({ length: raster.height }, (_, y) =>
    [...raster.bits.subarray(y * bytes, (y + 1) * bytes)]
      .map((byte) => byte.toString(2).padStart(8, '0').replaceAll('0', '.').replaceAll('1', '#'))
      .join(''),
  )
}

t.test('boxes and frames stay on the paper', (t) => {
  const raster = createCanvas(12, 4)
  fillBox(raster, -3, -1, 5, 3)
  fillBox(raster, 10, 3, 99, 99)
  t.same(show(raster), [
    '##..............',
    '##..............',
    '................',
    '..........##....',
  ])
  const framed = createCanvas(8, 4)
  frameBox(framed, { x: 1, y: 0, width: 6, height: 4 }, 1)
  t.same(show(framed), ['.######.', '.#....#.', '.#....#.', '.######.'])
  t.end()
})

t.test('bars begin black and alternate', (t) => {
  const raster = createCanvas(16, 2)
  t.equal(drawBars(raster, { x: 1, y: 0, module: 2, height: 1 }, [1, 2, 3]), 12)
  t.same(show(raster), ['.##....######...', '................'])
  t.end()
})

t.test('a line of text lies where it is put, at any dot', async (t) => {
  const pen = createPen(await loadFont(''))
  const style = { height: 16 }
  const straight = createCanvas(64, 20)
  t.equal(pen.write(straight, 'Ag', 0, 2, style), 16)
  for (const x of [1, 5, 7, 8, 9, 30]) {
    const moved = createCanvas(64, 20)
    pen.write(moved, 'Ag', x, 2, style)
    t.same(
      show(moved).map((row) => row.slice(x, x + 16)),
      show(straight).map((row) => row.slice(0, 16)),
      `at ${x}`,
    )
  }
})

t.test('text that runs off the paper is cut and leaves the padding white', async (t) => {
  const pen = createPen(await loadFont(''))
  const raster = createCanvas(13, 12)
  pen.write(raster, '\u2588\u2588\u2588\u2588', -4, -4, { height: 32 })
  for (const row of show(raster)) t.equal(row, '#############...')
})

t.test('upside down twice is as before, for widths that are not whole bytes too', async (t) => {
  const pen = createPen(await loadFont(''))
  for (const width of [40, 37]) {
    const raster = createCanvas(width, 18)
    pen.write(raster, 'Fg7', 3, 1, { height: 16 })
    fillBox(raster, width - 1, 17, 1, 1)
    const turned = turnUpsideDown(raster)
    t.equal(show(turned)[0]?.[0], '#')
    t.not(show(turned).join(), show(raster).join())
    t.same(turnUpsideDown(turned), raster)
  }
})
