import { Buffer } from 'node:buffer'
import type { JpegOptions } from 'sharp'
import t from 'tap'
import { compare, decodeOurs, judgeLabel, judgePhoto, label, photo } from './jpeg-judge.ts'

const KINDS: [string, JpegOptions][] = [
  ['4:2:0', { quality: 90 }],
  ['4:4:4', { quality: 90, chromaSubsampling: '4:4:4' }],
  ['4:2:0, progressive', { quality: 90, progressive: true }],
  ['4:4:4, progressive', { quality: 75, progressive: true, chromaSubsampling: '4:4:4' }],
  ['coarse', { quality: 40 }],
  ['mozjpeg', { quality: 80, mozjpeg: true }],
]

for (const [name, options] of KINDS) {
  t.test(`a label as JPEG ${name} is as libvips has it, to one step of grey`, async (t) => {
    for (const picture of [label(), label().toColourspace('srgb')]) {
      await judgeLabel(t, await picture.jpeg(options).toBuffer())
    }
  })

  // Sizes by a photo, since the ripples that JPEG draws beside black on white are cut off before or after the mean is taken.
  t.test(`a photo as JPEG ${name} is as libvips has it, at every size`, async (t) => {
    await judgePhoto(t, await photo().jpeg(options).toBuffer())
  })
}

t.test('CMYK is as jpeg-js and libvips have it', async (t) => {
  const bytes = await photo().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer()
  const { default: jpegJs } = await import('jpeg-js')
  const { data, width, height } = jpegJs.decode(bytes, { formatAsRGBA: false, useTArray: true })
  const theirs = Buffer.alloc(width * height)
  for (let n = 0; n < theirs.length; n++) {
    const [red = 0, green = 0, blue = 0] = data.subarray(n * 3, n * 3 + 3)
    theirs[n] = (77 * red + 150 * green + 29 * blue) >> 8
  }
  const { mean } = compare(await decodeOurs(bytes, 1), { width, height, luma: theirs })
  t.ok(mean < 1, `${mean}`)
})
