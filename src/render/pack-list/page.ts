import type { TextStyle } from '../drawing/canvas.ts'
import type { Code128 } from '../drawing/code-128.ts'

/** Something printed at a place: dots from the left and the top of the paper, or of its row before the pages are made. */
export type Mark = TextMark | BoxMark | FrameMark | BarsMark

/** One line of text. */
export interface TextMark {
  readonly kind: 'text'
  /** The left end, the right end or the middle, as `align` says. */
  readonly x: number
  /** The top of the line. */
  readonly y: number
  readonly text: string
  readonly style: TextStyle
  readonly align: 'left' | 'right' | 'center'
}

/** A black rectangle, such as a rule. */
export interface BoxMark {
  readonly kind: 'box'
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The outline of a rectangle, `line` dots thick, inwards. */
export interface FrameMark {
  readonly kind: 'frame'
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly line: number
}

/** A Code 128 symbol. */
export interface BarsMark {
  readonly kind: 'bars'
  readonly x: number
  readonly y: number
  readonly height: number
  /** Dots of the narrowest bar. */
  readonly module: number
  readonly code: Code128
}

/** A strip of the paper that is never cut: `y` of its marks counts from its top. */
export interface Row {
  /** Dots, with the white below it. */
  readonly height: number
  readonly marks: readonly Mark[]
  /** Parts it from what stands above, so it is left out at the top of a page. */
  readonly isSpace?: boolean
}

/** Rows that stay on one page when they can. */
export interface Group {
  readonly rows: readonly Row[]
  /** Stands above the first group that has it, and again on every page that goes on with such groups. */
  readonly heading?: Row
}

/** Where rows may stand on every page. */
export interface Area {
  readonly top: number
  readonly bottom: number
}

/** A row of several marks, `y` from its top. */
export function row(height: number, ...marks: readonly Mark[]): Row {
  return { height, marks }
}

function heightOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { height }) => sum + height, 0)
}

/** Pages in the making. */
interface Filling {
  readonly pages: Mark[][]
  /** Where the next row goes. */
  y: number
  /** The heading that the rows above stand under. */
  heading: Row | undefined
}

function turnPage(filling: Filling, area: Area): void {
  filling.pages.push([])
  filling.y = area.top
  filling.heading = undefined
}

function place(filling: Filling, placed: Row): void {
  const { y } = filling
  filling.pages.at(-1)?.push(...placed.marks.map((mark) => ({ ...mark, y: mark.y + y })))
  filling.y += placed.height
}

function placeGroup(filling: Filling, group: Group, area: Area): void {
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
export function paginate(groups: readonly Group[], area: Area): readonly (readonly Mark[])[] {
  const filling: Filling = { pages: [[]], y: area.top, heading: undefined }
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
