import sharp from 'sharp'
import t from 'tap'
import type { Decoder, Divisor, TakeRow } from '../../../src/labels/codecs/decoder.ts'
import { jpeg, png } from '../../../src/labels/codecs/index.ts'
import { drawPicture } from '../../../src/labels/picture/draw.ts'
import type { PlacementTarget } from '../../../src/labels/picture/placement.ts'
import type { Box, Plane, Size } from '../../../src/labels/plane.ts'

const LABEL = { width: 812, height: 1218 }
const PLACE: PlacementTarget = {
  dpi: 203,
  pictureDpi: undefined,
  rotate: 'auto',
  startingPointX: 0,
  startingPointY: 0,
}

/** The decoder itself, and the divisor of each time it was used. */
function watch(decoder: Decoder): { decoder: Decoder; divisors: Divisor[] } {
  const divisors: Divisor[] = []
  const decode = (bytes: Uint8Array, divisor: Divisor, take: TakeRow): Promise<void> => {
    divisors.push(divisor)
    return decoder.decode(bytes, divisor, take)
  }
  return { decoder: { ...decoder, decode }, divisors }
}

async function decodeWhole(decoder: Decoder, bytes: Uint8Array): Promise<Plane> {
  const { width, height } = decoder.header(bytes)
  const luma = new Uint8Array(width * height)
  await decoder.decode(bytes, 1, (row, y) => luma.set(row, y * width))
  return { width, height, luma }
}

/** The overlap of pixel `n` and dot `dot`, in 1 / dots of a pixel. */
function share(n: number, dot: number, pixels: number, dots: number): number {
  return Math.min((n + 1) * dots, (dot + 1) * pixels) - Math.max(n * dots, dot * pixels)
}

/** The area average by its definition: for each dot the weighted mean of what it covers. */
function average({ width, luma }: Plane, box: Box, to: Size): Uint8Array {
  const out = new Uint8Array(to.width * to.height)
  for (let y = 0; y < to.height; y++) {
    const top = Math.floor((y * box.height) / to.height)
    const bottom = Math.ceil(((y + 1) * box.height) / to.height)
    for (let x = 0; x < to.width; x++) {
      const left = Math.floor((x * box.width) / to.width)
      const right = Math.ceil(((x + 1) * box.width) / to.width)
      let sum = 0
      for (let py = top; py < bottom; py++) {
        const weight = share(py, y, box.height, to.height)
        for (let px = left; px < right; px++) {
          const value = luma[(box.y + py) * width + box.x + px] ?? 0
          sum += value * weight * share(px, x, box.width, to.width)
        }
      }
      out[y * to.width + x] = Math.floor(sum / (box.width * box.height) + 0.5)
    }
  }
  return out
}

/** A page with a label of grain and frames on it; the rest is white. */
function makePage(page: Size, ink: Box, format: 'png' | 'jpeg'): Promise<Buffer> {
  const grain = Buffer.alloc(ink.width * ink.height, 255)
  for (let y = 0; y < ink.height; y++) {
    for (let x = 0; x < ink.width; x++) {
      const isFrame = x < 9 || y < 9 || x >= ink.width - 9 || y >= ink.height - 9
      grain[y * ink.width + x] = isFrame ? 0 : (x * 7 + y * 13 + ((x * y) >> 4)) & 255
    }
  }
  const raw = { width: ink.width, height: ink.height, channels: 1 } as const
  const around = {
    left: ink.x,
    top: ink.y,
    right: page.width - ink.x - ink.width,
    bottom: page.height - ink.y - ink.height,
    background: '#fff',
  }
  const picture = sharp(grain, { raw }).extend(around).toColorspace('b-w')
  return format === 'png'
    ? picture.png({ compressionLevel: 1 }).toBuffer()
    : picture.jpeg({ quality: 95 }).toBuffer()
}

const CASES = [
  {
    title: 'a page of 8.4 million pixels is held in gray and decoded once',
    page: { width: 2550, height: 3300 },
    ink: { x: 301, y: 203, width: 1200, height: 1800 },
    decoder: png,
    divisors: [1],
  },
  {
    title: 'a page of 15 million pixels is decoded twice and not held',
    page: { width: 3400, height: 4400 },
    ink: { x: 401, y: 303, width: 1600, height: 2400 },
    decoder: png,
    divisors: [1, 1],
  },
  {
    title: 'a scan of 9.9 million pixels with ink up to its edges is decoded once and not held',
    page: { width: 3000, height: 3300 },
    ink: { x: 0, y: 0, width: 3000, height: 3300 },
    decoder: png,
    divisors: [1],
  },
  {
    title: 'one whose ink begins at the top and ends before the edges is decoded again',
    page: { width: 3000, height: 3300 },
    ink: { x: 0, y: 0, width: 2900, height: 3200 },
    decoder: png,
    divisors: [1, 1],
  },
  {
    title: 'a small label on a large JPEG is found at half the size and drawn from the whole',
    page: { width: 2400, height: 3200 },
    ink: { x: 333, y: 222, width: 1000, height: 1500 },
    decoder: jpeg,
    divisors: [2, 1],
  },
] as const

for (const { title, page, ink, decoder, divisors } of CASES) {
  t.test(title, async (t) => {
    const label = await makePage(page, ink, decoder.format)
    const watched = watch(decoder)
    const header = decoder.header(label)
    const picture = { label, decoder: watched.decoder, header }
    const { plane, placement } = await drawPicture(picture, LABEL, PLACE)
    t.same(watched.divisors, divisors)
    const { window, size } = placement
    const isTrimmed = window.width < page.width && window.x <= ink.x && window.x > ink.x - 40
    t.equal(isTrimmed, ink.width < page.width)
    const wanted = average(await decodeWhole(decoder, label), window, size)
    t.equal(Buffer.compare(Buffer.from(plane.luma), Buffer.from(wanted)), 0, 'to the last dot')
  })
}
