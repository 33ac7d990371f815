import { latin1 } from '../bytes.ts'
import type { CommandReader, CommandStep, StreamCommands } from '../stream.ts'
import {
  changePrefix,
  findPrefix,
  hasZplData,
  keyAt,
  keyOf,
  readZplData,
  usualPrefixes,
  walkZpl,
} from './data.ts'
import { questions } from './questions.ts'

/** The longest head of data: all parameters before them. */
const HEAD = 164
/** Distance behind which ^XA is not looked for in text of any kind: drivers put settings there. */
const WITHIN = 4096
const INSIDE = /\^XA[ \t\r\n]*[\^~]/i

/** Commands that only ask, so that they never make a job; `questions` answers some of them. */
const ASKS = /^~H[BDMQU]/i
const ANSWERED = /^~H[IS]/i
const KEYS = { begin: keyOf('^XA'), end: keyOf('^XZ') } as const

/** Commands behind `^` and `~`; a label ends behind ^XZ. */
export const commands: StreamCommands = {
  prefixes: '^~',
  opening: '^XA',
  // Printers of both languages know these commands of EPL, whose names are small.
  begins: /^(?:~|\^(?!ee|@|de))/,
  findBegin(bytes, from, end) {
    if (from > WITHIN) return undefined
    const found = latin1(bytes, from, Math.min(end - from + 8, WITHIN)).search(INSIDE)
    // What begins on a later line may be the next label.
    return found < 0 || from + found >= end ? undefined : from + found
  },
  *listEnds(bytes) {
    for (const { key, at, end } of walkZpl(bytes))
      if (key === KEYS.end) yield { end: at + 3, next: end }
  },
  read: () => new ZplReader(),
}

class ZplReader implements CommandReader {
  readonly #prefixes = usualPrefixes()

  step(
    bytes: Buffer,
    from: number,
    label: { readonly isOpen: boolean; readonly isEnded: boolean },
  ): CommandStep {
    const { isEnded } = label
    const at = findPrefix(bytes, from, this.#prefixes)
    const isShort = bytes.length - at < 4 && !isEnded && !isCommand(bytes, at)
    if (at === bytes.length || isShort) return { kind: 'wait', at, isOpen: label.isOpen }
    const key = keyAt(bytes, at, this.#prefixes)
    if (key === KEYS.end) return { kind: 'end', at, end: at + 3 }
    const isCut = bytes.length - at < 3
    const isOpen = label.isOpen || key === KEYS.begin || isCut
    const asked = ask(bytes, at, { isOpen, isEnded })
    if (asked !== undefined) return asked
    const next = this.#skip(bytes, at, key, isEnded)
    return next === undefined ? { kind: 'wait', at, isOpen } : { kind: 'on', at: next, isOpen }
  }

  /** Finds the offset behind a command and its data, which may be beyond the bytes; undefined = more bytes are needed to tell. */
  #skip(bytes: Buffer, at: number, key: number, isEnded: boolean): number | undefined {
    const { caret, tilde } = this.#prefixes
    const next = bytes[at + 1]
    if (next === caret || next === tilde) return at + 1
    if (hasZplData(key)) return this.#endOfData(bytes, at, key, isEnded)
    return changePrefix(bytes, at, this.#prefixes) ?? at + 2
  }

  /** Hexadecimal and packed data hold no prefix; only binary ones are counted. */
  #endOfData(bytes: Buffer, at: number, key: number, isEnded: boolean): number | undefined {
    const data = readZplData(bytes, at, key, this.#prefixes)
    const isShort = bytes.length - at < HEAD && !isEnded
    if (data === undefined) {
      const isOpen = findPrefix(bytes, at + 3, this.#prefixes) === bytes.length
      return isOpen && isShort ? undefined : at + 2
    }
    return data.isCut && isShort && data.end <= bytes.length ? undefined : data.end
  }
}

/** A question, which is not part of a label; undefined when the command is not one. Inside a label it stays where it is. */
function ask(
  bytes: Buffer,
  at: number,
  { isOpen, isEnded }: { readonly isOpen: boolean; readonly isEnded: boolean },
): CommandStep | undefined {
  const text = latin1(bytes, at, 5)
  if (!ASKS.test(text) && !ANSWERED.test(text)) return undefined
  const isLong = /^~HQ/i.test(text)
  if (isLong && text.length < 5 && !isEnded) return { kind: 'wait', at, isOpen }
  const question = questions.find(({ asks }) => asks instanceof RegExp && asks.test(text))
  const end = at + (isLong ? text.length : 3)
  if (question !== undefined) {
    if (isOpen) return { kind: 'on', at: at + 2, isOpen, question }
    return { kind: 'outside', at, end, question }
  }
  return isOpen || !ASKS.test(text) ? undefined : { kind: 'outside', at, end }
}

/** Tells whether the last three bytes are a command: unless a character of its own belongs to it. */
function isCommand(bytes: Buffer, at: number): boolean {
  return bytes.length - at === 3 && !/^[cC]|^[hH][qQ]/.test(latin1(bytes, at + 1, 2))
}
