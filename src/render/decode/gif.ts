import type { Decoder, Divisor, TakeRow } from './decoder.ts'
import { decodeGif } from './gif/decode.ts'
import { readGifHeader } from './gif-header.ts'

/** The first picture of a GIF on its screen; what it leaves open is transparent, so white. */
export const gif = {
  format: 'gif',
  header: readGifHeader,
  decode,
} as const satisfies Decoder<'gif'>

function decode(bytes: Uint8Array, _divisor: Divisor, take: TakeRow): Promise<void> {
  return new Promise((resolve) => {
    decodeGif(bytes, readGifHeader(bytes), take)
    resolve()
  })
}
