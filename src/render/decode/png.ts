import type { Decoder } from './decoder.ts'
import { readPngHeader } from './png-header.ts'

/** PNG of every color type and depth. Gamma and color profiles are not obeyed: labels are drawn for screens. */
export const png = {
  format: 'png',
  signs: ['\x89PNG\r\n\x1a\n'],
  header: readPngHeader,
  async decode(bytes, _divisor, take) {
    const { decodePng } = await import('./png/decode.ts')
    await decodePng(bytes, readPngHeader(bytes), take)
  },
  async decodeBits(bytes, take) {
    const { decodePngBits } = await import('./png/decode.ts')
    await decodePngBits(bytes, readPngHeader(bytes), take)
  },
} as const satisfies Decoder<'png'>
