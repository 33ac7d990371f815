import type { TakeRow } from '../decoder.ts'
import type { Idct } from './idct.ts'
import { type BlockLayout, mixer } from './layout.ts'

/** Bands of samples, one for each wanted component: what one row of MCUs (or blocks) becomes. */
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
  layout: BlockLayout,
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

/**
 * Luma that is stored coarser than color, as nobody means to: its rows become as large as the picture, in the way of
 * libjpeg-turbo (jdsample.c), so that they come out as other programs show them. Twice as large, a sample counts three
 * quarters and its nearest neighbor one; else samples are repeated. `take` itself when there is nothing to do.
 */
export function enlarge(layout: BlockLayout, take: TakeRow): TakeRow {
  const across = layout.h / layout.across
  const down = layout.v / layout.down
  if (across === 1 && down === 1) return take
  if (isSmooth(across, down, layout.width)) {
    return down === 1 ? widenSmoothly(layout, take) : heightenSmoothly(layout, take)
  }
  const { width, height } = layout.frame
  const out = new Uint8Array(width)
  return (row, y) => {
    for (let x = 0; x < width; x += 1) out[x] = row[Math.floor(x / across)] as number
    for (let n = y * down; n < (y + 1) * down && n < height; n += 1) take(out, n)
  }
}

/** libjpeg-turbo repeats the samples of pictures that are two samples wide. */
function isSmooth(across: number, down: number, width: number): boolean {
  if (across > 2 || down > 2) return false
  return across === 1 || width > 2
}

function widenSmoothly({ frame }: BlockLayout, take: TakeRow): TakeRow {
  const out = new Uint8Array(frame.width)
  return (row, y) => {
    widen(row, out, 1, 2, 2)
    take(out, y)
  }
}

/** Holds a row and the one before it. */
function heightenSmoothly(layout: BlockLayout, take: TakeRow): TakeRow {
  const { frame, width, height } = layout
  const out = new Uint8Array(frame.width)
  const sums = new Uint16Array(width)
  let above = new Uint8Array(width)
  let here = new Uint8Array(width)
  const put = (near: Uint8Array, isLower: boolean, y: number): void => {
    if (y >= frame.height) return
    for (let x = 0; x < width; x += 1) sums[x] = 3 * (here[x] as number) + (near[x] as number)
    if (layout.across === layout.h) quarter(sums, out, isLower ? 2 : 1)
    else widen(sums, out, 8, 7, 4)
    take(out, y)
  }
  return (row, y) => {
    if (y > 0) put(row, true, 2 * y - 1)
    const before = y > 0 ? here : row
    ;[above, here] = [here, above]
    here.set(row)
    put(before, false, 2 * y)
    if (y === height - 1) put(here, true, 2 * y + 1)
  }
}

function quarter(sums: Uint16Array, out: Uint8Array, bias: number): void {
  for (let x = 0; x < out.length; x += 1) out[x] = ((sums[x] as number) + bias) >> 2
}

/** Twice as wide; beyond its ends a row goes on as it ended. Biases of even and odd places alternate, so that rounding evens out. */
function widen(
  row: Uint8Array | Uint16Array,
  out: Uint8Array,
  even: number,
  odd: number,
  shift: number,
): void {
  const last = row.length - 1
  for (let n = 0; n <= last; n += 1) {
    const here = 3 * (row[n] as number)
    out[2 * n] = (here + (row[n > 0 ? n - 1 : 0] as number) + even) >> shift
    out[2 * n + 1] = (here + (row[n < last ? n + 1 : last] as number) + odd) >> shift
  }
}
