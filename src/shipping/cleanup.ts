import { keyOf, ZPL_COMMANDS } from '../languages/zpl/commands.ts'
import { walkZpl, type ZplPart } from '../languages/zpl/walk.ts'

const GRAPHIC = keyOf('^GF')
const WRONG_END = keyOf('^DN')
const PRINT_MODE = keyOf('^MM')
const SAVE = keyOf('^JU')
/** Settings that `ZPL_COMMANDS` does not name, because an owner's own labels may well set them. */
const ADJUSTMENTS: ReadonlySet<number> = new Set(['~TA', '~SD'].map(keyOf))

/**
 * A carrier's ZPL without what disturbs a printer: USPS sends ^MMT, which knocks printers out of peel-off mode
 * (USPS/api-examples#81); UPS ends a ^GF field by ^DN in place of ^FS (UPS-API/api-documentation#88); settings are the owner's. It
 * goes by commands, never by text of a field or bytes of a picture. Gives the same bytes when there is nothing to do.
 */
export function cleanCarrierZpl(label: Uint8Array): Uint8Array {
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.byteLength)
  const pieces: Buffer[] = []
  let before = 0
  for (const part of walkZpl(bytes)) {
    pieces.push(clean(bytes, part, before))
    before = part.key
  }
  const cleaned = Buffer.concat(pieces)
  return cleaned.equals(bytes) ? label : cleaned
}

/** What is left of a part; `before` is the command in front of it. */
function clean(bytes: Buffer, part: ZplPart, before: number): Buffer {
  const own = bytes.subarray(part.at, part.end)
  if (part.key === WRONG_END && before === GRAPHIC) {
    return Buffer.concat([Buffer.of(part.caret), Buffer.from('FS'), own.subarray(3)])
  }
  return isDisturbing(part.key, own) ? Buffer.alloc(0) : own
}

function isDisturbing(key: number, own: Buffer): boolean {
  if (key === PRINT_MODE) return true
  if (key === SAVE) return /^[SFN]/i.test(own.toString('latin1', 3, 4))
  if (ADJUSTMENTS.has(key)) return true
  const name = ZPL_COMMANDS.get(key)?.name ?? ''
  // ~DG and its kin carry the pictures of the label.
  return name.startsWith('~') && !name.startsWith('~D')
}
