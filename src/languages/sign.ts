import type { Buffer } from 'node:buffer'

/** A label as signs see it. */
export interface Glance {
  readonly bytes: Buffer
  /** Where blanks end. */
  readonly start: number
  /** The first bytes from there, `HEAD_BYTES` at most, one character a byte. */
  readonly head: string
}

/** One way in which labels of a language are known. */
export interface Sign {
  /**
   * Of all languages' signs, those of less doubt are looked at first: 0 = it begins with a command of this language,
   * 1 = several lines hold such words, 2 = commands of a letter or two, 3 = a command behind text that may be anything.
   */
  readonly doubt: 0 | 1 | 2 | 3
  matches(label: Glance): boolean
}

/** How much of a label is looked at: settings come first, then CLS; the bitmap may be large. */
export const HEAD_BYTES = 4096

/** How far in the first command may stand. */
export const WITHIN_BYTES = 512

/** Text that a label begins with: everything but control characters other than tab, LF, VT, FF, CR and ESC. */
export const TEXT = String.raw`[\t-\r\x1b\x20-\x7e\x80-\xff]*?`
