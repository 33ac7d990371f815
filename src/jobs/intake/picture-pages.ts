import { PlatenError } from '../../errors.ts'
import { findDecoder, type PictureFormat } from '../../render/decode/index.ts'
import { listPages } from '../../render/target.ts'
import { say } from '../../sentences.ts'
import { TAKEN_AT_ONCE } from '../spool/types.ts'

/** Pages of a file that are looked for; how many of them may print is said by `listPages`. */
const LOOKED_FOR_MOST = 1000

/**
 * The pages of a picture that print, each as a file of its own: of a TIFF or a page raster each is a label, others are one.
 * @throws PlatenError PICTURE_*, FIELD_INVALID for a page that is not there, BODY_TOO_LARGE
 */
export function splitPicture(
  label: Uint8Array,
  format: PictureFormat,
  wish: string | undefined,
  bulk: Bulk,
): readonly Uint8Array[] {
  const keep = (page: Uint8Array): Uint8Array => {
    bulk.add(page)
    return page
  }
  const pages = findDecoder(format).pages?.(label, LOOKED_FOR_MOST)
  if (pages === undefined) return [keep(label)]
  return listPages(wish, pages.length, format.toUpperCase()).map((page) =>
    keep(pages.length === 1 ? label : (pages[page - 1]?.() ?? label)),
  )
}

/**
 * How large the labels of a request become while they are unpacked and parted into pages. A small body may hold gigabytes,
 * for which the program would be ended before the spool can refuse them.
 */
export class Bulk {
  #bytes = 0

  /** Counts a label as it will be kept. @throws PlatenError BODY_TOO_LARGE */
  add({ length }: Uint8Array): void {
    this.#bytes += length
    if (this.#bytes <= TAKEN_AT_ONCE.bytes) return
    throw new PlatenError(
      'BODY_TOO_LARGE',
      `The labels of the request take more than ${TAKEN_AT_ONCE.bytes} bytes once they are unpacked.`,
      { hint: say('severalRequests') },
    )
  }
}
