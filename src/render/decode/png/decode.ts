import { freeMemory } from '../../../system/memory.ts'
import type { TakeRow } from '../decoder.ts'
import { type Band, makeMemory, splitBands } from '../memory.ts'
import type { PngHeader } from '../png-header.ts'
import { readRows } from './inflate.ts'
import { RowReader, type RowShape } from './rows.ts'
import { bilevelColours, countsHighOnly, makeToLuma, type ToLuma } from './samples.ts'

/** The seven passes of Adam7 (PNG 8.1): first pixel and step, across and down. */
const PASSES = [
  { x: 0, y: 0, across: 8, down: 8 },
  { x: 4, y: 0, across: 8, down: 8 },
  { x: 0, y: 4, across: 4, down: 8 },
  { x: 2, y: 0, across: 4, down: 4 },
  { x: 0, y: 2, across: 2, down: 4 },
  { x: 1, y: 0, across: 2, down: 2 },
  { x: 0, y: 1, across: 1, down: 2 },
] as const

/**
 * Decodes luma row by row. Memory follows the row; an interlaced picture is held as one byte a pixel, a large one by bands.
 * @throws PlatenError PICTURE_BROKEN
 */
export async function decodePng(
  bytes: Uint8Array,
  header: PngHeader,
  take: TakeRow,
): Promise<void> {
  const toLuma = makeToLuma(header, header.colours)
  if (header.isInterlaced) await decodeInterlaced(bytes, header, toLuma, take)
  else await decodePlain(bytes, header, toLuma, take)
}

/**
 * Decodes a picture of plain black and white into rows of one bit a pixel, 1 black.
 * @throws PlatenError PICTURE_BROKEN
 */
export async function decodePngBits(
  bytes: Uint8Array,
  header: PngHeader,
  take: TakeRow,
): Promise<void> {
  const [zero, one] = bilevelColours(header.colour, header.depth, header.colours) ?? [0, 255]
  const counts = zero === one ? 0 : 0xff // the sample decides
  const turned = zero === 0 ? 0xff : 0
  const out = new Uint8Array(sampleBytes(header, header.width))
  const spare = 0xff >> (header.width & 7 || 8) // the bits of the last byte that are no pixels
  let y = 0
  const reader = new RowReader(shapeOf(header, header.width, header.height), (row) => {
    for (let n = 0; n < out.length; n++) out[n] = ((row[n + 1] as number) & counts) ^ turned
    out[out.length - 1] = (out[out.length - 1] as number) & ~spare
    take(out, y++)
  })
  await readRows(bytes, [reader])
}

/** Bytes of the samples of so many pixels. */
const sampleBytes = ({ channels, depth }: PngHeader, pixels: number): number =>
  Math.ceil((pixels * channels * depth) / 8)

const shapeOf = (header: PngHeader, width: number, rows: number): RowShape => ({
  rowBytes: sampleBytes(header, width),
  rows,
  step: Math.max(1, (header.channels * header.depth) >> 3),
  isHighOnly: countsHighOnly(header, header.colours),
})

async function decodePlain(
  bytes: Uint8Array,
  header: PngHeader,
  toLuma: ToLuma,
  take: TakeRow,
): Promise<void> {
  const { width, height } = header
  const luma = new Uint8Array(width)
  let y = 0
  const reader = new RowReader(shapeOf(header, width, height), (row, isRepeated) => {
    if (!isRepeated) toLuma(row, luma)
    take(luma, y++)
  })
  await readRows(bytes, [reader])
}

/** The rows of the seven passes lie all over the picture; a large one is decoded again for each band of it that fits. */
async function decodeInterlaced(
  bytes: Uint8Array,
  header: PngHeader,
  toLuma: ToLuma,
  take: TakeRow,
): Promise<void> {
  const { width, height } = header
  for (const { top, bottom } of splitBands(width, height)) {
    const length = width * (bottom - top)
    const held = new Uint8Array(makeMemory(length), 0, length)
    await readRows(bytes, makePassReaders(header, toLuma, { top, bottom }, held))
    for (let y = top; y < bottom; y++) {
      take(held.subarray((y - top) * width, (y - top + 1) * width), y)
    }
    freeMemory(held)
  }
}

/** Readers of all passes, which put the rows of the band into `held`. */
function makePassReaders(
  header: PngHeader,
  toLuma: ToLuma,
  { top, bottom }: Band,
  held: Uint8Array,
): RowReader[] {
  const { width, height } = header
  return PASSES.flatMap((pass) => {
    const columns = Math.ceil((width - pass.x) / pass.across)
    const rows = Math.ceil((height - pass.y) / pass.down)
    if (columns <= 0 || rows <= 0) return []
    const luma = new Uint8Array(columns)
    let y = pass.y
    const place = (row: Uint8Array): void => {
      if (y >= top && y < bottom) {
        toLuma(row, luma)
        let at = (y - top) * width + pass.x
        for (let x = 0; x < columns; x++, at += pass.across) held[at] = luma[x] as number
      }
      y += pass.down
    }
    return [new RowReader(shapeOf(header, columns, rows), place)]
  })
}
