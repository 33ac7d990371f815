import { PlatenError } from '../../errors.ts'
import { findLanguage } from '../../languages/index.ts'
import type { Printer } from '../printer.ts'

/**
 * The bytes that make a printer measure its labels and gaps anew; it feeds a few labels.
 * @throws PlatenError PRINTER_LANGUAGE when its language is unknown
 */
export function findCalibration(printer: Pick<Printer, 'name' | 'language'>): Uint8Array {
  const spoken = findLanguage(printer.language)
  if (spoken !== undefined) return Buffer.from(spoken.status.calibrate)
  throw new PlatenError(
    'PRINTER_LANGUAGE',
    `The language of ${printer.name} is not known, so it cannot be told to measure its labels.`,
  )
}
