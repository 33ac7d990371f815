import { readFileSync } from 'node:fs'
import { paperOf } from '../../../../src/core/drawing/target.ts'
import { loadPdfium } from '../../../../src/labels/codecs/pdf/pdfium.ts'
import { drawLabel, listLabels } from '../../../../src/labels/pages/look.ts'
import { renderPage } from '../../../../src/labels/render.ts'
import type { RenderedLabel, Target } from '../../../../src/labels/target.ts'
import { findPdfium } from '../../../../src/system/process.ts'
import { makeTarget } from '../../make-target.ts'

export const pdfium = await loadPdfium(readFileSync(findPdfium()))

export { paperOf }

/** All labels of a PDF, as they print. */
export function drawAll(pdf: Uint8Array, more: Partial<Target> = {}): readonly RenderedLabel[] {
  const target = makeTarget({ language: 'zpl', ...more })
  const paper = paperOf(target)
  pdfium.open(pdf)
  return listLabels(pdfium, { pages: undefined, area: undefined }, paper).map((label) => {
    const { plane, notes, placed } = drawLabel(pdfium, label, paper)
    return renderPage({ ...plane, notes, placed }, target)
  })
}
