import { planCode128, QUIET_MODULES } from '../drawing/barcodes.ts'
import type { BarsMark, Mark, TextMark, TextStyle } from '../drawing/canvas.ts'
import { fitText, measureLine, wrapText } from '../drawing/lines.ts'
import type { PackList, PackListAddress } from './check.ts'
import { type PackListRow, type PackListStyle, type RowGroup, row } from './page.ts'

/** The blocks above the items, and what had to be left out of them. */
export interface Head {
  readonly groups: readonly RowGroup[]
  readonly notes: readonly string[]
}

/** A line of text at the left end of `x`, on top of its row. */
function lineAt(x: number, text: string, style: TextStyle): TextMark {
  return { kind: 'text', x, y: 0, text, style, align: 'left' }
}

/** Lines of text as rows. */
export function textRows(
  x: number,
  lines: readonly string[],
  style: TextStyle,
): readonly PackListRow[] {
  return lines.map((line) => row(style.height, lineAt(x, line, style)))
}

/** White paper, not wanted at the top of a page. */
export function blank(height: number): PackListRow {
  return { height, marks: [], isSpace: true }
}

/** A rule over the whole width with white above and below it; not wanted at the top of a page. */
export function rule(style: PackListStyle, line: number): PackListRow {
  const width = style.right - style.left
  const box = { kind: 'box', x: style.left, y: style.gap, width, height: line } as const
  return { height: style.gap * 2 + line, marks: [box], isSpace: true }
}

/** A word with a colon and, in the same line and hanging below it, a text. The word stands above when it is long. */
export function labelled(
  label: string,
  text: string,
  style: PackListStyle,
): readonly PackListRow[] {
  const { left, right, body } = style
  const space = body.height / 2
  // A line that is broken in it would be a box on the label.
  const word = label === '' ? '' : `${label.replaceAll('\n', ' ')}:`
  const indent = word === '' ? 0 : measureLine(word, body) + space
  if (indent > (right - left) * 0.4) {
    return [
      ...textRows(left, wrapText(word, right - left, body), body),
      ...textRows(left + space, wrapText(text, right - left - space, body), body),
    ]
  }
  const [first, ...rest] = textRows(
    left + indent,
    wrapText(text, right - left - indent, body),
    body,
  )
  if (word === '') return first === undefined ? [] : [first, ...rest]
  return [row(body.height, lineAt(left, word, body), ...(first?.marks ?? [])), ...rest]
}

/** The lines of an address as they stand on an envelope; parts that were left out leave no blank line. */
function addressLines(address: PackListAddress): readonly string[] {
  const region = [address.state, address.postcode].filter((part) => part !== '').join(' ')
  const place = [address.city, region].filter((part) => part !== '').join(', ')
  return [address.name, address.addr1, address.addr2, place].filter((line) => line !== '')
}

/** The barcode of the order number, as wide as its place and the readers allow; undefined when it would be too wide. */
function makeBars(text: string, width: number, style: PackListStyle): BarsMark | undefined {
  const code = planCode128(text)
  if (code === undefined) return undefined
  for (let module = style.modules.most; module >= style.modules.least; module -= 1) {
    // The margin of the paper is white as well, so only what it lacks of the quiet zone is added.
    const inset = Math.max(0, QUIET_MODULES * module - style.left)
    if (inset + (code.modules + QUIET_MODULES) * module <= width) {
      return { kind: 'bars', x: style.left + inset, y: 0, height: style.barHeight, module, code }
    }
  }
  return undefined
}

function stack(rows: readonly PackListRow[]): {
  readonly height: number
  readonly marks: readonly Mark[]
} {
  let height = 0
  const marks: Mark[] = []
  for (const next of rows) {
    const y = height
    marks.push(...next.marks.map((mark) => ({ ...mark, y: mark.y + y })))
    height += next.height
  }
  return { height, marks }
}

/** A small word and its value below it. */
function captioned(
  caption: string,
  value: string,
  place: { readonly x: number; readonly width: number },
  styles: readonly [TextStyle, ...TextStyle[]],
  style: PackListStyle,
): readonly PackListRow[] {
  if (value === '') return []
  const fitted = fitText(value, place.width, styles, 1)
  return [
    row(style.caption.height, lineAt(place.x, caption, style.caption)),
    ...textRows(place.x, fitted.lines, fitted.style),
  ]
}

function orderRows(
  list: PackList,
  width: number,
  style: PackListStyle,
  bars: BarsMark | undefined,
) {
  const { order, date, sku, body, left } = style
  const rows = captioned(
    'ORDER',
    list.orderNumber,
    { x: left, width },
    [order, date, sku, body],
    style,
  )
  if (bars === undefined) return rows
  return [...rows, blank(style.gap / 2), row(bars.height + style.gap / 2, bars)]
}

function dateRows(list: PackList, place: { x: number; width: number }, style: PackListStyle) {
  const styles = [style.date, style.body] as const
  const date = captioned('DATE', list.date, place, styles, style)
  const shipDate = captioned('SHIP DATE', list.shipDate, place, styles, style)
  const between = date.length > 0 && shipDate.length > 0 ? [blank(style.gap / 2)] : []
  return [...date, ...between, ...shipDate]
}

/** Order number with its barcode on the left, dates on the right; below each other where the label is small. */
function makeOrder(list: PackList, style: PackListStyle): Head {
  const width = style.right - style.left
  const dates = [list.date, list.shipDate].filter((text) => text !== '')
  const widest = Math.max(
    measureLine('SHIP DATE', style.caption),
    ...dates.map((text) => measureLine(text, style.date)),
  )
  const column = Math.min(widest, Math.floor(width * 0.4))
  const isSplit = style.shape === 'full' && dates.length > 0
  const orderWidth = isSplit ? width - column - 2 * style.gap : width
  const bars =
    makeBars(list.orderNumber, orderWidth, style) ?? makeBars(list.orderNumber, width, style)
  const notes =
    list.orderNumber !== '' && bars === undefined
      ? [
          'The order number has no barcode: it is too long for this label, or has other characters than Code 128.',
        ]
      : []
  const isWide = bars !== undefined && makeBars(list.orderNumber, orderWidth, style) === undefined
  const left = orderRows(list, orderWidth, style, isWide ? undefined : bars)
  const right = dateRows(
    list,
    { x: isSplit ? style.right - column : style.left, width: isSplit ? column : width },
    style,
  )
  const below = isWide && bars !== undefined ? [row(bars.height + style.gap, bars)] : []
  if (!isSplit) return { groups: [{ rows: [...left, ...below] }, { rows: right }], notes }
  const [order, date] = [stack(left), stack(right)]
  const both = row(Math.max(order.height, date.height), ...order.marks, ...date.marks)
  return { groups: [{ rows: [both, ...below] }], notes }
}

function makeShipTo(list: PackList, style: PackListStyle): RowGroup {
  const { left, right, shipTo, sku, caption } = style
  const lines = addressLines(list.to)
  if (lines.length === 0) return { rows: [] }
  const fitted = fitText(lines.join('\n'), right - left, [shipTo, sku], lines.length)
  return {
    rows: [
      row(caption.height, lineAt(left, 'SHIP TO', caption)),
      ...textRows(left, fitted.lines, fitted.style),
    ],
  }
}

function optional(label: string, text: string, style: PackListStyle): readonly PackListRow[] {
  return text === '' ? [] : labelled(label, text, style)
}

/** Order, dates, barcode, who gets it, who sends it. */
export function makeHead(list: PackList, style: PackListStyle): Head {
  const order = makeOrder(list, style)
  const small = [
    ...optional('From', addressLines(list.shipper).join(', '), style),
    ...optional('Customer', list.user, style),
  ]
  const blocks = [...order.groups, makeShipTo(list, style), { rows: small }]
  const groups = blocks.filter(({ rows }) => rows.length > 0)
  const parted = groups.flatMap((group, index) => {
    const isRuled = style.shape === 'full' && (index === order.groups.length || index > 0)
    const space = isRuled && group.rows !== small ? rule(style, style.fine) : blank(style.gap)
    return index === 0 ? [group] : [{ rows: [space, ...group.rows] }]
  })
  return { groups: parted, notes: order.notes }
}
