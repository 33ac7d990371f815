import { upper } from '../bytes.ts'
import { commandKey } from './commands.ts'
import { findPrefix, readZplData, type ZplPrefixes } from './data.ts'

const CARET = 0x5e
const TILDE = 0x7e
const COMMA = 0x2c
const LETTER_C = 0x43
const LETTER_D = 0x44
const LETTER_T = 0x54

/** The prefixes so far. */
export interface Prefixes extends ZplPrefixes {
  /** Where they were changed first; -1 = never. */
  changedAt: number
}

/** Those that every label may count on. */
export function usualPrefixes(): Prefixes {
  return { caret: CARET, tilde: TILDE, comma: COMMA, changedAt: -1 }
}

/** The command at a prefix, as `keyOf` has it. */
export function keyAt(bytes: Uint8Array, at: number, { tilde }: Prefixes): number {
  return commandKey(bytes[at] === tilde, upper(bytes[at + 1]), upper(bytes[at + 2]))
}

/** `^CC`, `^CD`, `^CT` and their `~` forms take one character as it is. Gives where to go on, or undefined. */
export function changePrefix(
  bytes: Uint8Array,
  at: number,
  prefixes: Prefixes,
): number | undefined {
  const changed = bytes[at + 3]
  if (upper(bytes[at + 1]) !== LETTER_C || changed === undefined) return undefined
  switch (upper(bytes[at + 2])) {
    case LETTER_C:
      prefixes.caret = changed
      break
    case LETTER_D:
      prefixes.comma = changed
      break
    case LETTER_T:
      prefixes.tilde = changed
      break
    default:
      return undefined
  }
  if (prefixes.changedAt < 0 && !isUsual(prefixes)) prefixes.changedAt = at
  return at + 4
}

/** True while commands begin as they usually do. */
export function isUsual({ caret, tilde, comma }: Prefixes): boolean {
  return caret === CARET && tilde === TILDE && comma === COMMA
}

/** One command of a label, from its prefix to the next one; its data belong to it. */
export interface ZplPart {
  /** As `keyOf` has it; 0 = what stands before the first command. */
  readonly key: number
  readonly at: number
  readonly end: number
  /** The character that begins commands here. */
  readonly caret: number
}

/** The label in parts that follow each other without a gap; binary data are never taken for commands. */
export function* walkZpl(bytes: Uint8Array): Generator<ZplPart, void, undefined> {
  const prefixes = usualPrefixes()
  let at = findPrefix(bytes, 0, prefixes)
  if (at > 0) yield { key: 0, at: 0, end: at, caret: prefixes.caret }
  while (at < bytes.length) {
    const { caret } = prefixes
    const key = keyAt(bytes, at, prefixes)
    const end = findPrefix(bytes, skipCommand(bytes, at, key, prefixes), prefixes)
    yield { key, at, end, caret }
    at = end
  }
}

/** Behind the letters of a command and its data; they may be prefixes themselves. */
function skipCommand(bytes: Uint8Array, at: number, key: number, prefixes: Prefixes): number {
  const first = bytes[at + 1]
  if (first === prefixes.caret || first === prefixes.tilde) return at + 1
  const changed = changePrefix(bytes, at, prefixes)
  if (changed !== undefined) return changed
  return readZplData(bytes, at, key, prefixes)?.end ?? at + 2
}
