import type { Buffer } from 'node:buffer'
import { endOfLine, type Findings, latin1 } from './finding.ts'

const HEAD = 120
const NETWORK = "changes the printer's network settings"
const CALIBRATES = 'makes the printer calibrate'
const STAYS = 'changes a setting that stays in the printer'

/** What a line does by its first word. From TSC's manual of TSPL/TSPL2. */
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

const WORD_FIRST = new Set(['B', ...WORDS.keys()].map((word) => word.charCodeAt(0)))
const WORD = /^(?:[A-Z]{2,16}(?![\w$])|.![RC])/i
const SETTING = /^SET[ \t]+([A-Z_]{1,20}\d?)/i
/** A counter of this very label. */
const COUNTER = 'COUNTER'
/** Drivers send these with every label. */
const COMMON = /^(TEAR|PEEL|CUTTER|PARTIAL_CUTTER|BACK|REPRINT|RIBBON)$/

// BITMAP x,y,width in bytes,rows,mode,data; DOWNLOAD [memory,]"file",bytes,data.
const BITMAP =
  /^BITMAP[ \t]+-?\d+[ \t]*,[ \t]*-?\d+[ \t]*,[ \t]*(\d{1,6})[ \t]*,[ \t]*(\d{1,6})[ \t]*,[ \t]*\d[ \t]*,/i
const DOWNLOAD = /^DOWNLOAD[ \t]+(?:[A-Z],[ \t]*)?"[^"\r\n]{0,64}"[ \t]*,[ \t]*(\d{1,9})[ \t]*,/i

/** Walks over TSPL line by line. The bytes of a BITMAP and a DOWNLOAD are data, as many as the command says. */
export function scanTspl(bytes: Buffer, from: number, findings: Findings): void {
  let at = from
  while (at < bytes.length) {
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1
    const next = WORD_FIRST.has(upper(bytes[at])) ? lookAtLine(bytes, at, findings) : undefined
    at = next ?? endOfLine(bytes, at) + 1
  }
}

/** Where to go on when it is not at the next line. */
function lookAtLine(bytes: Buffer, at: number, findings: Findings): number | undefined {
  const head = latin1(bytes, at, HEAD)
  const word = WORD.exec(head)?.[0].toUpperCase()
  if (word === undefined) return undefined
  if (word === 'BITMAP') {
    const bitmap = BITMAP.exec(head)
    return bitmap === null
      ? undefined
      : at + bitmap[0].length + Number(bitmap[1]) * Number(bitmap[2])
  }
  const means = WORDS.get(word)
  if (means === undefined) return undefined
  if (word === 'SET') noteSetting(head, at, findings)
  else findings.add({ command: word.replace('\u001b', 'ESC '), means, isCommon: false, offset: at })
  const download = word === 'DOWNLOAD' ? DOWNLOAD.exec(head) : null
  return download === null ? undefined : at + download[0].length + Number(download[1])
}

function noteSetting(head: string, offset: number, findings: Findings): void {
  const setting = SETTING.exec(head)?.[1]?.toUpperCase() ?? ''
  if (setting === COUNTER) return
  const command = `SET ${setting}`.trim()
  findings.add({ command, means: STAYS, isCommon: COMMON.test(setting), offset })
}

function upper(byte: number | undefined): number {
  if (byte === undefined) return 0
  return byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte
}
