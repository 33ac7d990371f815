import { checkHeader, findDecoder, listPages, type PictureFormat } from '#labels'
import type { PrintOptions } from '../job.ts'
import { callLabels } from '../label-faults.ts'

/** Pages of a file that are looked for at most; `listPages` decides how many of them may print. */
const LOOKED_FOR_MOST = 1000

/** A label of a picture. */
interface PictureLabel {
  readonly label: Uint8Array
  /** The page, where all pages share the bytes of the file. */
  readonly options?: PrintOptions
}

/**
 * Splits a picture into the pages that print: each page of a TIFF or page raster is a label, other pictures are one. Pages that may share
 * bytes all get the whole file, which is kept once: otherwise 16 MB could become a hundred copies.
 * @throws PlatenError PICTURE_*, FIELD_INVALID for a page that is not there, BODY_TOO_LARGE
 */
export function splitPicture(
  label: Uint8Array,
  format: PictureFormat,
  wish: string | undefined,
  bulk: { add(label: Uint8Array): void },
): readonly PictureLabel[] {
  const keep = (own: Uint8Array): Uint8Array => {
    bulk.add(own)
    return own
  }
  const decoder = findDecoder(format)
  const pages = callLabels(() => decoder.pages?.(label, LOOKED_FOR_MOST))
  if (pages === undefined) return [{ label: keep(label) }]
  const numbers = callLabels(() => listPages(wish, pages.length, format.toUpperCase()))
  if (pages.length === 1) return numbers.map(() => ({ label: keep(label) }))
  const shared = decoder.isShared ? keep(label) : undefined
  return numbers.flatMap((number) => {
    const page = pages[number - 1]
    if (page === undefined) return []
    callLabels(() => checkHeader(page.header(), format))
    return shared === undefined
      ? { label: keep(page.file()) }
      : { label: shared, options: { pages: String(number) } }
  })
}

/** Returns the page of a job as a file of its own; a picture of one page is returned unchanged. */
export function pageOf(
  label: Uint8Array,
  { format, options }: { readonly format: string; readonly options: PrintOptions },
): Uint8Array {
  const decoder = findDecoder(format)
  if (decoder?.isShared !== true || options.pages === undefined) return label
  const pages = callLabels(() => decoder.pages?.(label, LOOKED_FOR_MOST)) ?? []
  if (pages.length < 2) return label
  return pages[Number(options.pages) - 1]?.file() ?? label
}
