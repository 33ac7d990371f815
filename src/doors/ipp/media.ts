import type { IppValue } from '../../ipp/message.ts'
import { collection, integer, keyword } from '../../ipp/values.ts'
import type { Tracking } from '../../languages/status.ts'

const HUNDREDTHS_PER_INCH = 2540
/** In 1/100 mm; see `mediaCol`. */
export const MARGIN = 1
/** The one media-source. */
export const ROLL = 'main-roll'

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
export function mediaCol(size: LabelSize, tracking?: Tracking): readonly IppValue[] {
  const margin = integer(MARGIN)
  return collection({
    'media-size': mediaSize(size),
    'media-size-name': keyword(mediaName(size)),
    'media-bottom-margin': margin,
    'media-left-margin': margin,
    'media-right-margin': margin,
    'media-top-margin': margin,
    'media-source': keyword(ROLL),
    'media-type': keyword('labels'),
    // PWG 5100.13, 6.3: only what the printer itself has said.
    ...(tracking === undefined ? {} : { 'media-tracking': keyword(tracking) }),
  })
}

/** `printer-input-tray` (PWG 5100.13, 5.6.25); level -2 = unknown. */
export function describeTray({ width, height }: LabelSize, isEmpty: boolean): string {
  const [across, along] = [width, height].map((inches) => Math.round(inches * HUNDREDTHS_PER_INCH))
  return `type=sheetFeedAutoRemovableTray;mediafeed=${along};mediaxfeed=${across};maxcapacity=-2;level=${isEmpty ? 0 : -2};status=0;name=${ROLL};`
}

function shorten(inches: number): string {
  return String(Math.round(inches * 1_000) / 1_000)
}
