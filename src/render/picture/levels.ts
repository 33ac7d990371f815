import type { Plane } from './plane.ts'

const WHITE_ENOUGH = 199 // as in threshold.ts: above is white
const RANGE_LEAST = 64 // less is a shade, not ink on paper
const OUTLIERS = 0.01

/**
 * Stretches a faded picture (a scan or a photo of a label, its paper grey) to black and white; all others are given
 * back as they are. Grey paper would be dithered, and dots in the quiet zone keep bars from scanning.
 */
export function stretchLevels(plane: Plane): Plane {
  if (hasWhite(plane.luma)) return plane
  const { black, white } = findLevels(plane.luma)
  const range = white - black
  if (range < RANGE_LEAST) return plane
  const stretched = Uint8ClampedArray.from({ length: 256 }, (_, luma) =>
    Math.round(((luma - black) * 255) / range),
  )
  return { ...plane, luma: plane.luma.map((luma) => stretched[luma] ?? 0) }
}

/** The quick answer for nearly all labels: more than a hundredth is white, and the first rows show it. */
function hasWhite(luma: Uint8Array): boolean {
  const few = luma.length * OUTLIERS
  let white = 0
  for (let at = 0; at < luma.length && white <= few; at++) {
    if ((luma[at] as number) > WHITE_ENOUGH) white++
  }
  return white > few
}

/** The luma that a hundredth of the pixels lie below, and above. */
function findLevels(luma: Uint8Array): { black: number; white: number } {
  const counts = new Uint32Array(256)
  for (const value of luma) counts[value] = (counts[value] ?? 0) + 1
  const few = luma.length * OUTLIERS
  let below = 0
  let above = 0
  return {
    black: counts.findIndex((count) => {
      below += count
      return below > few
    }),
    white: counts.findLastIndex((count) => {
      above += count
      return above > few
    }),
  }
}
