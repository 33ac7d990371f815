import fc from 'fast-check'
import t from 'tap'
import { type Band, findBands, invertBand } from '../../../src/render/languages/bands.ts'
import { type Raster, rowBytes } from '../../../src/render/raster.ts'
import { carrierLabel } from '../../labels/carrier.ts'
import { toRaster } from '../../labels/gray.ts'
import { rasters } from '../../labels/random.ts'

t.test('boxes hold all black, lie one below the other, and touch black on every side', (t) => {
  fc.assert(
    fc.property(rasters({ width: 400, height: 50 }), fc.nat({ max: 60 }), (raster, headBytes) => {
      const bands = findBands(raster, headBytes)
      const inOrder = bands.every((band, index) => band.top >= (bands[index - 1]?.bottom ?? 0))
      return inOrder && bands.every((band) => touchesInk(raster, band)) && coverAll(raster, bands)
    }),
  )
  t.end()
})

t.test('a carrier label takes fewer bytes in boxes than in one', (t) => {
  const raster = toRaster(carrierLabel())
  const bytes = (headBytes: number) =>
    findBands(raster, headBytes).reduce(
      (sum, { top, bottom, left, right }) => sum + 20 + (bottom - top) * (right - left),
      0,
    )
  t.ok(bytes(20) < bytes(Number.POSITIVE_INFINITY))
  t.end()
})

t.test('an infinite price makes one box around everything, a blank raster none', (t) => {
  const bits = Uint8Array.of(0, 0, 0, 0, 0, 2, 0, 0, 0, 0x40, 0, 0)
  t.same(findBands({ width: 24, height: 4, bits }, Number.POSITIVE_INFINITY), [
    { top: 1, bottom: 4, left: 0, right: 3 },
  ])
  t.same(findBands({ width: 24, height: 4, bits: new Uint8Array(12) }, 20), [])
  t.end()
})

t.test('a box is copied with black as 0', (t) => {
  const bits = Uint8Array.of(0xff, 0x0f, 0x80, 0x01)
  const band = { top: 0, bottom: 2, left: 1, right: 2 }
  t.same([...invertBand({ width: 16, height: 2, bits }, band)], [0xf0, 0xfe])
  t.end()
})

function touchesInk({ width, bits }: Raster, { top, bottom, left, right }: Band): boolean {
  const stride = rowBytes(width)
  const isInked = (y: number, from: number, to: number) =>
    bits.subarray(y * stride + from, y * stride + to).some((byte) => byte !== 0)
  const rows = Array.from({ length: bottom - top }, (_, row) => top + row)
  return (
    isInked(top, left, right) &&
    isInked(bottom - 1, left, right) &&
    rows.some((y) => isInked(y, left, left + 1)) &&
    rows.some((y) => isInked(y, right - 1, right))
  )
}

function coverAll({ width, bits }: Raster, bands: readonly Band[]): boolean {
  const stride = rowBytes(width)
  const rest = bits.slice()
  for (const band of bands) {
    for (let y = band.top; y < band.bottom; y++) {
      rest.fill(0, y * stride + band.left, y * stride + band.right)
    }
  }
  return rest.every((byte) => byte === 0)
}
