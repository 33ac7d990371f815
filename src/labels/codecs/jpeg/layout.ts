import type { Buffer } from 'node:buffer'
import { LabelFault } from '../../fault.ts'
import type { Frame, JpegTables } from './markers.ts'

/** Conversion of the wanted components to luma; the four printer's colors are stored inverted, as Adobe does. */
type Mixing = 'luma' | 'rgb' | 'ycck' | 'cmyk'

/** Sizes that follow from the frame, in blocks of 8x8 samples and MCUs. */
export interface BlockLayout {
  readonly frame: Frame
  readonly mixing: Mixing
  /** Positions in `frame.components` that luma is made of. */
  readonly wanted: readonly number[]
  /** Largest sampling factors. */
  readonly h: number
  readonly v: number
  /** Sampling factors of what luma is made of. */
  readonly across: number
  readonly down: number
  /** Samples of it, less the padding. */
  readonly width: number
  readonly height: number
  /** MCUs of an interleaved scan. */
  readonly mcusX: number
  readonly mcusY: number
}

/**
 * Finds the components that luma needs: Y alone if there is one.
 * @throws LabelFault PICTURE_UNSUPPORTED when a needed component is subsampled, unless it is luma alone in whole steps
 */
export function layOut(frame: Frame, tables: JpegTables): BlockLayout {
  const h = Math.max(...frame.components.map((component) => component.h))
  const v = Math.max(...frame.components.map((component) => component.v))
  const ids = frame.components.map((component) => component.id)
  const mixing = mixingOf(ids, tables.adobe)
  const wanted = WANTED[mixing]
  const needed = frame.components.filter((_, index) => wanted.includes(index))
  const { h: across, v: down } = needed[0] ?? { h, v }
  const isWhole = needed.every((component) => component.h === h && component.v === v)
  if (!isWhole && (needed.length > 1 || h % across !== 0 || v % down !== 0)) {
    throw new LabelFault(
      'PICTURE_UNSUPPORTED',
      'The JPEG picture stores brightness at a lower resolution than color.',
    )
  }
  return {
    frame,
    mixing,
    wanted,
    h,
    v,
    across,
    down,
    width: Math.ceil((frame.width * across) / h),
    height: Math.ceil((frame.height * down) / v),
    mcusX: Math.ceil(frame.width / (8 * h)),
    mcusY: Math.ceil(frame.height / (8 * v)),
  }
}

const WANTED: Readonly<Record<Mixing, readonly number[]>> = {
  luma: [0],
  rgb: [0, 1, 2],
  ycck: [0, 3],
  cmyk: [0, 1, 2, 3],
}

/** Positions of the components that luma is made of. */
export function findWanted(ids: readonly number[], adobe: number | undefined): readonly number[] {
  return WANTED[mixingOf(ids, adobe)]
}

// The rules of libjpeg (jdapimin.c, default_decompress_parms): Adobe's transform first, then the component ids "RGB".
function mixingOf(ids: readonly number[], adobe: number | undefined): Mixing {
  if (ids.length === 1) return 'luma'
  if (ids.length === 4) return adobe === 2 ? 'ycck' : 'cmyk'
  if (adobe !== undefined) return adobe === 0 ? 'rgb' : 'luma'
  return String.fromCharCode(...ids) === 'RGB' ? 'rgb' : 'luma'
}

/** Samples of one row of each wanted component in, luma of the row out. */
type Mix = (planes: readonly Uint8ClampedArray[], at: number, out: Uint8Array) => void

/** Makes the function for one row; `luma` needs none, since the plane is the luma already. */
export function mixer(mixing: Exclude<Mixing, 'luma'>): Mix {
  switch (mixing) {
    case 'rgb':
      return mixRgb
    case 'ycck':
      return mixYcck
    case 'cmyk':
      return mixCmyk
  }
}

const mixRgb: Mix = ([r, g, b], at, out) => {
  if (r === undefined || g === undefined || b === undefined) return
  for (let x = 0; x < out.length; x += 1) {
    const i = at + x
    out[x] = ((r[i] as number) * 77 + (g[i] as number) * 150 + (b[i] as number) * 29) >> 8
  }
}

// As libjpeg has it (jdcolor.c, ycck_cmyk_convert): Y is the luma of the inks, and black is inverted.
const mixYcck: Mix = ([y, k], at, out) => {
  if (y === undefined || k === undefined) return
  for (let x = 0; x < out.length; x += 1) {
    out[x] = ((255 - (y[at + x] as number)) * (k[at + x] as number) + 127) / 255
  }
}

const mixCmyk: Mix = ([c, m, y, k], at, out) => {
  if (c === undefined || m === undefined || y === undefined || k === undefined) return
  for (let x = 0; x < out.length; x += 1) {
    const i = at + x
    const luma = ((c[i] as number) * 77 + (m[i] as number) * 150 + (y[i] as number) * 29) >> 8
    out[x] = (luma * (k[i] as number) + 127) / 255
  }
}

const SOI_BYTES = 2
// A segment holds 64 KB, so the largest body needs 256 of them.
const SEGMENTS_MAX = 4096
export const SOF0 = 0xc0
export const SOF2 = 0xc2
const RST0 = 0xd0
const RST7 = 0xd7
const SOI = 0xd8
export const SOS = 0xda
export const EOI = 0xd9

/**
 * The segments from SOI to EOI, the coded data after each SOS left out. Coded data may end the file: whether they are
 * whole shows when they are decoded.
 */
export function* readSegments(file: Buffer): Generator<{ marker: number; data: Buffer }> {
  let at = findMarker(file, SOI_BYTES)
  for (let count = 1; file[at + 1] !== EOI; count++) {
    if (count > SEGMENTS_MAX) throw broken(`has more than ${SEGMENTS_MAX} segments`)
    const marker = file.readUInt8(at + 1)
    const end = endOfSegment(file, at)
    yield { marker, data: file.subarray(at + 4, end) }
    const next = skipFill(file, marker === SOS ? skipScan(file, end) : end)
    if (marker === SOS && file[next + 1] === undefined) return
    at = findMarker(file, next)
  }
  yield { marker: EOI, data: file.subarray(at + 2, at + 2) }
}

/** B.1.1.2: any number of FF may precede a marker. */
function skipFill(file: Buffer, from: number): number {
  let at = from
  while (file[at] === 0xff && file[at + 1] === 0xff) at++
  return at
}

/**
 * B.1.1.2: a marker is FF and a code. RSTn and SOI have no length and no place here; a walk that took what follows for
 * theirs would pass over segments that the decoder reads.
 */
function findMarker(file: Buffer, from: number): number {
  const at = skipFill(file, from)
  const code = file[at + 1]
  if (code === undefined) throw withoutEnd(file.length)
  const isSegment = code >= SOF0 && (code < RST0 || code > SOI)
  if (file[at] !== 0xff || !isSegment) throw broken(`has no marker at byte ${at}`)
  return at
}

function endOfSegment(file: Buffer, at: number): number {
  const start = at + 4
  const end = start > file.length ? start : at + 2 + file.readUInt16BE(at + 2)
  if (end > file.length || end < start) {
    throw broken(
      `ends after ${file.length} bytes, inside a segment that needs ${Math.max(end, start)}`,
    )
  }
  return end
}

/** B.1.1.5: in coded data FF is followed by 00, or by a restart marker. */
function skipScan(file: Buffer, from: number): number {
  // Not by indexOf: a file may be of nothing but FF 00, and and a call for each of them takes longer than they do.
  for (let at = from; at < file.length - 1; at++) {
    if (file[at] !== 0xff) continue
    const next = file[at + 1] as number
    if (next !== 0 && (next < RST0 || next > RST7)) return at
  }
  return file.length
}

/** Densities of JFIF across and down, and the number of their units in an inch. */
export interface Density {
  readonly across: number
  readonly down: number
  readonly perInch: number
}

/** JFIF 1.02: identifier, version, units (1 dots per inch, 2 per cm, 0 says how they relate), densities. */
export function readJfifDensity(data: Buffer): Density | undefined {
  if (data.length < 12 || data.toString('latin1', 0, 5) !== 'JFIF\0') return undefined
  const perInch = { 1: 1, 2: 2.54 }[data.readUInt8(7)] ?? 0
  return { across: data.readUInt16BE(8), down: data.readUInt16BE(10), perInch }
}

/** Adobe technical note 5116: 0 as stored, 1 YCbCr, 2 YCCK. */
export function readAdobeTransform(data: Buffer): number | undefined {
  return data.length >= 12 && data.toString('latin1', 0, 5) === 'Adobe' ? data[11] : undefined
}

// The first bytes as numbers: a file may hold thousands of these segments, and texts of them would be garbage.
const EXIF = 0x45786966 // "Exif", then two zeros
const EXIF_AT = 6

/** The Exif block of an APP1 segment, or undefined when that holds another. */
export function findExif(segment: Buffer): Buffer | undefined {
  if (segment.length < EXIF_AT || segment.readUInt32BE(0) !== EXIF) return undefined
  return segment.readUInt16BE(4) === 0 ? segment.subarray(EXIF_AT) : undefined
}

export function withoutEnd(bytes: number): LabelFault {
  return broken(`ends after ${bytes} bytes without its end (EOI)`)
}

export function broken(what: string): LabelFault {
  return new LabelFault('PICTURE_BROKEN', `The JPEG ${what}.`)
}

export function unsupported(what: string): LabelFault {
  return new LabelFault('PICTURE_UNSUPPORTED', `The JPEG ${what}.`)
}
