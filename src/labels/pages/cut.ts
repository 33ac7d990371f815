import type { Plane } from '../plane.ts'

/** Dots per inch at which pages are looked at. */
export const LOOK_DPI = 100
/** Luma from which a dot is paper, as in picture/plane.ts. */
export const PAPER = 200
/** Dots of white that part a page, or a strip from a label. */
export const GAP = 0.08 * LOOK_DPI
/** Limit of a cut's distance from the middle of the page, as a part of the page. */
const NEAR_MIDDLE = 0.09
const CELL = 0.1 * LOOK_DPI
const LINE_SHARE = 0.8
const BESIDE_LINE = 4 // dots

/** Cut through a page: what lies between is of neither half. */
export interface PageCut {
  readonly from: number
  readonly to: number
}

/**
 * The line nearest to the middle, dashed or not, else the widest gap there, else a line that a frame's sides cross;
 * `isAcross`: from the left to the right.
 */
export function findCut(page: Plane, isAcross: boolean): PageCut | undefined {
  const { first, shares } = lookAtMiddle(page, isAcross)
  const lines = shares
    .flatMap((share, n) => (share >= LINE_SHARE ? [n] : []))
    .filter((n) => isQuiet(shares, n - BESIDE_LINE) && isQuiet(shares, n + BESIDE_LINE))
    .toSorted((a, b) => Math.abs(a - shares.length / 2) - Math.abs(b - shares.length / 2))
    .map((n) => first + n)
  const isWithinFrame = (at: number): boolean =>
    [at - BESIDE_LINE, at + BESIDE_LINE].every((beside) => hasSides(page, isAcross, at, beside))
  const line = lines.find((at) => !isWithinFrame(at))
  const gap = line === undefined ? findGap(page, isAcross) : undefined
  const at = line ?? lines[0]
  return gap ?? (at === undefined ? undefined : cutAtLine(page, isAcross, at))
}

function cutAtLine(page: Plane, isAcross: boolean, at: number): PageCut {
  const [from, to] = [at - BESIDE_LINE, at + BESIDE_LINE]
  if (isFrame(page, isAcross, at, from, to)) return { from: to, to }
  if (isFrame(page, isAcross, at, to, from)) return { from, to: from }
  return { from, to }
}

/** The middle of the widest gap there; beside it lines belong to labels. */
export function findGap(page: Plane, isAcross: boolean): PageCut | undefined {
  const { first, shares } = lookAtMiddle(page, isAcross)
  const gap = widestGap(shares)
  if (gap === undefined || gap.to - gap.from < GAP) return undefined
  const middle = first + Math.round((gap.from + gap.to) / 2)
  return { from: middle, to: middle }
}

/** Measures the ink of each row or column near the middle. */
function lookAtMiddle(page: Plane, isAcross: boolean) {
  const length = isAcross ? page.height : page.width
  const first = Math.round((0.5 - NEAR_MIDDLE) * length)
  const count = Math.round((0.5 + NEAR_MIDDLE) * length) - first
  return {
    first,
    shares: Array.from({ length: count }, (_, n) => inkShare(page, isAcross, first + n)),
  }
}

function isQuiet(shares: readonly number[], n: number): boolean {
  return (shares[n] ?? 0) < LINE_SHARE / 4
}

/** Tells whether a line is the edge of a label's frame, whose sides begin and end with it; nothing is beyond it. */
function isFrame(
  page: Plane,
  isAcross: boolean,
  line: number,
  inside: number,
  beyond: number,
): boolean {
  return inkShare(page, isAcross, beyond) === 0 && hasSides(page, isAcross, line, inside)
}

/** Tells whether both ends of a line are inked beside it too. */
function hasSides(page: Plane, isAcross: boolean, line: number, beside: number): boolean {
  const [edge, sides] = [inkedCells(page, isAcross, line), inkedCells(page, isAcross, beside)]
  return [edge.indexOf(true), edge.lastIndexOf(true)].every((end) => sides[end])
}

/** Counts the cells along a row or column that hold ink. */
function inkShare(page: Plane, isAcross: boolean, at: number): number {
  const cells = inkedCells(page, isAcross, at)
  return cells.filter(Boolean).length / cells.length
}

function inkedCells({ width, height, luma }: Plane, isAcross: boolean, at: number): boolean[] {
  const length = isAcross ? width : height
  const [start, step] = isAcross ? [at * width, 1] : [at, width]
  return Array.from({ length: Math.ceil(length / CELL) }, (_, cell) => {
    const end = Math.min(length, (cell + 1) * CELL)
    for (let n = cell * CELL; n < end; n++) {
      if ((luma[start + n * step] as number) < PAPER) return true
    }
    return false
  })
}

function widestGap(shares: readonly number[]): PageCut | undefined {
  let widest: PageCut | undefined
  let from = -1
  for (let n = 0; n <= shares.length; n++) {
    if (shares[n] === 0) {
      if (from < 0) from = n
      continue
    }
    if (from >= 0 && (widest === undefined || n - from > widest.to - widest.from))
      widest = { from, to: n }
    from = -1
  }
  return widest
}
