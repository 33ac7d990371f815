import { findLanguage } from '#labels'
import type { Printer } from '#printers'
import { PlatenError } from '../../words/errors.ts'
import { say } from '../../words/say.ts'

/**
 * Returns the bytes that make a printer measure its labels and gaps again; it feeds a few labels.
 * @throws PlatenError PRINTER_LANGUAGE when its language is unknown
 */
export function findCalibration(printer: Pick<Printer, 'name' | 'language'>): Uint8Array {
  const spoken = findLanguage(printer.language)
  if (spoken !== undefined) return Buffer.from(spoken.status.calibrate)
  throw new PlatenError('PRINTER_LANGUAGE', say('cannotMeasure', { printer: printer.name }))
}
