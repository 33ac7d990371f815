import { type Box, createInkFinder, type Plane, type Size, turnSize } from '../plane.ts'
import { type Area, readCell, type Side } from '../target.ts'
import { findCut, findGap, GAP, LOOK_DPI, PAPER, type PageCut } from './cut.ts'
import { cellOf } from './sheet.ts'

const EDGE = 40 // luma between neighbors
const EDGE_LONG = 0.12 * LOOK_DPI
const LIKE_ACROSS = 0.8 * LOOK_DPI
const LIKE_ALONG = 0.15 * LOOK_DPI
const LIKE_LEAST = 13

/** Tells whether bar codes stand in a part of the page: many straight edges of a kind side by side. Nothing is read. */
export function hasBars(page: Plane, part: Box): boolean {
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

/** Labels are a little wider than their stock: 4.2 inches of ink are scaled onto 4. */
const WIDER = 1.05
/** Strips at the edges of a half that stand apart: scissors, notes. */
const STRIP = 0.45 * LOOK_DPI
const SHRINKS = 0.95
/** Labels of one sheet are as large as each other; the parts of one label mostly are not. */
const ALIKE = 0.9
/** Half of one label fills less of the stock than a label of its own. */
const FILLS = 0.8

/** Part of a page that is a label, in dots at `LOOK_DPI`. */
export interface PageLabel {
  readonly area: Area
  readonly box: Box
  /** It holds bar codes, as labels do. */
  readonly hasBars: boolean
}

/**
 * Finds the labels on a page that is larger than its stock, whose size is given in dots at `LOOK_DPI`: the ink when it is
 * narrow enough, else the halves beside a cut line or a gap in the middle of the page that hold bar codes, or the quarters
 * of a sheet of labels. One to four of them; none on a blank page. What carriers send was measured: 16 of 16 pages with a
 * label.
 */
export function findLabels(page: Plane, stock: Size): readonly PageLabel[] {
  const ink = inkOf(page, wholeOf(page))
  if (ink === undefined) return []
  const whole: PageLabel = { area: 'page', box: ink, hasBars: hasBars(page, ink) }
  if (!whole.hasBars) return [whole]
  if (shorter(ink) <= WIDER * shorter(stock)) {
    return findColumn(page, ink, stock) ?? [whole]
  }
  const isUpright = page.height >= page.width
  for (const isAcross of [isUpright, !isUpright]) {
    const cut = findCut(page, isAcross)
    if (cut === undefined) continue
    const halves = halvesAt(page, cut, isAcross).filter((half) => half.hasBars)
    if (halves.length === 0) continue
    const found = halves.flatMap((half) => {
      const quarters = isAcross === isUpright ? findQuarters(page, half, stock) : undefined
      return quarters ?? [dropStrips(page, half, stock)]
    })
    // Row by row, as sheets are filled.
    if (found.length === halves.length) return found
    const isUpper = ({ box }: PageLabel): boolean => box.y + box.height / 2 < page.height / 2
    return found.toSorted((one, other) => Number(isUpper(other)) - Number(isUpper(one)))
  }
  return [whole]
}

/** Two labels of a sheet in narrow ink, each about as large as the stock. */
function findColumn(page: Plane, ink: Size, stock: Size): readonly PageLabel[] | undefined {
  const pair = findPair(page, ink.height >= ink.width, findCut)
  return pair?.every(({ box }) => fitOf(stock, box) >= FILLS) ? pair : undefined
}

/** Both halves, where they are two labels of a sheet. */
function findPair(
  page: Plane,
  isAcross: boolean,
  find: typeof findCut,
): readonly PageLabel[] | undefined {
  const cut = find(page, isAcross)
  const [one, other] = cut === undefined ? [] : halvesAt(page, cut, isAcross)
  const isPair = one?.hasBars && other?.hasBars && isAlike(one.box, other.box)
  return isPair ? [one, other] : undefined
}

function shorter({ width, height }: Size): number {
  return Math.min(width, height)
}

function isAlike(one: Size, other: Size): boolean {
  const isNear = (a: number, b: number): boolean => Math.min(a, b) >= ALIKE * Math.max(a, b)
  return isNear(one.width, other.width) && isNear(one.height, other.height)
}

/** Two labels in a half that would have to shrink. */
function findQuarters(page: Plane, half: PageLabel, stock: Size): readonly PageLabel[] | undefined {
  if (fitOf(half.box, stock) >= SHRINKS) return undefined
  const part = sideOf(page, half.area as Side, findCut)
  const pair = findPair(cropOf(page, part), !isRow(half.area), findGap)
  if (pair?.every(({ box }) => shorter(box) >= FILLS * shorter(stock)) !== true) return undefined
  return pair.map((found) => ({
    ...found,
    area: (isRow(half.area) ? [half.area, found.area] : [found.area, half.area]).join('-') as Area,
    box: within(part, found.box),
  }))
}

/** The part of a page that somebody asked for: all of its ink, or that of one half or quarter. */
export function findArea(page: Plane, area: Area): Box | undefined {
  const cell = readCell(area)
  if (cell !== undefined) return findCell(page, cell)
  const sides = (area === 'page' ? [] : area.split('-')) as Side[]
  if (page.width > page.height) sides.reverse()
  const part = sides.reduce<Box>(
    (whole, side, n) => within(whole, sideOf(cropOf(page, whole), side, n ? findGap : findCut)),
    wholeOf(page),
  )
  return inkOf(page, part)
}

function findCell(page: Plane, wish: NonNullable<ReturnType<typeof readCell>>): Box | undefined {
  const { cell, sheet } = cellOf(page, wish)
  const filled = sheet.cells.find(({ number }) => number === wish.number)
  return filled?.box ?? inkOf(page, cell)
}

/** All of one side of a page, up to where it is cut, else to the middle. */
function sideOf(page: Plane, side: Side, find: typeof findCut): Box {
  const length = isRow(side) ? page.height : page.width
  const cut = find(page, isRow(side)) ?? { from: length >> 1, to: length >> 1 }
  return partsAt(page, cut)[side]
}

function isRow(area: Area): boolean {
  return area === 'top' || area === 'bottom'
}

/** The factor that makes a box just fit, whichever way round; above 1 there is room. */
export function fitOf(box: Size, stock: Size): number {
  const fit = ({ width, height }: Size): number =>
    Math.min(stock.width / width, stock.height / height)
  return Math.max(fit(box), fit(turnSize(box, 90)))
}

function halvesAt(page: Plane, cut: PageCut, isAcross: boolean): readonly PageLabel[] {
  const parts = partsAt(page, cut)
  const sides = isAcross ? (['top', 'bottom'] as const) : (['left', 'right'] as const)
  return sides.flatMap((area) => {
    const box = inkOf(page, parts[area])
    return box === undefined ? [] : [{ area, box, hasBars: hasBars(page, box) }]
  })
}

function partsAt({ width, height }: Size, { from, to }: PageCut): Readonly<Record<Side, Box>> {
  return {
    top: { x: 0, y: 0, width, height: from },
    bottom: { x: 0, y: to, width, height: height - to },
    left: { x: 0, y: 0, width: from, height },
    right: { x: to, y: 0, width: width - to, height },
  }
}

/** A half without what stands apart at its edges, where it would have to shrink for that alone. */
function dropStrips(page: Plane, half: PageLabel, stock: Size): PageLabel {
  let { box } = half
  if (fitOf(box, stock) >= SHRINKS) return half
  for (const isAcross of [true, false]) {
    for (const fromEnd of [false, true]) {
      const smaller = dropStrip(page, box, isAcross, fromEnd)
      if (smaller !== undefined && hasBars(page, smaller)) box = smaller
      if (fitOf(box, stock) >= SHRINKS) return { ...half, box }
    }
  }
  return half
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

/** A part of a page as one of its own. */
function cropOf({ width, luma }: Plane, part: Box): Plane {
  const own = new Uint8Array(part.width * part.height)
  for (let y = 0; y < part.height; y++) {
    const from = (part.y + y) * width + part.x
    own.set(luma.subarray(from, from + part.width), y * part.width)
  }
  return { width: part.width, height: part.height, luma: own }
}

/** A box of a part, as it lies on the page. */
function within({ x, y }: Box, box: Box): Box {
  return { ...box, x: x + box.x, y: y + box.y }
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
