import type { PostalAddress, Shipment, SignatureService } from '#carriers'
import {
  type DrawingModule,
  encodePng,
  type Font,
  loadDrawing,
  type Mark,
  type MarkColumn,
  measureStock,
  type Target,
  type TextStyle,
} from '#labels'

/** The content of a label of the local carrier. */
export interface LocalLabel {
  readonly shipment: Pick<Shipment, 'from' | 'to' | 'isReturn' | 'weightUnit' | 'references'>
  /** Tracking number. */
  readonly number: string
  readonly weight: number
  readonly signature?: SignatureService
  /** Description of the service, for people. */
  readonly description: string
  /** From 1. */
  readonly n: number
  readonly of: number
}

const WIDTH = 4 // inches
const HEIGHT = 6

/** Draws a label of 4 x 6 inches as ZPL, or as the PNG that any of our printers draws. */
export async function drawLocalLabel(
  label: LocalLabel,
  { format, dpi }: { readonly format: 'ZPL' | 'PNG'; readonly dpi: number },
): Promise<Uint8Array> {
  const drawing = await loadDrawing()
  const font = await drawing.loadFont(JSON.stringify(label))
  const target = makeTarget(dpi)
  const paper = measureStock(target)
  const marks = layOut(label, drawing, font, paper, dpi)
  const pen = drawing.createPen(font)
  if (format === 'ZPL') return Buffer.from(drawing.writePage(marks, paper, pen, target).trim())
  return encodePng(drawing.drawPage(marks, paper, pen, await drawing.drawAllBars([marks])))
}

function makeTarget(dpi: number): Target {
  return {
    language: 'zpl',
    dpi,
    labelWidth: WIDTH,
    labelHeight: HEIGHT,
    rotate: 0,
    z64: false,
    pictureDpi: undefined,
    startingPointX: 0,
    startingPointY: 0,
    darkness: undefined,
    speed: undefined,
  }
}

/** Lays out a label from the top: service, sender, recipient, transport, number. */
function layOut(
  { shipment, number, weight, signature = '', description, n, of }: LocalLabel,
  drawing: DrawingModule,
  font: Font,
  paper: { readonly width: number; readonly height: number },
  dpi: number,
): readonly Mark[] {
  const dots = (at203: number): number => Math.round((at203 * dpi) / 203)
  const style = (at203: number): TextStyle => drawing.styleAt203(at203, dpi)
  const clean = (text: string): string =>
    drawing.makePrintable(text, font.has).text.replaceAll('\n', ' ')
  const margin = dots(32)
  const [left, right] = [margin, paper.width - margin]
  const rule = (y: number): Mark => ({
    kind: 'box',
    x: left,
    y: dots(y),
    width: right - left,
    height: dots(4),
  })
  const middle = (y: number, text: string, size: number): Mark => ({
    kind: 'text',
    x: Math.round(paper.width / 2),
    y: dots(y),
    align: 'center',
    style: style(size),
    text: drawing.shortenLine(clean(text), right - left, style(size)),
  })
  const sender = new drawing.MarkColumn({
    left,
    right: dots(500),
    top: dots(100),
    bottom: dots(260),
  })
  for (const line of linesOf(shipment.from)) sender.addLine(clean(line), style(24))
  const facts = new drawing.MarkColumn({
    left: dots(540),
    right,
    top: dots(100),
    bottom: dots(260),
  })
  facts.addLine(`${trimWeight(weight)} ${shipment.weightUnit}`, style(32))
  facts.addLine(`${n} OF ${of}`, style(48))
  if (shipment.isReturn) facts.addLine('RETURN', style(48))
  const recipient = new drawing.MarkColumn({
    left: margin + dots(24),
    right,
    top: dots(320),
    bottom: dots(660),
  })
  addAddress(drawing, recipient, linesOf(shipment.to).map(clean), [48, 40, 32, 24].map(style))
  const addressee = shipment.isReturn ? 'RETURN TO' : 'SHIP TO'
  const references = new drawing.MarkColumn({
    left,
    right,
    top: dots(1_110),
    bottom: paper.height - dots(16),
  })
  for (const one of shipment.references.slice(0, 3))
    references.addLine(`REF ${clean(one)}`, style(24))
  // The driver hands it over by what stands here.
  const words = SIGNED[signature]
  const bars = words === '' ? { y: 800, height: 220 } : { y: 880, height: 140 }
  return [
    middle(28, 'LOCAL CARRIER - NO POSTAGE', 48),
    rule(84),
    ...sender.marks,
    ...facts.marks,
    rule(268),
    { kind: 'text', x: left, y: dots(284), text: addressee, style: style(24), align: 'left' },
    ...recipient.marks,
    rule(672),
    middle(690, description, 56),
    rule(764),
    ...(words === '' ? [] : [middle(782, words, 72)]),
    ...drawNumber(drawing, number, paper.width, {
      y: dots(bars.y),
      height: dots(bars.height),
      dpi,
    }),
    middle(1_036, spaceNumber(number), 40),
    ...references.marks,
  ]
}

const SIGNED: Readonly<Record<SignatureService, string>> = {
  '': '',
  NO_SIGNATURE_REQUIRED: '',
  DIRECT: 'SIGNATURE REQUIRED',
  ADULT: 'ADULT SIGNATURE',
}

/** Adds an address as large as all of it fits: half an address is useless. Only extremely long lines are shortened. */
function addAddress(
  { wrapText }: DrawingModule,
  column: MarkColumn,
  lines: readonly string[],
  styles: readonly TextStyle[],
): void {
  for (const style of styles) {
    const wrapped = lines.flatMap((line) => wrapText(line, column.width, style))
    if (column.addLines(wrapped, style)) return
  }
  for (const line of lines) for (const style of styles.slice(-1)) column.addLine(line, style)
}

/** Draws a number as wide as the label allows, with the white space that readers need at its ends. */
function drawNumber(
  { planCode128 }: DrawingModule,
  number: string,
  width: number,
  { y, height, dpi }: { readonly y: number; readonly height: number; readonly dpi: number },
): readonly Mark[] {
  const code = planCode128(number)
  if (code === undefined) return []
  const module = Math.round((3 * dpi) / 203) > 3 ? 4 : 3
  const x = Math.floor((width - code.modules * module) / 2)
  return [{ kind: 'bars', x, y, height, module, code }]
}

function linesOf({
  name,
  company,
  addr1,
  addr2,
  // Those of earlier versions have none.
  addr3 = '',
  city,
  state,
  code,
  country,
}: PostalAddress): readonly string[] {
  const place = [city, state, code].filter((part) => part !== '').join(' ')
  const lines = [name, company === name ? '' : company, addr1, addr2, addr3, place]
  return [...lines, country === 'US' ? '' : country].filter((line) => line !== '')
}

/** Formats a weight with at most two decimals. */
function trimWeight(weight: number): string {
  return String(Math.round(weight * 100) / 100)
}

/** Formats a number in groups of four, as people read it aloud. */
function spaceNumber(number: string): string {
  return number.replace(/(.{2})(.{4})(.{4})(.{4})(.+)/, '$1 $2 $3 $4 $5')
}
