import { findLanguage, isLanguage, type LanguageName } from '../../languages/index.ts'
import { realDpi } from '../../languages/language.ts'
import type { Printer } from '../../printers/printer.ts'
import type { Paper } from '../../render/pdf/look.ts'
import { measureStock, type Rotate, type Target } from '../../render/target.ts'
import { say } from '../../sentences.ts'
import type { JobFormat, PrintOptions } from '../job.ts'

// Seed 2.1: what a request and a printer leave out.
const LABEL_WIDTH = 4
const LABEL_HEIGHT = 6

/** The printer's language when it is one we can write. */
export function languageOf(printer: Pick<Printer, 'language'>): LanguageName | undefined {
  return findLanguage(printer.language)?.name
}

const LIKE = 0.1 // a printer measures gaps with its labels

/** What the printer measured, in sixteenths of an inch; undefined when that is as good as the usual size. */
function reported(dots: number | undefined, dpi: number, usual: number): number | undefined {
  if (dots === undefined || dots < dpi / 4) return undefined
  const inches = dots / dpi
  return Math.abs(inches - usual) <= LIKE * usual ? undefined : Math.round(inches * 16) / 16
}

/**
 * A request and a printer as rendering needs them: the request first, then the printer's entry, then what the printer
 * says of its stock, then the seed.
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

/** How a picture lies and how dark it is: the request first, then the printer's entry. */
function chooseLook(
  printer: Printer,
  options: PrintOptions,
): Pick<Target, 'rotate' | 'scaling' | 'darkness'> {
  return {
    rotate: readRotate(options.rotate) ?? printer.rotate,
    scaling: options.scaling === 'none' ? 'none' : undefined,
    darkness: options.darkness ?? printer.darkness,
  }
}

function readRotate(option: string | undefined): Rotate | undefined {
  if (option === undefined || option === 'auto') return option
  return Number(option) as Rotate
}

/** The stock as PDFs are drawn for it. */
export function paperOf(target: Target): Paper {
  return { canvas: measureStock(target), dpi: target.dpi, rotate: target.rotate }
}

/** One sentence when a raw label is not in the printer's language, else ''. It prints anyway. */
export function warnOfLanguage(format: JobFormat, printer: Printer): string {
  const language = findLanguage(printer.language)
  if (!isLanguage(format) || language === undefined || language.name === format) return ''
  const [sent, spoken] = [findLanguage(format).title, language.title]
  return `${say('otherSpeech', { sent, printer: printer.name, spoken })} ${say('ifWrong', { spoken })}`
}
