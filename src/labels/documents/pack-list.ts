import { LabelFault } from '../fault.ts'
import { type LanguageName, namedLanguages } from '../languages/index.ts'
import { encodePng, type RenderedLabel, type Target } from '../target.ts'
import {
  createPen,
  drawAllBars,
  drawPage,
  encodeDrawing,
  type Mark,
  type Pen,
} from './drawing/canvas.ts'
import { makePrintable, measureLine, shortenLine } from './drawing/lines.ts'
import { writePage } from './drawing/zpl.ts'
import { type Font, loadFont } from './font/font.ts'
import { checkPackList, type PackList, readPackList } from './pack-list/check.ts'
import { makeHead } from './pack-list/head.ts'
import { makeCustomFields, makeItems, makeTotals } from './pack-list/items.ts'
import {
  choosePackListStyle,
  type PackListStyle,
  paginate,
  type RowArea,
  row,
  SMALLEST_LABEL,
} from './pack-list/page.ts'

export { checkPackList, type PackList, readPackList }

/** Bytes that one pack list may come to in the printer's language, so that drawing it stays below 300 MB of memory. */
const MOST_BYTES = 24 * 1024 * 1024
const LOST_TOLD = 5

/** All texts of a list in one, for choosing the fonts. */
function allText(list: PackList): string {
  const texts: string[] = []
  JSON.stringify(list, (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value)
    return typeof value === 'bigint' ? undefined : value
  })
  return texts.join('\n').normalize('NFC')
}

/** Makes every text of a list fit to print. */
function makeListPrintable(list: PackList, font: Font) {
  const lost = new Set<string>()
  const text = (value: string) => {
    const printable = makePrintable(value, font.has)
    for (const character of printable.lost) lost.add(character)
    return printable.text
  }
  const texts = <T extends object>(fields: T): T =>
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [
        key,
        typeof value === 'string' ? text(value) : value,
      ]),
    ) as T
  const printable: PackList = {
    ...texts(list),
    shipper: texts(list.shipper),
    to: texts(list.to),
    items: list.items.map(texts),
    customFields: list.customFields.map(texts),
  }
  return { list: printable, lost: [...lost] }
}

function tellLost(lost: readonly string[]): readonly string[] {
  if (lost.length === 0) return []
  const told = lost
    .slice(0, LOST_TOLD)
    .map(
      (character) =>
        `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
    )
  const more = lost.length > LOST_TOLD ? ` and ${lost.length - LOST_TOLD} more` : ''
  return [`The label font has no ${told.join(', ')}${more}: printed as boxes.`]
}

function checkTarget(target: Target): LanguageName {
  if (target.language === undefined) {
    throw new LabelFault(
      'PRINTER_LANGUAGE',
      `A pack list cannot be drawn for a printer whose language is not known; wanted ${namedLanguages}.`,
    )
  }
  if (target.labelWidth < SMALLEST_LABEL.width || target.labelHeight < SMALLEST_LABEL.height) {
    throw new LabelFault(
      'PACKLIST_INVALID',
      `The label is ${target.labelWidth} x ${target.labelHeight} inches; wanted at least ` +
        `${SMALLEST_LABEL.width} x ${SMALLEST_LABEL.height} for a pack list.`,
    )
  }
  return target.language
}

/** Every page as a job, one behind the other; no more than one picture is held at a time. */
function joinPages(
  pages: readonly (readonly Mark[])[],
  encode: (marks: readonly Mark[]) => Uint8Array,
): Uint8Array {
  const jobs: Uint8Array[] = []
  let length = 0
  for (const marks of pages) {
    const job = encode(marks)
    length += job.length
    if (length > MOST_BYTES) {
      throw new LabelFault(
        'PACKLIST_INVALID',
        `The pack list takes ${pages.length} labels and more than ${MOST_BYTES} bytes in this printer's language; wanted fewer items.`,
      )
    }
    jobs.push(job)
  }
  return Buffer.concat(jobs, length)
}

/**
 * Draws a pack list: as ZPL text for printers that speak ZPL, as pictures in the language of the others. Long lists take
 * several labels; the preview is the first. Turned by 180 degrees when the printer's entry says so; a turn by 90 or 270 is
 * for pictures only.
 * @throws LabelFault PACKLIST_INVALID for too small a label or too many of them, FIELD_INVALID for too large a label,
 *   PRINTER_LANGUAGE
 */
export async function renderPackList(list: PackList, target: Target): Promise<RenderedLabel> {
  const language = checkTarget(target)
  const style = choosePackListStyle(target)
  const font = await loadFont(allText(list))
  const printable = makeListPrintable(list, font)
  const layout = layOutPackList(printable.list, style)
  const pen: Pen = createPen(font)
  const findBars = await drawAllBars(layout.pages)
  const draw = (marks: readonly Mark[]) => drawPage(marks, style.paper, pen, findBars)
  const bytes = joinPages(layout.pages, (marks) =>
    language === 'zpl'
      ? Buffer.from(writePage(marks, style.paper, pen, target))
      : encodeDrawing(draw(marks), language, target),
  )
  return {
    bytes,
    preview: encodePng(draw(layout.pages[0] ?? [])),
    notes: [...layout.notes, ...tellLost(printable.lost)],
  }
}

/** A pack list laid out: what stands where on each label, the same for every way of drawing it. */
export interface PackListLayout {
  /** At least one page. */
  readonly pages: readonly (readonly Mark[])[]
  readonly notes: readonly string[]
}

/** More labels than a roll has are a mistake of the sender. */
const MOST_PAGES = 500

/** Room below the line at the top of every page. */
function areaOf(style: PackListStyle): RowArea {
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
 * @throws LabelFault PACKLIST_INVALID when it would take more than `MOST_PAGES` labels
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
    throw new LabelFault(
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
