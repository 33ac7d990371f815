// What a program does that has one of these packages: a picture file to ^GFA of 812x1218 dots. Plain JavaScript, so that
// a process of its own does not pay for stripping types; every package is loaded by whoever uses it.

const WIDTH = 812
const HEIGHT = 1218
const MIDDLE = 128

export const ways = {
  async sharp(bytes) {
    const { default: sharp } = await import('sharp')
    const picture = sharp(bytes).flatten({ background: '#fff' }).greyscale()
    return toHex(
      await picture.resize({ width: WIDTH, height: HEIGHT, fit: 'fill' }).raw().toBuffer(),
      1,
    )
  },
  async jimp(bytes) {
    const { Jimp } = await import('jimp')
    const picture = await Jimp.read(bytes)
    return toHex(picture.resize({ w: WIDTH, h: HEIGHT }).greyscale().bitmap.data, 4)
  },
  // It takes pixels, so its own examples' decoders stand before it; it does not resize.
  async 'zpl-image'(bytes, format) {
    const { rgbaToZ64 } = (await import('zpl-image')).default
    const { data, width } = await readRgba(bytes, format)
    return rgbaToZ64(data, width).z64
  },
}

async function readRgba(bytes, format) {
  if (format === 'png') return (await import('pngjs')).default.PNG.sync.read(bytes)
  const options = { maxResolutionInMP: 100, maxMemoryUsageInMB: 4096 }
  return (await import('jpeg-js')).default.decode(bytes, options)
}

function toHex(gray, channels) {
  const stride = Math.ceil(WIDTH / 8)
  const bits = Buffer.alloc(stride * HEIGHT)
  for (let y = 0, at = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++, at += channels) {
      if (gray[at] < MIDDLE) bits[y * stride + (x >> 3)] |= 0x80 >> (x & 7)
    }
  }
  return bits.toString('hex')
}
