import { Buffer } from 'node:buffer'
import { type JpegPlan, makeJpeg, segment } from './make-jpeg.ts'

/** Red at half the resolution of green, which only jpeg-js takes. */
export const ODD: Pick<JpegPlan, 'sampling' | 'adobe'> = {
  sampling: [
    [1, 1],
    [2, 1],
    [1, 1],
  ],
  adobe: 0,
}

/** The header of a picture of three colors. */
export const makeFrame = (width: number, height: number): Buffer =>
  segment(0xc0, [
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    3,
    1,
    0x11,
    0,
    2,
    0x11,
    0,
    3,
    0x11,
    0,
  ])

/**
 * A small picture with a comment of `count` more frames of a megapixel. After the first restart interval jpeg-js takes
 * FF 00 for a marker, then 00 E0 for a damaged APP0, and goes where that ends: into the comment.
 */
export function makeTrap(count: number): Buffer {
  const level = (n: number, x: number, y: number): number => (n * 60 + x * 31 + y * 17) % 256
  const file = makeJpeg({ ...ODD, width: 400, height: 400, level, restart: 1 })
  const first = file.indexOf(Buffer.from([0xff, 0xd0]))
  const jump = Buffer.from([0xff, 0, 0, 0xe0, 0, 6])
  const frame = makeFrame(1000, 1000)
  const frames = Buffer.alloc(count * frame.length, frame)
  return Buffer.concat([
    file.subarray(0, first),
    jump,
    segment(0xfe, [...frames]),
    file.subarray(-2),
  ])
}
