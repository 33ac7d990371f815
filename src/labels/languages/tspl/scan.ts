import type { Buffer } from 'node:buffer'
import { endOfLine, lineHead, pairOf, SCANNED_A_TURN, upper } from '../bytes.ts'
import type { Findings } from '../language.ts'

const HEAD = 120
const NETWORK = "changes the printer's network settings"
const CALIBRATES = 'makes the printer calibrate'
const STAYS = 'changes a setting that stays in the printer'

/** Effects of lines by their first word. From TSC's manual of TSPL/TSPL2. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['INITIALPRINTER', 'sets the printer back to its factory settings'],
  ['FORMAT', "erases the printer's memory"],
  ['KILL', "deletes files from the printer's memory"],
  ['DOWNLOAD', "stores a file in the printer's memory"],
  ['MOVE', "writes files into the printer's flash memory"],
  ['COPY', "copies files in the printer's memory"],
  ['RUN', 'starts a program inside the printer'],
  ['SELFTEST', 'prints test labels'],
  ['AUTODETECT', CALIBRATES],
  ['GAPDETECT', CALIBRATES],
  ['BLINEDETECT', CALIBRATES],
  ['WLAN', NETWORK],
  ['NET', NETWORK],
  ['BT', NETWORK],
  ['SET', STAYS],
  ['\u001b!R', 'resets the printer'],
  ['\u001b!C', 'restarts the printer'],
])

const BEGINNINGS = new Set(
  ['BITMAP', 'EOP', ...WORDS.keys()].map((word) => pairOf(word.charCodeAt(0), word.charCodeAt(1))),
)
const WORD = /^(?:[A-Z]{2,16}(?![\w$])|.![RC])/i
const SETTING = /^SET[ \t]+([A-Z_]{1,20}\d?)/i
/** A counter of this very label. */
const COUNTER = 'COUNTER'
/** Drivers send these with every label. */
const COMMON = /^(TEAR|PEEL|CUTTER|PARTIAL_CUTTER|BACK|REPRINT|RIBBON)$/

// BITMAP x,y,width in bytes,rows,mode,data; DOWNLOAD [memory,]"file",bytes,data.
const BITMAP =
  /^BITMAP[ \t]+-?\d+[ \t]*,[ \t]*-?\d+[ \t]*,[ \t]*(\d{1,12})[ \t]*,[ \t]*(\d{1,12})[ \t]*,[ \t]*(\d)[ \t]*,/i
const DOWNLOAD = /^DOWNLOAD[ \t]+(?:[A-Z],[ \t]*)?"[^"\r\n]{0,64}"[ \t]*,[ \t]*(\d{1,12})[ \t]*,/i
/** A program follows, up to a line EOP. */
export const PROGRAM = /^DOWNLOAD[ \t]+(?:[A-Z],[ \t]*)?"[^"\r\n]{0,64}"\s*$/i
/** Overwrite, OR, XOR; the dots of newer modes are packed, so that their count says nothing. */
const PLAIN_MODES = '012'
export const PACKED = new RegExp(BITMAP.source.replace('(\\d)', '[3-9]'), 'i')
/** A command where packed dots may still go on: more than what dots are by chance. */
const SURE_COMMAND =
  /^(?:(?:BITMAP|DOWNLOAD)[ \t]|(?:[A-Z]{4}|EOP|[A-Z]{2,3}[ \t])[\t\x20-\x7e]*(?:[\r\n]|$))/i

/**
 * Walks over TSPL line by line. The bytes of a BITMAP and a DOWNLOAD are data, as many as the command says; a DOWNLOAD
 * without a count takes all lines up to EOP. Packed dots are looked at like what follows them.
 */
export function* scanTspl(
  bytes: Buffer,
  from: number,
  findings: Findings,
): Generator<void, void, undefined> {
  let at = from
  let program = -1
  let packedTo = from
  let pauseAt = from + SCANNED_A_TURN
  while (at < bytes.length) {
    if (at >= pauseAt) {
      yield
      pauseAt = at + SCANNED_A_TURN
    }
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1
    const isWord = BEGINNINGS.has(pairOf(upper(bytes[at]), upper(bytes[at + 1])))
    const head = isWord ? lineHead(bytes, at, HEAD) : ''
    const word = readWord(head, at < packedTo)
    program = followProgram(word, head, at, program)
    const data = lookAtLine(bytes, at, { head, word }, findings)
    packedTo = data?.packedTo ?? packedTo
    at = data?.end ?? endOfLine(bytes, at) + 1
  }
  if (program >= 0) findings.noteCut({ command: 'DOWNLOAD', offset: program })
}

/** The word that a line begins with; '' when it is none, or may be dots. */
function readWord(head: string, isPacked: boolean): string {
  return isPacked && !SURE_COMMAND.test(head) ? '' : (WORD.exec(head)?.[0].toUpperCase() ?? '')
}

/** Start of the program that is being kept; -1 = none is. */
function followProgram(word: string, head: string, at: number, program: number): number {
  if (word === 'EOP') return -1
  return word === 'DOWNLOAD' && PROGRAM.test(head) ? at : program
}

/** Data in a line, and where to go on. */
interface LineData {
  readonly end: number
  /** Latest end of packed dots. */
  readonly packedTo?: number
}

/** The data of a line; undefined when it has none. */
function lookAtLine(
  bytes: Buffer,
  at: number,
  { head, word }: { readonly head: string; readonly word: string },
  findings: Findings,
): LineData | undefined {
  const means = WORDS.get(word)
  if (word === 'SET') noteSetting(head, at, findings)
  else if (means !== undefined) {
    findings.add({ command: word.replace('\u001b', 'ESC '), means, isCommon: false, offset: at })
  }
  const data = readData(word, head)
  if (data === undefined) return undefined
  const begin = at + data.from
  const end = begin + data.bytes
  if (!data.isPlain) return { end: begin, packedTo: end }
  if (end > bytes.length) findings.noteCut({ command: word, offset: at })
  return { end }
}

/** Finds the end of a line's dots or file; undefined when it has none, or packed ones. */
export function endOfData(bytes: Uint8Array, from: number): number | undefined {
  let at = from
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1
  const head = lineHead(bytes, at, HEAD)
  const data = readData(readWord(head, false), head)
  return data?.isPlain ? at + data.from + data.bytes : undefined
}

/** Reads where the data of a line begin, and their number; undefined when it has none. */
function readData(
  word: string,
  head: string,
): { readonly from: number; readonly bytes: number; readonly isPlain: boolean } | undefined {
  const found =
    word === 'BITMAP' ? BITMAP.exec(head) : word === 'DOWNLOAD' ? DOWNLOAD.exec(head) : null
  if (found === null) return undefined
  const [all, count, rows = '1', mode = '0'] = found
  const bytes = Number(count) * Number(rows)
  return { from: all.length, bytes, isPlain: PLAIN_MODES.includes(mode) }
}

function noteSetting(head: string, offset: number, findings: Findings): void {
  const setting = SETTING.exec(head)?.[1]?.toUpperCase() ?? ''
  if (setting === COUNTER) return
  const command = `SET ${setting}`.trim()
  findings.add({ command, means: STAYS, isCommon: COMMON.test(setting), offset })
}
