import type { Buffer } from 'node:buffer'
import type { Findings } from './finding.ts'
import type { Raster } from './raster.ts'
import type { Sign } from './sign.ts'
import type { StatusLanguage } from './status.ts'
import type { StockReader } from './stock.ts'

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

/** A printer language. Adding one = one folder whose `index.ts` exports one of these, its test, one line in `./index.ts`. */
export interface Language<N extends string = string> {
  /** As the configuration and the jobs write it. */
  readonly name: N
  /** For people, e.g. `ZPL`. */
  readonly title: string
  /** Whose printers speak it, in a few words: helps a person who has to choose. */
  readonly makers: string
  /** Words of COMMAND SET in IEEE 1284 device ids, in capitals. */
  readonly commandSets: readonly [string, ...string[]]
  /** Type of a document, as printers announce it in the network (`pdl`). */
  readonly mediaType: string
  /** How its labels are known. */
  readonly signs: readonly Sign[]
  /** The whole job: state reset, the picture at the top left of the stock, print one. */
  encode(raster: Raster, encoding: Encoding): Uint8Array
  /** Walks over a raw label and notes what spoils a printer, or the labels after this one. */
  scan(bytes: Buffer, from: number, findings: Findings): void
  /** What a raw label says of its stock. */
  readonly stock: StockReader
  /** How its printers are asked and calibrated. */
  readonly status: StatusLanguage
  /** Gets a printer out of half a label; left out = there is no such command. */
  readonly resync?: string
  /** The command that ends a label, where the printer waits for it; left out = nobody can tell whether it is missing. */
  readonly ending?: {
    readonly command: string
    isMissing(label: Uint8Array): boolean
  }
  /** Whether a label's beginning draws text or bar codes by commands, which printers of pictures only leave out. */
  drawsText?(beginning: string): boolean
}
