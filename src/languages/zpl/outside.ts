import type { Buffer } from 'node:buffer'
import { isLineEnd, latin1, pairOf } from '../bytes.ts'
import type { Findings } from '../finding.ts'

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
