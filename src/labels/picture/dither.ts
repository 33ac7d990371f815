// LPrint's bounds (lprint-common.c): below is black, above is white, whatever the neighbors are.
const BLACK_BELOW = 56
const WHITE_ABOVE = 199

// The 8x8 ordered pattern (Bayer, 1973).
const PATTERN_SIDE = 8
const PATTERN = makePattern(3)

/** Gives the limit below which a dot at this place is black. */
export function ditherLimit(x: number, y: number): number {
  return PATTERN[(y % PATTERN_SIDE) * PATTERN_SIDE + (x % PATTERN_SIDE)] as number
}

/** Limits between black and white in the order of the pattern of 2^n dots a side. */
function makePattern(n: number): Uint8Array {
  let ranks = [0]
  for (let step = 0, side = 1; step < n; step++, side *= 2) {
    const wider = new Array<number>(4 * side * side)
    for (let y = 0; y < side; y++) {
      for (let x = 0; x < side; x++) {
        const rank = 4 * (ranks[y * side + x] as number)
        wider[y * 2 * side + x] = rank
        wider[(y + side) * 2 * side + x + side] = rank + 1
        wider[y * 2 * side + x + side] = rank + 2
        wider[(y + side) * 2 * side + x] = rank + 3
      }
    }
    ranks = wider
  }
  const range = WHITE_ABOVE - BLACK_BELOW
  return Uint8Array.from(
    ranks,
    (rank) => BLACK_BELOW + Math.round(((rank + 0.5) / ranks.length) * range),
  )
}
