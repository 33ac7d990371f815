import { Buffer } from 'node:buffer'
import sharp, { type JpegOptions, type Sharp } from 'sharp'
import t from 'tap'
import { judgeLabel, judgePhoto, label, photo } from './jpeg-judge.ts'

const KINDS: [string, JpegOptions][] = [
  ['4:2:0', { quality: 90 }],
  ['4:4:4', { quality: 90, chromaSubsampling: '4:4:4' }],
  ['4:2:0, progressive', { quality: 90, progressive: true }],
  ['4:4:4, progressive', { quality: 75, progressive: true, chromaSubsampling: '4:4:4' }],
  ['coarse', { quality: 40 }],
  ['mozjpeg', { quality: 80, mozjpeg: true }],
]

for (const [name, options] of KINDS) {
  t.test(`a label as JPEG ${name} is as libvips has it, to one step of gray`, async (t) => {
    for (const picture of [label(), label().toColorspace('srgb')]) {
      await judgeLabel(t, await picture.jpeg(options).toBuffer())
    }
  })

  // Sizes by a photo, since the ripples that JPEG draws beside black on white are cut off before or after the mean is taken.
  t.test(`a photo as JPEG ${name} is as libvips has it, at every size`, async (t) => {
    await judgePhoto(t, await photo().jpeg(options).toBuffer())
  })
}

t.test("printer's colors, CMYK, are as libvips has them", async (t) => {
  const [ofLabel, ofPhoto] = [label(), photo()].map((picture) => picture.toColorspace('cmyk'))
  if (ofLabel === undefined || ofPhoto === undefined) throw new Error('none')
  await judgeLabel(t, await ofLabel.jpeg({ quality: 90 }).toBuffer())
  await judgePhoto(t, await ofPhoto.jpeg({ quality: 90 }).toBuffer())
})

t.test('YCCK is as libvips has it', async (t) => {
  const plain = await makeYcck(label(), () => 0)
  t.equal((await sharp(plain).metadata()).space, 'cmyk')
  await judgeLabel(t, plain)
  await judgePhoto(t, await makeYcck(photo(), (y) => y >> 2))
})

/** No encoder at hand writes YCCK: the planes of it go through that of CMYK, and the Adobe segment is told. */
async function makeYcck(picture: Sharp, black: (y: number) => number): Promise<Buffer> {
  const { data, info } = await picture
    .toColorspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const planes = Buffer.alloc(width * height * 4)
  for (let n = 0; n < width * height; n++) {
    const [red = 0, green = red, blue = red] = data.subarray(n * channels, (n + 1) * channels)
    // Luma and color of the inks. The encoder stores what it gets inverted, as Adobe does.
    const [cyan, magenta, yellow] = [255 - red, 255 - green, 255 - blue]
    const y = 0.299 * cyan + 0.587 * magenta + 0.114 * yellow
    const chroma = [128 + (yellow - y) * 0.564, 128 + (cyan - y) * 0.713]
    const stored = [y, ...chroma, 255 - black(Math.floor(n / width))]
    planes.set(
      stored.map((value) => 255 - Math.round(value)),
      n * 4,
    )
  }
  const jpeg = await sharp(makeCmykTiff(width, height, planes))
    .pipelineColorspace('cmyk')
    .toColorspace('cmyk')
    .jpeg({ quality: 90 })
    .toBuffer()
  jpeg[jpeg.indexOf('Adobe') + 11] = 2
  return jpeg
}

/** TIFF 6.0 of one strip, ink 0 to 255 (section 16). */
function makeCmykTiff(width: number, height: number, inks: Buffer): Buffer {
  const tags = [
    [256, 4, 1, width],
    [257, 4, 1, height],
    [258, 3, 4, 8], // four times 8 bits, which stand at byte 8
    [259, 3, 1, 1],
    [262, 3, 1, 5],
    [273, 4, 1, 16],
    [277, 3, 1, 4],
    [278, 4, 1, height],
    [279, 4, 1, inks.length],
  ] as const
  const head = Buffer.from('II*\0\0\0\0\0\b\0\b\0\b\0\b\0', 'latin1')
  head.writeUInt32LE(head.length + inks.length, 4)
  const directory = Buffer.alloc(2 + tags.length * 12 + 4)
  directory.writeUInt16LE(tags.length)
  for (const [n, [tag, type, count, value]] of tags.entries()) {
    directory.writeUInt16LE(tag, 2 + n * 12)
    directory.writeUInt16LE(type, 4 + n * 12)
    directory.writeUInt32LE(count, 6 + n * 12)
    directory.writeUInt32LE(value, 10 + n * 12)
  }
  return Buffer.concat([head, inks, directory])
}
