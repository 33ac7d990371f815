import type { Media, PrinterReason, Reading, StatusLanguage } from '../status.ts'

/** Bits of the answer to `ESC ! ?` (Gprinter TSPL manual, p. 30; TSC TSPL/TSPL2 Programming manual). */
const BITS: readonly (readonly [number, PrinterReason])[] = [
  [0x41, 'cover-open'],
  [0x02, 'media-jam'],
  [0x04, 'media-empty'],
  [0x08, 'marker-supply-empty'],
  [0x10, 'paused'],
  [0x80, 'other'],
]

const PRINTING = 0x20

/**
 * `OUT` answers to the port that asked; the setting is the label's length in dots (TSPL/TSPL2 Programming manual, OUT and
 * GETSETTING$; public code feeds by it). Printers that do not know it say nothing.
 */
const PAPER_SIZE = '\r\nOUT "LENGTH=";GETSETTING$("CONFIG","TSPL","PAPER SIZE");";"\r\n'
const SIZE_ANSWER = /LENGTH=\s*(\d+)\s*;/

/** TSPL: `ESC ! ?`, answered at once, also in the middle of printing. */
export const status: StatusLanguage = {
  // It says "ready" between two labels, and before it has begun.
  needsBusy: true,
  // Gap or black mark, whichever there is (TSPL/TSPL2 Programming manual, AUTODETECT).
  calibrate: '\r\nAUTODETECT\r\n',
  async ask(talk) {
    return parseStatusByte(await talk('\x1b!?', (answer) => answer.length > 0))
  },
  // The size is what the last label's SIZE said, but for the moment after AUTODETECT.
  async measure(talk) {
    return parsePaperSize(await talk(PAPER_SIZE, (answer) => SIZE_ANSWER.test(answer)))
  },
}

/** The length of a label; undefined when it is not there. */
export function parsePaperSize(answer: string): Media | undefined {
  const lengthDots = Number(SIZE_ANSWER.exec(answer)?.[1] ?? 0)
  return lengthDots > 0 ? { lengthDots } : undefined
}

/** One byte of flags, the last that came; undefined when none did. */
export function parseStatusByte(answer: string): Reading | undefined {
  const byte = answer.charCodeAt(answer.length - 1)
  if (Number.isNaN(byte)) return undefined
  const reasons = BITS.filter(([mask]) => (byte & mask) !== 0).map(([, reason]) => reason)
  return { reasons, isBusy: (byte & PRINTING) !== 0 }
}
