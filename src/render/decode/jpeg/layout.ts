import { PlatenError } from '../../../errors.ts'
import type { Frame, Tables } from './markers.ts'

/** How the wanted components become luma; the four printer's colors are stored inverted, as Adobe does. */
export type Mixing = 'luma' | 'rgb' | 'ycck' | 'cmyk'

/** Sizes that follow from the frame, in blocks of 8x8 samples and MCUs. */
export interface Layout {
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
 * Which components are needed for luma: Y alone where there is one.
 * @throws PlatenError PICTURE_UNSUPPORTED when a needed component is subsampled, unless it is luma alone in whole steps
 */
export function layOut(frame: Frame, tables: Tables): Layout {
  const h = Math.max(...frame.components.map((component) => component.h))
  const v = Math.max(...frame.components.map((component) => component.v))
  const ids = frame.components.map((component) => component.id)
  const mixing = mixingOf(ids, tables.adobe)
  const wanted = WANTED[mixing]
  const needed = frame.components.filter((_, index) => wanted.includes(index))
  const { h: across, v: down } = needed[0] ?? { h, v }
  const isWhole = needed.every((component) => component.h === h && component.v === v)
  if (!isWhole && (needed.length > 1 || h % across !== 0 || v % down !== 0)) {
    throw new PlatenError(
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
export type Mix = (planes: readonly Uint8ClampedArray[], at: number, out: Uint8Array) => void

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
