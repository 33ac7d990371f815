import {
  asNumber,
  type CarrierRemark,
  failure,
  isBlank,
  type LabelFormats,
  type LabelWish,
} from '#carriers'
import { findLanguage } from '#labels'
import type { KnownPrinter } from '../../core/printers/status.ts'
import { IMAGE_TYPES } from './call-fields.ts'
import { ServiceError } from './envelope.ts'

type WishedFormat = LabelWish['format']

/** Formats in which carriers write labels, by the names that they share with printers' languages. */
const FORMATS: readonly WishedFormat[] = [...new Set(IMAGE_TYPES.values())]
/** Format for a printer whose language is not known. */
const USUAL = 'ZPL'

/** Pictures, which are drawn for any printer. */
const PICTURES = ['PNG', 'PDF', 'GIF'] as const
/**
 * Difference in dpi up to which a label fits a head: carriers write for 203 and 300 dpi; on a head of 600 their dots would make half a
 * label, so it gets a picture.
 */
const HEAD_OFF_MOST = 10

/** The carrier that is asked for the label. */
interface LabelOffer {
  readonly name: string
  readonly labels: LabelFormats
}

/**
 * Chooses the label to request from a carrier: the format that the request names, else what the printer understands, else ZPL; if the
 * carrier does not write it, a picture for a printer of ours, which draws it.
 * @throws ServiceError 400
 */
export function chooseLabel(
  params: Readonly<Record<string, unknown>>,
  printer: KnownPrinter | undefined,
  { name, labels }: LabelOffer,
): LabelWish | { readonly errors: readonly CarrierRemark[] } {
  const { image_type: type, dpi: said } = params
  const wanted = isBlank(said) ? undefined : asNumber(said)
  if (wanted !== undefined && wanted !== 203 && wanted !== 300) {
    const seen = JSON.stringify(wanted)?.slice(0, 40)
    throw new ServiceError(400, `dpi: got ${seen}, wanted 203 or 300.`)
  }
  const isPrinted = printer !== undefined
  const named = readFormat(type)
  const dpi = wanted ?? headOf(printer)
  const isMade = (format: WishedFormat) => labels[format]?.includes(dpi) === true
  const wish = named ?? languageOf(printer)
  const formats = Object.keys(labels) as WishedFormat[]
  const others = isPrinted && !isPicture(named) ? formats.filter(isPicture) : []
  const format = [...(wish === undefined ? [] : [wish]), ...others].find(isMade)
  if (format !== undefined) return { format, dpi, isPrinted }
  const made = formats.filter(isMade).join(', ')
  const message = `image_type: ${name} has no ${wish} labels for ${dpi} dpi; wanted ${made}.`
  return { errors: [failure('MISSING_FIELD', message, { field: 'image_type' })] }
}

function readFormat(type: unknown): WishedFormat | undefined {
  if (isBlank(type)) return undefined
  const name = typeof type === 'string' ? type.toUpperCase() : ''
  const known = IMAGE_TYPES.get(name)
  if (known !== undefined) return known
  const seen = JSON.stringify(type)?.slice(0, 40)
  throw new ServiceError(400, `image_type: got ${seen}, wanted ZPL, EPL, PNG, GIF or PDF.`)
}

function isPicture(format: WishedFormat | undefined): boolean {
  return PICTURES.some((picture) => picture === format)
}

function headOf(printer: KnownPrinter | undefined): LabelWish['dpi'] {
  return (printer?.dpi ?? 203) >= 300 ? 300 : 203
}

/** Returns the language of a printer; undefined = carriers do not write for it, or it prints pictures only. */
function languageOf(printer: KnownPrinter | undefined): WishedFormat | undefined {
  if (printer === undefined) return USUAL
  const head = headOf(printer)
  const isOff = Math.abs((printer.dpi ?? head) - head) > HEAD_OFF_MOST
  if (isOff || printer.rasterOnly === true) return undefined
  const { title } = findLanguage(printer.language) ?? { title: USUAL }
  return FORMATS.find((format) => format === title)
}
