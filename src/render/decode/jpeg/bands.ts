import type { TakeRow } from '../decoder.ts'
import type { Idct } from './idct.ts'
import { type Layout, mixer } from './layout.ts'

/** One band of samples for each wanted component: what one row of MCUs (or blocks) becomes. */
export interface Bands {
  /** Samples a row, padding included. */
  readonly stride: number
  /** Rows. */
  readonly rows: number
  readonly planes: readonly Uint8ClampedArray[]
  /** Transforms a block into plane `plane` at block column `x`, block row `y` of the band; `isFlat`: DC alone. */
  put(plane: number, block: Int32Array, isFlat: boolean, x: number, y: number): void
  /** Hands the rows on as luma, less the padding. */
  flush(take: TakeRow): void
}

/** Bands of `blockRows` rows of blocks, `size` (8, 4, 2 or 1) samples a block. */
export function makeBands(
  layout: Layout,
  blocksX: number,
  blockRows: number,
  size: number,
  idct: Idct,
): Bands {
  const stride = blocksX * size
  const rows = blockRows * size
  const planes = layout.wanted.map(() => new Uint8ClampedArray(stride * rows))
  const width = Math.ceil((layout.width * size) / 8)
  const height = Math.ceil((layout.height * size) / 8)
  const mix = layout.mixing === 'luma' ? undefined : mixer(layout.mixing)
  const mixed = new Uint8Array(width)
  let y = 0
  const put: Bands['put'] = (plane, block, isFlat, bx, by) => {
    const out = planes[plane]
    if (out === undefined) return
    const at = by * size * stride + bx * size
    if (!isFlat) return idct(block, out, at, stride)
    // The rounding of the whole transform: both passes keep a flat block flat.
    const sample =
      size === 8 ? ((block[0] as number) + 4 + 1024) >> 3 : (block[0] as number) / 8 + 128
    for (let row = 0; row < size; row += 1) {
      out.fill(sample, at + row * stride, at + row * stride + size)
    }
  }
  const flush = (take: TakeRow): void => {
    for (let row = 0; row < rows && y < height; row += 1, y += 1) {
      const at = row * stride
      if (mix !== undefined) {
        mix(planes, at, mixed)
        take(mixed, y)
      } else take(asBytes(planes[0]).subarray(at, at + width), y)
    }
  }
  return { stride, rows, planes, put, flush }
}

const asBytes = (plane: Uint8ClampedArray | undefined): Uint8Array =>
  plane === undefined
    ? new Uint8Array(0)
    : new Uint8Array(plane.buffer, plane.byteOffset, plane.byteLength)
