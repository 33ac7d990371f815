import { measureStock, type RenderedLabel, type Target } from '../target.ts'
import { drawQr } from './drawing/barcodes.ts'
import { createPen, drawPage, encodeDrawing, type Mark, styleAt203 } from './drawing/canvas.ts'
import { MarkColumn } from './drawing/column.ts'
import { fitText, makePrintable } from './drawing/lines.ts'
import { loadFont } from './font/font.ts'

/** Contents of the label that a box prints when it starts for the first time. */
export interface StartLabel {
  /** The name on the network, e.g. `printserver-1a2b.local`. */
  readonly name: string
  /** Address of the page by number; '' = the box has no network. */
  readonly url: string
  /** Address of the page by the name that is easier to remember; '' = another box has it. */
  readonly alias: string
  /** The password of user `admin`; '' = somebody chose another one. */
  readonly pin: string
  /** SHA-256 of the authority's certificate, pairs of hex digits with colons; '' = no HTTPS. */
  readonly fingerprint: string
  readonly version: string
}

interface StartLabelLine {
  readonly text: string
  /** Heights at 203 dpi, the wanted one first. */
  readonly heights: readonly [number, ...number[]]
  /** Lines that it may be broken into. */
  readonly most: number
}

const NO_NETWORK = 'No network. Plug in the cable or put wifi.txt on the card.'

function listLines(label: StartLabel): readonly StartLabelLine[] {
  const { name, url, alias, pin, fingerprint, version } = label
  const all: readonly StartLabelLine[] = [
    { text: 'LABEL PRINT SERVER', heights: [32, 24, 20], most: 1 },
    {
      text: url === '' ? NO_NETWORK : url,
      heights: [48, 40, 32, 24, 20],
      most: url === '' ? 3 : 1,
    },
    { text: alias, heights: [32, 24, 20, 16], most: 1 },
    { text: `http://${name}/`, heights: [32, 24, 20, 16], most: 1 },
    {
      text: pin === '' ? '' : `PIN ${pin.slice(0, 4)} ${pin.slice(4)}`,
      heights: [56, 48, 40, 32, 24],
      most: 1,
    },
    {
      text: pin === '' ? '' : 'To change settings: user admin, the PIN is the password.',
      heights: [20, 16],
      most: 2,
    },
    { text: fingerprint === '' ? '' : `Certificate ${fingerprint}`, heights: [20, 16], most: 4 },
    { text: `platen ${version}`, heights: [20, 16], most: 1 },
  ]
  return all.filter(({ text }) => text !== '')
}

/** Each text as large as it fits; those that no longer do are left out. */
function fillColumn(column: MarkColumn, lines: readonly StartLabelLine[], dpi: number): void {
  for (const { text, heights, most } of lines) {
    const [first, ...others] = heights
    const styles = [
      styleAt203(first, dpi),
      ...others.map((height) => styleAt203(height, dpi)),
    ] as const
    const fitted = fitText(text, column.width, styles, most)
    if (fitted.lines.length > most || !column.addLines(fitted.lines, fitted.style)) continue
    column.y += Math.round(fitted.style.height / 4)
  }
}

/** The QR code as large as the square allows: whole dots a module, with the quiet zone that readers need. */
async function placeQr(text: string, x: number, y: number, room: number): Promise<readonly Mark[]> {
  const code = await drawQr(text)
  const module = Math.floor(room / (code.size + 2 * code.quiet))
  if (module < 2) return []
  const edge = code.quiet * module
  return code.runs.map((run) => ({
    kind: 'box',
    x: x + edge + run.x * module,
    y: y + edge + run.y * module,
    width: run.length * module,
    height: module,
  }))
}

/** On large stock the code stands below the text, on small stock beside it. */
async function layOut(label: StartLabel, target: Target): Promise<readonly Mark[]> {
  const paper = measureStock(target)
  const { dpi } = target
  const margin = Math.round(dpi / 10)
  const isTall = paper.height >= paper.width
  const side = Math.floor(Math.min(paper.height - 2 * margin, paper.width * 0.38))
  const hasCode = label.url !== ''
  const left = isTall || !hasCode ? margin : margin + side
  const [right, bottom] = [paper.width - margin, paper.height - margin]
  const column = new MarkColumn({ left, right, top: margin, bottom })
  fillColumn(column, listLines(label), dpi)
  const { marks, y: end } = column
  if (!hasCode) return marks
  const below = Math.min(paper.height - margin - end, paper.width - 2 * margin, dpi * 2)
  const at = isTall ? { x: margin, y: end, room: below } : { x: 0, y: margin, room: side + margin }
  return [...marks, ...(await placeQr(label.url, at.x, at.y, at.room))]
}

/** Writes the label as EPL text, for a printer whose language is unknown, as the test label does (EPL2 Programming Guide: A). */
function writeEpl(label: StartLabel): Uint8Array {
  const texts = [
    'LABEL PRINT SERVER',
    label.url || 'NO NETWORK',
    label.name,
    label.pin && `PIN ${label.pin}`,
  ]
  const lines = texts
    .filter((text) => text !== '')
    .map(
      (text, index) => `A30,${20 + index * 40},0,3,1,1,N,"${text.replace(/[^ !#-[\]-~]/g, '?')}"\n`,
    )
  return Buffer.from(`\nN\n${lines.join('')}P1\n`, 'latin1')
}

/**
 * Draws the start label: where the box is and how to log in. There is never a preview: whoever sees the page would see the
 * PIN, which only the paper beside the box may tell.
 * @throws LabelFault FIELD_INVALID for a label beyond all measure
 */
export async function renderStartLabel(label: StartLabel, target: Target): Promise<RenderedLabel> {
  if (target.language === undefined)
    return { bytes: writeEpl(label), preview: undefined, notes: [] }
  const paper = measureStock(target)
  const font = await loadFont(Object.values(label).join(''))
  const clean = (text: string) => makePrintable(text, font.has).text.replaceAll('\n', ' ')
  const printable = { ...label, name: clean(label.name), alias: clean(label.alias) }
  const marks = await layOut(printable, target)
  const raster = drawPage(marks, paper, createPen(font), () => [])
  return { bytes: encodeDrawing(raster, target.language, target), preview: undefined, notes: [] }
}
