import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import jpegJs from 'jpeg-js'
import type { Decoder } from '../../../src/labels/codecs/decoder.ts'
import { decoders } from '../../../src/labels/codecs/index.ts'
import { LabelFault } from '../../../src/labels/fault.ts'
import { makeGif } from '../../pictures/make-gif.ts'
import { type JpegPlan, makeJpeg, segment } from '../../pictures/make-jpeg.ts'
import { makePng } from '../../pictures/make-png.ts'
import { makePwg, makeUrf } from '../../pictures/make-raster.ts'
import { createDice, type Dice, rollGif, rollPng } from '../../pictures/variants.ts'

/** Most places of one file; of more bytes, every n-th is changed. */
const PLACES_MOST = 60
/** Larger ones are for the gate, and would only cost time here. */
const PIXELS_MOST = 20_000

/** By format and number: a digest of what each file, and the same with a byte changed, is read as. */
export async function digestOddFiles(): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {}
  for (const decoder of decoders as readonly Decoder[]) {
    for (const [nr, file] of filesOf(decoder.format).entries()) {
      const hash = createHash('sha256')
      for (const one of changesOf(file, decoder.format)) hash.update(await read(decoder, one))
      found[`${decoder.format} ${nr + 1}`] = hash.digest('hex').slice(0, 16)
    }
  }
  return found
}

function filesOf(format: string): readonly Buffer[] {
  const roll = createDice(20_261_126)
  const times = <T>(count: number, make: (n: number) => T): T[] =>
    Array.from({ length: count }, (_, n) => make(n))
  switch (format) {
    case 'png':
      return times(12, () => makePng({ ...rollPng(roll), width: 9, height: 5 }, 0))
    case 'gif':
      return times(8, () => makeGif(rollGif(roll)))
    case 'jpeg':
      return listJpegs(roll)
    case 'tiff':
      return listTiffs(roll)
    default:
      return [1, 8, 24].map((bitsPerPixel) => {
        const stride = Math.ceil((9 * bitsPerPixel) / 8)
        const samples = Buffer.from(times(stride * 5, (n) => (n % 7 < 4 ? 255 : roll(256))))
        const kinds = format === 'pwg' ? { 1: 3, 8: 18, 24: 19 } : { 1: 0, 8: 0, 24: 1 }
        const space = kinds[bitsPerPixel as 1 | 8 | 24]
        const page = { width: 9, height: 5, dpi: 203, space, bitsPerPixel, samples }
        return format === 'pwg' ? makePwg(page) : makeUrf(page)
      })
  }
}

const LEVEL: JpegPlan['level'] = (n, x, y) => (n * 90 + x * 37 + y * 101) % 256
const GRAY: JpegPlan = { width: 19, height: 11, sampling: [[1, 1]], level: LEVEL }
const EACH: JpegPlan['sampling'] = [1, 2, 3, 4].map(() => [1, 1] as const)

/** Lists JPEGs of even blocks in all kinds, of an encoder, and with any bits for blocks. */
function listJpegs(roll: Dice): readonly Buffer[] {
  const size = { width: 20, height: 12 }
  const data = Buffer.from(Array.from({ length: 20 * 12 * 4 }, () => roll(256)))
  const [coarse, fine] = [30, 95].map((quality) => jpegJs.encode({ ...size, data }, quality).data)
  const noise = (file: Uint8Array, count: number): Buffer => {
    const start = file.lastIndexOf(0xda) + 13
    const bits = Array.from({ length: count }, () => roll(255))
    return Buffer.concat([file.subarray(0, start), Buffer.from(bits), Buffer.from([0xff, 0xd9])])
  }
  return [
    GRAY,
    { ...GRAY, progressive: true },
    { ...GRAY, restart: 2, dpi: 203 },
    {
      ...GRAY,
      sampling: [
        [2, 1],
        [1, 1],
        [1, 1],
      ] as const,
      orientation: 6,
    },
    {
      ...GRAY,
      sampling: [
        [2, 2],
        [1, 1],
        [1, 1],
      ] as const,
      orientation: 3,
      bigEndian: true,
    },
    {
      ...GRAY,
      sampling: [
        [1, 2],
        [1, 1],
        [1, 1],
      ] as const,
      progressive: true,
    },
    { ...GRAY, sampling: EACH.slice(1), adobe: 0 },
    { ...GRAY, sampling: EACH, adobe: 2 },
    { ...GRAY, sampling: EACH, adobe: 0, restart: 1 },
  ]
    .map((plan) => makeJpeg(plan))
    .concat([coarse, fine].map((file) => Buffer.from(file as Uint8Array)))
    .concat([1, 2, 3].map(() => noise(fine as Uint8Array, 900)))
    .concat([0, 1, 2].map((n) => makeProgressive(fine as Uint8Array, roll, n)))
}

/** The tables of a file, and scans of any bits: first the level, then more of each block, then their lower bits. */
function makeProgressive(file: Uint8Array, roll: Dice, nr: number): Buffer {
  const tables = [
    ...Buffer.from(file)
      .toString('latin1')
      .matchAll(/\xff[\xdb\xc4]/g),
  ].map(({ index }) => {
    const length = ((file[index + 2] as number) << 8) | (file[index + 3] as number)
    return Buffer.from(file.subarray(index, index + 2 + length))
  })
  const frame = segment(0xc2, [8, 0, 12 + nr, 0, 20 - nr, 1, 1, 0x11, 0])
  const scan = (from: number, to: number, bits: number, count: number): Buffer =>
    Buffer.concat([
      segment(0xda, [1, 1, 0, from, to, bits]),
      Buffer.from(Array.from({ length: count }, () => roll(255))),
    ])
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...tables,
    frame,
    scan(0, 0, 1, 20),
    scan(1, 5, 2, 60),
    scan(6, 63, 1, 90),
    scan(0, 0, 0x10, 10),
    scan(1, 63, 0x21, 90),
    scan(1, 63, 0x10, 90),
    Buffer.from([0xff, 0xd9]),
  ])
}

type Entry = readonly [tag: number, type: number, ...values: readonly number[]]

function makeTiff(entries: readonly Entry[], data: Uint8Array, isLittle: boolean): Buffer {
  const sizes: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 5: 8 }
  const file = Buffer.alloc(2_400)
  const put = (at: number, bytes: number, value: number): void => {
    if (isLittle) file.writeUIntLE(value, at, bytes)
    else file.writeUIntBE(value, at, bytes)
  }
  file.write(isLittle ? 'II' : 'MM', 'latin1')
  put(2, 2, 42)
  put(4, 4, 8)
  let free = 10 + 12 * (entries.length + 2) + 4
  const write = (at: number, type: number, values: readonly number[]): void => {
    for (const [n, value] of values.entries()) {
      const place = at + n * (sizes[type] as number)
      put(place, Math.min(4, sizes[type] as number), value)
      if (type === 5) put(place + 4, 4, 2)
    }
  }
  const half = data.length >> 1
  const strips: readonly Entry[] = [
    [273, 4, 2_400 - data.length, 2_400 - data.length + half],
    [279, 4, half, data.length - half],
  ]
  put(8, 2, entries.length + 2)
  for (const [n, [tag, type, ...values]] of [...entries, ...strips].entries()) {
    const at = 10 + n * 12
    put(at, 2, tag)
    put(at + 2, 2, type)
    put(at + 4, 4, values.length)
    const bytes = values.length * (sizes[type] as number)
    write(bytes <= 4 ? at + 8 : free, type, values)
    if (bytes > 4) {
      put(at + 8, 4, free)
      free += bytes
    }
  }
  file.set(data, 2_400 - data.length)
  return file
}

// Two white, three black, twelve white dots (T.4, table 2), and the end of a line.
const RUNS = '0111 10 001000 0000'
const END = '0000 0000 0001'
// The same row again, and one whose changes lie a dot beside (T.6, table 1).
const SAME = '1 1 1'
const NEAR = '011 010 1'

/** These bits, once for each strip. */
function twice(...parts: readonly string[]): Buffer {
  const bits = parts.join('').replaceAll(' ', '')
  const bytes = bits.match(/.{1,8}/g)?.map((one) => Number.parseInt(one.padEnd(8, '0'), 2)) ?? []
  return Buffer.from([...bytes, ...bytes])
}

function reversed(bytes: Uint8Array): Uint8Array {
  const turn = (byte: number): number =>
    Number.parseInt([...byte.toString(2).padStart(8, '0')].reverse().join(''), 2)
  return bytes.map(turn)
}

/** Pages of 17 x 6 pixels in two strips, of each packing and kind; those that are packed hold any bits. */
function listTiffs(roll: Dice): readonly Buffer[] {
  const some = (count: number) => Buffer.from(Array.from({ length: count }, () => roll(256)))
  const size: readonly Entry[] = [
    [256, 3, 17],
    [257, 3, 6],
    [278, 3, 3],
  ]
  const gray: readonly Entry[] = [
    [258, 3, 8],
    [262, 3, 1],
  ]
  const runs = Buffer.concat(
    Array.from({ length: 6 }, () => Buffer.from([0xfd, roll(256), 12, ...some(13)])),
  )
  const kinds: readonly (readonly [readonly Entry[], Uint8Array])[] = [
    [
      [
        [259, 3, 1],
        [262, 3, 0],
        [282, 5, 406],
      ],
      some(18),
    ],
    [
      [
        [259, 3, 1],
        [262, 3, 1],
        [266, 3, 2],
        [274, 3, 6],
        [296, 3, 3],
        [282, 5, 160],
      ],
      some(18),
    ],
    [gray, some(102)],
    [[...gray, [317, 3, 2]], some(102)],
    [
      [
        [258, 3, 8, 8, 8],
        [262, 3, 2],
        [277, 3, 3],
        [317, 3, 2],
      ],
      some(306),
    ],
    [
      [
        [258, 3, 8, 8, 8, 8],
        [262, 3, 2],
        [277, 3, 4],
      ],
      some(408),
    ],
    [
      [
        [258, 3, 8, 8],
        [262, 3, 1],
        [277, 3, 2],
      ],
      some(204),
    ],
    [
      [
        [258, 3, 8],
        [262, 3, 3],
        [320, 3, ...[...some(768)].map((one) => one * 257)],
      ],
      some(102),
    ],
    [
      [
        [262, 3, 3],
        [320, 3, 0, 65_535, 30_000, 9, 500, 60_000],
      ],
      some(18),
    ],
    [[...gray, [259, 3, 32_773]], runs],
    [
      [
        [259, 3, 2],
        [262, 3, 0],
      ],
      twice(RUNS, '1010 1100', RUNS),
    ],
    [
      [
        [259, 3, 3],
        [262, 3, 0],
      ],
      twice(END, RUNS, END, '1010 11', END, RUNS),
    ],
    [
      [
        [259, 3, 3],
        [262, 3, 0],
        [292, 4, 1],
      ],
      twice(END, '1', RUNS, END, '0', SAME, END, '0', NEAR),
    ],
    [
      [
        [259, 3, 4],
        [262, 3, 1],
      ],
      twice('001 0111 10 1', SAME, NEAR),
    ],
    [
      [
        [259, 3, 4],
        [262, 3, 0],
        [266, 3, 2],
      ],
      reversed(twice('001 0111 10 1', SAME, NEAR)),
    ],
    [
      [...gray, [259, 3, 5]],
      Buffer.from([0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01, ...some(60)]),
    ],
  ]
  return kinds.flatMap(([entries, data], nr) => [
    makeTiff([...size, ...entries], data, nr % 2 === 0),
  ])
}

/** The file, and the same with one byte changed. */
function* changesOf(file: Buffer, format: string): Generator<Buffer> {
  yield file
  const last = Math.min(file.length, 700)
  const every = Math.ceil(last / PLACES_MOST)
  for (let at = 0; at < last; at += every) {
    const before = file[at] as number
    for (const value of [before + 1, before - 1, 255 - before]) {
      file[at] = value & 255
      yield file
      if (format === 'png' && at > 7) yield seal(Buffer.from(file))
    }
    file[at] = before
  }
  yield file.subarray(0, file.length - 3)
  yield file.subarray(0, file.length >> 1)
}

/** A PNG whose check sums are right. */
function seal(file: Buffer): Buffer {
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at)
    if (at + length + 12 > file.length) break
    file.writeUInt32BE(crc32(file.subarray(at + 4, at + 8 + length)), at + 8 + length)
    at += length + 12
  }
  return file
}

/** Reads a file; returns its content, or why not. */
async function read(decoder: Decoder, file: Uint8Array): Promise<Buffer> {
  const parts: Uint8Array[] = []
  const note = (text: string): number => parts.push(Buffer.from(text))
  try {
    const header = decoder.header(file)
    note(JSON.stringify(header))
    if (header.pixels > PIXELS_MOST) return Buffer.concat(parts)
    for (const divisor of header.divisors)
      await decoder.decode(file, divisor, (row) => parts.push(row.slice()))
    if (header.isBilevel) await decoder.decodeBits?.(file, (row) => parts.push(row.slice()))
  } catch (error) {
    if (!(error instanceof LabelFault)) throw error
    note(`${error.code} ${error.message}`)
  }
  return Buffer.concat(parts)
}
