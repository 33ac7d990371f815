/** Width and height of the stock in inches. */
export interface StockSize {
  readonly labelWidth: number
  readonly labelHeight: number
}

const MM_PER_INCH = 25.4
/** ISO 216, in millimeters, upright. */
const PAPERS: Readonly<Record<string, readonly [number, number]>> = {
  A4: [210, 297],
  A5: [148, 210],
  A6: [105, 148],
  A7: [74, 105],
  A8: [52, 74],
}
const UNITS: Readonly<Record<string, number>> = {
  in: 1,
  '"': 1,
  mm: MM_PER_INCH,
  cm: MM_PER_INCH / 10,
}
/** From here numbers without a unit are millimeters: no label is 25 inches wide. */
const MILLIMETERS_FROM = 25

/** What a size may be: `4x6`, `4 x 6 in`, `100x150mm`, `10x15cm`, `A6`. */
export const SIZE =
  /^\s*(?:A[4-8]|(\d+(?:\.\d+)?)\s*(mm|cm|in|")?\s*[x\u00d7*]\s*(\d+(?:\.\d+)?)\s*(mm|cm|in|")?)\s*$/i

/** Reads what `SIZE` matches. */
export function readSize(text: string): StockSize | undefined {
  const paper = PAPERS[text.trim().toUpperCase()]
  if (paper !== undefined) return inInches(paper[0], paper[1], MM_PER_INCH)
  const [, width = '', firstUnit, height = '', lastUnit] = SIZE.exec(text) ?? []
  if (width === '') return undefined
  const [across, down] = [Number(width), Number(height)]
  const plain = Math.max(across, down) >= MILLIMETERS_FROM ? 'mm' : 'in'
  return inInches(across, down, UNITS[(lastUnit ?? firstUnit ?? plain).toLowerCase()] ?? 1)
}

function inInches(width: number, height: number, perInch: number): StockSize {
  return { labelWidth: round(width / perInch), labelHeight: round(height / perInch) }
}

/** To a thousandth of an inch: less than a dot. */
function round(inches: number): number {
  return Math.round(inches * 1000) / 1000
}
