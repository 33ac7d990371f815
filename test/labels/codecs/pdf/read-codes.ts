import { readBarcodes } from 'zxing-wasm/reader'
import type { RenderedLabel } from '../../../../src/labels/target.ts'
import { loadReader } from '../../barcodes.ts'

let ready: Promise<void> | undefined

/** The texts of all codes on what is printed. */
export async function readCodes({
  preview = new Uint8Array(),
}: Pick<RenderedLabel, 'preview'>): Promise<readonly string[]> {
  ready ??= loadReader()
  await ready
  return (await readBarcodes(preview, { tryHarder: true })).map(({ text }) => text)
}
