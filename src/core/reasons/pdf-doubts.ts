import type { PdfDoubt, PdfLabel } from '#labels'
import { isSame, join, NOTHING, type Sentences, say } from '../../words/say.ts'
import type { Explanation } from '../job.ts'

/** Describes the doubt about a page that may not come out as intended. */
function tellDoubt(doubt: PdfDoubt): Sentences {
  const { page } = doubt
  switch (doubt.kind) {
    case 'bars':
      return say('barFont', { page, font: doubt.font })
    case 'symbols':
      return say('symbolFont', { page, font: doubt.font })
    case 'damage':
      return say('pdfDoubtful', { page })
    case 'end':
      return say('pdfMayBeCut', { page })
  }
}

/** Explains why a page of a PDF waits for a person: a label without its bar code would be lost silently. */
export function explainDoubt(doubt: PdfDoubt | undefined): Explanation | undefined {
  if (doubt === undefined || doubt.kind === 'end') return undefined
  const cure = doubt.kind === 'damage' ? say('newPdf') : say('embedFonts')
  return { message: tellDoubt(doubt), hint: join(cure, say('orRelease')), code: '' }
}

/** Notes that stay with labels that print all the same. */
export function noteDoubts(labels: readonly PdfLabel[]): readonly Sentences[] {
  const doubts = labels.flatMap(({ doubt }) => doubt ?? []).map(tellDoubt)
  const notes = [...doubts, ...labels.map(({ leftOut = [] }) => tellLeftOut(leftOut))]
  return notes.filter(
    (note, i) => note.length > 0 && notes.findIndex((other) => isSame(other, note)) === i,
  )
}

/** Names pages that did not print because they are blank; nothing = none. */
export function tellLeftOut(pages: readonly number[]): Sentences {
  const [last, ...others] = pages.toReversed()
  if (last === undefined) return NOTHING
  if (others.length === 0) return say('pageLeftOut', { page: last })
  return say('pagesLeftOut', { pages: others.toReversed().join(', '), last })
}
