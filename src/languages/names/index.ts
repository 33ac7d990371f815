import { findRecipient } from './recipient.ts'
import { readTexts } from './texts.ts'
import { findTracking } from './tracking.ts'

/**
 * The tracking number among what the bar codes of a picture say; '' when none is sure. The words beside them, which many
 * numbers need to be sure, are not known.
 */
export function nameCodes(codes: readonly string[]): string {
  const place = { isBars: true, x: 0, y: 0, turn: 0 } as const
  return findTracking(codes.map((text) => ({ text, ...place }))) ?? ''
}

/**
 * What a raw label calls itself: its tracking number, else whom it goes to; '' when neither is sure, for a wrong name is
 * worse than none. `format`: `zpl`, `epl` or `tspl`; pictures have no name. Never throws; browsers can run it.
 */
export function nameLabel(label: Uint8Array, format: string): string {
  const texts = readTexts(label, format)
  return findTracking(texts) ?? findRecipient(texts) ?? ''
}
