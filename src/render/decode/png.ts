import type { Decoder, Divisor, TakeRow } from './decoder.ts'
import { decodePng, decodePngBits } from './png/decode.ts'
import { readPngHeader } from './png-header.ts'

/** PNG of every colour type and depth. Gamma and colour profiles are not obeyed: labels are drawn for screens. */
export const png = {
  format: 'png',
  header: readPngHeader,
  decode,
  decodeBits,
} as const satisfies Decoder<'png'>

async function decode(bytes: Uint8Array, _divisor: Divisor, take: TakeRow): Promise<void> {
  await decodePng(bytes, readPngHeader(bytes), take)
}

async function decodeBits(bytes: Uint8Array, take: TakeRow): Promise<void> {
  await decodePngBits(bytes, readPngHeader(bytes), take)
}
