import { findRecipient } from './recipient.ts'
import { readTexts } from './texts.ts'
import { findTracking } from './tracking.ts'

/**
 * What a raw label calls itself: its tracking number, else whom it goes to; '' when neither is sure, for a wrong name is
 * worse than none. `format`: `zpl`, `epl` or `tspl`; pictures have no name. Never throws; browsers can run it.
 */
export function nameLabel(label: Uint8Array, format: string): string {
  const texts = readTexts(label, format)
  return findTracking(texts) ?? findRecipient(texts) ?? ''
}
