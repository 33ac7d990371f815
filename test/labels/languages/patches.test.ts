import fc from 'fast-check'
import t from 'tap'
import {
  findPatches,
  invertPatch,
  type Patch,
  type Raster,
  rowBytes,
} from '../../../src/labels/languages/raster.ts'
import { carrierLabel } from '../../label-makers/carrier.ts'
import { toRaster } from '../../label-makers/gray.ts'
import { rasters } from '../../label-makers/random.ts'

t.test('patches hold all black, do not overlap, and touch black left and right', (t) => {
  fc.assert(
    fc.property(rasters({ width: 400, height: 50 }), fc.nat({ max: 60 }), (raster, headBytes) => {
      const patches = findPatches(raster, headBytes)
      return coverOnce(raster, patches) && patches.every((patch) => touchesInk(raster, patch))
    }),
    { numRuns: 200 },
  )
  t.end()
})

t.test('a carrier label takes half the bytes in patches, though it is framed', (t) => {
  const raster = toRaster(carrierLabel())
  const bytes = (headBytes: number) =>
    findPatches(raster, headBytes).reduce(
      (sum, { top, bottom, left, right }) => sum + 20 + (bottom - top) * (right - left),
      0,
    )
  t.ok(bytes(20) < bytes(Number.POSITIVE_INFINITY) / 2, `${bytes(20)} bytes`)
  t.end()
})

t.test('an infinite price makes one patch around everything, a blank raster none', (t) => {
  const bits = Uint8Array.of(0, 0, 0, 0, 0, 2, 0, 0, 0, 0x40, 0, 0)
  t.same(findPatches({ width: 24, height: 4, bits }, Number.POSITIVE_INFINITY), [
    { top: 1, bottom: 4, left: 0, right: 3 },
  ])
  t.same(findPatches({ width: 24, height: 4, bits: new Uint8Array(12) }, 20), [])
  t.end()
})

t.test('a patch is copied with black as 0', (t) => {
  const bits = Uint8Array.of(0xff, 0x0f, 0x80, 0x01)
  const patch = { top: 0, bottom: 2, left: 1, right: 2 }
  t.same([...invertPatch({ width: 16, height: 2, bits }, patch)], [0xf0, 0xfe])
  t.end()
})

function touchesInk({ width, bits }: Raster, { top, bottom, left, right }: Patch): boolean {
  const stride = rowBytes(width)
  const rows = Array.from({ length: bottom - top }, (_, row) => (top + row) * stride)
  return (
    rows.some((row) => bits[row + left] !== 0) && rows.some((row) => bits[row + right - 1] !== 0)
  )
}

function coverOnce({ width, bits }: Raster, patches: readonly Patch[]): boolean {
  const stride = rowBytes(width)
  const times = new Uint8Array(bits.length)
  for (const { top, bottom, left, right } of patches) {
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) times[y * stride + x] = (times[y * stride + x] ?? 0) + 1
    }
  }
  return times.every((count, index) => count === 1 || (count === 0 && bits[index] === 0))
}
