import { Buffer } from 'node:buffer'

/** A JPEG of even 8x8 blocks, for kinds that no encoder at hand writes. */
export interface JpegPlan {
  readonly width: number
  readonly height: number
  /** Sampling factors of each component, across and down. */
  readonly sampling: readonly (readonly [number, number])[]
  /** Sample value 0..255 of a block of a component. */
  readonly level: (component: number, blockX: number, blockY: number) => number
  readonly progressive?: boolean
  /** MCUs between restart markers. */
  readonly restart?: number
  /** Adobe transform: 0 as stored, 1 YCbCr, 2 YCCK. */
  readonly adobe?: number
  readonly orientation?: number
  readonly bigEndian?: boolean
  readonly dpi?: number
  readonly names?: readonly number[]
  /** Overrides the frame's marker and precision. */
  readonly marker?: number
  readonly precision?: number
}

export function makeJpeg(plan: JpegPlan): Buffer {
  const names = plan.names ?? plan.sampling.map((_, n) => n + 1)
  const parts: Buffer[] = [Buffer.from([0xff, 0xd8])]
  if (plan.dpi !== undefined)
    parts.push(
      segment(0xe0, [...Buffer.from('JFIF\0'), 1, 2, 1, ...two(plan.dpi), ...two(plan.dpi), 0, 0]),
    )
  if (plan.orientation !== undefined)
    parts.push(segment(0xe1, makeExif(plan.orientation, plan.bigEndian)))
  if (plan.adobe !== undefined)
    parts.push(segment(0xee, [...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, plan.adobe]))
  // A DC step of 8 is one gray level.
  parts.push(segment(0xdb, [0, ...new Array<number>(64).fill(8)]))
  const sof = plan.marker ?? (plan.progressive ? 0xc2 : 0xc0)
  const components = plan.sampling.flatMap(([h, v], n) => [names[n] ?? 0, (h << 4) | v, 0])
  parts.push(
    segment(sof, [
      plan.precision ?? 8,
      ...two(plan.height),
      ...two(plan.width),
      plan.sampling.length,
      ...components,
    ]),
  )
  // DC: categories 0..11, all of 4 bits. AC: only "end of block", 1 bit.
  parts.push(
    segment(0xc4, [
      0x00,
      0,
      0,
      0,
      12,
      ...new Array<number>(12).fill(0),
      0,
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
      9,
      10,
      11,
    ]),
  )
  parts.push(segment(0xc4, [0x10, 1, ...new Array<number>(15).fill(0), 0]))
  if (plan.restart !== undefined) parts.push(segment(0xdd, two(plan.restart)))
  const scan = names.slice(0, plan.sampling.length).flatMap((name) => [name, 0x00])
  parts.push(segment(0xda, [plan.sampling.length, ...scan, 0, plan.progressive ? 0 : 63, 0]))
  parts.push(makeScan(plan), Buffer.from([0xff, 0xd9]))
  return Buffer.concat(parts)
}

export function segment(marker: number, data: readonly number[]): Buffer {
  return Buffer.from([0xff, marker, ...two(data.length + 2), ...data])
}

/** An APP1 body that holds one tag. */
export function makeExif(orientation: number, bigEndian = false): number[] {
  const tiff = Buffer.alloc(26)
  if (bigEndian) {
    tiff.write('MM\0*', 'latin1')
    tiff.writeUInt32BE(8, 4)
    tiff.writeUInt16BE(1, 8)
    tiff.writeUInt16BE(0x112, 10)
    tiff.writeUInt16BE(3, 12)
    tiff.writeUInt32BE(1, 14)
    tiff.writeUInt16BE(orientation, 18)
  } else {
    tiff.write('II*\0', 'latin1')
    tiff.writeUInt32LE(8, 4)
    tiff.writeUInt16LE(1, 8)
    tiff.writeUInt16LE(0x112, 10)
    tiff.writeUInt16LE(3, 12)
    tiff.writeUInt32LE(1, 14)
    tiff.writeUInt16LE(orientation, 18)
  }
  return [...Buffer.from('Exif\0\0', 'latin1'), ...tiff]
}

function two(value: number): number[] {
  return [value >> 8, value & 0xff]
}

function makeScan(plan: JpegPlan): Buffer {
  const across = Math.max(...plan.sampling.map(([h]) => h))
  const down = Math.max(...plan.sampling.map(([, v]) => v))
  const perRow = Math.ceil(plan.width / (8 * across))
  const mcus = perRow * Math.ceil(plan.height / (8 * down))
  const every = plan.restart ?? mcus
  const parts: Buffer[] = []
  for (let from = 0; from < mcus; from += every) {
    if (from > 0) parts.push(Buffer.from([0xff, 0xd0 + ((from / every - 1) & 7)]))
    parts.push(stuff(codeMcus(plan, from, Math.min(mcus, from + every), perRow)))
  }
  return Buffer.concat(parts)
}

function codeMcus(plan: JpegPlan, from: number, to: number, perRow: number): string {
  let bits = ''
  const before = plan.sampling.map(() => 0)
  for (let mcu = from; mcu < to; mcu++) {
    for (const { n, x, y } of blocksOf(plan, mcu, perRow)) {
      const dc = plan.level(n, x, y) - 128
      bits += codeOf(dc - (before[n] ?? 0)) + (plan.progressive ? '' : '0')
      before[n] = dc
    }
  }
  return bits
}

function blocksOf(plan: JpegPlan, mcu: number, perRow: number) {
  return plan.sampling.flatMap(([h, v], n) =>
    Array.from({ length: h * v }, (_, block) => ({
      n,
      x: (mcu % perRow) * h + (block % h),
      y: Math.floor(mcu / perRow) * v + Math.floor(block / h),
    })),
  )
}

/** B.1.1.5: padded with ones, and FF followed by 00. */
function stuff(bits: string): Buffer {
  const bytes: number[] = []
  for (let at = 0; at < bits.length; at += 8) {
    const byte = Number.parseInt(bits.slice(at, at + 8).padEnd(8, '1'), 2)
    bytes.push(byte, ...(byte === 0xff ? [0] : []))
  }
  return Buffer.from(bytes)
}

/** T.81, F.1.2.1: the category, then the difference in that many bits. */
function codeOf(difference: number): string {
  const category = difference === 0 ? 0 : Math.abs(difference).toString(2).length
  const code = category.toString(2).padStart(4, '0')
  if (category === 0) return code
  const value = difference > 0 ? difference : difference + 2 ** category - 1
  return code + value.toString(2).padStart(category, '0')
}
