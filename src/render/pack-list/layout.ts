import { PlatenError } from '../../errors.ts'
import { measureLine, shortenLine } from '../drawing/lines.ts'
import type { PackList } from './check.ts'
import { makeHead } from './head.ts'
import { makeCustomFields, makeItems, makeTotals } from './items.ts'
import { type Area, type Mark, paginate, row } from './page.ts'
import type { PackListStyle } from './style.ts'

/** A pack list laid out: what stands where on each label, the same for every way of drawing it. */
export interface PackListLayout {
  /** At least one page. */
  readonly pages: readonly (readonly Mark[])[]
  readonly notes: readonly string[]
}

/** More labels than a roll has are a mistake of the sender. */
export const MOST_PAGES = 500

/** Room below the line at the top of every page. */
function areaOf(style: PackListStyle): Area {
  return {
    top: style.top + style.caption.height + style.gap + style.strong,
    bottom: style.bottom,
  }
}

/** The line at the top of a page: what it is, which order, which page of how many. */
function makeTop(
  list: PackList,
  style: PackListStyle,
  page: number,
  pages: number,
): readonly Mark[] {
  const { caption, left, right, top, strong, gap } = style
  const count = `Page ${page} of ${pages}`
  const title = page === 1 || list.orderNumber === '' ? 'PACKING LIST' : `ORDER ${list.orderNumber}`
  const room = right - left - measureLine(count, caption) - caption.height
  const [name = ''] = title.split('\n')
  return [
    {
      kind: 'text',
      x: left,
      y: top,
      text: shortenLine(name, room, caption),
      style: caption,
      align: 'left',
    },
    { kind: 'text', x: right, y: top, text: count, style: caption, align: 'right' },
    {
      kind: 'box',
      x: left,
      y: top + caption.height + Math.floor(gap / 4),
      width: right - left,
      height: strong,
    },
  ]
}

/**
 * Sets a checked pack list of printable texts in lines and pages.
 * @throws PlatenError PACKLIST_INVALID when it would take more than `MOST_PAGES` labels
 */
export function layOutPackList(list: PackList, style: PackListStyle): PackListLayout {
  const head = makeHead(list, style)
  const groups = [
    ...head.groups,
    ...(head.groups.length > 0 ? [{ rows: [row(style.gap * 2)] }] : []),
    ...makeItems(list, style),
    makeTotals(list, style),
    ...makeCustomFields(list, style),
  ]
  const pages = paginate(groups, areaOf(style))
  if (pages.length > MOST_PAGES) {
    throw new PlatenError(
      'PACKLIST_INVALID',
      `The pack list takes ${pages.length} labels of this size; wanted at most ${MOST_PAGES}.`,
    )
  }
  return {
    pages: pages.map((marks, index) => [
      ...makeTop(list, style, index + 1, pages.length),
      ...marks,
    ]),
    notes: head.notes,
  }
}
