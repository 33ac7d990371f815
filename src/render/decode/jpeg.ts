import type { Decoder } from './decoder.ts'
import { readJpegHeader } from './jpeg-header.ts'

/** Baseline and progressive JPEG of 8 bits a sample, in gray, color and CMYK; of all of them luma alone is decoded. */
export const jpeg = {
  format: 'jpeg',
  signs: ['\xff\xd8\xff'],
  header: readJpegHeader,
  async decode(bytes, divisor, take) {
    if (readJpegHeader(bytes).isStreamed) {
      const { decodeJpeg } = await import('./jpeg/decode.ts')
      decodeJpeg(bytes, divisor, take)
      return
    }
    const { decodeByJpegJs } = await import('./fallback/jpeg-js.ts')
    decodeByJpegJs(bytes, take)
  },
} as const satisfies Decoder<'jpeg'>
