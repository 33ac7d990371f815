import type { Mark, TextMark, TextStyle } from '../drawing/canvas.ts'
import { measureLine, wrapText } from '../drawing/lines.ts'
import { type Money, type PackList, type PackListItem, writeMoney } from './check.ts'
import { blank, labelled, rule, textRows } from './head.ts'
import { type PackListRow, type PackListStyle, type RowGroup, row } from './page.ts'

/** Edges of the item columns, in dots from the left of the paper. */
interface Columns {
  readonly quantityRight: number
  readonly text: number
  /** The right end of the article number. */
  readonly skuRight: number
  /** The right end of the single price; undefined where prices have no column. */
  readonly price: number | undefined
  readonly sum: number
}

function rightAt(x: number, y: number, text: string, style: TextStyle): TextMark {
  return { kind: 'text', x, y, text, style, align: 'right' }
}

function leftAt(x: number, y: number, text: string, style: TextStyle): TextMark {
  return { kind: 'text', x, y, text, style, align: 'left' }
}

/** Price times quantity, where both are known. */
function sumOf(item: PackListItem): Money | undefined {
  if (item.price === undefined || item.qty === undefined) return undefined
  return item.price * BigInt(item.qty)
}

function widest(texts: readonly string[], style: TextStyle): number {
  return Math.max(0, ...texts.map((text) => measureLine(text, style)))
}

function write(money: Money | undefined): string {
  return money === undefined ? '' : writeMoney(money)
}

/** White between the frame of a quantity and its digits. */
function padOf(style: PackListStyle): number {
  return style.fine * 4
}

function planColumns(items: readonly PackListItem[], style: PackListStyle): Columns {
  const quantities = items.map(({ qty }) => (qty === undefined ? '' : String(qty)))
  const quantity = Math.max(
    widest(quantities, style.quantity) + 2 * padOf(style),
    measureLine('QTY', style.caption),
  )
  const gap = style.body.height / 2
  const text = style.left + quantity + gap
  const prices = widest(
    items.map(({ price }) => write(price)),
    style.body,
  )
  const sums = widest(
    items.map((item) => write(sumOf(item))),
    style.body,
  )
  const sumWidth = sums === 0 ? 0 : Math.max(sums, measureLine('AMOUNT', style.caption))
  const priceWidth = prices === 0 ? 0 : Math.max(prices, measureLine('PRICE', style.caption))
  const price = style.right - (sumWidth === 0 ? 0 : sumWidth + 2 * gap)
  const skuRight = price - (priceWidth === 0 ? 0 : priceWidth + gap)
  // Where the article numbers would be left with less than half the label, prices go below the description.
  const hasColumns = style.shape === 'full' && skuRight - text >= (style.right - style.left) * 0.4
  return {
    quantityRight: style.left + quantity,
    text,
    skuRight: hasColumns ? skuRight : style.right,
    price: hasColumns ? price : undefined,
    sum: style.right,
  }
}

/** The words above the columns; repeated on each page with items. */
function makeHeading(
  items: readonly PackListItem[],
  columns: Columns,
  style: PackListStyle,
): PackListRow {
  const { caption, left } = style
  const marks: Mark[] = [leftAt(left, 0, 'QTY', caption), leftAt(columns.text, 0, 'ITEM', caption)]
  if (columns.price !== undefined) {
    if (items.some(({ price }) => price !== undefined)) {
      marks.push(rightAt(columns.price, 0, 'PRICE', caption))
    }
    if (items.some((item) => sumOf(item) !== undefined)) {
      marks.push(rightAt(columns.sum, 0, 'AMOUNT', caption))
    }
  }
  return row(caption.height, ...marks)
}

/** A quantity for the eye: large, and in a frame when it is not one, since that is what packers overlook. */
function quantityMarks(
  item: PackListItem,
  columns: Columns,
  style: PackListStyle,
): readonly Mark[] {
  if (item.qty === undefined) return []
  const width = columns.quantityRight - style.left
  const { height } = style.quantity
  const x = style.left + Math.floor(width / 2)
  const text = String(item.qty)
  const digits = { kind: 'text', x, y: 0, text, style: style.quantity, align: 'center' } as const
  if (item.qty === 1) return [digits]
  return [digits, { kind: 'frame', x: style.left, y: 0, width, height, line: style.fine }]
}

/** Article number, description and, where they have no column, prices, beside the quantity. */
function itemRows(
  item: PackListItem,
  columns: Columns,
  style: PackListStyle,
): readonly PackListRow[] {
  const { sku, body } = style
  const skuLines = wrapText(item.sku, columns.skuRight - columns.text, sku)
  // Without an article number the description's first line stands beside the prices and must be as narrow.
  const descWidth = (skuLines.length > 0 ? style.right : columns.skuRight) - columns.text
  const texts = [
    ...textRows(columns.text, skuLines, sku),
    ...textRows(columns.text, wrapText(item.desc, descWidth, body), body),
  ]
  const sum = write(sumOf(item))
  const price = write(item.price)
  if (columns.price === undefined) {
    if (price === '') return texts
    const single = item.qty === undefined ? price : `${item.qty} x ${price}`
    const marks = [
      leftAt(columns.text, 0, single, body),
      ...(sum === '' ? [] : [rightAt(columns.sum, 0, sum, body)]),
    ]
    return [...texts, row(body.height, ...marks)]
  }
  const [first = row(body.height), ...rest] = texts
  // Numbers stand on the same foot as the larger article number.
  const y = Math.max(0, Math.round((first.height - body.height) * 0.8))
  const marks = [
    ...(price === '' ? [] : [rightAt(columns.price, y, price, body)]),
    ...(sum === '' ? [] : [rightAt(columns.sum, y, sum, body)]),
  ]
  return [row(first.height, ...first.marks, ...marks), ...rest]
}

/** Joins the first rows until they are as high as the quantity beside them, so that a page never cuts through it. */
function besideQuantity(
  rows: readonly PackListRow[],
  marks: readonly Mark[],
  height: number,
): readonly PackListRow[] {
  if (marks.length === 0) return rows
  const joined: Mark[] = [...marks]
  let used = 0
  let y = 0
  while (used < rows.length && y < height) {
    const next = rows[used]
    const top = y
    joined.push(...(next?.marks ?? []).map((mark) => ({ ...mark, y: mark.y + top })))
    y += next?.height ?? 0
    used += 1
  }
  return [row(Math.max(y, height), ...joined), ...rows.slice(used)]
}

/** Lays out a group an item, under a heading that is repeated on every page. */
export function makeItems(list: PackList, style: PackListStyle): readonly RowGroup[] {
  const columns = planColumns(list.items, style)
  const heading = makeHeading(list.items, columns, style)
  const half = style.gap / 2
  const box = {
    kind: 'box',
    x: style.left,
    y: half,
    width: style.right - style.left,
    height: style.fine,
  } as const
  const line: PackListRow = { height: half * 2 + style.fine, marks: [box] }
  return list.items.map((item) => {
    const quantity = quantityMarks(item, columns, style)
    const rows = besideQuantity(itemRows(item, columns, style), quantity, style.quantity.height)
    return { heading, rows: [line, ...rows] }
  })
}

/** Counts the pieces to look for, when every line says it. */
function countPieces(items: readonly PackListItem[]): string {
  const lines = `${items.length} ${items.length === 1 ? 'line' : 'lines'}`
  if (items.some(({ qty }) => qty === undefined)) return lines
  const pieces = items.reduce((sum, { qty = 0 }) => sum + qty, 0)
  return `${pieces} ${pieces === 1 ? 'piece' : 'pieces'} in ${lines}`
}

/** Names and amounts below the items; subtotal and total only when the sum of every line is known. */
function listAmounts(list: PackList): readonly (readonly [string, Money])[] {
  const sums = list.items.map(sumOf)
  const known = sums.filter((sum) => sum !== undefined)
  const isWhole = known.length === sums.length
  const subtotal = known.reduce((total, sum) => total + sum, 0n)
  // A discount is taken off, whichever sign the shop gave it.
  const off = list.discounts ?? 0n
  const discount = off > 0n ? -off : off
  const total = subtotal + (list.shippingCost ?? 0n) + (list.tax ?? 0n) + discount
  const others: [string, Money][] = []
  if (list.shippingCost !== undefined) others.push(['Shipping', list.shippingCost])
  if (list.tax !== undefined) others.push(['Tax', list.tax])
  if (list.discounts !== undefined) others.push(['Discounts', discount])
  if (!isWhole) return others
  return [
    ...(others.length > 0 ? [['Subtotal', subtotal] as const] : []),
    ...others,
    ['TOTAL', total],
  ]
}

/** Pieces, amounts and the total, on one page. */
export function makeTotals(list: PackList, style: PackListStyle): RowGroup {
  const amounts = listAmounts(list)
  const column = widest(
    amounts.map(([, money]) => writeMoney(money)),
    style.total,
  )
  const pieces = leftAt(style.left, 0, countPieces(list.items), style.sku)
  const rows = amounts.map(([name, money]) => {
    const text = name === 'TOTAL' ? style.total : style.body
    return row(
      text.height,
      rightAt(style.right - column - text.height / 2, 0, name, text),
      rightAt(style.right, 0, writeMoney(money), text),
    )
  })
  const [first] = rows
  const needed = measureLine(pieces.text, style.sku) + measureLine('Subtotal', style.body) + column
  const isBeside = needed + style.body.height * 2 < style.right - style.left && rows.length > 1
  const own = row(style.sku.height, pieces)
  const beside =
    first === undefined ? [own] : [row(Math.max(first.height, own.height), ...first.marks, pieces)]
  const head = isBeside ? [...beside, ...rows.slice(1)] : [own, ...rows]
  return { rows: [rule(style, style.strong), ...head] }
}

/** Lays out the shop's custom fields, one group a field. */
export function makeCustomFields(list: PackList, style: PackListStyle): readonly RowGroup[] {
  const fields = list.customFields.map(({ key, value }) => labelled(key, value, style))
  return fields
    .filter((rows) => rows.length > 0)
    .map((rows, index) => ({
      rows: [index === 0 ? rule(style, style.fine) : blank(style.gap / 2), ...rows],
    }))
}
