import {
  inchesOf,
  type Language,
  type LanguageSign,
  type StockReader,
  TEXT,
  WITHIN_BYTES,
} from '../language.ts'
import type {
  Media,
  PrinterDetails,
  PrinterReading,
  PrinterReason,
  StatusLanguage,
  Talk,
  Tracking,
} from '../status.ts'
import { readZplDots } from './dots.ts'
import { drawInline, encode } from './encode.ts'
import { isPlainZpl } from './plain.ts'
import { questions } from './questions.ts'
import { scanZpl } from './scan.ts'
import { commands } from './stream.ts'
import { readZplTexts } from './texts.ts'

// Around every answer of a ZPL printer (ZPL II Programming Guide, ~HS).
const [STX, ETX] = ['\u0002', '\u0003']

const [HOST_STATUS_FRAMES, CONTINUOUS] = [3, 0x80]

/** Two dots to the millimetre stand for each head that is made (ZPL II Programming Guide, ~HI). Decision `zpl-length`. */
const DPI: ReadonlyMap<number, number> = new Map([
  [6, 152],
  [8, 203],
  [12, 300],
  [24, 600],
])

const CARET = 0x5e

const FEWEST_DOTS = 5 // to the millimetre, of any head

/** Model names of Zebra's own printers; clones answer ~HI too, with names of theirs. */
const ZEBRA_MODEL =
  /^(ZTC\b|Z[DTQMERP]\s?\d|Z\d|G[KXC]\d|T?LP\s?\d|S4M|HC\d|KR\d|QLN?\d|RW|ZM\d|1[17]0|R\d{3}|22[0-9]Xi)/i

/** Bits of the first group of errors (ZPL Programming Guide, ~HQ); what is not here stops it for another reason. */
const ERRORS: readonly (readonly [number, PrinterReason])[] = [
  [0x4, 'cover-open'],
  [0x1, 'media-empty'],
  [0x2, 'marker-supply-empty'],
  [0xff000 & ~0x10000, 'media-jam'], // 1000..80000 of the kiosk printers: jams and paths that are not clear
  [0x10000, 'paused'],
  [0xff8, 'other'],
]

/** ZPL: `~HS`, and `~HQES` where that is silent, which it is while labels or ribbon are out or the head is open. */
const status: StatusLanguage = {
  // No answer to either; the manual names these states for ~HS.
  silence: { reasons: ['other'], isBusy: false, isSilent: true },
  // Measures length and sensor levels (ZPL II Programming Guide, ~JC).
  calibrate: '~JC',
  async ask(talk) {
    const isWhole = (answer: string) => readFrames(answer).length >= HOST_STATUS_FRAMES
    const askStatus = async () => parseHostStatus(await talk('~HS', isWhole))
    const status = await askStatus()
    if (status !== undefined) return status
    const errors = parseErrors(await talk('~HQES', (answer) => readFrames(answer).length > 0))
    if (errors?.reasons.length !== 0) return errors
    // That nothing is wrong says nothing of a label that is still being printed.
    return (await askStatus()) ?? { ...errors, isVague: true }
  },
  async identify(talk) {
    const said = parseHostIdentity(await talk('~HI', (answer) => readFrames(answer).length > 0))
    if (said?.z64 !== true) return said ?? {}
    const media = await readSettings(talk)
    return media === undefined ? said : { ...said, media }
  },
  // Of the printer's whole life; without feeds and calibration (ZPL Programming Guide, odometer.total_label_count).
  async count(talk) {
    const count = Number.parseInt(await getSetting(talk, 'odometer.total_label_count'), 10)
    return count >= 0 ? count : undefined
  },
}

/** Reads a Set-Get-Do variable; '' = the printer does not say. */
async function getSetting(talk: Talk, key: string): Promise<string> {
  const answer = await talk(`! U1 getvar "${key}"\r\n`, (text) => /"[^"]*"/.test(text))
  return /"([^"]*)"/.exec(answer)?.[1] ?? ''
}

function readFrames(answer: string): readonly string[] {
  const begun = answer.split(STX).slice(1)
  return begun.flatMap((text) => (text.includes(ETX) ? [text.slice(0, text.indexOf(ETX))] : []))
}

/** The three strings of `~HS`; undefined when they are not there. */
export function parseHostStatus(answer: string): PrinterReading | undefined {
  const [first = [], second = []] = readFrames(answer).map((text) => text.split(','))
  if (first.length < 12 || second.length < 9) return undefined
  const isSet = (field: string | undefined) => field?.trim() === '1'
  const count = (field: string | undefined) => Number.parseInt(field ?? '', 10) || 0
  const flags: readonly (readonly [boolean, PrinterReason])[] = [
    [isSet(second[2]), 'cover-open'],
    [isSet(first[1]), 'media-empty'],
    [isSet(second[3]), 'marker-supply-empty'],
    [isSet(first[2]), 'paused'],
    [isSet(first[10]) || isSet(first[11]), 'other'], // the head is too cold or too hot
  ]
  return {
    reasons: flags.filter(([is]) => is).map(([, reason]) => reason),
    isBusy: count(first[4]) > 0 || isSet(first[7]) || count(second[8]) > 0,
    media: readMedia(count(first[3]), count(second[0])),
  }
}

/** The function settings say "continuous" in their highest bit; of gap and mark they tell nothing. */
function readMedia(lengthDots: number, settings: number): Media {
  return {
    ...(lengthDots > 0 ? { lengthDots } : {}),
    ...((settings & CONTINUOUS) === 0 ? {} : { tracking: 'continuous' }),
  }
}

/** The error line of `~HQES`, e.g. `ERRORS: 1 00000000 00000005`; undefined when there is none. */
export function parseErrors(answer: string): PrinterReading | undefined {
  const found = /ERRORS:\s*([01])\s+[0-9A-F]{8}\s+([0-9A-F]{8})/i.exec(answer)
  if (found === null) return undefined
  const bits = found[1] === '1' ? Number.parseInt(found[2] ?? '0', 16) : 0
  const reasons = ERRORS.filter(([mask]) => (bits & mask) !== 0).map(([, reason]) => reason)
  const unnamed: readonly PrinterReason[] =
    found[1] === '1' && reasons.length === 0 ? ['other'] : []
  return { reasons: [...reasons, ...unnamed], isBusy: false }
}

/** `~HI`: `MODEL,VERSION,DPMM,MEMORY,OPTIONS`; undefined when it is something else. */
export function parseHostIdentity(answer: string): PrinterDetails | undefined {
  const [model = '', , dotsPerMm = '', ...rest] = (readFrames(answer)[0] ?? '').split(',')
  const dots = Number.parseInt(dotsPerMm, 10)
  const dpi = DPI.get(dots)
  // A printer that answers everything alike names no model and no head.
  if (rest.length === 0 || !(dots >= FEWEST_DOTS)) return undefined
  if (!/^(?=.*[a-z])[\x20-\x7e]{2,60}$/i.test(model)) return undefined
  const isZebra = ZEBRA_MODEL.test(model.trim())
  const name = model
    .replace(/^ZTC\s+/i, '')
    .replace(/-\d{3}\s?dpi\b.*$/i, '')
    .trim()
  return {
    makeAndModel: isZebra ? `Zebra ${name}` : name,
    ...(dpi === undefined ? {} : { dpi }),
    ...(isZebra ? { z64: true } : {}),
  }
}

/** Print width and tracking, which only Zebra's own printers tell (Set-Get-Do, ZPL Programming Guide). */
async function readSettings(talk: Talk): Promise<Media | undefined> {
  const widthDots = Number.parseInt(await getSetting(talk, 'ezpl.print_width'), 10)
  if (!(widthDots > 0)) return undefined // older firmware does not know these at all
  const tracking = readTracking(await getSetting(talk, 'ezpl.media_type'))
  return { widthDots, ...(tracking === undefined ? {} : { tracking }) }
}

function readTracking(word: string): Media['tracking'] {
  if (/mark/i.test(word)) return 'mark'
  if (/continuous|journal/i.test(word)) return 'continuous'
  return /gap|notch|web|label/i.test(word) ? 'gap' : undefined
}

// Commands that stand outside of a format (ZPL II Programming Guide).
const ALONE =
  '~(?:C[CDT]|D[BEGLNSTUY]|EG|H[BDILMQSU]|J[A-GILNOPQRSX]|KB|N[CRT]|P[HLMPRS]|R[OV]|SD|TA|W[CLQR])'
// ... and those of a format, by their first letters.
const COMMAND = '\\^(?:A[@A-Z0-9]|B[0-9A-Z]|[CFGHJ-NPRSW][A-Z]|DF|E[FG]|I[DLMS]|T[BO]|X[ABFGSZ]|ZZ)'
const START = new RegExp(String.raw`^(?:${COMMAND}|${ALONE}|CT~~CD,~CC\^~CT~)`)
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
// Text before a label in a program, a web page or JSON.
const CODE = /["'`=(<;]/

/** Begins with a command, or holds one behind a text: the text of an EPL label may well hold a caret. */
const signs: readonly LanguageSign[] = [
  { doubt: 0, matches: ({ head }) => START.test(head) || START_OF_ANY_SIZE.test(head) },
  { doubt: 3, matches: ({ head }) => isWithin(head.slice(0, WITHIN_BYTES)) },
]

function isWithin(head: string): boolean {
  const before = WITHIN.exec(head)?.[1]
  return before !== undefined && !CODE.test(before.replace(SETTINGS_LINES, ''))
}

/**
 * True when a label begins and does not end. Labels that change the prefix of commands are not judged; Zebra's drivers
 * begin with `CT~~CD,~CC^~CT~`, which sets it to what it is.
 */
function isOpen(label: Uint8Array): boolean {
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.length)
  const last = (command: string) =>
    Math.max(bytes.lastIndexOf(command), bytes.lastIndexOf(command.toLowerCase()))
  const changes = (command: string) => last(command) >= 0 && bytes[last(command) + 3] !== CARET
  return last('^XA') > last('^XZ') && !changes('^CC') && !changes('~CC')
}

const TRACKING: ReadonlyMap<string, Tracking> = new Map(
  Object.entries({
    N: 'continuous',
    Y: 'gap',
    W: 'gap',
    M: 'mark',
  }),
)

/** `^PW`, `^LL` and `^MN`. */
const stock: StockReader = {
  dots: /\^GF|~D[GY]/i,
  readSize: (text, dpi) => ({
    width: inchesOf(/\^PW(\d+)/i, text, dpi),
    height: inchesOf(/\^LL(\d+)/i, text, dpi),
  }),
  readDots: readZplDots,
  readTracking: (text) => TRACKING.get(/\^MN([A-Z])/i.exec(text)?.[1]?.toUpperCase() ?? ''),
}

/** ZPL II (Zebra, ZPL II Programming Guide). */
export const zpl = {
  name: 'zpl',
  title: 'ZPL',
  makers: 'Zebra and most others',
  commandSets: ['ZPL', 'ZPL2', 'ZPLII', 'CEZD', 'BIXOLON_01'],
  mediaType: 'application/vnd.zebra-zpl',
  fileEndings: ['zpl', 'zpl2'],
  beginnings: ['^XA', 'CT~~CD', '~DG'],
  signs,
  isPlain: isPlainZpl,
  encode,
  drawInline,
  scan: scanZpl,
  commands,
  questions,
  readTexts: readZplTexts,
  stock,
  status,
  // Cancels all formats, the half one too (~JA).
  resync: '~JA',
  ending: { command: '^XZ', isMissing: isOpen },
} as const satisfies Language<'zpl'>
