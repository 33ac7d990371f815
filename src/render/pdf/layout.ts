import { type Box, createInkFinder, type Plane, type Size, turnSize } from '../picture/plane.ts'

/** Dots per inch at which pages are looked at. */
export const LOOK_DPI = 100

const EDGE = 40 // luma between neighbors
const EDGE_LONG = 0.12 * LOOK_DPI
const LIKE_ACROSS = 0.8 * LOOK_DPI
const LIKE_ALONG = 0.15 * LOOK_DPI
const LIKE_LEAST = 13

/** Whether bar codes stand in a part of the page: many straight edges of a kind side by side. Nothing is read. */
function hasBars(page: Plane, part: Box): boolean {
  return hasEdges(page, part, true) || hasEdges(page, part, false)
}

interface Edge {
  readonly across: number
  readonly middle: number
}

function hasEdges(page: Plane, part: Box, isUpright: boolean): boolean {
  const edges = listEdges(page, part, isUpright)
  // In the order of their places across, so that those that are alike stand together.
  for (let n = 0; n + LIKE_LEAST < edges.length; n++) {
    const edge = edges[n] as Edge
    let like = 0
    for (let m = n + 1; m < edges.length; m++) {
      const other = edges[m] as Edge
      if (other.across - edge.across > LIKE_ACROSS) break
      if (Math.abs(other.middle - edge.middle) <= LIKE_ALONG && ++like >= LIKE_LEAST) return true
    }
  }
  return false
}

/** Straight edges between dark and light, `isUpright`: along columns. */
function listEdges({ width, luma }: Plane, part: Box, isUpright: boolean): readonly Edge[] {
  const [lines, length] = isUpright ? [part.width, part.height] : [part.height, part.width]
  const [across, along] = isUpright ? [1, width] : [width, 1]
  const edges: Edge[] = []
  for (let line = 0; line < lines - 1; line++) {
    const start = part.y * width + part.x + line * across
    const isEdge = (n: number): boolean => {
      const at = start + n * along
      return n < length && Math.abs((luma[at + across] as number) - (luma[at] as number)) > EDGE
    }
    addRuns(edges, line, length, isEdge)
  }
  return edges
}

function addRuns(
  edges: Edge[],
  line: number,
  length: number,
  isEdge: (n: number) => boolean,
): void {
  let run = 0
  for (let n = 0; n <= length; n++) {
    if (isEdge(n)) run++
    else {
      if (run >= EDGE_LONG) edges.push({ across: line, middle: n - run / 2 })
      run = 0
    }
  }
}

const PAPER = 200 // luma from which a dot is paper, as in picture/plane.ts
/** Labels are a little wider than their stock: 4.2 inches of ink are scaled onto 4. */
const WIDER = 1.05
/** How far from the middle of the page a cut may be, as a part of the page. */
const NEAR_MIDDLE = 0.09
const GAP = 0.08 * LOOK_DPI
const CELL = 0.1 * LOOK_DPI
const LINE_SHARE = 0.8
const BESIDE_LINE = 4 // dots
/** Strips at the edges of a half that stand apart: scissors, notes. */
const STRIP = 0.45 * LOOK_DPI
const SHRINKS = 0.95

/** Part of a page that is a label, in dots at `LOOK_DPI`. */
export interface Found {
  readonly area: Area
  readonly box: Box
  /** It holds bar codes, as labels do. */
  readonly hasBars: boolean
}

/** What part of a page prints. */
export type Area = 'page' | 'top' | 'bottom' | 'left' | 'right'

/**
 * Finds the labels on a page that is larger than its stock, whose size is given in dots at `LOOK_DPI`: the ink when it is
 * narrow enough, else the halves beside a cut line or a gap in the middle of the page that hold bar codes. One, or two of
 * them; none on a blank page. What carriers send was measured: 16 of 16 pages with a label.
 */
export function findLabels(page: Plane, stock: Size): readonly Found[] {
  const ink = inkOf(page, wholeOf(page))
  if (ink === undefined) return []
  const whole: Found = { area: 'page', box: ink, hasBars: hasBars(page, ink) }
  if (Math.min(ink.width, ink.height) <= WIDER * Math.min(stock.width, stock.height)) return [whole]
  if (!whole.hasBars) return [whole]
  for (const isAcross of page.height >= page.width ? [true, false] : [false, true]) {
    const cut = findCut(page, isAcross)
    if (cut === undefined) continue
    const halves = halvesAt(page, cut, isAcross).filter((half) => half.hasBars)
    if (halves.length > 0) return halves.map((half) => dropStrips(page, half, stock))
  }
  return [whole]
}

/** The part of a page that somebody asked for: all of its ink, or that of one half. */
export function findArea(page: Plane, area: Area): Box | undefined {
  if (area === 'page') return inkOf(page, wholeOf(page))
  const isAcross = area === 'top' || area === 'bottom'
  const length = isAcross ? page.height : page.width
  const cut = findCut(page, isAcross) ?? { from: length >> 1, to: length >> 1 }
  return halvesAt(page, cut, isAcross).find((half) => half.area === area)?.box
}

/** The factor that makes a box just fit, whichever way round; above 1 there is room. */
export function fitOf(box: Size, stock: Size): number {
  const fit = ({ width, height }: Size): number =>
    Math.min(stock.width / width, stock.height / height)
  return Math.max(fit(box), fit(turnSize(box, 90)))
}

interface Cut {
  readonly from: number
  readonly to: number
}

function halvesAt(page: Plane, { from, to }: Cut, isAcross: boolean): readonly Found[] {
  const { width, height } = page
  const parts: readonly (readonly [Area, Box])[] = isAcross
    ? [
        ['top', { x: 0, y: 0, width, height: from }],
        ['bottom', { x: 0, y: to, width, height: height - to }],
      ]
    : [
        ['left', { x: 0, y: 0, width: from, height }],
        ['right', { x: to, y: 0, width: width - to, height }],
      ]
  return parts.flatMap(([area, part]) => {
    const box = inkOf(page, part)
    return box === undefined ? [] : [{ area, box, hasBars: hasBars(page, box) }]
  })
}

/** A line near the middle, dashed or not, else the widest gap there; `isAcross`: from the left to the right. */
function findCut(page: Plane, isAcross: boolean): Cut | undefined {
  const length = isAcross ? page.height : page.width
  const [first, last] = [0.5 - NEAR_MIDDLE, 0.5 + NEAR_MIDDLE].map((part) =>
    Math.round(part * length),
  )
  const shares = Array.from({ length: (last as number) - (first as number) }, (_, n) =>
    inkShare(page, isAcross, (first as number) + n),
  )
  const line = shares.findIndex(
    (share, n) =>
      share >= LINE_SHARE && isQuiet(shares, n - BESIDE_LINE) && isQuiet(shares, n + BESIDE_LINE),
  )
  if (line >= 0) {
    const at = (first as number) + line
    return { from: at - BESIDE_LINE, to: at + BESIDE_LINE }
  }
  const gap = widestGap(shares)
  if (gap === undefined || gap.to - gap.from < GAP) return undefined
  const middle = (first as number) + Math.round((gap.from + gap.to) / 2)
  return { from: middle, to: middle }
}

function isQuiet(shares: readonly number[], n: number): boolean {
  return (shares[n] ?? 0) < LINE_SHARE / 4
}

/** How many of the cells along a row or column hold ink. */
function inkShare({ width, height, luma }: Plane, isAcross: boolean, at: number): number {
  const length = isAcross ? width : height
  const [start, step] = isAcross ? [at * width, 1] : [at, width]
  const cells = Math.ceil(length / CELL)
  let inked = 0
  for (let cell = 0; cell < cells; cell++) {
    const end = Math.min(length, (cell + 1) * CELL)
    for (let n = cell * CELL; n < end; n++) {
      if ((luma[start + n * step] as number) >= PAPER) continue
      inked++
      break
    }
  }
  return inked / cells
}

function widestGap(shares: readonly number[]): Cut | undefined {
  let widest: Cut | undefined
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

/** A half without what stands apart at its edges, where it would have to shrink for that. */
function dropStrips(page: Plane, half: Found, stock: Size): Found {
  let { box } = half
  if (fitOf(box, stock) >= SHRINKS) return half
  for (const isAcross of [true, false]) {
    for (const fromEnd of [false, true]) {
      const smaller = dropStrip(page, box, isAcross, fromEnd)
      if (smaller !== undefined && hasBars(page, smaller)) box = smaller
      if (fitOf(box, stock) >= SHRINKS) return { ...half, box }
    }
  }
  return { ...half, box }
}

function dropStrip(page: Plane, box: Box, isAcross: boolean, fromEnd: boolean): Box | undefined {
  const strip = findStrip(page, box, isAcross, fromEnd)
  if (strip === undefined) return undefined
  const size = isAcross
    ? { width: box.width, height: box.height - strip }
    : { width: box.width - strip, height: box.height }
  const [x, y] = isAcross ? [0, strip] : [strip, 0]
  const start = fromEnd ? { x: box.x, y: box.y } : { x: box.x + x, y: box.y + y }
  return inkOf(page, { ...start, ...size })
}

/** Dots at an edge up to the end of a gap near it; undefined when nothing stands apart there. */
function findStrip(page: Plane, box: Box, isAcross: boolean, fromEnd: boolean): number | undefined {
  const length = isAcross ? box.height : box.width
  let blank = 0
  for (let n = 0; n < Math.min(STRIP + GAP, length); n++) {
    const at = fromEnd ? length - 1 - n : n
    const line = isAcross
      ? { x: box.x, y: box.y + at, width: box.width, height: 1 }
      : { x: box.x + at, y: box.y, width: 1, height: box.height }
    blank = isWhite(page, line) ? blank + 1 : 0
    if (blank >= GAP) return n
  }
  return undefined
}

function isWhite({ width, luma }: Plane, box: Box): boolean {
  for (let y = box.y; y < box.y + box.height; y++) {
    for (let x = box.x; x < box.x + box.width; x++) {
      if ((luma[y * width + x] as number) < PAPER) return false
    }
  }
  return true
}

function wholeOf({ width, height }: Size): Box {
  return { x: 0, y: 0, width, height }
}

/** The box around the ink in a part of the page, single specks left out. */
function inkOf({ width, luma }: Plane, part: Box): Box | undefined {
  if (part.width < 1 || part.height < 1) return undefined
  const finder = createInkFinder(part)
  for (let y = 0; y < part.height; y++) {
    const from = (part.y + y) * width + part.x
    finder.take(luma.subarray(from, from + part.width), y, 1)
  }
  const box = finder.box()
  return box && { ...box, x: box.x + part.x, y: box.y + part.y }
}
