import { encodePng, measureStock, type RenderedLabel, type Target } from '../target.ts'
import { planCode128, QUIET_MODULES } from './drawing/barcodes.ts'
import {
  createPen,
  drawAllBars,
  drawPage,
  encodeDrawing,
  type Mark,
  styleAt203,
  type TextStyle,
} from './drawing/canvas.ts'
import { drawRulers, type MarkArea, MarkColumn } from './drawing/column.ts'
import { fitText, makePrintable } from './drawing/lines.ts'
import { loadFont } from './font/font.ts'

/** Contents of a test label besides the printer's settings. */
export interface TestLabel {
  /** The printer's name. */
  readonly printer: string
  /** The name of the print server. */
  readonly host: string
  /** Date and time as they shall be printed; ISO 8601 in UTC is made easier to read. */
  readonly at: string
}

const ISO_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/

/** Content of a test label's barcode. */
export const TEST_CODE = 'PLATEN01'

/** Characters of a name that fit beside each other in EPL's font 2 on a label of 2.25 inches. */
const EPL_NAME_LENGTH = 32

/** The test label as EPL text, for a printer whose language is unknown (EPL2 Programming Guide: A, B; `"` and `\` escaped). */
function writeEpl(printer: string): Uint8Array {
  const name = [...printer]
    .map((character) => (/[ -~]/.test(character) ? character : '?'))
    .slice(0, EPL_NAME_LENGTH)
    .join('')
    .replace(/["\\]/g, '\\$&')
  return Buffer.from(
    `\nN\nA30,20,0,4,1,1,N,"PLATEN TEST"\nA30,60,0,2,1,1,N,"${name}"\n` +
      `B30,90,0,1,2,4,60,B,"${TEST_CODE}"\nP1\n`,
    'latin1',
  )
}

/** The barcode, as large as readers like and the place allows; nothing when it would be too small to scan. */
function addCode(column: MarkColumn, target: Target): void {
  const code = planCode128(TEST_CODE)
  if (code === undefined) return
  const { place, width } = column
  const quiet = QUIET_MODULES
  const module = Math.min(
    Math.ceil(target.dpi * 0.015),
    Math.floor(width / (code.modules + 2 * quiet)),
  )
  const height = Math.min(Math.round(target.dpi * 0.6), place.bottom - column.y)
  if (module < Math.ceil(target.dpi * 0.0075) || height < target.dpi * 0.1) return
  column.marks.push({
    kind: 'bars',
    x: place.left + quiet * module,
    y: column.y,
    height,
    module,
    code,
  })
  column.y += height
}

/** A bar over the whole width: a broken or dirty dot of the head leaves a white line in it. */
function addHeadBar(column: MarkColumn, target: Target, style: TextStyle): void {
  const { place, width } = column
  const height = Math.round(target.dpi / 5)
  if (column.y + height + style.height * 1.5 > place.bottom) return
  column.marks.push({ kind: 'box', x: place.left, y: column.y, width, height })
  column.y += height + Math.round(style.height / 4)
  column.addLine('White lines in this bar: clean the print head.', style)
}

/** Fields of upright and level lines, 1, 2 and 3 dots thick: too much heat fills them, too little breaks them. */
function addStripes(column: MarkColumn, target: Target, style: TextStyle): void {
  const { place, width } = column
  const size = Math.min(Math.round(target.dpi / 2), Math.floor(width / 7))
  if (column.y + size + style.height * 1.5 > place.bottom) return
  for (let field = 0; field < 6; field += 1) {
    const line = 1 + (field % 3)
    const left = place.left + Math.floor((field * 7 * size) / 6)
    for (let offset = 0; offset + line <= size; offset += 2 * line) {
      const upright = { x: left + offset, y: column.y, width: line, height: size }
      const level = { x: left, y: column.y + offset, width: size, height: line }
      column.marks.push({ kind: 'box', ...(field < 3 ? upright : level) })
    }
  }
  column.y += size + Math.round(style.height / 4)
  column.addLine('Lines run together: less darkness. Broken: more.', style)
}

/** Sizes of the text, all in dots. */
interface Sizes {
  readonly isLarge: boolean
  readonly title: TextStyle
  readonly names: readonly [TextStyle, ...TextStyle[]]
  readonly fact: TextStyle
  readonly remark: TextStyle
  readonly gap: number
}

function chooseSizes(target: Target): Sizes {
  const style = (at203: number) => styleAt203(at203, target.dpi)
  const isLarge = target.labelWidth >= 3.5 && target.labelHeight >= 3.5
  const isMedium = target.labelWidth >= 2.75 && target.labelHeight >= 1.75
  const at203 = isLarge
    ? { title: 40, names: [64, 48, 40, 32], fact: 28, gap: 28 }
    : isMedium
      ? { title: 24, names: [40, 32, 24], fact: 20, gap: 12 }
      : { title: 20, names: [32, 24, 20], fact: 16, gap: 8 }
  const [largest = 20, ...others] = at203.names
  return {
    isLarge,
    title: style(at203.title),
    names: [style(largest), ...others.map(style)],
    fact: style(at203.fact),
    remark: style(20),
    gap: Math.round((at203.gap * target.dpi) / 203),
  }
}

/** Lists the printer's settings and the sender. */
function listFacts(label: TestLabel, target: Target, isLarge: boolean): readonly string[] {
  const size = `${target.labelWidth} x ${target.labelHeight} in`
  const language = `${target.language?.toUpperCase() ?? ''} ${target.dpi} dpi`
  if (!isLarge) return [label.host, label.at, `${language}  ${size}`]
  return [
    `Server    ${label.host}`,
    `Printed   ${label.at}`,
    `Language  ${language}`,
    `Label     ${size}`,
  ]
}

/** Everything between the rulers: the name as large as it fits, then the facts, then what can be checked. */
function setText(label: TestLabel, target: Target, place: MarkArea): readonly Mark[] {
  const sizes = chooseSizes(target)
  const { isLarge, remark, gap } = sizes
  const column = new MarkColumn(place)
  if (isLarge) column.y += gap
  column.addLine(isLarge ? 'PLATEN TEST LABEL' : 'PLATEN TEST', sizes.title)
  const name = fitText(label.printer, column.width, sizes.names, 1)
  for (const line of name.lines.slice(0, isLarge ? 3 : 1)) column.addLine(line, name.style)
  if (isLarge) column.y += gap
  for (const fact of listFacts(label, target, isLarge)) column.addLine(fact, sizes.fact)
  column.y += gap
  addCode(column, target)
  if (!isLarge) return column.marks
  column.y += gap
  addHeadBar(column, target, remark)
  column.y += gap
  addStripes(column, target, remark)
  column.y += gap
  column.addLine('The frame must touch all four edges of the label.', remark)
  column.addLine('The numbers count inches.', remark)
  return column.marks
}

/**
 * Draws a test label in the printer's own language, as a picture, so that it prints on printers that know no text; a printer
 * whose language is not known gets EPL text and there is no preview. Made for labels from 2.25 x 1.25 inches; on smaller ones
 * the last lines are left out.
 * @throws LabelFault FIELD_INVALID for a label beyond all measure
 */
export async function renderTestLabel(label: TestLabel, target: Target): Promise<RenderedLabel> {
  if (target.language === undefined) {
    return { bytes: writeEpl(label.printer), preview: undefined, notes: [] }
  }
  const paper = measureStock(target)
  const font = await loadFont(Object.values(label).join(''))
  const clean = (text: string) => makePrintable(text, font.has).text.replaceAll('\n', ' ')
  const at = clean(label.at).replace(ISO_TIME, '$1 $2 UTC')
  const printable = { printer: clean(label.printer), host: clean(label.host), at }
  const rulers = drawRulers(paper, target.dpi)
  const marks = [...rulers.marks, ...setText(printable, target, rulers.inside)]
  const raster = drawPage(marks, paper, createPen(font), await drawAllBars([marks]))
  const bytes = encodeDrawing(raster, target.language, target)
  return { bytes, preview: encodePng(raster), notes: [] }
}
