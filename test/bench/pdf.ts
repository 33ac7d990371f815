import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Pdfs } from '../../src/core/drawing/pdf.ts'
import { renderPage } from '../../src/labels/render.ts'
import { loadReader } from '../labels/barcodes.ts'
import { drawAll } from '../labels/codecs/pdf/draw.ts'
import { drawSymbol, drawText, LABEL, makePdf } from '../labels/codecs/pdf/make-pdf.ts'
import { countRead, makeSet, SYMBOLS_A_PAGE } from '../labels/codecs/pdf/symbol-set.ts'
import { makeTarget } from '../labels/make-target.ts'
import { atMost } from './once.ts'
import { median } from './process.ts'
import type { Row } from './row.ts'

const ROUNDS = atMost(7)
const PAGES = 20
const DIST = pathToFileURL(join(import.meta.dirname, '../../dist/'))
const FILES = {
  entry: new URL('labels/pdf-child.js', DIST),
  wasm: new URL('pdfium.wasm', DIST),
}
const PAPER = { canvas: { width: 812, height: 1218 }, dpi: 203, rotate: 'auto' } as const
const TARGET = makeTarget()
/** A first page may take so much longer than with pdftoppm, which is native. */
const FIRST_SHARE = 2.5
const CHILD_MB = 90

/** Other ways from a PDF to the dots of its first page; `$1` is the file. */
const GRAY = '-r 203 -gray -f 1 -l 1 -singlefile "$1"'
const GHOSTSCRIPT =
  'gs -q -dBATCH -dNOPAUSE -sDEVICE=pgmraw -r203 -dTextAlphaBits=4 -dGraphicsAlphaBits=4 -dLastPage=1 -sOutputFile=- "$1"'
const PEERS = {
  pdftoppm: `pdftoppm ${GRAY}`,
  'pdftoppm | ImageMagick': `pdftoppm ${GRAY} | convert - -monochrome pbm:-`,
  'pdftoppm | GraphicsMagick': `pdftoppm ${GRAY} | gm convert - -monochrome pbm:-`,
  'Ghostscript | ImageMagick': `${GHOSTSCRIPT} | convert - -monochrome pbm:-`,
  'Ghostscript | GraphicsMagick': `${GHOSTSCRIPT} | gm convert - -monochrome pbm:-`,
} as const satisfies Record<string, string>
const ALL_PAGES = 'pdftoppm -r 203 -gray "$1"'

/** PDF to printer bytes beside poppler and Ghostscript: a first page with the child's start, the pages after it, memory, codes read. */
export async function* benchPdf(): AsyncGenerator<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'platen-bench-'))
  try {
    const file = join(folder, 'labels.pdf')
    const pdf = await makeLabels(1)
    writeFileSync(file, pdf)
    const all = join(folder, 'all.pdf')
    const pages = await makeLabels(PAGES)
    writeFileSync(all, pages)
    yield* await benchTimes({ pdf, file, pages, all })
    yield* await benchCodes(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Letters and four codes of 13 mil on each page. */
async function makeLabels(pages: number): Promise<Buffer> {
  const symbol = (kind: Parameters<typeof drawSymbol>[0], x: number, y: number) =>
    drawSymbol(kind, { x, y, module: 0.936, style: 'rectangles' })
  const symbols = await Promise.all([
    symbol('code128', 36, 280),
    symbol('pdf417', 36, 180),
    symbol('datamatrix', 36, 60),
    symbol('qrcode', 170, 60),
  ])
  const text = Array.from({ length: 8 }, (_, n) =>
    drawText('Jane Doe, 12 Main Street, Springfield', 36, 415 - n * 10, 9),
  )
  const content = [...text, ...symbols].join('\n')
  return makePdf(Array.from({ length: pages }, () => ({ ...LABEL, content })))
}

interface Files {
  readonly pdf: Uint8Array
  readonly file: string
  /** The same page many times. */
  readonly pages: Uint8Array
  readonly all: string
}

async function benchTimes({ pdf, file, pages, all }: Files): Promise<readonly Row[]> {
  const [first, later, memory]: [number[], number[], number[]] = [[], [], []]
  const peers = new Map(Object.keys(PEERS).map((name) => [name, [] as number[]]))
  const popplerPages: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    first.push((await drawPages(pdf)).firstMs)
    const ours = await drawPages(pages)
    later.push(ours.laterMs)
    memory.push(ours.childMb)
    for (const [name, command] of Object.entries(PEERS)) {
      const ms = await timeCommand(command, file)
      if (ms === undefined) peers.delete(name)
      else peers.get(name)?.push(ms)
    }
    popplerPages.push(((await timeCommand(ALL_PAGES, all)) ?? Number.NaN) / PAGES)
  }
  const rows = [...peers].map(([peerName, times]): Row => {
    const share = peerName === 'pdftoppm' ? FIRST_SHARE : 1
    const peer = median(times)
    const goal = peerName.startsWith('pdftoppm |') ? undefined : peer * share
    return { what: 'PDF of 4x6, first page, ms', ours: median(first), goal, peer, peerName }
  })
  const poppler = median(peers.get('pdftoppm') ?? [Number.NaN])
  const page = { what: 'PDF of 4x6, each page after it, ms', ours: median(later) }
  return [
    ...rows,
    { ...page, goal: poppler, peer: poppler, peerName: 'pdftoppm, a page' },
    {
      ...page,
      goal: undefined,
      peer: median(popplerPages),
      peerName: `pdftoppm, of ${PAGES} pages`,
    },
    {
      what: 'PDF of 4x6, the most memory of the child, MB',
      ours: median(memory),
      goal: CHILD_MB,
      peer: CHILD_MB,
      peerName: 'goal',
    },
  ]
}

/** With a child of its own, its start included, as after a pause; then the other pages. */
async function drawPages(pdf: Uint8Array) {
  const children = new Set(childrenOf(process.pid))
  const pdfs = new Pdfs(FILES)
  try {
    const began = performance.now()
    const draw = async (page: number): Promise<void> => {
      const { plane, notes } = await pdfs.draw(pdf, { page, area: undefined }, PAPER)
      renderPage({ ...plane, notes }, TARGET)
    }
    const labels = await pdfs.list(pdf, { pages: undefined, area: undefined }, PAPER)
    await draw(1)
    const firstMs = performance.now() - began
    const again = performance.now()
    for (const { page } of labels.slice(1)) await draw(page)
    const laterMs = (performance.now() - again) / (labels.length - 1)
    const child = childrenOf(process.pid).find((pid) => !children.has(pid))
    return { firstMs, laterMs, childMb: peakMb(child) }
  } finally {
    pdfs.close()
  }
}

function childrenOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean)
}

function peakMb(pid: string | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

/** Undefined when one of its programs is not there. */
async function timeCommand(command: string, file: string): Promise<number | undefined> {
  const began = performance.now()
  const child = spawn('bash', ['-o', 'pipefail', '-c', command, '-', file], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child.stdout.resume()
  const [status] = await once(child, 'close')
  return status === 0 ? performance.now() - began : undefined
}

/** The 360 codes that carriers' programs may draw, read from our dots and from poppler's with a threshold. */
async function benchCodes(folder: string): Promise<readonly Row[]> {
  await loadReader()
  const rows: Row[] = []
  for (const [dpi, goal] of [
    [203, 17],
    [300, 0],
  ] as const) {
    const unread = { ours: 0, poppler: 0 }
    for (const { pdf } of await makeSet()) {
      const [label] = drawAll(pdf, { dpi, labelWidth: 6, labelHeight: 6 })
      unread.ours += SYMBOLS_A_PAGE - (await countRead(label?.preview ?? new Uint8Array()))
      unread.poppler += SYMBOLS_A_PAGE - (await countRead(await drawByPoppler(pdf, folder, dpi)))
    }
    rows.push({
      what: `PDF, codes unread of 360 at ${dpi} dpi`,
      ours: unread.ours,
      goal,
      peer: unread.poppler,
      peerName: 'pdftoppm and a threshold',
    })
  }
  return rows
}

async function drawByPoppler(pdf: Uint8Array, folder: string, dpi: number): Promise<Uint8Array> {
  const file = join(folder, 'set.pdf')
  writeFileSync(file, pdf)
  const args = ['-r', String(dpi), '-gray', '-png', '-singlefile', file, join(folder, 'set')]
  const [status] = await once(spawn('pdftoppm', args, { stdio: 'ignore' }), 'close')
  if (status !== 0) return new Uint8Array()
  const { default: sharp } = await import('sharp')
  return sharp(join(folder, 'set.png')).threshold(128).png().toBuffer()
}
