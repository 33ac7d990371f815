import {
  type Area,
  findLanguage,
  findOtherDpi,
  isLanguage,
  type LabelInches,
  type LanguageName,
  measureStock,
  type Paper,
  type RawExtent,
  type Rotate,
  realDpi,
  type StockInches,
  type Target,
  type Tracking,
} from '#labels'
import type { Printer } from '#printers'
import { join, NOTHING, type Sentences, say } from '../../words/say.ts'
import type { Job, JobFormat, PrintOptions } from '../job.ts'
import { callLabels } from '../label-faults.ts'

// Seed 2.1: what a request and a printer leave out.
const LABEL_WIDTH = 4
const LABEL_HEIGHT = 6

/** The language of a printer, if it is one that this program can write. */
export function languageOf(printer: Pick<Printer, 'language'>): LanguageName | undefined {
  return findLanguage(printer.language)?.name
}

const LIKE = 0.1 // a printer measures gaps with its labels

/** The size that the printer measured, in sixteenths of an inch; undefined when it is about the usual size. */
function reported(dots: number | undefined, dpi: number, usual: number): number | undefined {
  if (dots === undefined || dots < dpi / 4) return undefined
  const inches = dots / dpi
  return Math.abs(inches - usual) <= LIKE * usual ? undefined : Math.round(inches * 16) / 16
}

/**
 * Combines a request and a printer for rendering: the request first, then the printer's entry, then what the printer says about its stock,
 * then 4 by 6 inches.
 */
export function makeTarget(printer: Printer, options: PrintOptions): Target {
  const dpi = realDpi(printer.dpi)
  const isSafe = printer.z64 ?? /zebra/i.test(printer.makeAndModel)
  const { lengthDots, widthDots, tracking } = printer.media ?? {}
  const length = tracking === 'continuous' ? undefined : lengthDots
  const width = options.labelWidth ?? printer.labelWidth
  const height = options.labelHeight ?? printer.labelHeight
  return {
    language: languageOf(printer),
    dpi,
    labelWidth: width ?? reported(widthDots, dpi, LABEL_WIDTH) ?? LABEL_WIDTH,
    labelHeight: height ?? reported(length, dpi, LABEL_HEIGHT) ?? LABEL_HEIGHT,
    pictureDpi: options.dpi === undefined ? undefined : realDpi(options.dpi),
    startingPointX: options.startingPointX ?? 0,
    startingPointY: options.startingPointY ?? 0,
    speed: printer.speed,
    ...chooseLook(printer, options),
    z64: printer.graphics === 'z64' || (printer.graphics === 'auto' && isSafe),
  }
}

/** Chooses position and darkness of a picture: the request first, then the printer's entry. */
function chooseLook(
  printer: Printer,
  options: PrintOptions,
): Pick<Target, 'rotate' | 'scaling' | 'area' | 'darkness'> {
  return {
    rotate: readRotate(options.rotate) ?? printer.rotate,
    scaling: options.scaling === 'none' ? 'none' : undefined,
    area: options.area as Area | undefined,
    darkness: options.darkness ?? printer.darkness,
  }
}

function readRotate(option: string | undefined): Rotate | undefined {
  if (option === undefined || option === 'auto') return option
  return Number(option) as Rotate
}

/** The stock in the form in which PDFs are drawn for it. */
export function paperOf(target: Target): Paper {
  const { dpi, rotate, scaling, pictureDpi = dpi } = target
  const dots = dpi / pictureDpi
  const start = { x: target.startingPointX * dots, y: target.startingPointY * dots }
  return { canvas: callLabels(() => measureStock(target)), dpi, rotate, scaling, start }
}

/** Returns a warning when a raw label is not in the printer's language, else nothing. The label prints anyway. */
export function warnOfLanguage(format: JobFormat, printer: Printer): Sentences {
  const language = findLanguage(printer.language)
  if (!isLanguage(format) || language === undefined || language.name === format) return NOTHING
  const [sent, spoken] = [findLanguage(format).title, language.title]
  return join(
    say('otherSpeech', { sent, printer: printer.name, spoken }),
    say('ifWrong', { spoken }),
  )
}

const SHARE = 0.1 // a gap or a margin is not another label
const INCHES = 0.35

/** The stock to compare a label with, in inches; undefined if unknown. */
interface ComparedStock {
  readonly length: number | undefined
  readonly width: number | undefined
  /** True for what the printer itself measured, false for what a person wrote into the settings. */
  readonly isMeasured: { readonly length: boolean; readonly width: boolean }
}

/** Finds the stock of a printer. Its own measurement counts more than its entry, which may describe the previous roll. */
function findStock({ media, labelHeight, labelWidth }: Printer, dpi: number): ComparedStock {
  const inches = (dots: number | undefined) => (dots === undefined ? undefined : dots / dpi)
  const [length, width] = [inches(media?.lengthDots), inches(media?.widthDots)]
  return {
    length: media?.tracking === 'continuous' ? undefined : (length ?? labelHeight),
    width: width ?? labelWidth,
    isMeasured: { length: length !== undefined, width: width !== undefined },
  }
}

/**
 * Returns a warning when the label was clearly made for other stock than the printer says it has, or than its entry says if the printer
 * reports nothing; else nothing. The label prints all the same.
 */
export function warnOfMedia(
  job: Pick<Job, 'format' | 'options'>,
  label: Uint8Array,
  printer: Printer,
): Sentences {
  const dpi = realDpi(printer.dpi)
  const target = makeTarget(printer, job.options)
  const size = isLanguage(job.format)
    ? readLabelSize(job.format, label, dpi)
    : { width: target.labelWidth, height: target.labelHeight }
  const stock = findStock(printer, dpi)
  return (
    warnOfDpi(job, label, printer, stock) ??
    warnOfLength(size, stock, printer.name) ??
    warnOfWidth(size, stock, printer.name) ??
    warnOfTracking(readLabelTracking(job.format, label), printer) ??
    NOTHING
  )
}

/** Returns a warning when the size of a label would be right at another resolution: then only its dots per inch are wrong. */
function warnOfDpi(
  { format, options }: Pick<Job, 'format' | 'options'>,
  label: Uint8Array,
  printer: Printer,
  stock: ComparedStock,
): Sentences | undefined {
  const has = realDpi(printer.dpi)
  const dots = findLanguage(format)?.stock.readDots(label)
  const room =
    dots && findRoom(readLabelSize(format, label, has), dots, stock, makeTarget(printer, options))
  const is = room && findOtherDpi(dots, room, has)
  if (is === undefined) return undefined
  const values = { is, has, printer: printer.name }
  const told = is < has ? say('madeForFewerDots', values) : say('madeForMoreDots', values)
  return join(told, say('askForDots', { has }))
}

/** Finds the size that the label is for: what it says in inches, else the stock; undefined if unknown. */
function findRoom(
  size: LabelInches,
  dots: RawExtent,
  stock: ComparedStock,
  target: Target,
): StockInches | undefined {
  const countsInches = dots.width === undefined && dots.height === undefined
  if (countsInches && size.width !== undefined && size.height !== undefined)
    return { width: size.width, height: size.height }
  if (stock.length === undefined && stock.width === undefined) return undefined
  return {
    width: stock.width ?? target.labelWidth,
    height: stock.length ?? target.labelHeight,
  }
}

function warnOfLength(
  { height }: LabelInches,
  stock: ComparedStock,
  printer: string,
): Sentences | undefined {
  const { length } = stock
  if (height === undefined || length === undefined || !isOff(height, length)) return undefined
  const values = { is: tenths(height), printer, has: tenths(length) }
  return stock.isMeasured.length
    ? join(say('lengthMeasured', values), say('otherRoll'))
    : join(say('lengthSet', values), say('ifOut'))
}

function warnOfWidth(
  { width }: LabelInches,
  stock: ComparedStock,
  printer: string,
): Sentences | undefined {
  if (width === undefined || stock.width === undefined) return undefined
  if (width <= stock.width || !isOff(width, stock.width)) return undefined
  const values = { is: tenths(width), printer, has: tenths(stock.width) }
  return say(stock.isMeasured.width ? 'widthMeasured' : 'widthSet', values)
}

const STOCK = {
  gap: { wanted: 'madeForGaps', has: 'hasGaps' },
  mark: { wanted: 'madeForMarks', has: 'hasMarks' },
  continuous: { wanted: 'madeForRoll', has: 'hasRoll' },
} as const satisfies Record<Tracking, object>

function warnOfTracking(
  tracking: Tracking | undefined,
  { name, media }: Printer,
): Sentences | undefined {
  const has = media?.tracking
  if (tracking === undefined || has === undefined || tracking === has) return undefined
  const [wanted, found] = [STOCK[tracking].wanted, STOCK[has].has]
  return join(say(wanted), say(found, { printer: name }), say('otherRoll'))
}

function isOff(label: number, stock: number): boolean {
  return Math.abs(label - stock) > Math.max(INCHES, SHARE * stock)
}

function tenths(inches: number): number {
  return Math.round(inches * 10) / 10
}

/** Returns a warning when a label holds commands that this printer accepts but does not print, else nothing. */
export function warnOfRasterOnly(
  format: JobFormat,
  label: Uint8Array,
  printer: Pick<Printer, 'name' | 'rasterOnly'>,
): Sentences {
  if (printer.rasterOnly !== true) return NOTHING
  if (findLanguage(format)?.drawsText?.(readBeginning(label)) !== true) return NOTHING
  return join(say('picturesOnly', { printer: printer.name }), say('sendPng'))
}

const LOOKED_AT = 65_536 // bytes of a label; commands for the stock are at its beginning

const UNSIZED: LabelInches = { width: undefined, height: undefined }

/**
 * Reads the size for which a raw label was made, as the label itself states it, e.g. by `SIZE`; undefined for a picture.
 * @param dpi of the head, in whose dots some languages count
 */
export function readLabelSize(format: JobFormat, label: Uint8Array, dpi: number): LabelInches {
  const stock = findLanguage(format)?.stock
  return stock?.readSize(readText(label, stock.dots), dpi) ?? UNSIZED
}

/**
 * Reads what the printer is to look for between two labels, as the label itself states it, e.g. by `GAP`; undefined where it states
 * nothing, and for a picture.
 */
export function readLabelTracking(format: JobFormat, label: Uint8Array): Tracking | undefined {
  const stock = findLanguage(format)?.stock
  return stock?.readTracking(readText(label, stock.dots))
}

/** The commands of a raw label before its first dots. */
function readText(label: Uint8Array, dots: RegExp): string {
  return readBeginning(label).split(dots, 1)[0] ?? ''
}

/** The beginning of a label, which describes it, one character a byte. */
function readBeginning(label: Uint8Array): string {
  return Buffer.from(label.subarray(0, LOOKED_AT)).toString('latin1')
}

/**
 * Returns a warning for a raw label that begins but does not end, else nothing. The printer keeps it until an end arrives, which would be
 * the next label's.
 */
export function warnOfOpenLabel(format: JobFormat, label: Uint8Array): Sentences {
  const ending = findLanguage(format)?.ending
  if (ending?.isMissing(label) !== true) return NOTHING
  return say('openEnd', { command: ending.command })
}
