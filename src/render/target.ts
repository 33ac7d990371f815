import { PlatenError } from '../errors.ts'
import type { LanguageName } from '../languages/index.ts'

/** Turn applied to a picture; `auto` = to portrait or landscape, whichever the stock is. Clockwise degrees. */
export type Rotate = 'auto' | 0 | 90 | 180 | 270

/** One printer and one request, all defaults filled in: all that rendering may know. */
export interface Target {
  /** Undefined = the printer's language is not known. */
  readonly language: LanguageName | undefined
  /** Dots per inch of the head. */
  readonly dpi: number
  /** Inches. */
  readonly labelWidth: number
  /** Inches. */
  readonly labelHeight: number
  /** Resolution of the picture and of the starting point, when the request gave one (200 is already 203). */
  readonly pictureDpi: number | undefined
  /** Dots of `pictureDpi`, or of the head when that is undefined. */
  readonly startingPointX: number
  readonly startingPointY: number
  readonly rotate: Rotate
  /** `none`: a picture keeps the size that it states, and what is beyond the label is cut; left out, it fits. */
  readonly scaling?: 'none' | undefined
  /** 0..100 or undefined. */
  readonly darkness: number | undefined
  /** Inches per second or undefined. */
  readonly speed: number | undefined
  readonly z64: boolean
}

/** What rendering gives back. */
export interface Rendered {
  /** Ready for the printer. */
  readonly bytes: Uint8Array
  /** PNG of the first page as printed, or undefined when no picture of it exists. */
  readonly preview: Uint8Array | undefined
  /** Sentences for the job, e.g. that the picture was larger than the label. */
  readonly notes: readonly string[]
}

/** A label in dots of the head. */
export interface Stock {
  readonly width: number
  readonly height: number
}

const DOTS_MAX = 40_000_000 // a 600 dpi head 4 inches wide, on 27 inches of stock

/**
 * Size of the label in dots.
 * @throws PlatenError FIELD_INVALID for a label beyond all measure
 */
export function measureStock({ labelWidth, labelHeight, dpi }: Target): Stock {
  const width = Math.round(labelWidth * dpi)
  const height = Math.round(labelHeight * dpi)
  if (!(width >= 1 && height >= 1 && width * height <= DOTS_MAX)) {
    throw new PlatenError(
      'FIELD_INVALID',
      `A label of ${labelWidth}x${labelHeight} inches at ${dpi} dpi has ${width}x${height} dots; wanted 1 to ${DOTS_MAX}.`,
    )
  }
  return { width, height }
}
