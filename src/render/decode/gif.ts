import type { Decoder } from './decoder.ts'
import { readGifHeader } from './gif-header.ts'

/** The first picture of a GIF on its screen; what it leaves open is transparent, so white. */
export const gif = {
  format: 'gif',
  signs: ['GIF87a', 'GIF89a'],
  header: readGifHeader,
  async decode(bytes, _divisor, take) {
    const { decodeGif } = await import('./gif/decode.ts')
    decodeGif(bytes, readGifHeader(bytes), take)
  },
} as const satisfies Decoder<'gif'>
