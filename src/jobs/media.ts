import type { Printer } from '../printers/printer.ts'
import type { Job, JobFormat } from './job.ts'
import { makeTarget, realDpi } from './target.ts'

/** Inches; undefined where nothing is said. */
export interface LabelSize {
  readonly width: number | undefined
  readonly height: number | undefined
}

const LOOKED_AT = 65_536 // bytes of a label; the size stands at its beginning
const SHARE = 0.1 // a gap or a margin is no other label
const INCHES = 0.35

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
  const text = Buffer.from(label.subarray(0, LOOKED_AT)).toString('latin1')
  const dots = DOTS[format]
  const head = dots === undefined ? '' : (text.split(dots, 1)[0] ?? '')
  const inches = (pattern: RegExp): number | undefined => {
    const count = Number(pattern.exec(head)?.[1] ?? Number.NaN)
    return count > 0 ? count / dpi : undefined
  }
  if (format === 'zpl') return { width: inches(/\^PW(\d+)/), height: inches(/\^LL(\d+)/) }
  if (format === 'epl') return { width: inches(/^q(\d+)/m), height: inches(/^Q(\d+)/m) }
  return format === 'tspl' ? readTsplSize(head) : { width: undefined, height: undefined }
}

const MM_PER_INCH = 25.4

function readTsplSize(head: string): LabelSize {
  const found = /^\s*SIZE\s+([\d.]+)\s*(mm)?\s*,\s*([\d.]+)\s*(mm)?/im.exec(head)
  if (found === null) return { width: undefined, height: undefined }
  const toInches = (number = '', unit: string | undefined): number | undefined => {
    const value = Number(number) / (unit === undefined ? 1 : MM_PER_INCH)
    return value > 0 ? value : undefined
  }
  return { width: toInches(found[1], found[2]), height: toInches(found[3], found[4]) }
}

/** The stock that a label is compared with, in inches; undefined where nobody says. */
interface Stock {
  readonly length: number | undefined
  readonly width: number | undefined
  /** Who says so: the printer itself, or a person in the settings. */
  readonly isMeasured: { readonly length: boolean; readonly width: boolean }
}

/** What the printer measured counts more than what its entry says, which may be of the roll before. */
function findStock({ media, labelHeight, labelWidth }: Printer, dpi: number): Stock {
  const inches = (dots: number | undefined) => (dots === undefined ? undefined : dots / dpi)
  const [length, width] = [inches(media?.lengthDots), inches(media?.widthDots)]
  return {
    length: media?.tracking === 'continuous' ? undefined : (length ?? labelHeight),
    width: width ?? labelWidth,
    isMeasured: { length: length !== undefined, width: width !== undefined },
  }
}

/**
 * One sentence when the label was clearly made for other stock than the printer says it has, or than its entry says where
 * the printer tells nothing; else ''. It prints all the same.
 */
export function warnOfMedia(
  job: Pick<Job, 'format' | 'options'>,
  label: Uint8Array,
  printer: Printer,
): string {
  const dpi = realDpi(printer.dpi)
  const target = makeTarget(printer, job.options)
  const isRaw = job.format in DOTS
  const size = isRaw
    ? readLabelSize(job.format, label, dpi)
    : { width: target.labelWidth, height: target.labelHeight }
  const stock = findStock(printer, dpi)
  return warnOfLength(size, stock, printer.name) || warnOfWidth(size, stock, printer.name)
}

function warnOfLength({ height }: LabelSize, stock: Stock, printer: string): string {
  const { length } = stock
  if (height === undefined || length === undefined || !isOff(height, length)) return ''
  const [who, then] = stock.isMeasured.length
    ? [printer, 'After another roll was put in, press "Calibrate".']
    : [`the settings of ${printer}`, 'If it did, correct the size in the settings.']
  const verb = stock.isMeasured.length ? 'says' : 'say'
  return `The label is ${say(height)} long, but ${who} ${verb} that its labels are ${say(length)} long: look whether it came out whole. ${then}`
}

function warnOfWidth({ width }: LabelSize, stock: Stock, printer: string): string {
  if (width === undefined || stock.width === undefined) return ''
  if (width <= stock.width || !isOff(width, stock.width)) return ''
  const is = stock.isMeasured.width
    ? `${printer} prints only ${say(stock.width)}`
    : `the settings of ${printer} say that its labels are ${say(stock.width)} wide`
  return `The label is ${say(width)} wide, but ${is}: its right edge may be missing.`
}

function isOff(label: number, stock: number): boolean {
  return Math.abs(label - stock) > Math.max(INCHES, SHARE * stock)
}

function say(inches: number): string {
  return `${Math.round(inches * 10) / 10} in`
}

/** One sentence when a label holds commands that this printer takes and does not print, else ''. */
export function warnOfRasterOnly(
  format: JobFormat,
  label: Uint8Array,
  printer: Pick<Printer, 'name' | 'rasterOnly'>,
): string {
  if (format !== 'tspl' || printer.rasterOnly !== true) return ''
  const text = Buffer.from(label.subarray(0, LOOKED_AT)).toString('latin1')
  if (!/^\s*(TEXT|BARCODE|QRCODE|BLOCK)\s/m.test(text)) return ''
  return `${printer.name} prints pictures only: the text and bar codes of this label may be missing. Send it as PNG.`
}
