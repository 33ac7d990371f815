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
export function commandKey(isControl: boolean, first: number, second: number): number {
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
