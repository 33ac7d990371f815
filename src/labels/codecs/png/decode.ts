import { Buffer } from 'node:buffer'
import { crc32, createInflate, type Inflate, inflateSync, type ZlibOptions } from 'node:zlib'
import { LabelFault } from '../../fault.ts'
import { freeIfWhole, freeMemory } from '../../memory.ts'
import { type Band, makeMemory, splitBands, type TakeRow } from '../decoder.ts'
import { type PngHeader, walkChunks } from './header.ts'
import { RowReader, type RowShape } from './rows.ts'
import { bilevelColors, countsHighOnly, makeToLuma, type ToLuma } from './samples.ts'

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
 * @throws LabelFault PICTURE_BROKEN
 */
export async function decodePng(
  bytes: Uint8Array,
  header: PngHeader,
  take: TakeRow,
): Promise<void> {
  const toLuma = makeToLuma(header, header.colors)
  if (header.isInterlaced) await decodeInterlaced(bytes, header, toLuma, take)
  else await decodePlain(bytes, header, toLuma, take)
}

/**
 * Decodes a picture of plain black and white into rows of one bit a pixel, 1 black.
 * @throws LabelFault PICTURE_BROKEN
 */
export async function decodePngBits(
  bytes: Uint8Array,
  header: PngHeader,
  take: TakeRow,
): Promise<void> {
  const [zero, one] = bilevelColors(header.color, header.depth, header.colors) ?? [0, 255]
  const counts = zero === one ? 0 : 0xff // the sample decides
  const turned = zero === 0 ? 0xff : 0
  const out = new Uint8Array(sampleBytes(header, header.width))
  const spare = 0xff >> (header.width & 7 || 8) // the bits of the last byte that are not pixels
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
  isHighOnly: countsHighOnly(header, header.colors),
})

type DecodeRows = (
  bytes: Uint8Array,
  header: PngHeader,
  toLuma: ToLuma,
  take: TakeRow,
) => Promise<void>

const decodePlain: DecodeRows = async (bytes, header, toLuma, take) => {
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
const decodeInterlaced: DecodeRows = async (bytes, header, toLuma, take) => {
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

/** Up to here all is inflated at once: a stream costs a millisecond or two to set up. */
const SMALL_BYTES = 4 * 2 ** 20
/** Bytes of one inflated piece; the next one is inflated in another thread while this one is read. */
const PIECE = 256 * 1024
/** Bytes that may lie ready. */
const AHEAD = 4 * PIECE

/** zlib's error codes for data that cannot be inflated; Z_MEM_ERROR is none of them. */
const ZLIB_CODES = /^(Z_(DATA|BUF|STREAM)_ERROR|Z_NEED_DICT)$/

/**
 * Inflates the picture data into the readers, one after the other. What follows the last row is not of the picture: viewers
 * pass over it, and it is not inflated.
 * @throws LabelFault PICTURE_BROKEN
 */
async function readRows(file: Uint8Array, readers: readonly RowReader[]): Promise<void> {
  const data: Uint8Array[] = []
  walkChunks(Buffer.from(file.buffer, file.byteOffset, file.byteLength), (type, start, end) => {
    // A picture is whole without what Exif says of it.
    if (type !== 'eXIf') checkCrc(file, type, start, end)
    if (type === 'IDAT') data.push(file.subarray(start, end))
  })
  const wanted = readers.reduce((sum, reader) => sum + reader.bytes, 0)
  const fill = makeFill(readers)
  try {
    const small = wanted <= SMALL_BYTES ? inflateSmall(data, wanted) : undefined
    if (small === undefined) await inflateInPieces(data, fill)
    else fill(small)
  } catch (cause) {
    throw explain(cause)
  }
  const missing = readers.find((reader) => !reader.isDone)
  if (missing !== undefined) throw broken('it holds fewer rows than it says')
}

/** Undefined of data that inflate to more. */
function inflateSmall(data: readonly Uint8Array[], wanted: number): Uint8Array | undefined {
  const [only] = data
  const joined = data.length === 1 && only !== undefined ? only : Buffer.concat(data)
  try {
    return inflateSync(joined, { maxOutputLength: wanted + 1 })
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw cause
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

/** zlib's errors in words; what else went wrong while the rows were drawn is not the picture's fault. */
function explain(cause: unknown): unknown {
  const code = codeOf(cause)
  if (cause instanceof LabelFault || !ZLIB_CODES.test(code)) return cause
  return broken(code === 'Z_BUF_ERROR' ? 'its data end too early' : 'its data are damaged', cause)
}

function broken(what: string, cause?: unknown): LabelFault {
  return new LabelFault('PICTURE_BROKEN', `The PNG cannot be decoded: ${what}.`, { cause })
}

function checkCrc(file: Uint8Array, type: string, start: number, end: number): void {
  const stored = Buffer.from(file.buffer, file.byteOffset + end, 4).readUInt32BE(0)
  if (crc32(file.subarray(start - 4, end)) !== stored) throw broken(`its chunk ${type} is damaged`)
}

/** Takes inflated pieces; true = the last row has come, and more. */
function makeFill(readers: readonly RowReader[]): (piece: Uint8Array) => boolean {
  let n = 0
  return (piece) => {
    let at = 0
    for (let reader = readers[n]; reader !== undefined && at < piece.length; reader = readers[n]) {
      at = reader.read(piece, at)
      if (reader.isDone) n += 1
    }
    return at < piece.length
  }
}

async function inflateInPieces(
  data: readonly Uint8Array[],
  fill: (piece: Uint8Array) => boolean,
): Promise<void> {
  const inflate = createInflate({ chunkSize: PIECE, readableHighWaterMark: AHEAD } as ZlibOptions)
  feed(inflate, joinSmall(data))
  try {
    for await (const piece of inflate) {
      const isOver = fill(piece as Uint8Array)
      freePiece(piece as Uint8Array)
      if (isOver) break
    }
  } finally {
    inflate.destroy()
  }
}

/** Feeds the parts one after the other, each gone when it is read: a file of 10 MB must not lie there a second time. */
function feed(inflate: Inflate, parts: Generator<Uint8Array>): void {
  const { done, value } = parts.next()
  if (done === true) {
    inflate.end()
    return
  }
  inflate.write(value, (fault) => {
    if (fault) return
    freeIfWhole(value)
    feed(inflate, parts)
  })
}

/** Encoders cut the data into chunks of 8 KB or so; every write is a walk to another thread and back. */
function* joinSmall(data: readonly Uint8Array[]): Generator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  for (const part of data) {
    waiting.push(part)
    bytes += part.length
    if (bytes < PIECE) continue
    yield waiting.length === 1 ? part : Buffer.concat(waiting)
    waiting = []
    bytes = 0
  }
  yield Buffer.concat(waiting)
}

/**
 * Frees a piece that was read: of 40 megapixels, read pieces would pile up to 131 MB instead of 72. One that ends its buffer is the last of it, and
 * zlib has taken a new one.
 */
function freePiece(piece: Uint8Array): void {
  const { buffer, byteOffset, length } = piece
  if (buffer.byteLength === PIECE && byteOffset + length === PIECE) freeMemory(piece)
}
