import { endOfLine, type Findings, latin1 } from './finding.ts'

const HEAD = 120
const ESC = '\u001b'

/** `means` may stand for several words of one kind. */
interface TsplCommand {
  readonly line: RegExp
  readonly means: string
  readonly isCommon?: true
}

const NETWORK = "changes the printer's network settings"

// TSC, TSPL/TSPL2 Programming Language; the first group is what is shown.
const COMMANDS: readonly TsplCommand[] = [
  { line: /^(INITIALPRINTER)\b/i, means: 'sets the printer back to its factory settings' },
  { line: /^(FORMAT)\b(?!\$)/i, means: "erases the printer's memory" },
  { line: /^(KILL)\b/i, means: "deletes files from the printer's memory" },
  { line: /^(DOWNLOAD)\b/i, means: "stores a file in the printer's memory" },
  { line: /^(MOVE)\b/i, means: "writes files into the printer's flash memory" },
  { line: /^(COPY)\b/i, means: "copies files in the printer's memory" },
  { line: /^(RUN)\b/i, means: 'starts a program inside the printer' },
  { line: /^(SELFTEST)\b/i, means: 'prints test labels' },
  { line: /^(AUTODETECT|GAPDETECT|BLINEDETECT)\b/i, means: 'makes the printer calibrate' },
  { line: /^(SET COUNTER)\b/i, means: '' }, // a counter of this very label
  {
    line: /^(SET (?:TEAR|PEEL|CUTTER|PARTIAL_CUTTER|BACK|REPRINT|RIBBON))\b/i,
    means: 'changes a setting that stays in the printer',
    isCommon: true,
  },
  {
    line: /^(SET [A-Z]{1,12}\d?|SET)\b/i,
    means: 'changes a setting that stays in the printer',
  },
  { line: /^(WLAN|NET|BT)\b/i, means: NETWORK },
  { line: /^(ESC !R)/, means: 'resets the printer' },
  { line: /^(ESC !C)/, means: 'restarts the printer' },
]

// BITMAP x,y,width in bytes,rows,mode,data; DOWNLOAD [memory,]"file",bytes,data.
const BITMAP =
  /^BITMAP[ \t]+-?\d+[ \t]*,[ \t]*-?\d+[ \t]*,[ \t]*(\d{1,6})[ \t]*,[ \t]*(\d{1,6})[ \t]*,[ \t]*\d[ \t]*,/i
const DOWNLOAD = /^DOWNLOAD[ \t]+(?:[A-Z],[ \t]*)?"[^"\r\n]{0,64}"[ \t]*,[ \t]*(\d{1,9})[ \t]*,/i

/** First letters of the commands above and of BITMAP, and ESC. */
const FIRST = new Set([...'ABCDFGIKMNRSW', ESC].map((letter) => letter.charCodeAt(0)))

/** Walks over TSPL line by line. The bytes of a BITMAP and a DOWNLOAD are data, as many as the command says. */
export function scanTspl(bytes: Uint8Array, from: number, findings: Findings): void {
  let at = from
  while (at < bytes.length) {
    while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1
    const next = FIRST.has(upper(bytes[at])) ? lookAtLine(bytes, at, findings) : undefined
    at = next ?? endOfLine(bytes, at) + 1
  }
}

/** Where to go on when it is not at the next line. */
function lookAtLine(bytes: Uint8Array, at: number, findings: Findings): number | undefined {
  const head = latin1(bytes, at, HEAD).replace(ESC, 'ESC ')
  const bitmap = BITMAP.exec(head)
  if (bitmap !== null) return at + bitmap[0].length + Number(bitmap[1]) * Number(bitmap[2])
  const command = COMMANDS.find(({ line }) => line.test(head))
  if (command === undefined || command.means === '') return undefined
  const [, name = ''] = command.line.exec(head) ?? []
  findings.add({
    command: name.toUpperCase(),
    means: command.means,
    isCommon: command.isCommon ?? false,
    offset: at,
  })
  const download = DOWNLOAD.exec(head)
  return download === null ? undefined : at + download[0].length + Number(download[1])
}

function upper(byte: number | undefined): number {
  if (byte === undefined) return 0
  return byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte
}
