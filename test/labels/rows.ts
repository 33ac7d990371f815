import type { Decoder, Divisor } from '../../src/labels/codecs/decoder.ts'

/** All rows of a picture, top to bottom. */
export async function decodeRows(
  decoder: Decoder,
  bytes: Uint8Array,
  divisor: Divisor = 1,
): Promise<number[][]> {
  const rows: number[][] = []
  await decoder.decode(bytes, divisor, (row) => rows.push(numbersOf(row)))
  return rows
}

/** By a loop: a spread takes ten times as long. */
function numbersOf(row: Uint8Array): number[] {
  const numbers = new Array<number>(row.length)
  for (let x = 0; x < row.length; x++) numbers[x] = row[x] ?? Number.NaN
  return numbers
}
