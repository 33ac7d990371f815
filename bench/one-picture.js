// One picture to printer bytes in a program of its own: node bench/one-picture.js ours|sharp|jimp|zpl-image FILE.
// Prints the most memory it held, in MB.
import { readFile } from 'node:fs/promises'

const [who, file] = process.argv.slice(2)
const [width, height] = [812, 1218]
const bytes = await readFile(file)

const ways = {
  async ours() {
    const { answerRequest } = await import(process.env.RENDERER)
    const target = {
      language: 'zpl',
      dpi: 203,
      labelWidth: 4,
      labelHeight: 6,
      startingPointX: 0,
      startingPointY: 0,
      rotate: 'auto',
      z64: false,
    }
    const format = file.split('.').at(-1)
    const reply = await answerRequest({ id: 1, format, label: bytes, target })
    if (reply.error) throw new Error(reply.error.message)
  },
  async sharp() {
    const { default: sharp } = await import('sharp')
    const picture = sharp(bytes).flatten({ background: '#fff' }).greyscale()
    hex(await picture.resize({ width, height, fit: 'fill' }).raw().toBuffer(), 1)
  },
  async jimp() {
    const { Jimp } = await import('jimp')
    const picture = await Jimp.read(bytes)
    hex(picture.resize({ w: width, h: height }).greyscale().bitmap.data, 4)
  },
  async 'zpl-image'() {
    const { rgbaToZ64 } = (await import('zpl-image')).default
    const { default: sharp } = await import('sharp')
    const { data, info } = await sharp(bytes)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    rgbaToZ64(data, info.width)
  },
}

function hex(grey, channels) {
  const bits = Buffer.alloc(Math.ceil(width / 8) * height)
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += channels) {
      if (grey[at] < 128) bits[y * Math.ceil(width / 8) + (x >> 3)] |= 0x80 >> (x & 7)
    }
  }
  return bits.toString('hex')
}

await ways[who]()
// Not resourceUsage, whose figure begins with that of the program that started this one.
const peakKb = /^VmHWM:\s+(\d+)/m.exec(await readFile('/proc/self/status', 'utf8'))[1]
process.stdout.write(String(peakKb / 1024))
