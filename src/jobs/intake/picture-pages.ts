import { findDecoder, type PictureFormat } from '../../render/decode/index.ts'
import { listPages, PAGES_MAX } from '../../render/target.ts'

/**
 * The pages of a picture that print, each as a file of its own: of a TIFF or a page raster each is a label, others are one.
 * @throws PlatenError PICTURE_*, FIELD_INVALID for a page that is not there
 */
export function splitPicture(
  label: Uint8Array,
  format: PictureFormat,
  wish: string | undefined,
): readonly Uint8Array[] {
  const pages = findDecoder(format).pages?.(label, PAGES_MAX)
  if (pages === undefined || pages.length === 1) return [label]
  return listPages(wish, pages.length, format.toUpperCase()).map(
    (page) => pages[page - 1]?.() ?? label,
  )
}
