import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import bwipJs from 'bwip-js/node'
import jpegJs from 'jpeg-js'
import t from 'tap'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { type PictureFormat, png } from '../../src/labels/codecs/index.ts'
import { renderPicture } from '../../src/labels/render.ts'
import type { Target } from '../../src/labels/target.ts'
import { makeGif } from '../pictures/make-gif.ts'
import { makePng } from '../pictures/make-png.ts'
import { makeTarget } from './make-target.ts'

const TARGET = makeTarget()
const WASM = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
const ALL = ['Code128', 'DataMatrix', 'PDF417', 'QRCode'] as const

/** A gray picture with one symbol of each kind. */
class Page {
  readonly luma: Uint8Array
  readonly width: number
  readonly height: number

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.luma = new Uint8Array(width * height).fill(255)
  }

  async draw(options: Parameters<typeof bwipJs.toBuffer>[0], left: number, top: number) {
    const symbol = await bwipJs.toBuffer({ ...options, backgroundcolor: 'FFFFFF' })
    await png.decode(symbol, 1, (row, y) => this.luma.set(row, (top + y) * this.width + left))
  }
}

/** Symbols whose bars are `module` pixels wide, the two-dimensional ones twice that. */
async function drawPage(width: number, height: number, module: number, at = 0): Promise<Page> {
  const page = new Page(width, height)
  const [left, right] = [at + 20 * module, at + 150 * module]
  const scale = module
  await page.draw({ bcid: 'code128', text: '1Z999AA10123456784', scale, height: 25 }, left, left)
  await page.draw(
    { bcid: 'pdf417', text: 'PDF417 0123456789 ABCDEFGHIJ', scale },
    left,
    at + 150 * module,
  )
  await page.draw(
    { bcid: 'datamatrix', text: 'DATAMATRIX 1', scale: 2 * scale },
    left,
    at + 330 * module,
  )
  await page.draw(
    { bcid: 'qrcode', text: 'https://example.com/1Z9', scale: 2 * scale },
    right,
    at + 330 * module,
  )
  return page
}

function asPng({ width, height, luma }: Page): Uint8Array {
  const samples = (x: number, y: number): number[] => [(luma[y * width + x] ?? 0) >> 7]
  return makePng({ width, height, color: 0, depth: 1, samples, filter: () => 0 })
}

function asJpeg({ width, height, luma }: Page, quality: number, tone = (value: number) => value) {
  const data = Buffer.alloc(width * height * 4, 255)
  for (const [n, value] of luma.entries()) data.fill(tone(value), n * 4, n * 4 + 3)
  return jpegJs.encode({ width, height, data }, quality).data
}

/** Makes a GIF as UPS sends it: lying, with a blank tail. */
function asUpsGif({ width, height, luma }: Page): Uint8Array {
  const palette = [
    [255, 255, 255],
    [0, 0, 0],
  ] as const
  const index = (x: number, y: number): number =>
    x < height && (luma[x * width + (799 - y)] ?? 255) < 128 ? 1 : 0
  const whole = { x: 0, y: 0, width: 1400, height: 800, index }
  return makeGif({ width: 1400, height: 800, palette, frames: [whole] })
}

async function scan(label: Uint8Array, format: PictureFormat, more: Partial<Target> = {}) {
  const { preview } = await renderPicture(label, format, { ...TARGET, ...more })
  const found = await readBarcodes(preview ?? new Uint8Array(), {
    tryHarder: true,
    maxNumberOfSymbols: ALL.length,
    formats: [...ALL],
  })
  return found.flatMap((symbol) => (symbol.isValid ? [symbol.format] : [])).sort()
}

const ready = prepareZXingModule({
  overrides: { wasmBinary: new Uint8Array(readFileSync(WASM)).buffer },
  fireImmediately: true,
})

t.test('every symbol of a 203 dpi label scans: PNG, JPEG, the UPS GIF, a faded JPEG', async (t) => {
  await ready
  const page = await drawPage(812, 1218, 2)
  t.same(await scan(asPng(page), 'png'), ALL, 'PNG')
  t.same(await scan(asJpeg(page, 30), 'jpeg'), ALL, 'JPEG')
  t.same(await scan(asUpsGif(page), 'gif'), ALL, 'GIF')
  const faded = asJpeg(page, 80, (value) => (value < 128 ? 90 : 185))
  t.same(await scan(faded, 'jpeg'), ALL, 'faded')
})

t.test('a 203 dpi label scans from a 300 dpi head', async (t) => {
  await ready
  const page = await drawPage(812, 1218, 2)
  t.same(await scan(asPng(page), 'png', { dpi: 300 }), ALL)
})

t.test('a 300 dpi label scans from a 203 dpi head, fitted or of stated size', async (t) => {
  await ready
  const page = asPng(await drawPage(1200, 1800, 3))
  t.same(await scan(page, 'png'), ALL)
  t.same(await scan(page, 'png', { pictureDpi: 300 }), ALL)
})

t.test('a label in the corner of a letter page scans', async (t) => {
  await ready
  t.same(await scan(asPng(await drawPage(1726, 2233, 2, 60)), 'png'), ALL)
})
