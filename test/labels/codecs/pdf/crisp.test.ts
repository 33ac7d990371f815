import t from 'tap'
import { loadReader } from '../../barcodes.ts'
import { drawAll } from './draw.ts'
import { drawSymbol, LABEL, makePdf, type Style, SYMBOLS } from './make-pdf.ts'
import { readCodes } from './read-codes.ts'

const INCH = 72
/** Widths of modules that carriers use, in points. */
const MODULES = {
  '2 dots': (2 * INCH) / 203,
  '3 dots': (3 * INCH) / 203,
  '10 mil': 0.01 * INCH,
  '13 mil': 0.013 * INCH,
  '0.33 mm': (0.33 / 25.4) * INCH,
} as const
const STYLES: readonly Style[] = ['rectangles', 'path']
const KINDS = ['code128', 'pdf417', 'datamatrix', 'qrcode'] as const

t.before(loadReader)

for (const dpi of [203, 300]) {
  for (const kind of KINDS) {
    t.test(`${kind} as vectors is read at ${dpi} dpi, whatever its size and maker`, async (t) => {
      for (const [name, module] of Object.entries(MODULES)) {
        for (const [n, style] of STYLES.entries()) {
          // Two phases against the dots.
          const place = { x: 30 + n * 0.17, y: 150 + n * 0.11 }
          const content = await drawSymbol(kind, { ...place, module, style })
          const [label] = drawAll(makePdf([{ ...LABEL, content }]), { dpi })
          t.match(label && (await readCodes(label)), [SYMBOLS[kind].text], `${name}, ${style}`)
        }
      }
    })
  }
}

t.test('bars on the grid of the head come out as wide as they are, to the dot', async (t) => {
  const dot = INCH / 203
  const bars = [2, 3, 4, 5].map((dots, n) => `${(40 + n * 20) * dot} 100 ${dots * dot} 200 re f`)
  const [label] = drawAll(makePdf([{ ...LABEL, content: bars.join('\n') }]))
  const sharp = (await import('sharp')).default
  const { data, info } = await sharp(label?.preview)
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const row = data.subarray(600 * info.width, 601 * info.width)
  const widths: number[] = []
  let run = 0
  for (const luma of row) {
    if (luma < 128) run++
    else if (run > 0) {
      widths.push(run)
      run = 0
    }
  }
  t.same(widths, [2, 3, 4, 5])
})

t.test('hair lines do not vanish', (t) => {
  const [label] = drawAll(
    makePdf([{ ...LABEL, content: '20 100 200 0.1 re f\n20 200 200 0.24 re f' }]),
  )
  t.same(label?.notes, [], 'not blank')
  t.end()
})
