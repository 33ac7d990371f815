import type { Buffer } from 'node:buffer'
import { isLineEnd, latin1, pairOf, SCANNED_A_TURN, upper } from '../bytes.ts'
import type { Findings } from '../language.ts'
import {
  changePrefix,
  findPrefix,
  isUsual,
  keyAt,
  keyOf,
  type Prefixes,
  readZplData,
  usualPrefixes,
} from './data.ts'

/** A ZPL command that does more than print the label, and its form. */
interface ZplCommand {
  /** The text of `Finding.means`; by the letter behind the command if that letter belongs to its name. */
  readonly means: string | Readonly<Record<string, string>>
  /** True when these parameters make it so (the first bytes after the command); left out = always. */
  readonly when?: (parameters: string) => boolean
  /** See `Finding.isCommon`. */
  readonly isCommon?: true
}

/** A, B and E are memory that outlives the power; R is RAM, the default of all these commands (ZPL II guide, ^DF). */
const isFlash = (parameters: string): boolean => /^[ABE]:/i.test(parameters)
/** Deleting: all devices at once, or everything without a device. */
const isWide = (parameters: string): boolean => /^([ABE*]:|\*\.)/i.test(parameters)
const isCopyToFlash = (parameters: string): boolean => /^[^,]{0,20},[ABE]:/i.test(parameters)

const STORES = "writes into the printer's flash memory, which wears out"
const NETWORK = "changes the printer's network settings"
const BASIC = 'starts or stops a program inside the printer (ZBI)'

// Zebra, ZPL II Programming Guide (45541L), and docs.zebra.com for the newer ones; which stand in real labels was counted.
// Left out: ^EG and ^EF, which forget what each label brings again, and ~JO, which switches to what is the default anyway.
const COMMANDS: Readonly<Record<string, ZplCommand>> = {
  '^JU': {
    means: {
      S: "saves settings into the printer's memory for good",
      F: 'sets the printer back to its factory settings',
      N: "sets the printer's network back to its factory settings",
      R: "brings back the settings in the printer's memory",
    },
    isCommon: true,
  },
  '~JR': { means: 'resets the printer' },
  '~JA': { means: 'cancels all labels in the printer' },
  '~JC': { means: 'makes the printer calibrate and feeds labels' },
  '~JG': { means: 'makes the printer calibrate and prints a graph' },
  '~JL': { means: 'makes the printer measure its label again' },
  '~JS': { means: 'changes when the printer feeds back', isCommon: true },
  '~JD': { means: 'switches the printer to dump mode' },
  '~JE': { means: 'switches dump mode off' },
  '^JB': { means: "wipes the printer's memory" },
  '~JB': { means: "wipes the printer's memory" },
  '^ID': { means: "deletes what is stored in the printer's memory", when: isWide },
  '~DB': { means: STORES, when: isFlash },
  '~DE': { means: STORES, when: isFlash },
  '~DG': { means: STORES, when: isFlash, isCommon: true },
  '~DL': { means: STORES, when: isFlash },
  '~DS': { means: STORES, when: isFlash },
  '~DT': { means: STORES, when: isFlash },
  '~DU': { means: STORES, when: isFlash },
  '~DY': { means: STORES, when: isFlash },
  '^DF': { means: STORES, when: isFlash },
  '^IS': { means: STORES, when: isFlash },
  '^TO': { means: STORES, when: isCopyToFlash },
  '^CM': { means: "renames the printer's memories" },
  '^KP': { means: 'sets the password of the printer' },
  '^KL': { means: "changes the language of the printer's display" },
  '^KN': { means: "changes the printer's name" },
  '^KD': { means: "changes the printer's date format" },
  '^MP': { means: "locks or unlocks keys of the printer's panel" },
  '^SC': { means: "changes the printer's serial port" },
  '^SE': { means: 'chooses another table of characters', isCommon: true },
  '^SR': { means: "changes the print head's resistance" },
  '^SS': { means: "changes the printer's sensors" },
  // 2 is ZPL II, which printers speak by default; Seagull's drivers send it with every label.
  '^SZ': { means: 'switches the printer to another ZPL', when: (version) => /^1/.test(version) },
  '^SX': { means: 'makes the printer send alerts elsewhere' },
  '^SQ': { means: "switches the printer's alerts off" },
  '^JH': { means: "changes the printer's early warnings" },
  '^JT': { means: "changes the tests of the print head's dots" },
  '^JI': { means: BASIC },
  '~JI': { means: BASIC },
  '^JQ': { means: BASIC },
  '~JQ': { means: BASIC },
  '^JM': { means: { B: 'halves the resolution of the printer' }, isCommon: true },
  '~JN': { means: 'makes bad dots of the print head a fault that stops printing' },
  '~WC': { means: 'prints the configuration on a label' },
  '~WL': { means: 'prints the network configuration on a label' },
  '~RO': { means: "resets the printer's counters" },
  '^RO': { means: "resets the printer's counters" },
  '^WD': { means: "prints a list of the printer's memory on labels" },
  '^ZZ': { means: 'puts the printer to sleep' },
}

// All of ^N and ^W set up the network, less ^WT, ^WV and ^WF, which encode RFID tags, and ^WD.
const NETWORK_NAMES = [
  ...[...'BCDINPRSTW'].flatMap((letter) => [`^N${letter}`, `~N${letter}`]),
  ...[...'AEIKLPRSX'].map((letter) => `^W${letter}`),
]

function listCommands(): ReadonlyMap<number, { readonly name: string } & ZplCommand> {
  const network = NETWORK_NAMES.map((name) => [name, { means: NETWORK }] as const)
  const all: readonly (readonly [string, ZplCommand])[] = [...Object.entries(COMMANDS), ...network]
  return new Map(
    all.map(([name, command]) => {
      return [keyOf(name), { name, ...command }] as const
    }),
  )
}

/** Every command of ZPL that a label should not need, by `commandKey`. */
export const ZPL_COMMANDS = listCommands()

const PARAMETERS = 32 // bytes looked at after a command

/** A setting that goes on for the labels after this one, until the power is off or another label sets it back. */
interface ZplMode {
  readonly command: string
  readonly means: string
  /** Tells whether these parameters leave it switched. By its bytes: a text of each of a million commands would take a second. */
  readonly isSwitched: (bytes: Uint8Array, from: number) => boolean
}

const anyOf =
  (letters: string) =>
  (bytes: Uint8Array, from: number): boolean =>
    letters.includes(String.fromCharCode(upper(bytes[from])))
const always = (): boolean => true
const NUMBERS_BYTES = 12

/** A number that is not 0, before the next command. */
function isMoved(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < from + NUMBERS_BYTES; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte >= 0x31 && byte <= 0x39) return true
    // Signs, digits, commas and blanks.
    if (!(byte === 0x20 || (byte >= 0x2b && byte <= 0x30))) return false
  }
  return false
}

/** Other code pages than the default one and UTF-8. */
function isOtherPage(bytes: Uint8Array, from: number): boolean {
  return !/^\s*(?:0?0|27|28)?(?:\D|$)/.test(latin1(bytes, from, 4))
}

/** Inches or millimeters, or dots of another head. */
function isOtherUnit(bytes: Uint8Array, from: number): boolean {
  return anyOf('IM')(bytes, from) || (anyOf('D')(bytes, from) && bytes[from + 1] === 0x2c)
}

// ZPL II Programming Guide, each under its command: "remains ... until" another one, or power off. Worst first.
const MODES: readonly ZplMode[] = [
  { command: '^MC', means: 'leaves what it drew for the labels after it', isSwitched: anyOf('N') },
  { command: '^PO', means: 'turns the labels after it upside down', isSwitched: anyOf('I') },
  { command: '^PM', means: 'mirrors the labels after it', isSwitched: anyOf('Y') },
  {
    command: '^LR',
    means: 'prints the fields of the labels after it reversed',
    isSwitched: anyOf('Y'),
  },
  {
    command: '^MU',
    means: 'changes the unit in which labels after it count',
    isSwitched: isOtherUnit,
  },
  { command: '^FW', means: 'turns the fields of the labels after it', isSwitched: anyOf('RIB') },
  { command: '^LH', means: 'moves the labels after it', isSwitched: isMoved },
  { command: '^LS', means: 'moves the labels after it sideways', isSwitched: isMoved },
  { command: '^LT', means: 'moves the labels after it up or down', isSwitched: isMoved },
  {
    command: '^CI',
    means: 'changes the characters of the labels after it',
    isSwitched: isOtherPage,
  },
  { command: '^CW', means: 'gives another font a letter', isSwitched: always },
  { command: '^CF', means: 'changes the font of the labels after it', isSwitched: always },
  { command: '^MN', means: 'changes how the printer finds the next label', isSwitched: always },
  { command: '^MM', means: 'changes what the printer does after a label', isSwitched: always },
  { command: '^MT', means: 'chooses ribbon or none', isSwitched: always },
  { command: '^MD', means: 'changes how dark labels after it are', isSwitched: isMoved },
  { command: '~SD', means: 'changes how dark labels after it are', isSwitched: always },
  { command: '^PR', means: 'changes how fast labels after it print', isSwitched: always },
]
const MODE_BY_KEY = new Map(MODES.map((mode) => [keyOf(mode.command), mode]))

const KEYS = {
  start: keyOf('^XA'),
  end: keyOf('^XZ'),
} as const

/** State and findings of a walk. */
interface ZplWalk {
  readonly prefixes: Prefixes
  readonly findings: Findings
  /** Modes switched so far, with their positions. */
  readonly modes: Map<ZplMode, number>
}

/**
 * Walks over ZPL from command to command. The bytes of binary graphics and objects (^GF B and C, ~DY) are data, as
 * many as the command says; hex, run lengths and base64 hold no prefix (ZPL II guide, ^GF: a `^` or `~` in A-data ends
 * it). Text of a field ends at the next prefix too: what looks like a command there is one, `_5E` under ^FH is not.
 */
export function* scanZpl(
  bytes: Buffer,
  from: number,
  findings: Findings,
): Generator<void, void, undefined> {
  const prefixes = usualPrefixes()
  const walk: ZplWalk = { prefixes, findings, modes: new Map() }
  let isInFormat = false
  let at = from
  let pauseAt = from + SCANNED_A_TURN
  while (true) {
    at = isInFormat
      ? findPrefix(bytes, at, prefixes)
      : yield* lookUntilPrefix(bytes, at, prefixes, findings)
    if (at >= pauseAt) {
      yield
      pauseAt = at + SCANNED_A_TURN
    }
    if (at >= bytes.length) break
    const key = keyAt(bytes, at, prefixes)
    if (key === KEYS.start) isInFormat = true
    if (key === KEYS.end) isInFormat = false
    note(bytes, at, key, walk)
    followMode(bytes, at, key, walk)
    at = nextAt(bytes, at, key, walk)
  }
  notePrefixes(prefixes, findings)
  noteModes(walk)
}

/** Follows a mode; one that is set back has done no harm. */
function followMode(bytes: Buffer, at: number, key: number, { modes }: ZplWalk): void {
  const mode = MODE_BY_KEY.get(key)
  if (mode === undefined) return
  if (!mode.isSwitched(bytes, at + 3)) modes.delete(mode)
  else if (!modes.has(mode)) modes.set(mode, at)
}

function noteModes({ modes, findings }: ZplWalk): void {
  for (const mode of MODES) {
    const offset = modes.get(mode)
    if (offset === undefined) continue
    findings.add({ command: mode.command, means: mode.means, isCommon: true, offset })
  }
}

/** Finds where to look for the next prefix; the two letters of an unknown command may be prefixes themselves. */
function nextAt(bytes: Buffer, at: number, key: number, { prefixes, findings }: ZplWalk): number {
  const first = bytes[at + 1]
  if (first === prefixes.caret || first === prefixes.tilde) return at + 1
  const changed = changePrefix(bytes, at, prefixes)
  if (changed !== undefined) return changed
  const data = readZplData(bytes, at, key, prefixes)
  if (data === undefined) return at + 2
  if (data.isCut) findings.noteCut({ command: data.command, offset: at })
  return data.end
}

function* lookUntilPrefix(
  bytes: Buffer,
  from: number,
  { caret, tilde }: Prefixes,
  findings: Findings,
): Generator<void, number, undefined> {
  let at = from
  while (at < bytes.length && bytes[at] !== caret && bytes[at] !== tilde) {
    lookOutside(bytes, at, findings)
    at += 1
    if ((at - from) % SCANNED_A_TURN === 0) yield
  }
  return at
}

function note(bytes: Buffer, at: number, key: number, { prefixes, findings }: ZplWalk): void {
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

/** The first two characters of a line, in lower case. */
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
