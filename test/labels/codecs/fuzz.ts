import { Buffer } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import jpegJs from 'jpeg-js'
import type { Decoder } from '../../../src/labels/codecs/decoder.ts'
import { DECODE_BYTES_MAX, decoders } from '../../../src/labels/codecs/index.ts'
import { LabelFault } from '../../../src/labels/fault.ts'
import { makeGif } from '../../pictures/make-gif.ts'
import { makeJpeg } from '../../pictures/make-jpeg.ts'
import { makePng } from '../../pictures/make-png.ts'
import { createDice, type Dice, rollGif, rollPng } from '../../pictures/variants.ts'

/** Milliseconds of processor time that a picture may take; those of the fuzzer have a few thousand pixels. */
const SLOW_MS = 4000
const WHOLE_FILES = 200 // to damage
const CODES = ['PICTURE_BROKEN', 'PICTURE_UNSUPPORTED']
const PIXELS_MAX = 200_000 // what says it is larger is the gate's work, and would only cost time here

/** The outcome of many mutated files. */
export interface Outcome {
  decoded: number
  refused: number
  /** Refused by the header alone, or larger than the fuzzer looks at. */
  skipped: number
  slowestMs: number
  peakMb: number
}

/**
 * Damages `count` files of a format and decodes them. The same seed gives the same files.
 * @throws Error with the file as base64 when one hangs, fails outside the table of errors, or takes too much memory
 */
export async function fuzz(
  format: 'png' | 'jpeg' | 'gif',
  count: number,
  seed: number,
): Promise<Outcome> {
  const roll = createDice(seed)
  const outcome: Outcome = { decoded: 0, refused: 0, skipped: 0, slowestMs: 0, peakMb: 0 }
  const decoder = decoders.find((one) => one.format === format)
  if (decoder === undefined) throw new Error(format)
  const files = Array.from({ length: WHOLE_FILES }, () => makeFile(format, roll))
  const rssBefore = process.memoryUsage.rss()
  for (let n = 0; n < count; n++) {
    const file = mutate(roll, files[roll(files.length)] ?? Buffer.alloc(0))
    const before = process.cpuUsage()
    outcome[await decode(decoder, file, roll)]++
    const { user, system } = process.cpuUsage(before)
    const ms = (user + system) / 1_000
    outcome.slowestMs = Math.max(outcome.slowestMs, ms)
    if (ms > SLOW_MS) throw new Error(`${format} ${n} took ${ms} ms: ${file.toString('base64')}`)
    if (n % 20 === 0) {
      // As between two labels. Without a turn of the loop no zlib that met damaged data is ever closed.
      await setImmediate()
      outcome.peakMb = Math.max(outcome.peakMb, (process.memoryUsage.rss() - rssBefore) / 2 ** 20)
    }
  }
  return outcome
}

async function decode(
  decoder: Decoder,
  file: Buffer,
  roll: Dice,
): Promise<'decoded' | 'refused' | 'skipped'> {
  try {
    const header = decoder.header(file)
    if (header.pixels > PIXELS_MAX || header.memoryBytes > DECODE_BYTES_MAX) return 'skipped'
    const divisor = header.divisors[roll(header.divisors.length)] ?? 1
    let rows = 0
    await decoder.decode(file, divisor, () => rows++)
    const wanted = Math.ceil(header.height / divisor)
    if (rows !== wanted) throw new Error(`gave ${rows} of ${wanted} rows`)
    return 'decoded'
  } catch (error) {
    if (error instanceof LabelFault && CODES.includes(error.code)) return 'refused'
    throw new Error(`${decoder.format}: ${error}: ${file.toString('base64')}`, { cause: error })
  }
}

function makeFile(format: string, roll: Dice): Buffer {
  if (format === 'png') return makePng(rollPng(roll))
  return format === 'gif' ? makeGif(rollGif(roll)) : rollJpeg(roll)
}

/** Half are of an ordinary encoder, with real coefficients; half of every sampling, progressive, restart, CMYK. */
function rollJpeg(roll: Dice): Buffer {
  const [width, height] = [1 + roll(40), 1 + roll(40)]
  if (roll(2) === 0) {
    const data = Buffer.from(Array.from({ length: width * height * 4 }, () => roll(256)))
    return Buffer.from(jpegJs.encode({ width, height, data }, 20 + roll(80)).data)
  }
  const components = [1, 3, 4][roll(3)] ?? 1
  return makeJpeg({
    width,
    height,
    sampling: Array.from({ length: components }, () => [1 + roll(2), 1 + roll(2)] as const),
    level: (n, x, y) => (n * 50 + x * 31 + y * 17) % 256,
    progressive: roll(2) === 0,
    ...(roll(3) === 0 ? { restart: 1 + roll(4) } : {}),
    ...(components === 4 || roll(4) === 0 ? { adobe: roll(3) } : {}),
  })
}

/** Changes one to eight bytes, now and then cuts or doubles a stretch; mostly corrects the checksums of PNG. */
function mutate(roll: Dice, file: Buffer): Buffer {
  let mutant = Buffer.from(file)
  for (let n = roll(8); n >= 0; n--) {
    const at = roll(mutant.length)
    mutant[at] = roll(3) === 0 ? (mutant[at] ?? 0) ^ (1 << roll(8)) : roll(256)
  }
  if (roll(6) === 0) {
    const [from, length] = [roll(mutant.length), roll(30)]
    const part = mutant.subarray(from, from + length)
    const rest = mutant.subarray(roll(2) === 0 ? from : from + length)
    mutant = Buffer.concat([mutant.subarray(0, from), part, rest])
  }
  if (roll(8) !== 0 && mutant.toString('latin1', 1, 4) === 'PNG') mendChecks(mutant)
  return mutant
}

/** Else every change in a PNG would end at the first check. */
function mendChecks(png: Buffer): void {
  for (let at = 8; at + 12 <= png.length; ) {
    const end = at + 8 + png.readUInt32BE(at)
    if (end + 4 > png.length) return
    png.writeUInt32BE(crc32(png.subarray(at + 4, end)), end)
    at = end + 4
  }
}
