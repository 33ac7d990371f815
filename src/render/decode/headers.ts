import type { PictureFormat } from '../detect.ts'
import type { Header } from './decoder.ts'
import { readGifHeader } from './gif-header.ts'
import { readJpegHeader } from './jpeg-header.ts'
import { readPngHeader } from './png-header.ts'

/**
 * The header readers alone, for those who look at pictures without decoding them: importing the decoders would load
 * their packages into the server's own process (16 MB together). The type keeps this in step with `./index.ts`.
 */
export const headers = {
  png: readPngHeader,
  jpeg: readJpegHeader,
  gif: readGifHeader,
} as const satisfies Record<PictureFormat, (bytes: Uint8Array) => Header>
