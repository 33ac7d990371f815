import type { Printer } from '../printers/printer.ts'
import type { JobFormat } from './job.ts'

/** Inches; undefined where nothing is said. */
export interface LabelSize {
  readonly width: number | undefined
  readonly height: number | undefined
}

/** What a printer looks for between two labels. */
export type Tracking = NonNullable<NonNullable<Printer['media']>['tracking']>

const LOOKED_AT = 65_536 // bytes of a label; what it says of its stock stands at its beginning

/** Where the text of a raw label ends and its dots begin, which may hold any byte. */
const DOTS: Readonly<Record<string, RegExp>> = {
  zpl: /\^GF|~D[GY]/,
  epl: /GW\d/,
  tspl: /BITMAP /,
}

/**
 * The size for which a raw label was made, as it says itself: `^PW` and `^LL`, `q` and `Q`, or `SIZE`.
 * @param dpi of the head, in whose dots ZPL and EPL count
 */
export function readLabelSize(format: JobFormat, label: Uint8Array, dpi: number): LabelSize {
  const head = readHead(format, label)
  const inches = (pattern: RegExp): number | undefined => {
    const count = Number(pattern.exec(head)?.[1] ?? Number.NaN)
    return count > 0 ? count / dpi : undefined
  }
  if (format === 'zpl') return { width: inches(/\^PW(\d+)/), height: inches(/\^LL(\d+)/) }
  if (format === 'epl') return { width: inches(/^q(\d+)/m), height: inches(/^Q(\d+)/m) }
  return format === 'tspl' ? readTsplSize(head) : { width: undefined, height: undefined }
}

const MM_PER_INCH = 25.4
// Blanks of one line only, and never two runs of them side by side: else 64 KB of line ends cost seconds.
const TSPL_SIZE = /^[ \t]*SIZE[ \t]+([\d.]+)[ \t]*(mm[ \t]*)?,[ \t]*([\d.]+)[ \t]*(mm)?/im
const TSPL_TRACKING = /^[ \t]*(GAP|BLINE)[ \t]+([\d.]+)/im

function readTsplSize(head: string): LabelSize {
  const found = TSPL_SIZE.exec(head)
  if (found === null) return { width: undefined, height: undefined }
  const toInches = (number = '', unit: string | undefined): number | undefined => {
    const value = Number(number) / (unit === undefined ? 1 : MM_PER_INCH)
    return value > 0 ? value : undefined
  }
  return { width: toInches(found[1], found[2]), height: toInches(found[3], found[4]) }
}

const ZPL_TRACKING: Readonly<Record<string, Tracking>> = {
  ...{ N: 'continuous', Y: 'gap', W: 'gap', M: 'mark' },
}

/**
 * What the printer shall look for between two labels, as the label says itself: `^MN`, the second value of `Q`, `GAP` or
 * `BLINE`; undefined where it says nothing. A picture says nothing.
 */
export function readLabelTracking(format: JobFormat, label: Uint8Array): Tracking | undefined {
  const head = readHead(format, label)
  if (format === 'zpl') return ZPL_TRACKING[/\^MN([A-Z])/i.exec(head)?.[1]?.toUpperCase() ?? '']
  return format === 'epl' ? readEplTracking(head) : readTsplTracking(head)
}

function readEplTracking(head: string): Tracking | undefined {
  const [, mark, gap] = /^Q\d+,(B?)(\d+)/m.exec(head) ?? []
  if (gap === undefined) return undefined
  if (mark === 'B') return 'mark'
  return Number(gap) === 0 ? 'continuous' : 'gap'
}

function readTsplTracking(head: string): Tracking | undefined {
  const [, command, width] = TSPL_TRACKING.exec(head) ?? []
  if (command === undefined) return undefined
  if (Number(width) === 0) return 'continuous'
  return command.toUpperCase() === 'GAP' ? 'gap' : 'mark'
}

/** The commands of a raw label before its first dots; '' for a picture. */
function readHead(format: JobFormat, label: Uint8Array): string {
  const dots = DOTS[format]
  if (dots === undefined) return ''
  return readBeginning(label).split(dots, 1)[0] ?? ''
}

/** The beginning of a label, where what it says of itself stands, a character a byte. */
export function readBeginning(label: Uint8Array): string {
  return Buffer.from(label.subarray(0, LOOKED_AT)).toString('latin1')
}

/** Whether labels of this format are commands, which may say for what stock they were made. */
export function isRaw(format: JobFormat): format is 'zpl' | 'epl' | 'tspl' {
  return format in DOTS
}
