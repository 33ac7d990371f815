import { measureStock, type StockDots, type Target } from '../../target.ts'
import { type Mark, styleAt203, type TextStyle } from '../drawing/canvas.ts'

/** Sizes of a pack list for one label and one head, all in dots. */
export interface PackListStyle {
  /** `full` = in columns; `small` = everything below each other. */
  readonly shape: 'full' | 'small'
  readonly paper: StockDots
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  /** White between blocks. */
  readonly gap: number
  /** Thickness of a fine and of a strong rule. */
  readonly fine: number
  readonly strong: number
  /** Narrowest bars that readers like, from the smallest that they still read to the largest worth its room. */
  readonly modules: { readonly least: number; readonly most: number }
  readonly barHeight: number
  readonly caption: TextStyle
  readonly body: TextStyle
  readonly sku: TextStyle
  readonly quantity: TextStyle
  readonly order: TextStyle
  readonly date: TextStyle
  readonly shipTo: TextStyle
  readonly total: TextStyle
}

// Cell heights in dots at 203 dpi, where 24 dots are 3 mm.
const FULL = {
  caption: 20,
  body: 24,
  sku: 28,
  quantity: 48,
  order: 64,
  date: 40,
  shipTo: 40,
  total: 40,
}
const MEDIUM = {
  caption: 20,
  body: 24,
  sku: 24,
  quantity: 40,
  order: 48,
  date: 32,
  shipTo: 32,
  total: 32,
}
const SMALL = {
  caption: 16,
  body: 20,
  sku: 20,
  quantity: 32,
  order: 32,
  date: 20,
  shipTo: 24,
  total: 24,
}

/** Inches from which a label is set in the large sizes, and in the medium ones. */
const FULL_FROM = { width: 3.5, height: 3.5 }
const MEDIUM_FROM = { width: 2.75, height: 2.5 }

/** Inches: the shortest and the narrowest label that a pack list can be read on. */
export const SMALLEST_LABEL = { width: 1.5, height: 1 }

function sizesFor(target: Target) {
  const { labelWidth, labelHeight } = target
  if (labelWidth >= FULL_FROM.width && labelHeight >= FULL_FROM.height) {
    return { cells: FULL, shape: 'full', margin: 30, gap: 12, bars: 90 } as const
  }
  if (labelWidth >= MEDIUM_FROM.width && labelHeight >= MEDIUM_FROM.height) {
    return { cells: MEDIUM, shape: 'full', margin: 30, gap: 8, bars: 70 } as const
  }
  return { cells: SMALL, shape: 'small', margin: 20, gap: 4, bars: 50 } as const
}

/** The starting point in dots of the head, at most a fifth of the label, so that room to print is left. */
function startOf(target: Target): { readonly x: number; readonly y: number } {
  const scale = target.dpi / (target.pictureDpi ?? target.dpi)
  const clamp = (dots: number, inches: number) =>
    Math.min(Math.max(0, Math.round(dots * scale)), Math.floor((inches * target.dpi) / 5))
  return {
    x: clamp(target.startingPointX, target.labelWidth),
    y: clamp(target.startingPointY, target.labelHeight),
  }
}

/** Chooses the sizes for a label: the same millimetres on every head, as near as the font's sizes allow. @throws LabelFault FIELD_INVALID */
export function choosePackListStyle(target: Target): PackListStyle {
  const { cells, shape, margin, gap, bars } = sizesFor(target)
  const dots = (at203: number) => Math.max(1, Math.round((at203 * target.dpi) / 203))
  const text = (at203: number) => styleAt203(at203, target.dpi)
  const paper = measureStock(target)
  const start = startOf(target)
  const least = Math.ceil(target.dpi * 0.0075)
  return {
    shape,
    paper,
    left: dots(margin) + start.x,
    top: dots(margin) + start.y,
    right: paper.width - dots(margin),
    bottom: paper.height - dots(margin),
    // Even, since half of it is used as well.
    gap: 2 * dots(gap / 2),
    fine: dots(2),
    strong: dots(4),
    // 7.5 and 12.5 mil; a small label has no room for the quiet zone of wide bars.
    modules: { least, most: shape === 'full' ? Math.ceil(target.dpi * 0.0125) : least },
    barHeight: dots(bars),
    caption: text(cells.caption),
    body: text(cells.body),
    sku: text(cells.sku),
    quantity: text(cells.quantity),
    order: text(cells.order),
    date: text(cells.date),
    shipTo: text(cells.shipTo),
    total: text(cells.total),
  }
}

/** A strip of the paper that is never cut: `y` of its marks counts from its top. */
export interface PackListRow {
  /** Dots, with the white below it. */
  readonly height: number
  readonly marks: readonly Mark[]
  /** Parts it from what stands above, so it is left out at the top of a page. */
  readonly isSpace?: boolean
}

/** Rows that stay on one page when they can. */
export interface RowGroup {
  readonly rows: readonly PackListRow[]
  /** Stands above the first group that has it, and again on every page that goes on with such groups. */
  readonly heading?: PackListRow
}

/** Vertical area for rows on every page. */
export interface RowArea {
  readonly top: number
  readonly bottom: number
}

/** A row of several marks, `y` from its top. */
export function row(height: number, ...marks: readonly Mark[]): PackListRow {
  return { height, marks }
}

function heightOf(rows: readonly PackListRow[]): number {
  return rows.reduce((sum, { height }) => sum + height, 0)
}

/** Pages in the making. */
interface PageDraft {
  readonly pages: Mark[][]
  /** Vertical position of the next row. */
  y: number
  /** The heading that the rows above stand under. */
  heading: PackListRow | undefined
}

function turnPage(filling: PageDraft, area: RowArea): void {
  filling.pages.push([])
  filling.y = area.top
  filling.heading = undefined
}

function place(filling: PageDraft, placed: PackListRow): void {
  const { y } = filling
  filling.pages.at(-1)?.push(...placed.marks.map((mark) => ({ ...mark, y: mark.y + y })))
  filling.y += placed.height
}

function placeGroup(filling: PageDraft, group: RowGroup, area: RowArea): void {
  for (const next of group.rows) {
    if (filling.y > area.top && filling.y + next.height > area.bottom) turnPage(filling, area)
    if (filling.heading !== group.heading) {
      filling.heading = group.heading
      if (group.heading !== undefined) place(filling, group.heading)
    }
    if (next.isSpace !== true || filling.y > area.top) place(filling, next)
  }
}

/**
 * Lays groups one below the other and breaks them into pages: before a group that would fit on a page of its own, else
 * between rows. A row higher than a page stands alone on one. At least one page.
 */
export function paginate(groups: readonly RowGroup[], area: RowArea): readonly (readonly Mark[])[] {
  const filling: PageDraft = { pages: [[]], y: area.top, heading: undefined }
  for (const group of groups) {
    const heading = group.heading?.height ?? 0
    const whole = heading + heightOf(group.rows)
    // A group that fits on no page at least does not leave its first line behind.
    const isWhole = whole <= area.bottom - area.top
    const wanted = isWhole ? whole : heading + heightOf(group.rows.slice(0, 2))
    const missing = filling.heading === group.heading ? wanted - heading : wanted
    if (filling.y > area.top && filling.y + missing > area.bottom) turnPage(filling, area)
    placeGroup(filling, group, area)
  }
  return filling.pages
}
