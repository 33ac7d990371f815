import { PlatenError } from '../../errors.ts'
import type { Printer } from '../../printers/printer.ts'
import type { PdfLabel } from '../../render/pdf/look.ts'
import { unpackLabel } from '../../render/unpack.ts'
import { numbered } from '../../request/request-fields.ts'
import type { Pdfs, PdfWish } from '../drawing/pdf.ts'
import { makeTarget, paperOf } from '../drawing/target.ts'
import type { Sentence } from '../moves.ts'
import type { LabelRequest } from './requests.ts'

/** Says what labels a PDF holds. */
export type PdfLister = Pick<Pdfs, 'list'>

/** The labels of the PDFs of a request, by the place of the PDF among its labels. */
export type PdfPages = ReadonlyMap<number, readonly PdfLabel[]>

/** The PDFs among labels, and their places. What is no label at all is told later, in its turn. */
export function findPdfs(
  labels: readonly Uint8Array[],
): readonly { readonly place: number; readonly pdf: Uint8Array }[] {
  return labels.flatMap((label, place) => {
    try {
      const { format, label: pdf } = unpackLabel(label)
      return format === 'pdf' ? [{ place, pdf }] : []
    } catch {
      return []
    }
  })
}

/**
 * Asks for the labels of each.
 * @throws PlatenError PICTURE_*, FIELD_INVALID, numbered when there are several labels
 */
export async function readPdfs(
  pdfs: ReturnType<typeof findPdfs>,
  lister: PdfLister,
  printer: Printer,
  { labels, options }: Pick<LabelRequest, 'labels' | 'options'>,
): Promise<PdfPages> {
  const paper = paperOf(makeTarget(printer, options))
  const wish = { pages: options.pages, area: options.area as PdfWish['area'] }
  const pages = new Map<number, readonly PdfLabel[]>()
  for (const { place, pdf } of pdfs) {
    try {
      pages.set(place, await lister.list(pdf, wish, paper))
    } catch (error) {
      if (!(error instanceof PlatenError) || labels.length === 1) throw error
      throw numbered(error, place + 1, labels.length)
    }
  }
  return pages
}

/** Why a page of paper without bar codes waits for a person: an invoice on labels would waste a roll. */
export function explainDocument(page: number): Sentence {
  return {
    message: `Page ${page} of this PDF looks like a document, not a label: it is larger than the label and has no bar code.`,
    hint: 'Print it on paper, or press "Release and print" to print it small on a label.',
    code: '',
  }
}
