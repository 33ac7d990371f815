import type { Decoder } from './decoder.ts'
import { gif } from './gif.ts'
import { jpeg } from './jpeg.ts'
import { png } from './png.ts'

/** Every picture format that can be printed. */
export const decoders = [png, jpeg, gif] as const

/** The name of a picture format, e.g. `png`. */
export type PictureFormat = (typeof decoders)[number]['format']

/** In the order of the list. */
export const pictureFormats: readonly PictureFormat[] = decoders.map(({ format }) => format)

const byFormat: ReadonlyMap<string, Decoder<PictureFormat>> = new Map(
  decoders.map((decoder) => [decoder.format, decoder]),
)

/** The decoder of a format; undefined when it is no picture's. */
export function findDecoder(format: PictureFormat): Decoder<PictureFormat>
export function findDecoder(format: string): Decoder<PictureFormat> | undefined
export function findDecoder(format: string): Decoder<PictureFormat> | undefined {
  return byFormat.get(format)
}

/** True when the format is a picture's, so that rendering has to draw it. */
export function isPicture(format: string): format is PictureFormat {
  return byFormat.has(format)
}
