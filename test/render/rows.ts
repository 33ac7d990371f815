import type { Decoder } from '../../src/render/decode/decoder.ts'

/** All rows of a picture, top to bottom. */
export function decodeRows(decoder: Decoder, bytes: Uint8Array): number[][] {
  const rows: number[][] = []
  decoder.decode(bytes, (row) => rows.push([...row]))
  return rows
}
