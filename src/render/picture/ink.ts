import type { Box, Plane } from './plane.ts'

const PAPER = 200 // luma from which a pixel is paper
const SPECK = 3 // fewer dark pixels in a row or column are dust

/**
 * The box around everything darker than paper, single specks left out, or undefined when there is nothing. Rows and
 * columns with fewer than three dark pixels do not count.
 */
export function findInk({ width, height, luma }: Plane): Box | undefined {
  const rows = new Uint32Array(height)
  const columns = new Uint32Array(width)
  for (let y = 0, at = 0; y < height; y++) {
    let dark = 0
    for (let x = 0; x < width; x++, at++) {
      if ((luma[at] ?? PAPER) >= PAPER) continue
      dark++
      columns[x] = (columns[x] ?? 0) + 1
    }
    rows[y] = dark
  }
  const [top, bottom] = findEnds(rows)
  const [left, right] = findEnds(columns)
  if (top > bottom || left > right) return undefined
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
}

/** First and last line that holds more than specks; first > last when none does. */
function findEnds(counts: Uint32Array): readonly [number, number] {
  const first = counts.findIndex((dark) => dark >= SPECK)
  return [first === -1 ? 0 : first, counts.findLastIndex((dark) => dark >= SPECK)]
}
