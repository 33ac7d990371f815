import { findLanguage } from '../../languages/index.ts'
import type { LabelSize } from '../../languages/language.ts'
import type { Tracking } from '../../languages/status.ts'
import type { JobFormat } from '../job.ts'

const LOOKED_AT = 65_536 // bytes of a label; what it says of its stock stands at its beginning

const NOTHING: LabelSize = { width: undefined, height: undefined }

/**
 * The size for which a raw label was made, as it says itself, e.g. by `SIZE`; a picture says nothing.
 * @param dpi of the head, in whose dots some languages count
 */
export function readLabelSize(format: JobFormat, label: Uint8Array, dpi: number): LabelSize {
  const stock = findLanguage(format)?.stock
  return stock?.readSize(readText(label, stock.dots), dpi) ?? NOTHING
}

/**
 * What the printer shall look for between two labels, as the label says itself, e.g. by `GAP`; undefined where it says
 * nothing. A picture says nothing.
 */
export function readLabelTracking(format: JobFormat, label: Uint8Array): Tracking | undefined {
  const stock = findLanguage(format)?.stock
  return stock?.readTracking(readText(label, stock.dots))
}

/** The commands of a raw label before its first dots. */
function readText(label: Uint8Array, dots: RegExp): string {
  return readBeginning(label).split(dots, 1)[0] ?? ''
}

/** The beginning of a label, where what it says of itself stands, a character a byte. */
export function readBeginning(label: Uint8Array): string {
  return Buffer.from(label.subarray(0, LOOKED_AT)).toString('latin1')
}
