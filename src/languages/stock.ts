/** Inches; undefined where nothing is said. */
export interface LabelSize {
  readonly width: number | undefined
  readonly height: number | undefined
}

/** What a printer looks for between two labels. */
export type Tracking = 'gap' | 'mark' | 'continuous'

/** How raw labels say for what stock they were made. */
export interface StockReader {
  /** Where the text of a label ends and its dots begin, which may hold any byte. */
  readonly dots: RegExp
  /** The size of the label, from its text; `dpi` of the head, in whose dots some languages count. */
  readSize(text: string, dpi: number): LabelSize
  /** What the printer shall look for between two labels, from the text of one; undefined where it says nothing. */
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
