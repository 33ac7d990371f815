import type { IppValue } from '../../ipp/message.ts'
import { collection, integer, keyword } from '../../ipp/values.ts'

const HUNDREDTHS_PER_INCH = 2540

/** Inches. */
export interface LabelSize {
  readonly width: number
  readonly height: number
}

/**
 * The self-describing name of a size (PWG 5101.1). Phones and Windows have fixed lists of names, and 4x6 inches is the one
 * label in all of them; a dot in the middle part fails the standard's own test.
 */
export function mediaName({ width, height }: LabelSize): string {
  if (width === 4 && height === 6) return 'na_index-4x6_4x6in'
  const [w, h] = [shorten(width), shorten(height)]
  return `oe_label-${w.replace('.', '-')}x${h.replace('.', '-')}_${w}x${h}in`
}

/** In 1/100 mm; x is across the head, also when the label is wider than long. */
export function mediaSize({ width, height }: LabelSize): readonly IppValue[] {
  return collection({
    'x-dimension': integer(Math.round(width * HUNDREDTHS_PER_INCH)),
    'y-dimension': integer(Math.round(height * HUNDREDTHS_PER_INCH)),
  })
}

/**
 * The one stock of a printer. Margins are 1, not 0: with four zeros clients offer "borderless" and blow the picture up over
 * the edges. Without a media-source iOS 17 shows no size.
 */
export function mediaCol(size: LabelSize): readonly IppValue[] {
  return collection({
    'media-size': mediaSize(size),
    'media-size-name': keyword(mediaName(size)),
    'media-bottom-margin': integer(1),
    'media-left-margin': integer(1),
    'media-right-margin': integer(1),
    'media-top-margin': integer(1),
    'media-source': keyword('main-roll'),
    'media-type': keyword('labels'),
  })
}

function shorten(inches: number): string {
  return String(Math.round(inches * 1_000) / 1_000)
}
