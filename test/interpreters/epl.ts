import {
  blacken,
  type Canvas,
  copyDots,
  createCanvas,
  obey,
  outline,
  type Pretended,
  type Printed,
  pack,
  Reader,
  type Rule,
} from './canvas.ts'

/** Widths and heights of the fonts 1 to 5 at 203 dpi. */
const FONTS: readonly (readonly [number, number])[] = [
  [8, 12],
  [10, 16],
  [12, 20],
  [14, 24],
  [32, 48],
]

/** The default width of the image buffer, which is the head of a 2844. */
const HEAD_DOTS = 832

/**
 * A pretended EPL2 printer in page mode, written from the EPL Programming Guide: buffer, GW, lines and boxes are
 * exact, text is a black box of its size, barcodes are left out. Unknown commands are faults, as in a test they
 * should be.
 * @param stock size of the paper in dots; the buffer is cut to it
 */
export function interpretEpl(
  job: Uint8Array,
  stock: { width: number; height: number },
): readonly Printed[] {
  const reader = new Reader(job)
  const canvas = createCanvas(HEAD_DOTS, stock.height)
  const printer: Pretended = { stock, printed: [], settings: {}, canvas, origin: { x: 0, y: 0 } }
  while (!reader.isAtEnd) {
    const graphic = reader.match(/GW(\d+),(\d+),(\d+),(\d+)[,\n]/)
    if (graphic) writeGraphic(printer, graphic.map(Number), reader)
    else obey(RULES, printer, reader.line())
  }
  return printer.printed
}

/** The data of GW is counted, not delimited: any byte may be in it. */
function writeGraphic(printer: Pretended, values: readonly number[], reader: Reader): void {
  const [x = 0, y = 0, widthBytes = 0, rows = 0] = values
  const { canvas, origin } = printer
  if (x + widthBytes * 8 > canvas.width) throw new Error(`GW at ${x} is beyond the label`)
  const at = { x: x + origin.x, y: y + origin.y, widthBytes, rows }
  copyDots(canvas, at, reader.bytes(widthBytes * rows), 0)
}

const RULES: readonly Rule<Pretended>[] = [
  // Line ends, the language's name, options of the printer, the length of the form.
  [/^($|EPL2$|O[A-Z]|Z[TB]$|I8|J[BF]$|Q\d+,B?\d+|U[NS]$)/, () => undefined],
  [/^[Bb]\d+,\d+,.*"$/, () => undefined],
  [/^N$/, (printer) => clear(printer, printer.canvas.width)],
  [
    /^q(\d+)$/,
    (printer, [width = '']) => {
      // Resizing clears the buffer, centers it under the head and undoes R.
      clear(printer, Number(width))
      printer.origin = { x: 0, y: 0 }
      printer.settings['q'] = width
    },
  ],
  [
    /^R(\d+),(\d+)$/,
    (printer, [x, y]) => {
      printer.origin = { x: Number(x), y: Number(y) }
    },
  ],
  [/^(D)(\d|1[0-5])$/, keep],
  [/^(S)([1-6])$/, keep],
  [
    /^P(\d+)(?:,\d+)?$/,
    ({ printed, canvas, stock, settings }, [copies]) => {
      const raster = pack(cut(canvas, stock.width))
      printed.push({ raster, settings: { ...settings }, copies: Number(copies) })
    },
  ],
  [
    /^LO(\d+),(\d+),(\d+),(\d+)$/,
    ({ canvas, origin }, values) => {
      const [x = 0, y = 0, width = 0, height = 0] = values.map(Number)
      blacken(canvas, origin.x + x, origin.y + y, width, height)
    },
  ],
  [
    /^X(\d+),(\d+),(\d+),(\d+),(\d+)$/,
    ({ canvas }, values) => {
      const [x = 0, y = 0, thick = 0, right = 0, bottom = 0] = values.map(Number)
      outline(canvas, [x, y, right, bottom], thick)
    },
  ],
  [
    /^A(\d+),(\d+),0,([1-5]),(\d),(\d),[NR],"(.*)"$/,
    ({ canvas, origin }, values) => {
      const [x = 0, y = 0, font = 1, wide = 1, high = 1] = values.slice(0, 5).map(Number)
      const [width, height] = FONTS[font - 1] ?? [0, 0]
      const letters = (values[5] ?? '').replace(/\\(.)/g, '$1').length
      blacken(canvas, origin.x + x, origin.y + y, width * wide * letters, height * high)
    },
  ],
]

function clear(printer: Pretended, width: number): void {
  printer.canvas = createCanvas(width, printer.stock.height)
}

function keep(printer: Pretended, [name = '', value = '']: readonly string[]): void {
  printer.settings[name] = value
}

/** The paper under the buffer, which a buffer of whole bytes may exceed by some dots. */
function cut(canvas: Canvas, width: number): Canvas {
  const paper = createCanvas(width, canvas.height)
  for (let y = 0; y < canvas.height; y++) {
    const row = canvas.dots.subarray(y * canvas.width, (y + 1) * canvas.width)
    paper.dots.set(row.subarray(0, width), y * width)
    if (row.subarray(width).includes(1)) throw new Error(`row ${y} has black dots beside the paper`)
  }
  return paper
}
