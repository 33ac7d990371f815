import { Buffer } from 'node:buffer'
import omggif from 'omggif'
import pngjs from 'pngjs'
import sharp from 'sharp'
import t from 'tap'
import { gif, png } from '../../../src/labels/codecs/index.ts'
import { type GifPlan, makeGif } from '../../pictures/make-gif.ts'
import { makePng } from '../../pictures/make-png.ts'
import { createDice, rollGif, rollPng } from '../../pictures/variants.ts'

// Two decoders of others judge ours: the npm packages all variants, libvips a part, since starting it takes longer.
const VARIANTS = 2000
const FOR_LIBVIPS = 20
const FEW_VARIANTS = 600
/** Nothing; or that a part of the picture is missing, or that a chunk's name is none, which libpng refuses too. */
const CUT = /^$|holds \d+ of \d+ pixels|ends after|fewer rows|has no chunk/

async function lumaOf(decoder: typeof png | typeof gif, bytes: Uint8Array): Promise<Buffer> {
  const rows: Buffer[] = []
  await decoder.decode(bytes, 1, (row) => rows.push(Buffer.from(row)))
  return Buffer.concat(rows)
}

/** Red, green, blue, alpha as luma on white paper, in the same whole numbers as ours. */
function lumaOfRgba(rgba: Uint8Array): Buffer {
  const luma = Buffer.alloc(rgba.length / 4)
  for (let n = 0, at = 0; n < luma.length; n++, at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = rgba.subarray(at, at + 4)
    const color = (77 * red + 150 * green + 29 * blue) >> 8
    luma[n] = Math.round((color * alpha + 255 * (255 - alpha)) / 255)
  }
  return luma
}

async function lumaByLibvips(bytes: Uint8Array): Promise<Buffer> {
  return lumaOfRgba(await sharp(bytes).toColorspace('srgb').ensureAlpha().raw().toBuffer())
}

t.test(`${VARIANTS} PNG of every kind come out bit for bit as pngjs has them`, async (t) => {
  const roll = createDice(3)
  for (let n = 0; n < VARIANTS; n++) {
    const plan = rollPng(roll)
    const bytes = makePng(plan)
    const ours = await lumaOf(png, bytes)
    const what = `${n}: ${plan.width}x${plan.height} type ${plan.color} of ${plan.depth} bits`
    const theirs = lumaOfRgba(pngjs.PNG.sync.read(bytes).data)
    // pngjs rounds 16 bits where we cut (PNG 13.12), samples and transparency, each by at most one step.
    if (distance(ours, theirs) > (plan.depth === 16 ? 2 : 0))
      t.fail(`${what}: ${distance(ours, theirs)} from pngjs`)
    if (n % FOR_LIBVIPS !== 0) continue
    const judged = distance(ours, await lumaByLibvips(bytes))
    if (judged > 0) t.fail(`${what}: ${judged} from libvips`)
  }
})

t.test(`${VARIANTS} GIF of every kind come out bit for bit as omggif has them`, async (t) => {
  const roll = createDice(4)
  for (let n = 0; n < VARIANTS; n++) {
    const plan = rollGif(roll)
    const bytes = makeGif(plan)
    const ours = await lumaOf(gif, bytes)
    const what = `${n}: ${plan.width}x${plan.height}`
    const byOmggif = lumaByOmggif(plan, bytes)
    if (byOmggif && distance(ours, byOmggif) > 0) t.fail(`${what} is not as omggif has it`)
    if (n % FOR_LIBVIPS > 1 || !isWhole(plan)) continue
    if (distance(ours, await lumaByLibvips(bytes)) > 0) t.fail(`${what} is not as libvips has it`)
  }
})

/** Undefined of interlaced pictures of fewer than 5 rows, which omggif misplaces; libvips has them as we do. */
function lumaByOmggif({ width, height, frames: [frame] }: GifPlan, bytes: Buffer) {
  if (frame?.interlaced && frame.height < 5) return undefined
  const pixels = Buffer.alloc(width * height * 4)
  new omggif.GifReader(bytes).decodeAndBlitFrameRGBA(0, pixels)
  return lumaOfRgba(pixels)
}

/** Tells whether the frame fills the picture: the rest is black to libvips, and paper to us. */
function isWhole({ width, height, frames: [frame] }: GifPlan): boolean {
  return frame?.width === width && frame.height === height
}

/** The largest difference of two pixels. */
function distance(ours: Buffer, theirs: Buffer): number {
  if (ours.length !== theirs.length) return Number.POSITIVE_INFINITY
  let most = 0
  for (let n = 0; n < ours.length; n++) {
    most = Math.max(most, Math.abs((ours[n] ?? 0) - (theirs[n] ?? 0)))
  }
  return most
}

t.test(
  'what pngjs and omggif take of damaged files is not refused, but pictures that are cut',
  async (t) => {
    const roll = createDice(5)
    let taken = 0
    for (let n = 0; n < FEW_VARIANTS; n++) {
      const isPng = n % 2 === 0
      const whole = isPng ? makePng(rollPng(roll)) : makeGif(rollGif(roll))
      // Of a GIF only the end is cut: omggif never comes back from some that are damaged within.
      const bytes = isPng ? change(whole, roll) : whole.subarray(0, whole.length - roll(4))
      if (!isTaken(bytes, isPng)) continue
      taken++
      const refusal = await refusalOf(isPng ? png : gif, bytes)
      if (!CUT.test(refusal)) t.fail(`${n}: ${refusal}`)
    }
    t.ok(taken > FEW_VARIANTS / 10, `${taken} are taken by the others`)
  },
)

async function refusalOf(decoder: typeof png | typeof gif, bytes: Buffer): Promise<string> {
  try {
    await lumaOf(decoder, bytes)
    return ''
  } catch (error) {
    return String(error)
  }
}

function change(file: Buffer, roll: (sides: number) => number): Buffer {
  const bytes = Buffer.from(file)
  bytes[33 + roll(bytes.length - 33)] = roll(256)
  return bytes
}

function isTaken(bytes: Buffer, isPng: boolean): boolean {
  try {
    if (isPng) pngjs.PNG.sync.read(bytes)
    else {
      const reader = new omggif.GifReader(bytes)
      const { width, height } = reader
      reader.decodeAndBlitFrameRGBA(0, Buffer.alloc(width * height * 4))
    }
    return true
  } catch {
    return false
  }
}

t.test('interlaced pictures that are too large to be held come out band by band', async (t) => {
  const size = { width: 4001, height: 4503 }
  const gray = Buffer.alloc(size.width * size.height)
  for (let n = 0; n < gray.length; n++) gray[n] = ((n >> 5) * 37 + (n >> 14) * 11) & 255
  const picture = sharp(gray, { raw: { ...size, channels: 1 } }).toColorspace('b-w')
  const interlaced = await picture
    .clone()
    .png({ compressionLevel: 1, progressive: true })
    .toBuffer()
  t.equal(png.header(interlaced).isInterlaced, true)
  t.equal(Buffer.compare(await lumaOf(png, interlaced), gray), 0, 'PNG')
  const bars = picture.threshold(128)
  const [straight, turns] = await Promise.all(
    [false, true].map((progressive) => bars.clone().gif({ effort: 1, progressive }).toBuffer()),
  )
  t.equal(gif.header(turns ?? Buffer.alloc(0)).firstFrame.isInterlaced, true)
  const wanted = await lumaOf(gif, straight ?? Buffer.alloc(0))
  t.equal(Buffer.compare(await lumaOf(gif, turns ?? Buffer.alloc(0)), wanted), 0, 'GIF')
})
