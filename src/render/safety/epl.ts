import type { Buffer } from 'node:buffer'
import { endOfLine, type Findings, groupByFirst, latin1 } from './finding.ts'
import { lookOutside } from './outside.ts'
import { scanZpl } from './zpl.ts'

const HEAD = 48
const FLASH = "which wears out the printer's flash memory"

// EPL Programming Guide 14245L. Q and O are flash settings too, but stand in nearly every label and are compared first.
const COMMANDS: readonly {
  readonly first: string
  readonly line: RegExp
  readonly command: string
  readonly means: string
}[] = [
  { first: 'F', line: /^FK"/, command: 'FK', means: `deletes a form from the printer, ${FLASH}` },
  { first: 'F', line: /^FS"/, command: 'FS', means: `stores a form in the printer, ${FLASH}` },
  {
    first: 'G',
    line: /^GK"/,
    command: 'GK',
    means: `deletes a graphic from the printer, ${FLASH}`,
  },
  { first: 'G', line: /^GM"/, command: 'GM', means: `stores a graphic in the printer, ${FLASH}` },
  { first: 'E', line: /^EK"/, command: 'EK', means: `deletes a font from the printer, ${FLASH}` },
  { first: 'E', line: /^ES"/, command: 'ES', means: `stores a font in the printer, ${FLASH}` },
  { first: 'M', line: /^M\d/, command: 'M', means: "divides the printer's memory anew" },
  { first: 'Y', line: /^Y\d/, command: 'Y', means: "changes the printer's serial port" },
  {
    first: 'U',
    line: /^UP\s*$/m,
    command: 'UP',
    means: "prints the printer's memory and stops its XON/XOFF",
  },
  {
    first: 'U',
    line: /^U[ABEFGIM]?\s*$/m,
    command: 'U',
    means: "prints the printer's configuration",
  },
  { first: 'd', line: /^dump\b/, command: 'dump', means: 'switches the printer to dump mode' },
  { first: '^', line: /^\^@/, command: '^@', means: 'resets the printer' },
  {
    first: '^',
    line: /^\^default/,
    command: '^default',
    means: 'sets the printer back to its factory settings',
  },
]

const BY_FIRST = groupByFirst(COMMANDS)
const LETTER_G = 0x47
const CARET = 0x5e

const GRAPHIC = /^GW-?\d+,-?\d+,(\d{1,6}),(\d{1,6})[,\r\n]/
const STORED_GRAPHIC = /^GM"[^"\r\n]{0,16}"(\d{1,9})\r?\n/
const FONT = /^ES"/
const ZPL = /^\^XA/i

/**
 * Walks over EPL line by line. The bytes of a picture (GW, GM) are data, as many as the command says, and no line end
 * is needed behind them; quoted text stays within its line.
 */
export function scanEpl(bytes: Buffer, from: number, findings: Findings): void {
  let at = from
  while (at < bytes.length) {
    lookOutside(bytes, at, findings)
    const next = BY_FIRST.has(bytes[at] ?? 0) ? lookAtLine(bytes, at, findings) : undefined
    at = next ?? endOfLine(bytes, at) + 1
  }
}

/** Where to go on when it is not at the next line. */
function lookAtLine(bytes: Buffer, at: number, findings: Findings): number | undefined {
  const head = latin1(bytes, at, HEAD)
  if (bytes[at] === LETTER_G) {
    const graphic = GRAPHIC.exec(head)
    if (graphic !== null) return at + graphic[0].length + Number(graphic[1]) * Number(graphic[2])
  }
  if (bytes[at] === CARET && ZPL.test(head)) {
    scanZpl(bytes, at, findings) // printers of both languages change over at once
    return bytes.length
  }
  const found = BY_FIRST.get(bytes[at] ?? 0)?.find(({ line }) => line.test(head))
  if (found === undefined) return undefined
  const { command, means } = found
  findings.add({ command, means, isCommon: false, offset: at })
  if (FONT.test(head)) return bytes.length // its data has no length: what follows cannot be told apart
  const stored = STORED_GRAPHIC.exec(head)
  return stored === null ? undefined : at + stored[0].length + Number(stored[1])
}
