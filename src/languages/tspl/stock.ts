import type { LabelSize, StockReader } from '../stock.ts'

const MM_PER_INCH = 25.4
// Blanks of one line only, and never two runs of them side by side: else 64 KB of line ends cost seconds.
const SIZE = /^[ \t]*SIZE[ \t]+([\d.]+)[ \t]*(mm[ \t]*)?,[ \t]*([\d.]+)[ \t]*(mm)?/im
const TRACKING = /^[ \t]*(GAP|BLINE)[ \t]+([\d.]+)/im

/** `SIZE`, and `GAP` or `BLINE`. */
export const stock: StockReader = {
  dots: /BITMAP /,
  readSize,
  readTracking(text) {
    const [, command, width] = TRACKING.exec(text) ?? []
    if (command === undefined) return undefined
    if (Number(width) === 0) return 'continuous'
    return command.toUpperCase() === 'GAP' ? 'gap' : 'mark'
  },
}

function readSize(text: string): LabelSize {
  const found = SIZE.exec(text)
  if (found === null) return { width: undefined, height: undefined }
  const toInches = (number = '', unit: string | undefined): number | undefined => {
    const value = Number(number) / (unit === undefined ? 1 : MM_PER_INCH)
    return value > 0 ? value : undefined
  }
  return { width: toInches(found[1], found[2]), height: toInches(found[3], found[4]) }
}
