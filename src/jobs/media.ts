import type { Media, Printer } from '../printers/printer.ts'
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

/** One sentence when the label was clearly made for other stock than the printer says it has, else ''. It prints all the same. */
export function warnOfMedia(
  job: Pick<Job, 'format' | 'options'>,
  label: Uint8Array,
  printer: Printer,
): string {
  const { media } = printer
  if (media === undefined) return ''
  const dpi = realDpi(printer.dpi)
  const target = makeTarget(printer, job.options)
  const isRaw = job.format in DOTS
  const size = isRaw
    ? readLabelSize(job.format, label, dpi)
    : { width: target.labelWidth, height: target.labelHeight }
  return warnOfLength(size, media, dpi, printer.name) || warnOfWidth(size, media, dpi, printer.name)
}

function warnOfLength(size: LabelSize, media: Media, dpi: number, printer: string): string {
  if (size.height === undefined || media.lengthDots === undefined) return ''
  const stock = media.lengthDots / dpi
  if (media.tracking === 'continuous' || !isOff(size.height, stock)) return ''
  return `The label is ${say(size.height)} long, but ${printer} says that its labels are ${say(stock)} long: look whether it came out whole. After another roll was put in, press "Calibrate".`
}

function warnOfWidth(size: LabelSize, media: Media, dpi: number, printer: string): string {
  if (size.width === undefined || media.widthDots === undefined) return ''
  const stock = media.widthDots / dpi
  if (size.width <= stock || !isOff(size.width, stock)) return ''
  return `The label is ${say(size.width)} wide, but ${printer} prints only ${say(stock)}: its right edge may be missing.`
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
