import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import bwipJs from 'bwip-js/node'
import sharp from 'sharp'
import { prepareZXingModule, type ReadInputBarcodeFormat, readBarcodes } from 'zxing-wasm/reader'
import { renderPicture } from '../../src/labels/render.ts'
import type { Target } from '../../src/labels/target.ts'

/** A symbol whose modules are `module` pixels wide, edges smoothed, printed at `scale` dots for a pixel. */
export interface BarcodeCase {
  readonly kind: keyof typeof SYMBOLS
  readonly module: number
  readonly scale: number
}

const SYMBOLS = {
  code128: { text: '1Z999AA10123456784', format: 'Code128', more: { height: 12 } },
  pdf417: { text: 'PDF417 0123456789 ABCDEFGHIJ', format: 'PDF417', more: { columns: 4 } },
  datamatrix: { text: 'DATAMATRIX 0123456789', format: 'DataMatrix', more: {} },
  qrcode: { text: 'HTTPS://LABELS.EXAMPLE/R/9F3K2', format: 'QRCode', more: {} },
} as const satisfies Record<string, { text: string; format: ReadInputBarcodeFormat; more: object }>

const KINDS = ['code128', 'pdf417', 'datamatrix', 'qrcode'] as const
const MODULES = [2.2, 2.5, 3, 3.3, 4, 4.4]
const SCALES = [0.5, 0.58, 0.68, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5]
const DPI = 203
const OVERSAMPLED = 20 // pixels a module, before it is made smaller
const MARGIN_MODULES = 12

const WASM = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')

/** Makes the reader ready; it would fetch its program from the network. */
export async function loadReader(): Promise<void> {
  const wasmBinary = new Uint8Array(readFileSync(WASM)).buffer
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
}

/** All 240. */
export const BARCODE_CASES: readonly BarcodeCase[] = KINDS.flatMap((kind) =>
  MODULES.flatMap((module) => SCALES.map((scale) => ({ kind, module, scale }))),
)

/** Draws a case, sends it through the whole pipeline and tells whether the dots can be read. */
export async function isReadable({ kind, module, scale }: BarcodeCase): Promise<boolean> {
  const { text, format, more } = SYMBOLS[kind]
  const symbol = await bwipJs.toBuffer({
    bcid: kind,
    text,
    scale: OVERSAMPLED,
    padding: MARGIN_MODULES,
    backgroundcolor: 'FFFFFF',
    ...more,
  })
  const { width = 0, height = 0 } = await sharp(symbol).metadata()
  const factor = module / OVERSAMPLED
  const size = { width: Math.round(width * factor), height: Math.round(height * factor) }
  const label = await sharp(symbol)
    .flatten({ background: '#fff' })
    .resize({ ...size, fit: 'fill', kernel: 'linear' })
    .png()
    .toBuffer()
  const { preview } = await renderPicture(label, 'png', targetOf(size, scale))
  const found = await readBarcodes(preview ?? new Uint8Array(), {
    tryHarder: true,
    formats: [format],
  })
  return found.some((symbol) => symbol.text === text)
}

/** Stock a little larger than the picture at this scale. */
function targetOf(size: { width: number; height: number }, scale: number): Target {
  return {
    language: 'zpl',
    dpi: DPI,
    labelWidth: (size.width * scale + 40) / DPI,
    labelHeight: (size.height * scale + 40) / DPI,
    pictureDpi: DPI / scale,
    startingPointX: 0,
    startingPointY: 0,
    rotate: 0,
    darkness: undefined,
    speed: undefined,
    z64: false,
  }
}
