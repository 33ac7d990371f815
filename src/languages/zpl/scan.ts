import type { Buffer } from 'node:buffer'
import { isLineEnd, latin1, pairOf, upper } from '../bytes.ts'
import type { Findings } from '../language.ts'
import { keyOf, ZPL_COMMANDS } from './commands.ts'
import {
  changePrefix,
  findPrefix,
  isUsual,
  keyAt,
  type Prefixes,
  readZplData,
  usualPrefixes,
} from './data.ts'

const PARAMETERS = 32 // bytes looked at after a command

const KEYS = {
  start: keyOf('^XA'),
  end: keyOf('^XZ'),
} as const

/** What a walk knows and has found. */
interface Walk {
  readonly prefixes: Prefixes
  readonly findings: Findings
}

/**
 * Walks over ZPL from command to command. The bytes of binary graphics and objects (^GF B and C, ~DY) are data, as
 * many as the command says; hex, run lengths and base64 hold no prefix (ZPL II guide, ^GF: a `^` or `~` in A-data ends
 * it). Text of a field ends at the next prefix too: what looks like a command there is one, `_5E` under ^FH is not.
 */
export function scanZpl(bytes: Buffer, from: number, findings: Findings): void {
  const prefixes = usualPrefixes()
  let isInFormat = false
  let at = from
  while (true) {
    at = isInFormat
      ? findPrefix(bytes, at, prefixes)
      : lookUntilPrefix(bytes, at, prefixes, findings)
    if (at >= bytes.length) break
    const key = keyAt(bytes, at, prefixes)
    if (key === KEYS.start) isInFormat = true
    if (key === KEYS.end) isInFormat = false
    note(bytes, at, key, { prefixes, findings })
    at = nextAt(bytes, at, key, { prefixes, findings })
  }
  notePrefixes(prefixes, findings)
}

/** Where to look for the next prefix; the two letters of an unknown command may be prefixes themselves. */
function nextAt(bytes: Buffer, at: number, key: number, { prefixes, findings }: Walk): number {
  const first = bytes[at + 1]
  if (first === prefixes.caret || first === prefixes.tilde) return at + 1
  const changed = changePrefix(bytes, at, prefixes)
  if (changed !== undefined) return changed
  const data = readZplData(bytes, at, key, prefixes)
  if (data === undefined) return at + 2
  if (data.isCut) findings.noteCut({ command: data.command, offset: at })
  return data.end
}

function lookUntilPrefix(
  bytes: Buffer,
  from: number,
  { caret, tilde }: Prefixes,
  findings: Findings,
): number {
  let at = from
  while (at < bytes.length && bytes[at] !== caret && bytes[at] !== tilde) {
    lookOutside(bytes, at, findings)
    at += 1
  }
  return at
}

function note(bytes: Buffer, at: number, key: number, { prefixes, findings }: Walk): void {
  const command = ZPL_COMMANDS.get(key)
  if (command === undefined) return
  const { name, isCommon = false } = command
  const variant = typeof command.means === 'string' ? '' : nameVariant(bytes[at + 3])
  const shown = name + variant
  // Making a text of the parameters of a million commands would take a second.
  if (findings.has(shown)) return
  const means = typeof command.means === 'string' ? command.means : command.means[variant]
  if (means === undefined) return
  if (command.when !== undefined) {
    if (bytes[at + 3] === prefixes.caret || bytes[at + 3] === prefixes.tilde) return
    if (!command.when(latin1(bytes, at + 3, PARAMETERS))) return
  }
  findings.add({ command: shown, means, isCommon, offset: at })
}

function nameVariant(byte: number | undefined): string {
  return byte === undefined ? '' : String.fromCharCode(upper(byte))
}

/** A label that puts the prefixes back has done no harm. */
function notePrefixes(prefixes: Prefixes, findings: Findings): void {
  if (isUsual(prefixes)) return
  const usual = usualPrefixes()
  const command =
    prefixes.caret !== usual.caret ? '^CC' : prefixes.tilde !== usual.tilde ? '^CT' : '^CD'
  findings.add({
    command,
    means: 'changes what commands begin with, which breaks the labels after it',
    isCommon: false,
    offset: prefixes.changedAt,
  })
}

const HEAD = 48
const SPACE = 0x20
const BANG = 0x21
const LETTER_S = 0x53
const LETTER_U = 0x75
const OPEN = 0x7b
const CLOSE = 0x7d

// EPL Programming Guide p178: `! U1 setvar "key" "value"`; `! U` begins a list of such that `END` ends.
const SGD = /^! U1?[ \t\r\n]+(setvar|do)[ \t\r\n]/i
const SGD_LINE = /^(setvar|do)[ \t]+"/i
// Zebra's firmware files are Motorola S-records: type, count, address, data, all in hex.
const S_RECORD = /^S[0-9][0-9A-F]{10}/

/** The first two letters, small, of what stands at the beginning of a line. */
const SECONDS: ReadonlySet<number> = new Set(
  ['se', 'do', ...[...'0123456789'].map((digit) => `s${digit}`)].map((letters) =>
    pairOf(letters.charCodeAt(0), letters.charCodeAt(1)),
  ),
)

/**
 * Looks at one place between formats, where Link-OS printers take settings (SGD and JSON) and firmware. Cheap for
 * bytes that begin none of these.
 */
export function lookOutside(bytes: Buffer, at: number, findings: Findings): void {
  const byte = bytes[at]
  if (byte === OPEN) lookForJson(bytes, at, findings)
  else if (byte === BANG) lookForSgd(bytes, at, findings)
  else if (isLetter(byte) && (at === 0 || isLineEnd(bytes[at - 1]))) {
    lookAtLine(bytes, at, findings)
  }
}

function lookForJson(bytes: Buffer, at: number, findings: Findings): void {
  if (bytes[at + 1] !== CLOSE || bytes[at + 2] !== OPEN) return
  findings.add({
    command: '{}{',
    means: "changes the printer's settings (JSON)",
    isCommon: false,
    offset: at,
  })
}

function lookForSgd(bytes: Buffer, at: number, findings: Findings): void {
  if (bytes[at + 1] !== SPACE || lower(bytes[at + 2]) !== LETTER_U) return
  addSgd(SGD.exec(latin1(bytes, at, HEAD))?.[1], at, findings)
}

function lookAtLine(bytes: Buffer, at: number, findings: Findings): void {
  if (!SECONDS.has(pairOf(lower(bytes[at]), lower(bytes[at + 1])))) return
  const head = latin1(bytes, at, 16)
  addSgd(SGD_LINE.exec(head)?.[1], at, findings)
  if (bytes[at] !== LETTER_S || !S_RECORD.test(head)) return
  findings.add({
    command: 'S-records',
    means: 'load firmware into the printer',
    isCommon: false,
    offset: at,
  })
}

function addSgd(verb: string | undefined, offset: number, findings: Findings): void {
  if (verb === undefined) return
  const isDo = verb.toLowerCase() === 'do'
  findings.add({
    command: isDo ? '! U1 do' : '! U1 setvar',
    means: isDo ? 'makes the printer act, e.g. reset' : "changes the printer's settings for good",
    isCommon: false,
    offset,
  })
}

/** S, D, s and d: what `setvar`, `do` and S-records begin with. */
function isLetter(byte: number | undefined): boolean {
  return byte === 0x53 || byte === 0x44 || byte === 0x73 || byte === 0x64
}

function lower(byte: number | undefined): number {
  if (byte === undefined) return 0
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
}
