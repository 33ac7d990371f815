import t from 'tap'
import { png } from '../../src/labels/codecs/index.ts'
import { rowBytes } from '../../src/labels/languages/raster.ts'
import { encodePng } from '../../src/labels/target.ts'
import { decodeRows } from './rows.ts'

t.test('a raster comes back from its PNG, dots black, at every width of a byte', async (t) => {
  for (let width = 1; width <= 17; width++) {
    const bits = Uint8Array.from({ length: rowBytes(width) * 3 }, (_, n) => n * 89 + 37)
    const rows = await decodeRows(png, encodePng({ width, height: 3, bits }))
    const wanted = Array.from({ length: 3 }, (_, y) =>
      Array.from({ length: width }, (_, x) =>
        (bits[y * rowBytes(width) + (x >> 3)] ?? 0) & (0x80 >> (x & 7)) ? 0 : 255,
      ),
    )
    t.same(rows, wanted, `${width} dots wide`)
  }
})

t.test('it is one bit a pixel, gray', (t) => {
  const file = encodePng({ width: 812, height: 1218, bits: new Uint8Array(102 * 1218) })
  t.same([...file.subarray(24, 26)], [1, 0])
  t.ok(file.length < 1000, 'a blank label is small')
  t.end()
})
