import { Buffer } from 'node:buffer'
import { crc32, deflateSync } from 'node:zlib'

/** A PNG to make. Samples are raw values of the given depth, or indexes. */
export interface PngPlan {
  readonly width: number
  readonly height: number
  /** 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA. */
  readonly color: 0 | 2 | 3 | 4 | 6
  readonly depth: 1 | 2 | 4 | 8 | 16
  readonly interlaced?: boolean
  readonly samples: (x: number, y: number) => readonly number[]
  readonly palette?: readonly (readonly [number, number, number])[]
  /** Bytes of tRNS. */
  readonly transparent?: readonly number[]
  /** Pixels per metre. */
  readonly perMetre?: number
  /** Filter of each row; by default the five take turns. */
  readonly filter?: (y: number) => number
}

const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const
// Adam7: first column, first row, column step, row step of each pass.
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/** `level` of zlib; 0 stores the rows as they are, alike on every machine. */
export function makePng(plan: PngPlan, level = 6): Buffer {
  return joinPng(plan, deflateSync(makeRows(plan), { level }))
}

/** The same around any compressed data. */
export function joinPng(plan: PngPlan, data: Uint8Array): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(plan.width, 0)
  header.writeUInt32BE(plan.height, 4)
  header[8] = plan.depth
  header[9] = plan.color
  header[12] = plan.interlaced ? 1 : 0
  const parts: Buffer[] = [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), makeChunk('IHDR', header)]
  if (plan.perMetre !== undefined) {
    const physical = Buffer.alloc(9)
    physical.writeUInt32BE(plan.perMetre, 0)
    physical.writeUInt32BE(plan.perMetre, 4)
    physical[8] = 1
    parts.push(makeChunk('pHYs', physical))
  }
  if (plan.palette) parts.push(makeChunk('PLTE', Buffer.from(plan.palette.flat())))
  if (plan.transparent) parts.push(makeChunk('tRNS', Buffer.from(plan.transparent)))
  const half = data.length >> 1 // two IDAT, so that joining is needed
  parts.push(makeChunk('IDAT', data.subarray(0, half)), makeChunk('IDAT', data.subarray(half)))
  parts.push(makeChunk('IEND', Buffer.alloc(0)))
  return Buffer.concat(parts)
}

export function makeChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), chunk.length - 4)
  return chunk
}

function makeRows(plan: PngPlan): Buffer {
  const passes = plan.interlaced ? PASSES : ([[0, 0, 1, 1]] as const)
  return Buffer.concat(passes.flatMap((pass) => makePass(plan, pass)))
}

function makePass(plan: PngPlan, [x0, y0, dx, dy]: readonly [number, number, number, number]) {
  const rows: Buffer[] = []
  if (x0 >= plan.width) return rows
  let above: Buffer | undefined
  for (let y = y0; y < plan.height; y += dy) {
    const row = packRow(plan, y, x0, dx)
    rows.push(filterRow(row, above, plan.filter?.(y) ?? y % 5, pixelBytes(plan)))
    above = row
  }
  return rows
}

function pixelBytes(plan: PngPlan): number {
  return Math.max(1, (CHANNELS[plan.color] * plan.depth) >> 3)
}

function packRow(plan: PngPlan, y: number, x0: number, dx: number): Buffer {
  let bits = ''
  for (let x = x0; x < plan.width; x += dx) {
    for (const sample of plan.samples(x, y)) bits += sample.toString(2).padStart(plan.depth, '0')
  }
  const row = Buffer.alloc(Math.ceil(bits.length / 8))
  for (let n = 0; n < row.length; n++) {
    row[n] = Number.parseInt(bits.slice(n * 8, n * 8 + 8).padEnd(8, '0'), 2)
  }
  return row
}

function filterRow(row: Buffer, above: Buffer | undefined, filter: number, step: number): Buffer {
  const out = Buffer.alloc(row.length + 1)
  out[0] = filter
  for (let n = 0; n < row.length; n++) {
    const a = row[n - step] ?? 0
    const b = above?.[n] ?? 0
    const c = n >= step ? (above?.[n - step] ?? 0) : 0
    const guess = [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter] ?? 0
    out[n + 1] = (row[n] ?? 0) - guess
  }
  return out
}

function paeth(a: number, b: number, c: number): number {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
  if (pa <= pb && pa <= pc) return a
  return pb <= pc ? b : c
}
