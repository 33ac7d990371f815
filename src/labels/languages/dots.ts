/**
 * Extent of a raw label in dots of the head that it was made for; undefined where it says nothing.
 * Decision `other-resolution`.
 */
export interface RawExtent {
  /** Stock that it names. */
  readonly width: number | undefined
  readonly height: number | undefined
  /** Right edge of its drawing at the least: text and bars may go further. */
  readonly right: number
  readonly bottom: number
}

/** Grows around all that is drawn. */
export class Extent {
  right = 0
  bottom = 0

  reach(right: number, bottom: number): void {
    if (right > this.right) this.right = right
    if (bottom > this.bottom) this.bottom = bottom
  }
}

/** Resolutions of heads: 8, 12 and 24 dots a millimeter. */
const HEADS = [203, 300, 600] as const
/** A frame stays within the stock, or a hair beyond. */
const OVER = 1.03
/** So much of the stock is filled by what was made for it. */
const FILLED = 0.85
/** Share of the stock beyond which a label may be meant for this head. */
const HALF_FULL = 0.75
/** Tolerance of a size: margins and gaps are not another head. */
const LIKE = 0.06
const LIKE_INCHES = 0.16

/** Size of the stock in inches. */
export interface StockInches {
  readonly width: number
  readonly height: number
}

/**
 * The resolution of the head that a label was made for, where it can be no other one: by its own numbers it fits the stock
 * at that resolution, and not at the printer's.
 */
export function findOtherDpi(dots: RawExtent, room: StockInches, dpi: number): number | undefined {
  if (fits(dots, room, dpi)) return undefined
  const found = HEADS.filter(
    (head) => Math.abs(head - dpi) > LIKE * dpi && isMadeFor(dots, room, head),
  )
  return found.length === 1 ? found[0] : undefined
}

/** Nothing speaks against it. */
function fits(
  { width, height, right, bottom }: RawExtent,
  room: StockInches,
  dpi: number,
): boolean {
  const [across, down] = [room.width * dpi, room.height * dpi]
  if (width !== undefined && !isLike(width / dpi, room.width)) return false
  if (height !== undefined && !isLike(height / dpi, room.height)) return false
  if (width !== undefined && height !== undefined) return true
  const isInside = right <= across * OVER && bottom <= down * OVER
  return isInside && (right > across * HALF_FULL || bottom > down * HALF_FULL)
}

/** All that it says fits, and it fills what it does not speak of. */
function isMadeFor(
  { width, height, right, bottom }: RawExtent,
  room: StockInches,
  head: number,
): boolean {
  const [across, down] = [room.width * head, room.height * head]
  if (right > across * OVER || bottom > down * OVER) return false
  const isWide = width === undefined ? right > across * FILLED : isLike(width / head, room.width)
  const isHigh = height === undefined ? bottom > down * FILLED : isLike(height / head, room.height)
  return isWide && isHigh
}

function isLike(inches: number, wanted: number): boolean {
  return Math.abs(inches - wanted) <= Math.max(LIKE_INCHES, LIKE * wanted)
}
