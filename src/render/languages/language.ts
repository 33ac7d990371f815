import type { Raster } from '../raster.ts'

/** What one label needs besides its dots. */
export interface Encoding {
  /** Width of the stock in dots of the head. */
  readonly widthDots: number
  /** Length of the stock in dots of the head. */
  readonly heightDots: number
  /** Dots per inch of the head. */
  readonly dpi: number
  /** 0..100 of the language's own range, or undefined: leave the printer's setting. */
  readonly darkness: number | undefined
  /** Inches per second, or undefined: leave the printer's setting. */
  readonly speed: number | undefined
  /** ZPL only: Z64 is safe to send. */
  readonly z64: boolean
}

/** A printer language. Adding one = one file with one of these, its test, one line in `./index.ts`. */
export interface Language<L extends string = string> {
  readonly language: L
  /** The whole job: state reset, the picture at the top left of the stock, print one. */
  encode(raster: Raster, encoding: Encoding): Uint8Array
}
