import type { Buffer } from 'node:buffer'
import type { RawExtent } from './dots.ts'
import type { PortQuestion } from './questions.ts'
import type { Raster } from './raster.ts'
import type { StatusLanguage, Tracking } from './status.ts'
import type { StreamCommands, StreamLines } from './stream.ts'
import type { PrintedText } from './texts.ts'

/** Settings of one label besides its dots. Decision `found-commands`. */
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
  /** The name in the configuration and in jobs. */
  readonly name: N
  /** For people, e.g. `ZPL`. */
  readonly title: string
  /** Makers of printers that speak it, in a few words: helps a person who has to choose. */
  readonly makers: string
  /** Words of COMMAND SET in IEEE 1284 device ids, in capitals. */
  readonly commandSets: readonly [string, ...string[]]
  /** Type of a document, as printers announce it in the network (`pdl`). */
  readonly mediaType: string
  /** Endings of its files without the dot, in small letters. */
  readonly fileEndings: readonly [string, ...string[]]
  /** Signs by which its labels are known. */
  readonly signs: readonly LanguageSign[]
  /** Texts that its labels mostly begin with, in capitals, for hints where only those are seen, or only their base64. */
  readonly beginnings: readonly [string, ...string[]]
  /** Tells whether all but the data and the words of a label that begins at `start` is plain text, as its commands are. */
  isPlain(bytes: Buffer, start: number): boolean
  /** The whole job: state reset, the picture at the top left of the stock, print one. */
  encode(raster: Raster, encoding: Encoding): Uint8Array
  /**
   * Walks over a raw label and notes what spoils a printer, or the labels after this one. Pauses every `SCANNED_A_TURN`
   * bytes or so: a label of 16 MB takes longer than others should wait.
   */
  scan(bytes: Buffer, from: number, findings: Findings): Generator<void, void, undefined>
  /** Reader of the stock that a raw label names. */
  readonly stock: StockReader
  /** Status questions and calibration of its printers. */
  readonly status: StatusLanguage
  /** Gets a printer out of half a label; left out = there is no such command. */
  readonly resync?: string
  /** The command that ends a label, where the printer waits for it; left out = nobody can tell whether it is missing. */
  readonly ending?: {
    readonly command: string
    isMissing(label: Uint8Array): boolean
  }
  /** Framing of labels in a stream, where commands are lines; left out = they are not. */
  readonly lines?: StreamLines
  /** Framing of labels in a stream, where a character of its own begins each command; left out = they have none. */
  readonly commands?: StreamCommands
  /** Questions that programs ask on the port of the labels, and the answers; left out = none. */
  readonly questions?: readonly PortQuestion[]
  /** Reads the texts and bar codes of a label, in the order of its commands, to name it; left out = its labels have no name. */
  readTexts?(label: Uint8Array): Iterable<PrintedText>
  /**
   * Writes the command that draws a picture between commands of others, so that it begins at this dot; of ZPL the data of
   * a field alone, as what stands around them places it. Left out = there is no such command.
   */
  drawInline?(raster: Raster, x: number, y: number): Uint8Array
  /** Tells whether a label's beginning draws text or bar codes by commands, which printers of pictures only leave out. */
  drawsText?(beginning: string): boolean
}

/** A label as signs see it. */
export interface SignInput {
  readonly bytes: Buffer
  /** End of the leading blanks. */
  readonly start: number
  /** The first bytes from there, `HEAD_BYTES` at most, one character a byte. */
  readonly head: string
}

/** A sign by which labels of a language are known. */
export interface LanguageSign {
  /**
   * Rank among all languages' signs, those of less doubt first: 0 = it begins with a command of this language,
   * 1 = several lines hold such words, 2 = commands of a letter or two, 3 = a command behind text that may be anything.
   */
  readonly doubt: 0 | 1 | 2 | 3
  matches(label: SignInput): boolean
}

/** Bytes of a label that are examined: settings come first, then CLS; the bitmap may be large. */
export const HEAD_BYTES = 4096

/** Limit of bytes before the first command. */
export const WITHIN_BYTES = 512

/** Text that a label begins with: everything but control characters other than tab, LF, VT, FF, CR and ESC. */
export const TEXT = String.raw`[\t-\r\x1b\x20-\x7e\x80-\xff]*?`

/** A command that does more to a printer than print one label. */
export interface Finding {
  /** The command in people's notation, e.g. `^JUS`; never data of the label. */
  readonly command: string
  /** Effect: goes on after the command, e.g. `sets the password of the printer`. */
  readonly means: string
  /** Stands in labels of real carriers too, so it is never a reason to refuse one. */
  readonly isCommon: boolean
  /** Bytes from the beginning of the label. */
  readonly offset: number
}

/** A command whose data go on where the label ends: a printer takes the next labels for the rest. */
export interface TruncatedCommand {
  /** The command in people's notation, e.g. `^GF`. */
  readonly command: string
  /** Bytes from the beginning of the label. */
  readonly offset: number
}

/** The findings of one label: the first of each command, in the order of the label. */
export class Findings {
  readonly #found = new Map<string, Finding>()
  #cut: TruncatedCommand | undefined

  /** The command in whose data the label ends. */
  get cut(): TruncatedCommand | undefined {
    return this.#cut
  }

  noteCut(cut: TruncatedCommand): void {
    this.#cut ??= cut
  }

  has(command: string): boolean {
    return this.#found.has(command)
  }

  add(finding: Finding): void {
    if (!this.#found.has(finding.command)) this.#found.set(finding.command, finding)
  }

  list(): readonly Finding[] {
    return [...this.#found.values()]
  }
}

/** Inches; undefined where nothing is said. */
export interface LabelInches {
  readonly width: number | undefined
  readonly height: number | undefined
}

/** Reader of the stock that raw labels were made for. */
export interface StockReader {
  /** End of a label's text and beginning of its dots, which may hold any byte. */
  readonly dots: RegExp
  /** The size of the label, from its text; `dpi` of the head, in whose dots some languages count. */
  readSize(text: string, dpi: number): LabelInches
  /** Extent in dots of the head that it was made for; undefined where its numbers are not of dots. */
  readDots(bytes: Uint8Array): RawExtent | undefined
  /** Tracking between two labels, from the text of one; undefined where it says nothing. */
  readTracking(text: string): Tracking | undefined
}

/** The dots that a command gives, in inches. */
export function inchesOf(pattern: RegExp, text: string, dpi: number): number | undefined {
  const count = Number(pattern.exec(text)?.[1] ?? Number.NaN)
  return count > 0 ? count / dpi : undefined
}

/** Real dots per inch of a head: the trade calls a 203 dpi head "200 dpi". */
export function realDpi(dpi: number): number {
  return dpi === 200 ? 203 : dpi
}
