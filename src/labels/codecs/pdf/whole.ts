import { LabelFault, type Reason, reason } from '../../fault.ts'
import type { DrawingFault } from './inside/content.ts'
import { isLost, type PageInside, type PdfInside } from './inside/inside.ts'
import type { PdfReader } from './pdfium.ts'

/** Doubt about a page that a person has to decide, or has to look at. Decision `whole-pdf`. */
export type PdfDoubt =
  /** Letters of a font that the PDF does not bring stand for bars or for signs: others would print in their place. */
  | { readonly kind: 'bars' | 'symbols'; readonly page: number; readonly font: string }
  /** A part of it may be missing or wrong. */
  | { readonly kind: 'damage'; readonly page: number }
  /** It prints; it may have been longer. */
  | { readonly kind: 'end'; readonly page: number }

/** Check result for the requested pages of a PDF. */
export interface CheckedPages {
  /** The pages that print, in the order in which they were asked for. */
  readonly pages: readonly { readonly page: number; readonly doubt: PdfDoubt | undefined }[]
  /** The blank pages. */
  readonly blank: readonly number[]
}

/**
 * Looks whether pages come out with all that they hold.
 * @throws LabelFault PICTURE_BROKEN, PICTURE_UNSUPPORTED for a page of which a part is lost; LABEL_EMPTY when all are blank
 */
export function checkPages(pdf: PdfReader, wanted: readonly number[]): CheckedPages {
  const { inside } = pdf
  if (!inside.isWhole)
    throw refuse(reason('pdfPageGone'), 'The page tree names a page that is not there.')
  const insides = wanted.map((page) => ({ page, found: inside.page(page) }))
  for (const { page, found } of insides) refuseLost(inside, page, found.faults)
  const blank: number[] = []
  const pages = insides.flatMap(({ page, found }) => {
    const { shown, isBlank, standIns, unread, hasDarkText } = pdf.glance(page)
    if (found.shown !== undefined && shown < found.shown) {
      throw refuse(
        reason('pdfDamaged', { page }),
        `${found.shown - shown} of its objects are not drawn.`,
      )
    }
    if (unread > 0) throw refuseUnknown(page, `${unread} of its pictures cannot be read.`)
    if (!isBlank) return [{ page, doubt: findDoubt(page, found, standIns) }]
    refuseUnseen(pdf, page, found.faults)
    if (hasDarkText && found.fonts.length > 0)
      throw refuseUnknown(page, 'Its letters draw nothing.')
    blank.push(page)
    return []
  })
  if (pages.length === 0) {
    const isAll = wanted.length === pdf.pages
    throw new LabelFault('LABEL_EMPTY', isAll ? reason('blankPdf') : reason('blankPages'), {
      advice: reason('newPdf'),
      detail: `Of its ${pdf.pages} pages ${wanted.length} were looked at.`,
    })
  }
  return { pages, blank: [...new Set(blank)] }
}

function refuse(what: Reason, detail: string, advice = reason('newPdf')): LabelFault {
  return new LabelFault('PICTURE_BROKEN', what, { advice, detail })
}

function refuseUnknown(page: number, detail: string): LabelFault {
  const advice = reason('reprintPdf')
  return new LabelFault('PICTURE_UNSUPPORTED', reason('pdfUnknown', { page }), { advice, detail })
}

function refuseLost(inside: PdfInside, page: number, faults: readonly DrawingFault[]): void {
  const lost = faults.filter(isLost)
  const [first] = lost
  if (first === undefined) return
  const detail = describe(first)
  if (inside.wasReadAsText(lost)) throw refuse(reason('pdfAsText'), detail, reason('sendAsBytes'))
  if (lost.every(({ kind }) => kind === 'unknown')) {
    throw refuseUnknown(page, detail)
  }
  throw refuse(reason('pdfDamaged', { page }), detail)
}

const FAULTS: Readonly<Record<DrawingFault['kind'], string>> = {
  damaged: 'cannot be unpacked',
  cut: 'ends early',
  missing: 'is not there',
  unknown: 'is packed in an unknown way',
  checksum: 'has a wrong checksum',
  unnamed: 'is named but not there',
  nonsense: 'has operators that are none',
  open: 'does not end what it began',
}

function describe({ kind, what, number }: DrawingFault): string {
  const object = number === 0 ? '' : ` (object ${number})`
  return `The ${what}${object} ${FAULTS[kind]}.`
}

/** A blank page that should not be: it is damaged, or its letters are not among those that PDFium has. */
function refuseUnseen(pdf: PdfReader, page: number, faults: readonly DrawingFault[]): void {
  const [fault] = faults
  if (fault !== undefined) throw refuse(reason('pdfDamaged', { page }), describe(fault))
  if (pdf.missingLetters(page).length === 0) return
  throw new LabelFault('PICTURE_UNSUPPORTED', reason('pdfUnseen', { page }), {
    advice: reason('embedFonts'),
    detail: 'Letters of fonts that the PDF does not bring have no glyphs.',
  })
}

/** The first that somebody has to decide, else what to look at. `standIns`: fonts that PDFium takes letters of others for. */
function findDoubt(
  page: number,
  { faults, fonts }: PageInside,
  standIns: readonly string[],
): PdfDoubt | undefined {
  const missing = fonts.filter(({ isEmbedded }) => !isEmbedded)
  const named = new Set(missing.map(({ fullName }) => fullName))
  // What the file brings and PDFium does not take is damaged.
  const broken = fonts.filter(
    ({ isEmbedded, fullName }) => isEmbedded && standIns.includes(fullName) && !named.has(fullName),
  )
  for (const kind of ['bars', 'symbols'] as const) {
    const font = [...missing, ...broken].find(({ signs }) => signs === kind)?.name
    if (font !== undefined) return { kind, page, font }
  }
  if (broken.length > 0 || faults.some(isDoubtful)) return { kind: 'damage', page }
  return faults.length > 0 ? { kind: 'end', page } : undefined
}

/** Some makers change letters of a font afterwards and leave its checksum. */
function isDoubtful({ kind, what }: DrawingFault): boolean {
  return kind !== 'open' && !(kind === 'checksum' && what === 'font')
}
