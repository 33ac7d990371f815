import { Buffer } from 'node:buffer'
import sharp, { type Sharp } from 'sharp'
import type { Test } from 'tap'
import type { Divisor } from '../../../src/labels/codecs/decoder.ts'
import { jpeg } from '../../../src/labels/codecs/index.ts'
import { carrierLabel } from '../../label-makers/carrier.ts'

// libvips judges: its pixels as luma, against the luma that is in the file. Colors that JPEG cannot hold are clipped on
// the way to red, green and blue, so that photos differ by a little, labels by rounding alone.
const LABEL = carrierLabel({ width: 403, height: 605 })
const PHOTO = { width: 405, height: 307 }

/** A carrier's label, gray. */
export function label(): Sharp {
  const { width, height } = LABEL
  return sharp(Buffer.from(LABEL.luma), { raw: { width, height, channels: 1 } })
}

/** Shades and colors at all angles. */
export function photo(): Sharp {
  const { width, height } = PHOTO
  const pixels = Buffer.alloc(width * height * 3)
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      pixels[at++] = ((x >> 3) % 3 === 0 ? 40 : 160) + 60 * Math.sin(x / 9)
      pixels[at++] = 128 + 90 * Math.sin(x / 20) * Math.cos(y / 30)
      pixels[at++] = (y * 255) / height
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

/** A picture in gray. */
export interface Luma {
  readonly width: number
  readonly height: number
  readonly luma: Uint8Array
}

/** By the decoder that is judged. */
export async function decodeOurs(bytes: Buffer, divisor: Divisor): Promise<Luma> {
  const rows: Buffer[] = []
  await jpeg.decode(bytes, divisor, (row) => rows.push(Buffer.from(row)))
  return { width: rows[0]?.length ?? 0, height: rows.length, luma: Buffer.concat(rows) }
}

/** By libvips, its colors as luma; of printer's colors the inks as they are stored, without a profile. */
export async function decodeByLibvips(bytes: Buffer): Promise<Luma> {
  if ((await sharp(bytes).metadata()).space === 'cmyk') return decodeInks(bytes)
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const luma = Buffer.alloc(width * height)
  for (let n = 0, at = 0; n < luma.length; n++, at += channels) {
    const [red = 0, green = red, blue = red] = data.subarray(at, at + channels)
    luma[n] = (77 * red + 150 * green + 29 * blue) >> 8
  }
  return { width, height, luma }
}

/** Ink takes from the paper what it covers, black from all colors. */
async function decodeInks(bytes: Buffer): Promise<Luma> {
  const inks = sharp(bytes).pipelineColorspace('cmyk').toColorspace('cmyk')
  const { data, info } = await inks.raw().toBuffer({ resolveWithObject: true })
  const luma = Buffer.alloc(info.width * info.height)
  for (let n = 0; n < luma.length; n++) {
    const [cyan = 0, magenta = 0, yellow = 0, black = 0] = data.subarray(n * 4, n * 4 + 4)
    const paper = (77 * (255 - cyan) + 150 * (255 - magenta) + 29 * (255 - yellow)) >> 8
    luma[n] = Math.round((paper * (255 - black)) / 255)
  }
  return { width: info.width, height: info.height, luma }
}

/** The mean of whole squares; those that the edge cuts are left out. */
export function shrink({ width, height, luma }: Luma, by: number): Luma {
  const size = { width: Math.floor(width / by), height: Math.floor(height / by) }
  const means = new Uint8Array(size.width * size.height)
  for (let n = 0; n < means.length; n++) {
    const [x, y] = [(n % size.width) * by, Math.floor(n / size.width) * by]
    let sum = 0
    for (let down = 0; down < by; down++) {
      for (let across = 0; across < by; across++) sum += luma[(y + down) * width + x + across] ?? 0
    }
    means[n] = Math.round(sum / (by * by))
  }
  return { ...size, luma: means }
}

/** The mean and the largest difference. */
export function compare(ours: Luma, theirs: Luma): { mean: number; most: number } {
  let sum = 0
  let most = 0
  for (let y = 0; y < theirs.height; y++) {
    for (let x = 0; x < theirs.width; x++) {
      const difference = Math.abs(
        (ours.luma[y * ours.width + x] ?? 0) - (theirs.luma[y * theirs.width + x] ?? 0),
      )
      sum += difference
      most = Math.max(most, difference)
    }
  }
  return { mean: sum / theirs.luma.length, most }
}

/** A label comes out as libvips has it, to one step of gray. */
export async function judgeLabel(t: Test, bytes: Buffer, name = ''): Promise<void> {
  const { most } = compare(await decodeOurs(bytes, 1), await decodeByLibvips(bytes))
  t.ok(most <= 1, `${name} label: ${most}`)
}

/** A photo comes out as libvips has it, to half a step on average, at every size that the transform gives. */
export async function judgePhoto(t: Test, bytes: Buffer, name = ''): Promise<void> {
  const whole = await decodeByLibvips(bytes)
  const ours = await decodeOurs(bytes, 1)
  const { mean } = compare(ours, whole)
  t.ok(mean < 0.5, `${name} photo: ${mean}`)
  for (const divisor of jpeg.header(bytes).divisors) {
    if (divisor === 1) continue
    const small = await decodeOurs(bytes, divisor)
    t.equal(small.width, Math.ceil(whole.width / divisor))
    t.equal(small.height, Math.ceil(whole.height / divisor))
    const { most } = compare(small, shrink(ours, divisor))
    t.ok(most <= 1, `${name} 1/${divisor}: ${most}`)
    const { mean } = compare(small, shrink(whole, divisor))
    t.ok(mean < 0.5, `${name} 1/${divisor}: ${mean} from libvips`)
  }
}
