import type { Decoder, Divisor, TakeRow } from './decoder.ts'
import { decodeJpeg } from './jpeg/decode.ts'
import { readJpegHeader } from './jpeg-header.ts'

/** Baseline and progressive JPEG of 8 bits a sample, in grey, colour and CMYK; of all of them luma alone is decoded. */
export const jpeg = {
  format: 'jpeg',
  header: readJpegHeader,
  decode,
} as const satisfies Decoder<'jpeg'>

async function decode(bytes: Uint8Array, divisor: Divisor, take: TakeRow): Promise<void> {
  if (readJpegHeader(bytes).isStreamed) {
    decodeJpeg(bytes, divisor, take)
    return
  }
  const { decodeByJpegJs } = await import('./fallback/jpeg-js.ts')
  decodeByJpegJs(bytes, take)
}
