import type { SeenPrinter } from '../printers/finds.ts'
import type { KnownPrinter, Media } from '../printers/printer.ts'
import { estimateSeconds } from '../printers/serial.ts'

/** Inches of the seed's label, for printers whose entry names no size. */
const USUAL_LABEL = { width: 4, height: 6 } as const

/** A printer as `GET /printers` and the event `printer` show it; `language` is null when it is not known. */
export function printerJson(printer: KnownPrinter): Readonly<Record<string, unknown>> {
  return {
    name: printer.name,
    default: printer.isDefault,
    uri: printer.uri,
    make_and_model: printer.makeAndModel,
    language: printer.language ?? null,
    dpi: printer.dpi,
    label_width: printer.labelWidth ?? null,
    label_height: printer.labelHeight ?? null,
    found: printer.isFound === true,
    media: printer.media === undefined ? null : mediaJson(printer.media, printer.dpi),
    picture_seconds: estimatePicture(printer),
    state: printer.status.state,
    state_reasons: printer.status.reasons,
    message: printer.status.message,
    hint: printer.status.hint,
  }
}

/** Seconds that a picture of a whole label takes at most to a printer on a slow line; null where nobody waits for it. */
function estimatePicture({ uri, dpi, labelWidth, labelHeight }: KnownPrinter): number | null {
  const width = Math.ceil(((labelWidth ?? USUAL_LABEL.width) * dpi) / 8)
  const bytes = width * Math.ceil((labelHeight ?? USUAL_LABEL.height) * dpi)
  const seconds = estimateSeconds(bytes, uri)
  return seconds === undefined ? null : Math.ceil(seconds)
}

/** What the printer says of its stock, in inches; null where it does not say. */
function mediaJson(media: Media, dpi: number): Readonly<Record<string, unknown>> {
  const inches = (dots: number | undefined) =>
    dots === undefined ? null : Math.round((dots / dpi) * 100) / 100
  return {
    label_width: inches(media.widthDots),
    label_height: inches(media.lengthDots),
    tracking: media.tracking ?? null,
  }
}

/** A printer that can be seen and is not known; `guess`: perhaps no printer at all, `other`: it prints no labels. */
export function seenPrinterJson(seen: SeenPrinter): Readonly<Record<string, unknown>> {
  return {
    name: seen.name,
    uri: seen.uri,
    make_and_model: seen.makeAndModel,
    language: seen.language ?? null,
    dpi: seen.dpi ?? null,
    guess: seen.isGuess,
    other: seen.isOther,
    hint: seen.hindrance,
  }
}
