import { type Raster, rowBytes } from '../languages/raster.ts'
import { ditherLimit } from './dither.ts'

/** Paint of a region: as the threshold has it, solid, in its own tone, or in its tone with clear rims around what is on it. */
export const AS_IS = 0
export const BLACK = 1
export const WHITE = 2
export const TONE = 3
export const MIXED = 4

/** Sets dots of a raster again. */
export class Painter {
  readonly #bits: Uint8Array
  readonly #stride: number

  constructor({ width, bits }: Raster) {
    this.#bits = bits
    this.#stride = rowBytes(width)
  }

  set(x: number, y: number, isBlack: boolean): void {
    const at = y * this.#stride + (x >> 3)
    const bit = 0x80 >> (x & 7)
    const byte = this.#bits[at] as number
    this.#bits[at] = isBlack ? byte | bit : byte & ~bit
  }

  /** A dot of something that is as light as `luma`. */
  put(x: number, y: number, paint: number, luma: number): void {
    if (paint === BLACK || paint === WHITE) this.set(x, y, paint === BLACK)
    else this.set(x, y, luma < ditherLimit(x, y))
  }
}
