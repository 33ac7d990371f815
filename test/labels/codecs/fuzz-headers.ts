import { Buffer } from 'node:buffer'
import type { Header } from '../../../src/labels/codecs/decoder.ts'
import type { PictureFormat } from '../../../src/labels/codecs/index.ts'
import { LabelFault } from '../../../src/labels/fault.ts'
import { makeGif } from '../../pictures/make-gif.ts'
import { makeExif, makeJpeg, segment } from '../../pictures/make-jpeg.ts'
import { makeChunk, makePng } from '../../pictures/make-png.ts'
import { createDice, type Dice, rollGif, rollPng } from '../../pictures/variants.ts'
import { readAtCost } from './header-cost.ts'

const WHOLE_FILES = 60 // to change
const CODES = ['PICTURE_BROKEN', 'PICTURE_UNSUPPORTED']
const REPEATED_BYTES = 300_000 // what one part is repeated to, at most
const ODD_LENGTHS = [0, 1, 2, 3, 5, 255, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]

/** The outcome of many changed headers. */
export interface HeaderOutcome {
  read: number
  refused: number
  /** Most memory for one file, and most of this thread's processor time. */
  mostBytes: number
  slowestMs: number
}

/** A file in its parts: segments, chunks or blocks, which stay whole while they are moved about. */
interface Parts {
  readonly parts: Buffer[]
  /** Finds the length field of a part, and its size; undefined if it has none. */
  readonly lengthAt: (part: Buffer) => readonly [at: number, bytes: number] | undefined
}

/**
 * Changes the headers of `count` files and reads them: counts, lengths, parts repeated, moved and left out. The same seed
 * gives the same files.
 * @throws Error with the file as base64 when one takes too much, or fails outside the table of errors
 */
export function fuzzHeaders(format: PictureFormat, count: number, seed: number): HeaderOutcome {
  const roll = createDice(seed)
  const outcome: HeaderOutcome = { read: 0, refused: 0, mostBytes: 0, slowestMs: 0 }
  const files = Array.from({ length: WHOLE_FILES }, () => makeFile(format, roll))
  for (let n = 0; n < count; n++) {
    const file = mutate(roll, files[roll(files.length)] as Buffer, format)
    const { seen, bytes, ms, fault } = readAtCost(format, file)
    const complaint = fault ?? judge(seen)
    if (complaint !== undefined) {
      throw new Error(`${format} ${n} of seed ${seed}: ${complaint}: ${file.toString('base64')}`)
    }
    outcome[seen instanceof Error ? 'refused' : 'read']++
    outcome.mostBytes = Math.max(outcome.mostBytes, bytes)
    outcome.slowestMs = Math.max(outcome.slowestMs, ms)
  }
  return outcome
}

/** Tells why neither a header nor an error of the table came; undefined when one did. */
function judge(seen: unknown): string | undefined {
  if (seen instanceof LabelFault && CODES.includes(seen.code)) return undefined
  if (seen instanceof Error) return `${seen.stack}`
  const { width, height, pixels, orientation, memoryBytes, dpi } = seen as Header
  const isWhole = [width, height, pixels, orientation].every((value) => Number.isInteger(value))
  const isPlausible =
    Math.min(width, height, pixels, orientation) >= 1 &&
    orientation <= 8 &&
    [memoryBytes, dpi].every((value) => Number.isFinite(value) && value >= 0)
  return isWhole && isPlausible ? undefined : `the header is ${JSON.stringify(seen)}`
}

function makeFile(format: PictureFormat, roll: Dice): Buffer {
  if (format === 'png') return makePng({ ...rollPng(roll), perMetre: 8000 })
  return format === 'gif' ? makeGif(rollGif(roll)) : rollJpeg(roll)
}

function rollJpeg(roll: Dice): Buffer {
  const components = [1, 3, 4][roll(3)] ?? 1
  return makeJpeg({
    width: 1 + roll(24),
    height: 1 + roll(24),
    sampling: Array.from({ length: components }, () => [1 + roll(2), 1 + roll(2)] as const),
    level: (n, x, y) => (n * 50 + x * 31 + y * 17) % 256,
    progressive: roll(2) === 0,
    orientation: 1 + roll(8),
    bigEndian: roll(2) === 0,
    dpi: 203,
    ...(roll(3) === 0 ? { restart: 1 + roll(4) } : {}),
    ...(components === 4 || roll(4) === 0 ? { adobe: roll(3) } : {}),
  })
}

function mutate(roll: Dice, file: Buffer, format: PictureFormat): Buffer {
  const whole = split(file, format)
  for (let n = roll(3); n >= 0; n--) {
    if (roll(2) === 0) changePart(roll, whole)
    else moveParts(roll, whole.parts, format)
  }
  return Buffer.concat(whole.parts)
}

/** Changes one part, never the first, which identifies the file. */
function changePart(roll: Dice, { parts, lengthAt }: Parts): void {
  const at = 1 + roll(parts.length - 1)
  const part = parts[at] as Buffer
  const kind = roll(6)
  if (kind < 3) changeByte(roll, part)
  else if (kind < 5) changeLength(roll, part, lengthAt(part))
  else parts[at] = part.subarray(0, roll(part.length + 1))
}

function moveParts(roll: Dice, parts: Buffer[], format: PictureFormat): void {
  const at = 1 + roll(parts.length - 1)
  const part = parts[at] as Buffer
  const kind = roll(4)
  if (kind === 0) parts.splice(at, 0, repeatPart(roll, part))
  else if (kind === 1) parts.splice(at, 0, repeatPart(roll, makePart(roll, format)))
  else if (kind === 2) parts.splice(1 + roll(parts.length - 1), 0, Buffer.from(part))
  else if (parts.length > 2) parts.splice(at, 1)
}

/** Counts stand in the first bytes, so these are changed most. */
function changeByte(roll: Dice, part: Buffer): void {
  if (part.length === 0) return
  const at = roll(roll(3) === 0 ? part.length : Math.min(part.length, 16))
  part[at] = [0, 1, 4, 5, 127, 128, 254, 255, roll(256)][roll(9)] ?? 0
}

function changeLength(
  roll: Dice,
  part: Buffer,
  place: readonly [at: number, bytes: number] | undefined,
): void {
  if (place === undefined || place[0] + place[1] > part.length) return
  const [at, bytes] = place
  const now = part.readUIntBE(at, bytes)
  const wanted = roll(2) === 0 ? now + roll(5) - 2 : (ODD_LENGTHS[roll(ODD_LENGTHS.length)] ?? 0)
  part.writeUIntBE(Math.max(0, wanted) % 2 ** (8 * bytes), at, bytes)
}

/** Mostly a few times, now and then as often as the bound of bytes lets it. */
function repeatPart(roll: Dice, part: Buffer): Buffer {
  if (part.length === 0) return part
  const most = Math.floor(REPEATED_BYTES / part.length)
  const times = Math.min(most, roll(25) === 0 ? 1 + roll(60_000) : 1 + roll(30))
  return Buffer.alloc(times * part.length, part)
}

/** Parts that no encoder of the tests writes. */
function makePart(roll: Dice, format: PictureFormat): Buffer {
  if (format === 'png') {
    const types = ['tEXt', 'IDAT', 'PLTE', 'tRNS', 'pHYs', 'IHDR', 'IEND', 'acTL', 'fdAT']
    return makeChunk(types[roll(types.length)] ?? 'tEXt', Buffer.alloc(roll(20)))
  }
  if (format === 'gif') {
    const blocks = [[0x21, 0xfe, 0], [0x21, 0xf9, 4, 1, 0, 0, 0, 0], [0], [1, 7], [0x3b]]
    return Buffer.from(blocks[roll(blocks.length)] ?? [0])
  }
  const bodies: readonly (readonly [marker: number, body: readonly number[]])[] = [
    [0xda, [1 + roll(255)]],
    [0xda, [1, 1, 0, 0, 63, 0]],
    [0xe1, []],
    [0xe1, makeExif(roll(12), roll(2) === 0)],
    [0xc4, [roll(32), ...Buffer.alloc(16, roll(20))]],
    [0xdb, [roll(64), ...Buffer.alloc(64)]],
    [0xdd, [0, 1].slice(roll(2))],
    [0xc0, [8, 0, 9, 0, 9, roll(6), 1, 0x11, 0]],
    [0xfe, [...Buffer.alloc(roll(30))]],
  ]
  const chosen = roll(bodies.length + 2)
  const [marker, body] = bodies[chosen] ?? [0, []]
  if (chosen < bodies.length) return segment(marker, body)
  return Buffer.from(chosen === bodies.length ? [0xff] : [0xff, 0xd0 + roll(8)])
}

function split(file: Buffer, format: PictureFormat): Parts {
  if (format === 'png') return { parts: splitPng(file), lengthAt: () => [0, 4] }
  if (format === 'jpeg') return { parts: splitJpeg(file), lengthAt: () => [2, 2] }
  return { parts: splitGif(file), lengthAt: (part) => (part[0] === 0x21 ? [2, 1] : undefined) }
}

const copy = (file: Buffer, from: number, to = file.length): Buffer =>
  Buffer.from(file.subarray(from, to))

function splitPng(file: Buffer): Buffer[] {
  const parts = [copy(file, 0, 8)]
  for (let at = 8; at < file.length; ) {
    const end = at + 12 + file.readUInt32BE(at)
    parts.push(copy(file, at, end))
    at = end
  }
  return parts
}

/** The coded data, and the end after them, are the last part. */
function splitJpeg(file: Buffer): Buffer[] {
  const parts = [copy(file, 0, 2)]
  let at = 2
  for (let marker = 0; marker !== 0xda; ) {
    marker = file.readUInt8(at + 1)
    const end = at + 2 + file.readUInt16BE(at + 2)
    parts.push(copy(file, at, end))
    at = end
  }
  parts.push(copy(file, at, file.length - 2), copy(file, file.length - 2))
  return parts
}

/** Cut before whatever looks like the first byte of an extension or a picture. */
function splitGif(file: Buffer): Buffer[] {
  const parts = [copy(file, 0, 6), copy(file, 6, 13)]
  let from = 13
  for (let at = from + 1; at < file.length; at++) {
    if (file[at] !== 0x21 && file[at] !== 0x2c && file[at] !== 0x3b) continue
    parts.push(copy(file, from, at))
    from = at
  }
  parts.push(copy(file, from))
  return parts
}
