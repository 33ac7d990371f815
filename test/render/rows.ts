import type { Decoder, Divisor } from '../../src/render/decode/decoder.ts'

/** All rows of a picture, top to bottom. */
export async function decodeRows(
  decoder: Decoder,
  bytes: Uint8Array,
  divisor: Divisor = 1,
): Promise<number[][]> {
  const rows: number[][] = []
  await decoder.decode(bytes, divisor, (row) => rows.push([...row]))
  return rows
}
