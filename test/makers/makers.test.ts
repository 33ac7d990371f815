import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { languages } from '../../src/labels/languages/index.ts'
import type { Raster } from '../../src/labels/languages/raster.ts'
import type { RenderedLabel } from '../../src/labels/target.ts'
import { interpret, isSame } from '../interpreters/paper.ts'
import { readSymbols } from '../interpreters/symbols.ts'
import { toRaster } from '../label-makers/gray.ts'
import { drawAll } from '../labels/codecs/pdf/draw.ts'
import { CODES, type Document, makeDocuments } from './documents.ts'
import { MAKERS, PYTHON } from './makers.ts'

const SOURCE_DPI = 400
const INCH = 72
const PROGRAMS = ['gs', 'pdftoppm', 'php', 'chromium']
const missing = PROGRAMS.filter((name) => spawnSync('which', [name]).status !== 0)
const modules = spawnSync(PYTHON, ['-c', 'import cairo, reportlab'])
const hasFpdf = existsSync('/usr/share/php/fpdf/fpdf.php')
const skip =
  missing.length === 0 && modules.status === 0 && hasFpdf
    ? false
    : `needs makers of PDFs: apt-get install ghostscript poppler-utils php-cli php-fpdf python3-cairo python3-reportlab chromium`

const EVERY_CODE = Object.fromEntries(Object.entries(CODES).map(([name, { text }]) => [name, text]))

for (const [maker, write] of Object.entries(MAKERS)) {
  t.test(`documents of ${maker} print as labels`, { skip }, async (t) => {
    const documents = await makeDocuments(maker, t.testdir())
    await write(documents)
    for (const document of documents) {
      await t.test(document.title, async (t) => {
        const source = await readSymbols(renderSource(document))
        t.same(source, EVERY_CODE, 'the document itself can be read')
        for (const dpi of [203, 300]) await checkLabel(t, document, { dpi, source })
      })
    }
  })
}

interface Wanted {
  readonly dpi: number
  readonly source: Readonly<Record<string, string>>
}

/** Every code of the source is read from the label, and each language prints the same dots. */
async function checkLabel(t: Test, document: Document, { dpi, source }: Wanted): Promise<void> {
  const pdf = readFileSync(document.file)
  const [label, ...others] = drawAll(pdf, { dpi })
  t.same(others, [], 'one page is one label')
  if (label === undefined) return
  t.same(label.notes, [], `nothing to tell at ${dpi} dpi`)
  const dots = await readDots(label)
  t.same(await readSymbols(dots), source, `every code is read at ${dpi} dpi`)
  if (document.edges.length > 0) checkEdges(t, dots, document.edges, dpi)
  if (document.isPicture && dpi === 203) {
    t.ok(isSame(dots, await readPicture(document)), 'a picture of the head comes dot for dot')
  }
  for (const { name, title } of languages) {
    const printer = { language: name, dpi, labelWidth: 4, labelHeight: 6 }
    const [drawn] = drawAll(pdf, { dpi, language: name })
    const [printed, ...more] = interpret(drawn?.bytes ?? new Uint8Array(), printer)
    t.same(more, [], 'one label')
    t.ok(printed && hasDots(printed.raster, dots), `the same dots in ${title} at ${dpi} dpi`)
  }
}

/** TSPL gives sizes in tenths of a millimeter, so its paper may be a dot larger. */
function hasDots(paper: Raster, dots: Raster): boolean {
  const stride = (dots.width + 7) >> 3
  const from = (paper.width + 7) >> 3
  return Array.from({ length: dots.height }, (_, y) => y).every((y) => {
    const row = paper.bits.subarray(y * from, y * from + stride)
    return Buffer.compare(row, dots.bits.subarray(y * stride, (y + 1) * stride)) === 0
  })
}

/** The label on the page as another renderer draws it, large. */
function renderSource({ file, label }: Document): Raster {
  const [x, y, width, height] = label.map((points) =>
    String(Math.round((points * SOURCE_DPI) / INCH)),
  )
  const args = ['-r', String(SOURCE_DPI), '-gray', '-singlefile']
  const part = ['-x', x, '-y', y, '-W', width, '-H', height].map(String)
  const pgm = execFileSync('pdftoppm', [...args, ...part, file], { maxBuffer: 2 ** 28 })
  const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(pgm.toString('latin1', 0, 64))
  const [{ length }, columns, rows] = head ?? ['', '0', '0']
  return toRaster({ width: Number(columns), height: Number(rows), luma: pgm.subarray(length) })
}

async function readDots({ preview }: Pick<RenderedLabel, 'preview'>): Promise<Raster> {
  const { data, info } = await sharp(preview)
    .flatten({ background: '#fff' })
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return toRaster({ width: info.width, height: info.height, luma: data })
}

function readPicture({ pictures }: Document): Promise<Raster> {
  const [file = ''] = pictures.map(([, , , , name]) => name)
  return readDots({ preview: readFileSync(file) })
}

/** Each edge of the bars lies on the nearest dot, so that none is wider than it is drawn. */
function checkEdges(t: Test, dots: Raster, edges: readonly number[], dpi: number): void {
  const y = Math.round((140 * dpi) / INCH)
  const stride = (dots.width + 7) >> 3
  const isDark = (x: number): boolean =>
    ((dots.bits[y * stride + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) !== 0
  const found = Array.from({ length: dots.width - 1 }, (_, x) => x + 1).filter(
    (x) => isDark(x) !== isDark(x - 1),
  )
  const wanted = edges.map((points) => (points * dpi) / INCH)
  t.equal(found.length, wanted.length, 'as many bars as are drawn')
  const off = wanted.map((edge, n) => (found[n] ?? 0) - edge)
  const growth = off.reduce((sum, error, n) => sum + (n % 2 ? error : -error), 0) / (off.length / 2)
  t.ok(Math.max(...off.map(Math.abs)) <= 0.51, `edges ${Math.max(...off.map(Math.abs))} dots off`)
  t.ok(Math.abs(growth) <= 0.1, `bars grow by ${growth.toFixed(2)} dots`)
}
