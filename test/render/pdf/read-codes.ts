import { readBarcodes } from 'zxing-wasm/reader'
import type { Rendered } from '../../../src/render/target.ts'

/** The texts of all codes on what is printed. */
export async function readCodes({
  preview = new Uint8Array(),
}: Rendered): Promise<readonly string[]> {
  return (await readBarcodes(preview, { tryHarder: true })).map(({ text }) => text)
}
