import { upper } from '../bytes.ts'
import { findPrefix, readZplData, type ZplPrefixes } from './data.ts'

/** What a ZPL command does beyond the label, and in which form. */
interface ZplCommand {
  /** As `Finding.means`; by the letter behind the command where that letter belongs to its name. */
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
// Left out: ^EG and ^EF, which forget what a label brings anew, and ~JO, which switches to what is the default anyway.
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
  '~JL': { means: 'makes the printer measure its label anew' },
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

/** One number for prefix and two upper-case letters, so that looking one up costs nothing. */
function commandKey(isControl: boolean, first: number, second: number): number {
  return (isControl ? 0x10000 : 0) | (first << 8) | second
}

/** The same of a command's name, e.g. `^GF`. */
export function keyOf(name: string): number {
  return commandKey(name[0] === '~', name.charCodeAt(1), name.charCodeAt(2))
}

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
