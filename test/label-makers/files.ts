import { createRequire } from 'node:module'
import { encode } from 'jpeg-js'
import type { Gray } from './gray.ts'

// Two packages without types: said here once, as far as the labels need them.
const require = createRequire(import.meta.url)
const { PNG } = require('pngjs') as {
  PNG: {
    new (size: { width: number; height: number }): PngPicture
    sync: {
      write(png: PngPicture, options: Record<string, number | boolean>): Buffer
      read(bytes: Buffer): PngPicture
    }
  }
}
const { GifWriter } = require('omggif') as {
  GifWriter: new (
    into: Uint8Array,
    width: number,
    height: number,
    options: { palette: number[] },
  ) => {
    addFrame(x: number, y: number, width: number, height: number, indexes: Uint8Array): number
    end(): number
  }
}

interface PngPicture {
  readonly width: number
  readonly height: number
  data: Uint8Array
}

/** Makes a PNG: 8-bit gray, or color with transparency. One filter for all rows: choosing takes longer than it is worth. */
export function toPng(gray: Gray, kind: 'gray' | 'rgba' = 'gray'): Uint8Array {
  const png = new PNG({ width: gray.width, height: gray.height })
  png.data = kind === 'gray' ? gray.luma : toRgba(gray)
  const colorType = kind === 'gray' ? 0 : 6
  return PNG.sync.write(png, { colorType, inputColorType: colorType, filterType: 2 })
}

/** Makes a baseline JPEG. */
export function toJpeg(gray: Gray, quality = 90): Uint8Array {
  return encode({ width: gray.width, height: gray.height, data: toRgba(gray) }, quality).data
}

/** Makes a GIF with a palette of 256 shades of gray. */
export function toGif(gray: Gray): Uint8Array {
  const palette = Array.from({ length: 256 }, (_, shade) => shade * 0x010101)
  const room = new Uint8Array(gray.width * gray.height * 2 + 4096)
  const gif = new GifWriter(room, gray.width, gray.height, { palette })
  gif.addFrame(0, 0, gray.width, gray.height, gray.luma)
  return room.slice(0, gif.end())
}

/** Pixels of a PNG file as luma, for what interpreters give back. */
export function fromPng(bytes: Uint8Array): Gray {
  const { width, height, data } = PNG.sync.read(Buffer.from(bytes))
  const luma = new Uint8Array(width * height)
  for (let i = 0; i < luma.length; i++) luma[i] = data[i * 4] ?? 0
  return { width, height, luma }
}

/** Pixels for readers that want red, green, blue and opacity. */
export function toRgba(gray: Gray): Buffer {
  const rgba = Buffer.alloc(gray.width * gray.height * 4, 255)
  for (const [index, luma] of gray.luma.entries()) {
    rgba[index * 4] = rgba[index * 4 + 1] = rgba[index * 4 + 2] = luma
  }
  return rgba
}
