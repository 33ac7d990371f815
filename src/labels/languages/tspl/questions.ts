import { type PortQuestion, sumBits } from '../questions.ts'
import type { PrinterReason } from '../status.ts'

/** TSC TSPL/TSPL2 Programming manual, ESC ! ?. */
const BITS: Readonly<Partial<Record<PrinterReason, number>>> = {
  'cover-open': 0x01,
  'media-jam': 0x02,
  'media-empty': 0x04,
  'marker-supply-empty': 0x08,
  paused: 0x10,
  other: 0x80,
}
const PRINTING = 0x20

/** `ESC ! ?`. */
export const questions: readonly PortQuestion[] = [
  {
    name: 'ESC ! ?',
    asks: '\x1b!?',
    answer: ({ reasons, waiting }) =>
      String.fromCharCode(sumBits(reasons, BITS) | (waiting > 0 ? PRINTING : 0)),
  },
]
