import type { Box, Plane, Size } from '../plane.ts'
import { LOOK_DPI, PAPER } from './cut.ts'

/** A sheet of labels that are as large as each other, in dots at `LOOK_DPI`; cells count from 1, row by row. Decision `sheets`. */
export interface Sheet {
  readonly columns: number
  readonly rows: number
  /** From the left or top of one label to that of the next. */
  readonly pitch: Size
  /** The labels that are filled in. */
  readonly cells: readonly { readonly number: number; readonly box: Box }[]
}

/** Evidence that a page needs before it is taken for a sheet. */
export type SheetEvidence =
  /** Its labels would have to shrink: what looks alike is labels of a sheet. */
  | 'usual'
  /** It was taken for labels that fit already. */
  | 'strong'
  /** It has no bar codes: only labels as large as the stock are believed. */
  | 'stock'

const COLUMNS_MOST = 6
const ROWS_MOST = 20
/** Margins of sheets: from one fifth of the page to none. */
const PITCH_LEAST = 0.8
/** Limit of a sheet's distance from the middle of its page. */
const SHIFT_MOST = 0.3 * LOOK_DPI
const LABEL_LEAST = 0.4 * LOOK_DPI
const LINE_ACROSS = 1.2 * LOOK_DPI
const LINE_DOWN = 0.9 * LOOK_DPI
const LINE_THICK = 5
const DASHES = 0.6
const QUIET = 0.35
const BESIDE = 4
const CELL = 0.1 * LOOK_DPI
const OUTSIDE_MOST = 0.06 * LOOK_DPI
/** The pitch of a sheet is that of its labels and the gap between them. */
const PITCH_OF_STOCK = { least: 0.93, most: 1.25 }
const MOST_OF_THEM = 0.75

/** Cells at equal distances along one side of a page. */
interface Axis {
  readonly count: number
  readonly start: number
  readonly pitch: number
  /** Dots of white on both sides of the narrowest line between two cells with ink; infinite = all ink is in one. */
  readonly clear: number
}

interface CellContent {
  readonly number: number
  readonly cell: Box
  /** Its ink without the lines between labels. */
  readonly ink: Box
  /** Start of its ink in its column and in its row of cells. */
  readonly left: number
  readonly top: number
  /** The rows with ink, from `top` on. */
  readonly rows: readonly boolean[]
}

/**
 * Finds the labels of a sheet such as 3 x 10 or 2 x 7, filled or not, by the white or the lines between them and by their
 * likeness. `hasBars`: whether bar codes stand in a part of the page.
 */
export function findSheet(
  page: Plane,
  stock: Size,
  evidence: SheetEvidence,
  hasBars: (box: Box) => boolean,
): Sheet | undefined {
  // Most documents are sent to labels of which a page has not room for three.
  if (evidence === 'stock' && roomFor(page, stock) < LEAST.stock) return undefined
  const ink = eraseLines(page)
  const [across, down] = axesOf(ink)
  const guesses = across
    .flatMap((columns) => down.map((rows) => guess(ink, { columns, rows }, stock, evidence)))
    .filter(({ cells, like }) => cells.length > 1 && like >= MOST_OF_THEM)
  const isBarred = ({ cells }: Guess): boolean =>
    cells.filter(({ ink: box }) => hasBars(box)).length >= MOST_OF_THEM * cells.length
  const found = sortGuesses(guesses, evidence).slice(0, LOOKED_AT_MOST)
  const sheet = evidence === 'stock' ? found[0] : found.find(isBarred)
  return sheet && sheetOf(sheet.grid, sheet.cells)
}

/** Counts the labels of about the size of the stock that a page has room for, whichever way round. */
function roomFor(page: Size, stock: Size): number {
  const room = (width: number, height: number): number =>
    Math.floor(page.width / (PITCH_OF_STOCK.least * width)) *
    Math.floor(page.height / (PITCH_OF_STOCK.least * height))
  return Math.max(room(stock.width, stock.height), room(stock.height, stock.width))
}

/** Labels that a page may have. */
interface Guess {
  readonly grid: SheetGrid
  readonly cells: readonly CellContent[]
  /** Share of them that are like each other, 0 to 1. */
  readonly like: number
  /** Distance from the size of the stock; infinite = of another size. */
  readonly misfit: number
}

/** Looking for bar codes takes longest. */
const LOOKED_AT_MOST = 8
/** Limit of likeness: a grid cut through labels has other cells at its ends; texts differ too. */
const MOST_ALIKE = 0.9
/** So many labels of another size than the stock make a sheet. */
const LEAST: Readonly<Record<SheetEvidence, number>> = { usual: 4, strong: 6, stock: 3 }
const LIKENESS = {
  // Names and addresses are longer and shorter.
  usual: { width: 2, height: 0.35, rows: 0.5 },
  strong: { width: 0.6, height: 0.12, rows: 0.65 },
  stock: { width: 0.6, height: 0.5, rows: 0.4 },
} as const satisfies Record<SheetEvidence, Likeness>

function guess(ink: Ink, grid: SheetGrid, stock: Size, evidence: SheetEvidence): Guess {
  const cells = contentsOf(ink, grid)
  const like = cells.length > 1 ? likenessOf(cells, LIKENESS[evidence]) : 0
  return { grid, cells, like, misfit: misfitOf(grid, stock) }
}

/**
 * Sorts guesses: those with labels that are alike first; of these, those as large as the stock, the nearest to it, then the finest, because
 * two labels look like one as well.
 */
function sortGuesses(guesses: readonly Guess[], evidence: SheetEvidence): readonly Guess[] {
  const isOfStock = ({ misfit }: Guess): boolean => misfit < Number.POSITIVE_INFINITY
  const orders: readonly ((guess: Guess) => number)[] = [
    ({ like }) => (like >= MOST_ALIKE ? 0 : 1),
    (guess) => (evidence !== 'strong' && isOfStock(guess) ? guess.misfit : MISFIT_OF_OTHERS),
    ({ cells }) => -cells.length,
  ]
  const byStock = (guess: Guess): boolean =>
    isOfStock(guess) && (evidence !== 'stock' || isAligned(guess.cells))
  const byCount = ({ cells, grid: { columns, rows } }: Guess): boolean =>
    cells.length >= LEAST[evidence] && columns.count > 1 && rows.count > 1
  return guesses
    .filter(
      (guess) =>
        (evidence !== 'strong' && byStock(guess)) || (evidence !== 'stock' && byCount(guess)),
    )
    .toSorted((a, b) => {
      const differing = orders.find((order) => order(a) !== order(b))
      return differing === undefined ? 0 : differing(a) - differing(b)
    })
}

const MISFIT_OF_OTHERS = 9

/** Gives a cell of a sheet of so many columns and rows: those that the page has, else equal parts of it. */
export function cellOf(page: Plane, wish: { columns: number; rows: number; number: number }) {
  const ink = eraseLines(page)
  const x = findAxis(blankColumns(ink), wish.columns) ?? evenly(page.width, wish.columns)
  const y = findAxis(blankRows(ink), wish.rows) ?? evenly(page.height, wish.rows)
  const grid = { columns: x, rows: y }
  return { cell: boxAt(page, grid, wish.number), sheet: sheetOf(grid, contentsOf(ink, grid)) }
}

interface SheetGrid {
  readonly columns: Axis
  readonly rows: Axis
}

function evenly(length: number, count: number): Axis {
  return { count, start: 0, pitch: length / count, clear: Number.POSITIVE_INFINITY }
}

function sheetOf({ columns, rows }: SheetGrid, cells: readonly CellContent[]): Sheet {
  return {
    columns: columns.count,
    rows: rows.count,
    pitch: { width: columns.pitch, height: rows.pitch },
    cells: cells.map((one) => ({ number: one.number, box: widest(one, cells) })),
  }
}

/** The ink of a cell, as wide and high as that of all, so that all labels of a sheet are printed at the same place. */
function widest({ cell, ink, left, top }: CellContent, cells: readonly CellContent[]): Box {
  const width = Math.max(...cells.map((one) => one.ink.x + one.ink.width - one.left))
  const height = Math.max(...cells.map((one) => one.ink.y + one.ink.height - one.top))
  const right = Math.max(ink.x + ink.width, Math.min(left + width, cell.x + cell.width))
  const bottom = Math.max(ink.y + ink.height, Math.min(top + height, cell.y + cell.height))
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** Tells how far the cells are from the stock, whichever way round; infinite = another size. */
function misfitOf({ columns, rows }: SheetGrid, stock: Size): number {
  const misfit = (width: number, height: number): number => {
    const ratios = [columns.pitch / width, rows.pitch / height]
    const isNear = ratios.every(
      (ratio) => ratio >= PITCH_OF_STOCK.least && ratio <= PITCH_OF_STOCK.most,
    )
    return isNear
      ? ratios.reduce((sum, ratio) => sum + Math.abs(Math.log(ratio)), 0)
      : Number.POSITIVE_INFINITY
  }
  return Math.min(misfit(stock.width, stock.height), misfit(stock.height, stock.width))
}

interface Likeness {
  /** By how much sides may differ from those of most. */
  readonly width: number
  readonly height: number
  /** Rows with ink that two have in common, of those that either has. */
  readonly rows: number
}

/** The share of the cells that are like one of them. */
function likenessOf(cells: readonly CellContent[], like: Likeness): number {
  const width = middleOf(cells.map(({ ink }) => ink.width))
  const height = middleOf(cells.map(({ ink }) => ink.height))
  const isNear = (one: number, other: number, by: number): boolean =>
    Math.abs(one - other) <= by * other
  const near = cells.filter(
    ({ ink }) => isNear(ink.width, width, like.width) && isNear(ink.height, height, like.height),
  )
  const counts = near.map(
    ({ rows }) => near.filter((other) => overlapOf(other.rows, rows) >= like.rows).length,
  )
  return Math.max(0, ...counts) / cells.length
}

/** Three at least, whose text begins at the same place. */
function isAligned(cells: readonly CellContent[]): boolean {
  const near = cells.filter(({ ink, left }) => ink.x - left <= ALIGNED)
  return cells.length >= LEAST.stock && near.length >= MOST_OF_THEM * cells.length
}

const ALIGNED = 0.12 * LOOK_DPI

function middleOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

function overlapOf(one: readonly boolean[], other: readonly boolean[]): number {
  let [both, either] = [0, 0]
  for (let n = 0; n < Math.max(one.length, other.length); n++) {
    if (one[n] === true && other[n] === true) both++
    if (one[n] === true || other[n] === true) either++
  }
  return either === 0 ? 0 : both / either
}

function boxAt({ width, height }: Size, { columns, rows }: SheetGrid, number: number): Box {
  const [column, row] = [(number - 1) % columns.count, Math.floor((number - 1) / columns.count)]
  const edge = (axis: Axis, n: number, most: number): number =>
    Math.min(most, Math.max(0, Math.round(axis.start + n * axis.pitch)))
  const [x, y] = [edge(columns, column, width), edge(rows, row, height)]
  return {
    x,
    y,
    width: edge(columns, column + 1, width) - x,
    height: edge(rows, row + 1, height) - y,
  }
}

/** The cells that hold more than a speck. */
function contentsOf(ink: Ink, grid: SheetGrid): readonly CellContent[] {
  const { columns, rows } = grid
  const count = columns.count * rows.count
  const found = Array.from({ length: count }, (_, n) => n + 1).flatMap((number) => {
    const cell = boxAt(ink, grid, number)
    const content = contentOf(ink, cell)
    return content === undefined ? [] : [{ number, cell, ...content }]
  })
  const [lefts, tops] = [new Map<number, number>(), new Map<number, number>()]
  for (const { cell, ink: box } of found) {
    lefts.set(cell.x, Math.min(box.x, lefts.get(cell.x) ?? box.x))
    tops.set(cell.y, Math.min(box.y, tops.get(cell.y) ?? box.y))
  }
  return found.map((one) => {
    const { cell } = one
    const [left, top] = [lefts.get(cell.x) ?? cell.x, tops.get(cell.y) ?? cell.y]
    return { ...one, left, top, rows: one.rows.slice(top - cell.y) }
  })
}

const SPECK = 12
/** Letters of other words are a little higher or lower. */
const ROWS_AROUND = 2

function contentOf({ width, dark }: Ink, cell: Box): Pick<CellContent, 'ink' | 'rows'> | undefined {
  let [left, top, right, bottom, count] = [cell.width, -1, -1, -1, 0]
  const rows = new Array<boolean>(cell.height).fill(false)
  for (let y = 0; y < cell.height; y++) {
    const from = (cell.y + y) * width + cell.x
    const row = dark.subarray(from, from + cell.width)
    const first = row.indexOf(1)
    if (first < 0) continue
    const last = row.lastIndexOf(1)
    count += last - first + 1
    left = Math.min(left, first)
    right = Math.max(right, last)
    if (top < 0) top = y
    bottom = y
    rows.fill(true, Math.max(0, y - ROWS_AROUND), y + ROWS_AROUND + 1)
  }
  if (count < SPECK) return undefined
  const size = { width: right - left + 1, height: bottom - top + 1 }
  return { ink: { ...size, x: cell.x + left, y: cell.y + top }, rows }
}

/** Dark dots, 1 a dot. */
interface Ink extends Size {
  readonly dark: Uint8Array
}

/** The ink of a page without the lines that frame labels or part them, dashed ones too. */
function eraseLines({ width, height, luma }: Plane): Ink {
  const dark = luma.map((one) => (one < PAPER ? 1 : 0))
  const kept = dark.slice()
  const page = { width, height, dark }
  const across = withoutBars(page, findRuns(page, { isAcross: true, long: LINE_ACROSS }), true)
  const down = withoutBars(page, findRuns(page, { isAcross: false, long: LINE_DOWN }), false)
  for (let at = 0; at < kept.length; at++) {
    const [one = 0, other = 0] = [across[at], down[at]]
    // Where lines cross, neither is thin.
    if (one === THIN || other === THIN || (one !== 0 && other !== 0)) kept[at] = 0
  }
  eraseDashes(page, kept, true)
  eraseDashes(page, kept, false)
  return { width, height, dark: kept }
}

const BARS_AROUND = 0.4 * LOOK_DPI
const BARS_LEAST = 5

/** Without the runs that stand close together, as the bars of a code do and lines do not. */
function withoutBars({ width, height }: Size, runs: Uint8Array, isAcross: boolean): Uint8Array {
  const [lines, length] = isAcross ? [width, height] : [height, width]
  const [line, step] = isAcross ? [1, width] : [width, 1]
  const kept = runs.slice()
  for (let place = 0; place < lines; place++) {
    const places = startsOf(runs, place * line, step, length)
    for (const [n, { from, to }] of places.entries()) {
      const isNear = (other: number): boolean =>
        Math.abs((places[other]?.from ?? Number.POSITIVE_INFINITY) - from) <= BARS_AROUND
      const [before, after] = [n - BARS_LEAST + 1, n + BARS_LEAST - 1]
      const [half, other] = [n - (BARS_LEAST >> 1), n + (BARS_LEAST >> 1)]
      const isBar = isNear(before) || isNear(after) || (isNear(half) && isNear(other))
      for (let m = from; isBar && m < to; m++) kept[place * line + m * step] = 0
    }
  }
  return kept
}

/** Finds where runs lie along a line. */
function startsOf(runs: Uint8Array, start: number, step: number, length: number) {
  const found: { readonly from: number; readonly to: number }[] = []
  for (let n = 0; n < length; n++) {
    const from = n
    while (n < length && runs[start + n * step] !== 0) n++
    if (n > from) found.push({ from, to: n })
  }
  return found
}

const LONG = 1
const THIN = 2

/** Marks for each dot whether it lies in a long run along this direction, and whether that is thin there. */
function findRuns(
  { width, height, dark }: Ink,
  { isAcross, long }: { readonly isAcross: boolean; readonly long: number },
): Uint8Array {
  const [lines, length] = isAcross ? [height, width] : [width, height]
  const [line, step] = isAcross ? [width, 1] : [1, width]
  const found = new Uint8Array(dark.length)
  const isThin = (at: number, place: number): boolean => {
    const before = countDark(dark, at, -line, Math.min(LINE_THICK, place) + 1)
    return before + countDark(dark, at, line, lines - place) - 1 <= LINE_THICK
  }
  const mark = (place: number, from: number, to: number): void => {
    for (let at = from; at < to; at += step) found[at] = isThin(at, place) ? THIN : LONG
  }
  for (let place = 0; place < lines; place++) {
    for (let n = 0; n < length; n++) {
      const from = place * line + n * step
      const run = countDark(dark, from, step, length - n)
      if (run >= long) mark(place, from, from + run * step)
      n += run
    }
  }
  return found
}

/** Dark dots in a row from there, at most so many. */
function countDark(dark: Uint8Array, from: number, step: number, most: number): number {
  let count = 0
  while (count < most && dark[from + count * step] === 1) count++
  return count
}

/** Rows or columns of dashes over most of the page, with little beside them. */
function eraseDashes(page: Ink, kept: Uint8Array, isAcross: boolean): void {
  const [lines, length] = isAcross ? [page.height, page.width] : [page.width, page.height]
  const [line, step] = isAcross ? [page.width, 1] : [1, page.width]
  const shares = Array.from({ length: lines }, (_, place) =>
    dashShare(page.dark, place * line, step, length),
  )
  for (let place = 0; place < lines; place++) {
    const isQuiet = [place - BESIDE, place + BESIDE].every((one) => (shares[one] ?? 0) < QUIET)
    if ((shares[place] ?? 0) < DASHES || !isQuiet) continue
    for (let n = 0; n < length; n++) kept[place * line + n * step] = 0
  }
}

/** Counts the stretches along a line that hold ink. */
function dashShare(dark: Uint8Array, start: number, step: number, length: number): number {
  let inked = 0
  for (let n = 0; n < length; n++) {
    if (dark[start + n * step] !== 1) continue
    inked++
    n += CELL - 1 - (n % CELL)
  }
  return inked / Math.ceil(length / CELL)
}

/** Fewer dark dots in a row or column are what is left of lines, and dust. */
const DUST = 3

function blankRows({ width, height, dark }: Ink): readonly boolean[] {
  return Array.from({ length: height }, (_, y) => {
    const row = dark.subarray(y * width, (y + 1) * width)
    return !row.includes(1) || row.reduce((sum, one) => sum + one, 0) < DUST
  })
}

function blankColumns({ width, height, dark }: Ink): readonly boolean[] {
  const counts = new Uint32Array(width)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) counts[x] = (counts[x] ?? 0) + (dark[y * width + x] ?? 0)
  }
  return Array.from(counts, (count) => count < DUST)
}

/** Finds axes that leave enough white around the lines between cells: lines that cut through labels leave less. */
function axesOf(ink: Ink): readonly [readonly Axis[], readonly Axis[]] {
  const list = (blank: readonly boolean[], most: number): readonly Axis[] => {
    const axes = Array.from({ length: most }, (_, n) => findAxis(blank, n + 1)).filter(
      (axis) => axis !== undefined,
    )
    const clears = axes.map(({ clear }) => (Number.isFinite(clear) ? clear : 0))
    const wanted = Math.max(CLEAR_LEAST, CLEAR_SHARE * Math.min(CLEAR_ENOUGH, Math.max(...clears)))
    return axes.filter(({ clear }) => clear >= wanted)
  }
  const isLying = ink.width > ink.height
  const [columns, rows] = isLying ? [ROWS_MOST, COLUMNS_MOST] : [COLUMNS_MOST, ROWS_MOST]
  return [list(blankColumns(ink), columns), list(blankRows(ink), rows)]
}

const CLEAR_SHARE = 0.5
/** Between the bars of a code and the lines of a text there is less. */
const CLEAR_LEAST = 0.05 * LOOK_DPI
/** More white than this says nothing more: it is of cells that are empty. */
const CLEAR_ENOUGH = 0.12 * LOOK_DPI

/** The cells whose lines between have the most white around; nothing inked lies beyond the outer ones. */
function findAxis(blank: readonly boolean[], count: number): Axis | undefined {
  const length = blank.length
  if (count === 1) return evenly(length, 1)
  const clear = distancesOf(blank)
  const ends = [blank.indexOf(false), blank.lastIndexOf(false)] as const
  let best: Axis | undefined
  const least = Math.max(LABEL_LEAST, (PITCH_LEAST * length) / count)
  for (let pitch = length / count; pitch >= least; pitch -= 0.5) {
    for (const shift of SHIFTS) {
      const start = length / 2 + shift - (count * pitch) / 2
      if (!holds(ends, start, start + count * pitch)) continue
      const axis = { count, start, pitch, clear: clearOf(clear, ends, { count, start, pitch }) }
      if (axis.clear > (best?.clear ?? 0)) best = axis
    }
  }
  return best
}

/** The middle of the page first. */
const SHIFTS = Array.from({ length: SHIFT_MOST }, (_, n) => [-n - 1, n + 1])
  .flat()
  .toSpliced(0, 0, 0)

function holds([first, last]: readonly [number, number], start: number, end: number): boolean {
  return first >= start - OUTSIDE_MOST && last <= end + OUTSIDE_MOST
}

/** White around the line within the ink that has the least of it. */
function clearOf(
  clear: readonly number[],
  [first, last]: readonly [number, number],
  { count, start, pitch }: Omit<Axis, 'clear'>,
): number {
  let least = Number.POSITIVE_INFINITY
  for (let n = 1; n < count && least > 0; n++) {
    const at = Math.round(start + n * pitch)
    if (at >= first && at <= last) least = Math.min(least, clear[at] ?? 0)
  }
  return least
}

/** Gives for each line the distance of the next one with ink. */
function distancesOf(blank: readonly boolean[]): readonly number[] {
  const far = new Array<number>(blank.length).fill(blank.length)
  for (let n = 0, run = blank.length; n < blank.length; n++) {
    run = blank[n] === true ? run + 1 : 0
    far[n] = run
  }
  for (let n = blank.length - 1, run = blank.length; n >= 0; n--) {
    run = blank[n] === true ? run + 1 : 0
    far[n] = Math.min(far[n] ?? 0, run)
  }
  return far
}
