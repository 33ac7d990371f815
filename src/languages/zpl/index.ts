import {
  inchesOf,
  type Language,
  type Sign,
  type StockReader,
  TEXT,
  WITHIN_BYTES,
} from '../language.ts'
import type { Tracking } from '../status.ts'
import { encode } from './encode.ts'
import { scanZpl } from './scan.ts'
import { status } from './status.ts'

// Commands that stand outside of a format (ZPL II Programming Guide).
const ALONE =
  '~(?:C[CDT]|D[BEGLNSTUY]|EG|H[BDILMQSU]|J[A-GILNOPQRSX]|KB|N[CRT]|P[HLMPRS]|R[OV]|SD|TA|W[CLQR])'
const START = new RegExp(String.raw`^(?:\^[A-Z]|${ALONE}|CT~~CD,~CC\^~CT~)`)
// Commands are read in letters of any size (ZPL II guide, "Basic ZPL exercises"). Small ones stand in texts and programs
// too, so that another command must follow.
const ANY_SIZE = String.raw`\^[xX][aA]\s*[\^~][A-Za-z]`
const START_OF_ANY_SIZE = new RegExp(`^${ANY_SIZE}`)
// Some senders put a line of their own, or printer settings, before the first command. Words with a caret or a tilde in
// them are not a label: an error message would "print", and nothing would come out.
const WITHIN = new RegExp(
  String.raw`^(${TEXT})(?:(?:(?<=^|[\r\n][ \t]*|\$\{)(?:\^XA|${ALONE}|${ANY_SIZE}))|\^XA\s*[\^~])`,
)
const SETTINGS_LINES = /^! U[^\r\n]*$/gm
// What stands before a label in a program, a web page or JSON.
const CODE = /["'`=(<;]/

/** Begins with a command, or holds one behind a text: the text of an EPL label may well hold a caret. */
const signs: readonly Sign[] = [
  { doubt: 0, matches: ({ head }) => START.test(head) || START_OF_ANY_SIZE.test(head) },
  { doubt: 3, matches: ({ head }) => isWithin(head.slice(0, WITHIN_BYTES)) },
]

function isWithin(head: string): boolean {
  const before = WITHIN.exec(head)?.[1]
  return before !== undefined && !CODE.test(before.replace(SETTINGS_LINES, ''))
}

/** True when a label begins and does not end. Labels that change the prefix of commands are not judged. */
function isOpen(label: Uint8Array): boolean {
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.length)
  const last = (command: string) =>
    Math.max(bytes.lastIndexOf(command), bytes.lastIndexOf(command.toLowerCase()))
  return last('^XA') > last('^XZ') && last('^CC') < 0 && last('~CC') < 0
}

const TRACKING: Readonly<Record<string, Tracking>> = {
  N: 'continuous',
  Y: 'gap',
  W: 'gap',
  M: 'mark',
}

/** `^PW`, `^LL` and `^MN`. */
const stock: StockReader = {
  dots: /\^GF|~D[GY]/i,
  readSize: (text, dpi) => ({
    width: inchesOf(/\^PW(\d+)/i, text, dpi),
    height: inchesOf(/\^LL(\d+)/i, text, dpi),
  }),
  readTracking: (text) => TRACKING[/\^MN([A-Z])/i.exec(text)?.[1]?.toUpperCase() ?? ''],
}

/** ZPL II (Zebra, ZPL II Programming Guide). */
export const zpl = {
  name: 'zpl',
  title: 'ZPL',
  makers: 'Zebra and most others',
  commandSets: ['ZPL', 'ZPL2', 'ZPLII', 'CEZD', 'BIXOLON_01'],
  mediaType: 'application/vnd.zebra-zpl',
  signs,
  encode,
  scan: scanZpl,
  stock,
  status,
  // Cancels all formats, the half one too (~JA).
  resync: '~JA',
  ending: { command: '^XZ', isMissing: isOpen },
} as const satisfies Language<'zpl'>
