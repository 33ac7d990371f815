import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader'
import type { Raster } from '../../src/labels/languages/raster.ts'
import { toRgba } from '../label-makers/files.ts'
import { fromRaster } from '../label-makers/gray.ts'

/** The formats that carriers print, by the reader's names; MaxiCode is found in a crop only. */
export const FORMATS = ['Code128', 'PDF417', 'DataMatrix', 'QRCode'] as const

const wasm = readFileSync(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))

/** Reads the symbols of a raster as a scanner would, by format; a symbol that cannot be read is missing. */
export async function readSymbols(
  raster: Raster,
  formats: NonNullable<ReaderOptions['formats']> = [...FORMATS],
): Promise<Record<string, string>> {
  // Without the bytes at hand the package would fetch them from the network.
  const wasmBinary = new Uint8Array(wasm).buffer
  await prepareZXingModule({ overrides: { wasmBinary }, equalityFn: alike, fireImmediately: true })
  const data = new Uint8ClampedArray(toRgba(fromRaster(raster)))
  const { width, height } = raster
  const found = await readBarcodes(
    { data, width, height, colorSpace: 'srgb' },
    { formats, tryHarder: true, maxNumberOfSymbols: 8 },
  )
  return Object.fromEntries(found.map((symbol) => [symbol.format, symbol.text]))
}

/** The module is started once, whatever buffer a later call brings. */
function alike(): boolean {
  return true
}
