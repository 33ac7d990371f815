/** A Code 128 symbol, planned once so that the printer's own command and our drawing make the same bars. */
export interface Code128 {
  /** Code words from the start code to the last character; the check word and the stop follow from them. */
  readonly words: readonly number[]
  /** Content as field data of ZPL's `^BC` in mode N. */
  readonly zpl: string
  /** Width in modules, without the quiet zones. */
  readonly modules: number
}

/** Modules of white that a reader needs on either side (ISO/IEC 15417, 4.3.2). */
export const QUIET_MODULES = 10

const START_B = 104
const START_C = 105
const TO_B = 100

/** Invocation codes of printable ASCII in ^BC (ZPL II Programming Guide, ^BC, table of invocation codes). */
const INVOKED: ReadonlyMap<string, string> = new Map(
  Object.entries({ '>': '>0', '^': '><', '~': '>=' }),
)

/**
 * Plans the symbol of a text: an even number of digits that lead it goes in pairs (set C), all else one by one (set B). There is
 * no change from B to C and none before a digit: not every printer of ZPL gets those right, and they save little. Undefined when
 * the text is empty or has a character beyond printable ASCII, which the two sets do not have.
 */
export function planCode128(text: string): Code128 | undefined {
  if (!/^[ -~]+$/.test(text)) return undefined
  const lead = /^\d*/.exec(text)?.[0].length ?? 0
  const paired = lead % 2 === 0 && (lead >= 4 || lead === text.length) ? lead : 0
  const pairs = text.slice(0, paired).match(/../g) ?? []
  const rest = text.slice(paired).split('')
  const letters = rest.map((letter) => letter.charCodeAt(0) - 32)
  const change = rest.length > 0 ? [TO_B] : []
  const words =
    paired > 0 ? [START_C, ...pairs.map(Number), ...change, ...letters] : [START_B, ...letters]
  const data = rest.map((letter) => INVOKED.get(letter) ?? letter).join('')
  const start = paired > 0 ? `>;${pairs.join('')}${rest.length > 0 ? '>6' : ''}` : '>:'
  return { words, zpl: start + data, modules: 11 * (words.length + 1) + 13 }
}

/** Widths of the bars and spaces in modules, a bar first. Loads bwip-js, 2 MB, only when a code is drawn. */
export async function drawCode128(code: Code128): Promise<readonly number[]> {
  const { default: bwip } = await import('bwip-js')
  const text = code.words.map((word) => `^${String(word).padStart(3, '0')}`).join('')
  const [symbol] = bwip.raw('code128', text, 'raw')
  if (symbol === undefined || !('sbs' in symbol)) throw new Error('bwip-js drew no bars')
  return symbol.sbs
}

/** A QR code as runs of black modules, so that it can be drawn with boxes. */
export interface QrCode {
  /** Modules on each side, without the quiet zone. */
  readonly size: number
  /** Modules of white that readers need around it (ISO/IEC 18004, 9.1). */
  readonly quiet: number
  readonly runs: readonly { readonly x: number; readonly y: number; readonly length: number }[]
}

const QUIET = 4

/** Plans the symbol of a text, error correction M. Loads bwip-js, 2 MB, only when a code is drawn. */
export async function drawQr(text: string): Promise<QrCode> {
  const { default: bwip } = await import('bwip-js')
  const [symbol] = bwip.raw('qrcode', text, 'eclevel=M')
  if (symbol === undefined || !('pixs' in symbol)) throw new Error('bwip-js drew no QR code')
  const { pixs, pixx: size } = symbol
  const rows = Array.from({ length: size }, (_, y) => pixs.slice(y * size, (y + 1) * size))
  return { size, quiet: QUIET, runs: rows.flatMap(findRuns) }
}

function findRuns(row: readonly number[], y: number): QrCode['runs'] {
  return [...row.join('').matchAll(/1+/g)].map(({ index, 0: ones }) => ({
    x: index,
    y,
    length: ones.length,
  }))
}
