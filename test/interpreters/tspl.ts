import {
  blacken,
  type Canvas,
  copyDots,
  createCanvas,
  obey,
  outline,
  type Printed,
  pack,
  Reader,
  type Rule,
} from './canvas.ts'

interface Printer {
  readonly dpi: number
  readonly printed: Printed[]
  readonly settings: Record<string, string>
  size: { width: number; height: number }
  canvas: Canvas | undefined
}

/**
 * A pretended TSPL printer: SIZE, CLS, BITMAP, BAR and BOX are exact, text is a black box, barcodes are left out as
 * the clones leave them out. Unknown commands and values out of range are faults, END among them.
 */
export function interpretTspl(job: Uint8Array, dpi: number): readonly Printed[] {
  const reader = new Reader(job)
  const size = { width: 0, height: 0 }
  const printer: Printer = { dpi, printed: [], settings: {}, size, canvas: undefined }
  while (!reader.isAtEnd) {
    const bitmap = reader.match(/BITMAP (\d+),(\d+),(\d+),(\d+),0,/)
    if (bitmap) writeBitmap(printer, bitmap.map(Number), reader)
    else obey(RULES, printer, reader.line())
  }
  return printer.printed
}

/** The data of BITMAP is counted, not delimited: any byte may be in it. */
function writeBitmap(printer: Printer, values: readonly number[], reader: Reader): void {
  const [x = 0, y = 0, widthBytes = 0, rows = 0] = values
  copyDots(need(printer), { x, y, widthBytes, rows }, reader.bytes(widthBytes * rows), 0)
  if (reader.line() !== '') throw new Error('no line end after the data of BITMAP')
}

const RULES: readonly Rule<Printer>[] = [
  [/^$/, () => undefined],
  [/^(?:BARCODE|QRCODE|DMATRIX|PDF417) /, () => undefined],
  [
    /^SIZE ([\d.]+)( mm)?, ?([\d.]+)(?: mm)?$/,
    (printer, [width, unit, height]) => {
      const perUnit = unit === ' mm' ? printer.dpi / 25.4 : printer.dpi
      printer.size = {
        width: Math.round(Number(width) * perUnit),
        height: Math.round(Number(height) * perUnit),
      }
    },
  ],
  [/^(DENSITY) (\d|1[0-5])$/, keep],
  [/^(SPEED) (\d|1[0-8])$/, keep],
  [/^(DIRECTION) ([01](?:,[01])?)$/, keep],
  [/^(GAP|BLINE|REFERENCE|OFFSET|SHIFT|CODEPAGE|SET) (.+)$/, keep],
  [
    /^CLS$/,
    (printer) => {
      printer.canvas = createCanvas(printer.size.width, printer.size.height)
    },
  ],
  [
    /^PRINT (\d+)(?:,\d+)?$/,
    (printer, [copies]) => {
      const { printed, settings } = printer
      const raster = pack(need(printer))
      printed.push({ raster, settings: { ...settings }, copies: Number(copies) })
    },
  ],
  [
    /^BAR (\d+),(\d+),(\d+),(\d+)$/,
    (printer, values) => {
      const [x = 0, y = 0, width = 0, height = 0] = values.map(Number)
      blacken(need(printer), x, y, width, height)
    },
  ],
  [
    /^BOX (\d+),(\d+),(\d+),(\d+),(\d+)$/,
    (printer, values) => {
      const [x = 0, y = 0, right = 0, bottom = 0, thick = 0] = values.map(Number)
      outline(need(printer), [x, y, right, bottom], thick)
    },
  ],
  [
    /^TEXT (\d+),(\d+),"[^"]+",0,(\d),(\d),"(.*)"$/,
    (printer, values) => {
      const [x = 0, y = 0, wide = 1, high = 1] = values.slice(0, 4).map(Number)
      blacken(need(printer), x, y, 12 * wide * (values[4] ?? '').length, 20 * high)
    },
  ],
]

function need(printer: Printer): Canvas {
  if (printer.canvas === undefined || printer.size.width === 0) {
    throw new Error('SIZE and CLS come first')
  }
  return printer.canvas
}

function keep(printer: Printer, [name = '', value = '']: readonly string[]): void {
  printer.settings[name] = value
}
