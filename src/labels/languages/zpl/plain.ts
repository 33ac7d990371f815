import { isUtf8 } from 'node:buffer'
import { isBlank, latin1 } from '../bytes.ts'
import {
  ByteTally,
  FRAME,
  isOutside,
  isPlainBefore,
  isUnreadable,
  LOOKED_AT,
  ODD_LEAST,
  ODD_SHARE,
} from '../plain.ts'
import { keyOf, walkZpl } from './data.ts'

/** Between two formats anything may stand that is text, also of an old code page. */
const BETWEEN_LEAST = 8
const BETWEEN_SHARE = 0.2

/** Commands whose data a person or a scanner reads, in letters of any kind. */
const FIELDS: ReadonlySet<number> = new Set(['^FD', '^FV', '^FX', '^SN', '^FN', '^KN'].map(keyOf))
const END = keyOf('^XZ')
/** Commands whose data may be any bytes, with the pattern that says so. */
const BINARY: ReadonlyMap<number, RegExp> = new Map([
  [keyOf('^GF'), /^\s*[BC]\s*,(?:\s*\d*\s*,){3}/i],
  [keyOf('~DY'), /^[^,]{0,40},\s*[BCP]\s*,[^,]{0,10},(?:\s*\d*\s*,){2}/i],
])
const BINARY_HEAD = 100
/** True when the commands of a ZPL label are plain text, whatever its fields and pictures hold. */
export function isPlainZpl(bytes: Uint8Array, start: number): boolean {
  if (!isPlainBefore(bytes, start)) return false
  const commands = new ByteTally()
  const between = new ByteTally()
  const label = bytes.subarray(start)
  for (const { key, at, end } of walkZpl(label)) {
    if (key === 0) addBetween(between, label, at, end)
    else if (key === END) addBetween(between, label, at + 3, end)
    else if (!isData(label, key, at)) commands.add(label, at + 3, end, isOutside)
    if (commands.all >= LOOKED_AT || between.all >= LOOKED_AT) break
  }
  return !(commands.isAbove(ODD_LEAST, ODD_SHARE) || between.isAbove(BETWEEN_LEAST, BETWEEN_SHARE))
}

function isData(label: Uint8Array, key: number, at: number): boolean {
  return FIELDS.has(key) || (BINARY.get(key)?.test(latin1(label, at + 3, BINARY_HEAD)) ?? false)
}

/** Counts the bytes around formats; Zebra's driver sends a frame of bytes of any kind before each. */
function addBetween(tally: ByteTally, label: Uint8Array, from: number, to: number): void {
  let [at, end] = [from, to]
  while (at < end && isBlank(label[at])) at += 1
  while (at < end && isBlank(label[end - 1])) end -= 1
  if (latin1(label, at, FRAME.length) === FRAME) return
  const text = label.subarray(at, end)
  const isText = isUtf8(text)
  tally.add(text, 0, text.length, (byte) => isUnreadable(byte) || (byte >= 0x80 && !isText))
}
