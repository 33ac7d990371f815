import { PlatenError } from '../errors.ts'
import type { Target } from './target.ts'

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
