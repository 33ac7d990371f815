import { Buffer } from 'node:buffer'
import { deflateSync } from 'node:zlib'
import t from 'tap'
import { checkPicture, type PictureFormat } from '../../src/labels/codecs/index.ts'
import { makeGif } from '../pictures/make-gif.ts'
import { type JpegPlan, makeJpeg } from '../pictures/make-jpeg.ts'
import { joinPng, type PngPlan } from '../pictures/make-png.ts'
import { processorMs } from './processor-time.ts'

const DATA = deflateSync(Buffer.alloc(10))

/** A picture whose header alone is true. */
function pngOf(
  width: number,
  height: number,
  color: PngPlan['color'],
  depth: PngPlan['depth'],
  interlaced = false,
) {
  return joinPng({ width, height, color, depth, interlaced, samples: () => [] }, DATA)
}

function jpegOf(width: number, height: number, sampling: JpegPlan['sampling']): Buffer {
  const file = makeJpeg({ width: 8, height: 8, sampling, level: () => 128, adobe: 1 })
  const at = file.indexOf(Buffer.from([0xff, 0xc0]))
  file.writeUInt16BE(height, at + 5)
  file.writeUInt16BE(width, at + 7)
  return file
}

function progressive(file: Buffer): Buffer {
  const at = file.indexOf(Buffer.from([0xff, 0xc0]))
  file[at + 1] = 0xc2
  return file
}

function gifOf(screen: [number, number], frame: [number, number]): Buffer {
  const palette = [
    [0, 0, 0],
    [255, 255, 255],
  ] as const
  const whole = { x: 0, y: 0, width: 1, height: 1, index: () => 0 }
  const file = makeGif({ width: 1, height: 1, palette, frames: [whole, whole] })
  file.writeUInt16LE(screen[0], 6)
  file.writeUInt16LE(screen[1], 8)
  const at = file.lastIndexOf(Buffer.from([0x2c, 0, 0, 0, 0]))
  file.writeUInt16LE(frame[0], at + 5)
  file.writeUInt16LE(frame[1], at + 7)
  return file
}

const GRAY = [[1, 1]] as const
const YCC420 = [
  [2, 2],
  [1, 1],
  [1, 1],
] as const
/** Luma at less than full resolution, in whole steps and not. */
const COARSE = [
  [1, 1],
  [2, 2],
  [2, 2],
] as const
const ODD = [
  [2, 1],
  [3, 1],
  [1, 1],
] as const
const YCC444 = [
  [1, 1],
  [1, 1],
  [1, 1],
] as const

const TAKEN: [string, Buffer, PictureFormat][] = [
  ['a letter page at 600 dpi as PNG', pngOf(5100, 6600, 2, 8), 'png'],
  ['a letter page at 600 dpi with 16 bits and transparency', pngOf(5100, 6600, 6, 16), 'png'],
  ['a PNG of 40 million pixels', pngOf(8000, 5000, 0, 1), 'png'],
  ['an interlaced PNG of 40 million pixels', pngOf(8000, 5000, 2, 8, true), 'png'],
  ['a photo of 40 million pixels', jpegOf(8000, 5000, YCC420), 'jpeg'],
  ['the same in gray', jpegOf(8000, 5000, GRAY), 'jpeg'],
  ['one whose luma is coarser than its colors', jpegOf(8000, 5000, COARSE), 'jpeg'],
  ['a progressive photo of 10 million pixels', progressive(jpegOf(3840, 2640, YCC444)), 'jpeg'],
  ['the UPS GIF', gifOf([1400, 800], [1400, 800]), 'gif'],
  ['a GIF of 40 million pixels', gifOf([8000, 5000], [8000, 5000]), 'gif'],
  ['a GIF with a huge second picture', gifOf([100, 100], [65_535, 65_535]), 'gif'],
]

for (const [name, bytes, format] of TAKEN) {
  t.test(`${name} passes`, (t) => {
    t.ok(checkPicture(bytes, format).pixels > 0)
    t.end()
  })
}

const BOMBS: [string, Buffer, PictureFormat, RegExp][] = [
  [
    'a PNG of 10000x10000',
    pngOf(10_000, 10_000, 0, 1),
    'png',
    /10000x10000 pixels, 100.0 million to decode; wanted at most 40.0 million/,
  ],
  ['a PNG of 16000x16000', pngOf(16_000, 16_000, 0, 1), 'png', /256.0 million/],
  ['a PNG of the largest sides', pngOf(0x7fffffff, 0x7fffffff, 0, 1), 'png', /wanted at most/],
  ['a GIF of 8000x8000', gifOf([8000, 8000], [1, 1]), 'gif', /64.0 million/],
  [
    'a PNG of one endless row',
    pngOf(10_000_000, 1, 0, 1),
    'png',
    /10000000x1 pixels; wanted at most 30000 along a side/,
  ],
  [
    'a GIF of 40000x40000',
    gifOf([40_000, 40_000], [1, 1]),
    'gif',
    /40000x40000 pixels; wanted at most 30000 along/,
  ],
  [
    'a JPEG of 9900x9900',
    jpegOf(9900, 9900, GRAY),
    'jpeg',
    /98.1 million to decode; wanted at most 40.0 million/,
  ],
  [
    'a progressive photo of 24 million pixels',
    progressive(jpegOf(6000, 4000, YCC420)),
    'jpeg',
    /24.0 million to decode; wanted at most 10.\d million for a picture of its kind/,
  ],
  [
    'a JPEG that only jpeg-js takes',
    jpegOf(2000, 2000, ODD),
    'jpeg',
    /4.0 million to decode; wanted at most 0.\d million for a picture of its kind/,
  ],
]

for (const [name, bytes, format, message] of BOMBS) {
  t.test(`${name} is refused by its header, at once`, (t) => {
    const ms = processorMs(() =>
      t.throws(() => checkPicture(bytes, format), { code: 'PICTURE_TOO_LARGE', message }),
    )
    t.ok(ms < 2_000, `${ms} ms`)
    t.end()
  })
}
