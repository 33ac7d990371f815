import { PlatenError, quoteShort } from '../errors.ts'

/** Pages of one file that are printed at most. */
export const PAGES_MAX = 50

const LIST = /^\s*\d{1,10}(\s*-\s*\d{1,10})?(\s*,\s*\d{1,10}(\s*-\s*\d{1,10})?)*\s*$/

/**
 * The pages that print, from 1, in their order: `2`, `1-3`, `1,3`; all when nothing is said.
 * @throws PlatenError FIELD_INVALID for a page that is not there; PICTURE_TOO_LARGE for too many
 */
export function listPages(
  wish: string | undefined,
  count: number,
  kind = 'PDF',
): readonly number[] {
  const pages = wish === undefined ? range(1, count) : readPages(wish, count, kind)
  if (pages.length > PAGES_MAX) {
    throw new PlatenError(
      'PICTURE_TOO_LARGE',
      `The ${kind} has ${pages.length} pages to print; wanted at most ${PAGES_MAX}.`,
      {
        hint: `Choose pages with the field "pages", e.g. 1-${PAGES_MAX}, or send several files.`,
      },
    )
  }
  return pages
}

function readPages(wish: string, count: number, kind: string): readonly number[] {
  const wrong = (wanted: string): PlatenError =>
    new PlatenError('FIELD_INVALID', `pages: got ${quoteShort(wish)}, wanted ${wanted}.`)
  if (!LIST.test(wish)) throw wrong('pages as in 2, 1-3 or 1,3')
  return wish.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number)
    if (from < 1 || to < from || from > count) {
      throw wrong(count === 1 ? `page 1, for the ${kind} has no other` : `pages from 1 to ${count}`)
    }
    // A range may end beyond the last page (RFC 8011, 5.2.7).
    return range(from, Math.min(to, count))
  })
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n)
}
