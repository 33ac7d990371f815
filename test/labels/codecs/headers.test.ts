import { Buffer } from 'node:buffer'
import t from 'tap'
import type { PictureFormat } from '../../../src/labels/codecs/index.ts'
import { makeGif } from '../../pictures/make-gif.ts'
import { makeExif, makeJpeg, segment } from '../../pictures/make-jpeg.ts'
import { makeChunk, makePng } from '../../pictures/make-png.ts'
import { readAtCost } from './header-cost.ts'

t.setTimeout(300_000)

const LARGE = 12_000_000 // bytes; a body has at most 16 MB

const JPEG = makeJpeg({ width: 16, height: 16, sampling: [[1, 1]], level: () => 99 })
const GRAY_PNG = makePng({ width: 16, height: 16, color: 0, depth: 8, samples: () => [99] })
const GIF = makeGif({
  width: 4,
  height: 4,
  palette: [
    [0, 0, 0],
    [255, 255, 255],
  ],
  frames: [{ x: 0, y: 0, width: 4, height: 4, index: (x) => x % 2 }],
})

const SCAN = JPEG.indexOf(Buffer.from([0xff, 0xda]))
const IHDR_END = 8 + 25
const GIF_BLOCKS = 13 + 6

/** So many bytes of a piece over and over. */
const repeat = (piece: readonly number[] | Uint8Array, bytes: number): Buffer =>
  Buffer.alloc(Math.floor(bytes / piece.length) * piece.length, Buffer.from(piece))

const insert = (file: Buffer, at: number, more: Uint8Array): Buffer =>
  Buffer.concat([file.subarray(0, at), more, file.subarray(at)])

/** An IFD of as many entries as go into a segment, none of them the orientation. */
function makeFullExif(): Buffer {
  const tiff = Buffer.alloc(65_533 - 6)
  tiff.write('MM\0*', 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(0xffff, 8)
  return segment(0xe1, [...Buffer.from('Exif\0\0', 'latin1'), ...tiff])
}

/** An IFD that says it begins inside itself, where its own entries are the next one's. */
function makeLoopedExif(offset: number): Buffer {
  const [...body] = makeExif(6, true)
  Buffer.from([offset >>> 24, (offset >> 16) & 255, (offset >> 8) & 255, offset & 255]).forEach(
    (byte, n) => {
      body[6 + 4 + n] = byte
    },
  )
  return segment(0xe1, body)
}

interface Attack {
  readonly name: string
  readonly format: PictureFormat
  readonly make: () => Buffer
  /** The reason why it is refused; undefined for an expensive but legal file. */
  readonly why?: RegExp
}

const SCANS_OF_255 = [0xff, 0xda, 0x00, 0x03, 0xff]

const ATTACKS: readonly Attack[] = [
  ...[200_000, 1_000_000, LARGE].map((bytes) => ({
    name: `${bytes} bytes of scan headers that say 255 components`,
    format: 'jpeg' as const,
    make: () => insert(JPEG, SCAN, repeat(SCANS_OF_255, bytes)),
    why: /damaged scan header/,
  })),
  {
    name: 'the same before any frame header',
    format: 'jpeg',
    make: () => insert(JPEG, 2, repeat(SCANS_OF_255, 1_000_000)),
    why: /no frame header/,
  },
  {
    name: 'scan headers of no component',
    format: 'jpeg',
    make: () => insert(JPEG, SCAN, repeat([0xff, 0xda, 0, 3, 0], LARGE)),
    why: /damaged scan header/,
  },
  {
    name: 'a scan header of five components',
    format: 'jpeg',
    make: () => insert(JPEG, SCAN, segment(0xda, [5, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 0, 63, 0])),
    why: /damaged scan header/,
  },
  {
    name: 'more scans than the decoder takes',
    format: 'jpeg',
    make: () => insert(JPEG, SCAN, repeat(segment(0xda, [1, 1, 0, 0, 63, 0]), LARGE)),
    why: /more than 200 scans/,
  },
  {
    name: 'empty APP1 segments',
    format: 'jpeg',
    make: () => insert(JPEG, 2, repeat([0xff, 0xe1, 0, 2], LARGE)),
    why: /more than 4096 segments/,
  },
  {
    name: 'empty comments after the scan',
    format: 'jpeg',
    make: () => insert(JPEG, JPEG.length - 2, repeat([0xff, 0xfe, 0, 2], LARGE)),
    why: /more than 4096 segments/,
  },
  {
    name: 'segments of the length 0',
    format: 'jpeg',
    make: () => insert(JPEG, 2, repeat([0xff, 0xe1, 0, 0], LARGE)),
    why: /inside a segment/,
  },
  {
    name: 'segments of the length 1',
    format: 'jpeg',
    make: () => insert(JPEG, 2, repeat([0xff, 0xe1, 0, 1], LARGE)),
    why: /inside a segment/,
  },
  {
    name: 'one segment of many empty code tables',
    format: 'jpeg',
    make: () => insert(JPEG, 2, segment(0xc4, [...Buffer.alloc(17 * 3854)])),
    why: /bad Huffman table/,
  },
  {
    name: 'a code table of 4,080 codes',
    format: 'jpeg',
    make: () => insert(JPEG, 2, segment(0xc4, [0, ...Buffer.alloc(16 + 4080, 255)])),
    why: /bad Huffman table/,
  },
  {
    name: 'a code table larger than its segment',
    format: 'jpeg',
    make: () => insert(JPEG, 2, segment(0xc4, [0, ...Buffer.alloc(15), 200, 1, 2, 3])),
    why: /bad Huffman table/,
  },
  {
    name: 'a quantisation table larger than its segment',
    format: 'jpeg',
    make: () => insert(JPEG, 2, segment(0xdb, [0x10, ...Buffer.alloc(64)])),
    why: /bad quantisation table/,
  },
  {
    name: 'a restart interval of one byte',
    format: 'jpeg',
    make: () => insert(JPEG, 2, segment(0xdd, [1])),
    why: /bad restart interval/,
  },
  {
    name: 'fill bytes',
    format: 'jpeg',
    make: () => insert(JPEG, SCAN, Buffer.alloc(LARGE, 0xff)),
  },
  {
    name: 'fill bytes up to the end',
    format: 'jpeg',
    make: () => Buffer.concat([JPEG.subarray(0, -2), Buffer.alloc(LARGE, 0xff)]),
  },
  {
    name: 'a scan of stuffed bytes',
    format: 'jpeg',
    make: () => insert(JPEG, JPEG.length - 2, repeat([0xff, 0], LARGE)),
  },
  {
    name: 'a scan of restart markers',
    format: 'jpeg',
    make: () => insert(JPEG, JPEG.length - 2, repeat([0xff, 0xd0], LARGE)),
  },
  {
    name: 'Exif blocks of 65,535 entries',
    format: 'jpeg',
    make: () => insert(JPEG, 2, repeat(makeFullExif(), LARGE)),
  },
  ...[0, 1, 4, 8, 10, 12, 25, 26, 0x7fffffff, 0xffffffff].map((offset) => ({
    name: `Exif blocks whose entries begin at ${offset}`,
    format: 'jpeg' as const,
    make: () => insert(JPEG, 2, repeat(makeLoopedExif(offset), 4000 * 36)),
  })),
  {
    name: '990,000 tEXt chunks',
    format: 'png',
    make: () => insert(GRAY_PNG, IHDR_END, repeat(makeChunk('tEXt', Buffer.alloc(0)), LARGE)),
    why: /more than 50000 chunks/,
  },
  {
    name: 'tEXt chunks after the picture',
    format: 'png',
    make: () =>
      insert(GRAY_PNG, GRAY_PNG.length - 12, repeat(makeChunk('tEXt', Buffer.alloc(0)), LARGE)),
    why: /more than 50000 chunks/,
  },
  ...['IDAT', 'PLTE', 'tRNS', 'pHYs', 'IHDR', 'tEXt'].map((type) => ({
    name: `as many ${type} chunks as are looked at`,
    format: 'png' as const,
    make: () => insert(GRAY_PNG, IHDR_END, repeat(makeChunk(type, Buffer.alloc(0)), 49_000 * 12)),
  })),
  {
    name: 'a chunk of four thousand million bytes',
    format: 'png',
    make: () => insert(GRAY_PNG, IHDR_END, Buffer.from('\xff\xff\xff\xfftEXt\0\0\0\0', 'latin1')),
    why: /inside tEXt/,
  },
  {
    name: 'empty extensions',
    format: 'gif',
    make: () => insert(GIF, GIF_BLOCKS, repeat([0x21, 0xfe, 0], LARGE)),
    why: /more than 4096 extensions/,
  },
  {
    name: 'one extension of sub-blocks of one byte',
    format: 'gif',
    make: () => insert(GIF, GIF_BLOCKS, Buffer.from([0x21, 0xfe, ...repeat([1, 7], 2_000_000), 0])),
  },
  {
    name: 'a picture of sub-blocks of one byte',
    format: 'gif',
    make: () => insert(GIF, GIF.length - 2, repeat([1, 7], LARGE)),
  },
  {
    name: 'a million pictures',
    format: 'gif',
    make: () => insert(GIF, GIF.length - 1, repeat([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0], LARGE)),
  },
  {
    name: 'extensions after the picture',
    format: 'gif',
    make: () => insert(GIF, GIF.length - 1, repeat([0x21, 0xfe, 0], LARGE)),
  },
]

for (const { name, format, make, why } of ATTACKS) {
  t.test(`${format}: ${name}`, (t) => {
    const file = make()
    const { seen, bytes, ms, fault } = readAtCost(format, file)
    t.equal(fault, undefined, `${bytes} bytes of memory and ${ms} ms for ${file.length} bytes`)
    if (why === undefined) t.ok(!(seen instanceof Error), 'it is legal')
    else t.match(seen, { code: 'PICTURE_BROKEN', message: why })
    t.end()
  })
}

const SCAN_HEADER = segment(0xda, [1, 1, 0, 0, 63, 0])
const COMMENT = segment(0xfe, [])
const TEXT = makeChunk('tEXt', Buffer.alloc(0))

/** Counted things: how many of them the file holds by itself, and how many it may hold. */
const BOUNDS = [
  ['scans', 'jpeg', JPEG, SCAN, SCAN_HEADER, 1, 200],
  ['segments', 'jpeg', JPEG, 2, COMMENT, 5, 4096],
  ['chunks', 'png', GRAY_PNG, IHDR_END, TEXT, 4, 50_000],
  ['extensions', 'gif', GIF, GIF_BLOCKS, Buffer.from([0x21, 0xfe, 0]), 1, 4096],
] as const

for (const [what, format, file, at, part, own, most] of BOUNDS) {
  t.test(`${format}: ${most} ${what} are read, one more is refused`, (t) => {
    const read = (count: number): unknown =>
      readAtCost(format, insert(file, at, repeat(part, count * part.length))).seen
    t.notOk(read(most - own) instanceof Error)
    t.match(read(most - own + 1), { message: new RegExp(`more than ${most} ${what}`) })
    t.end()
  })
}
