import { readFileSync } from 'node:fs'
import { paperOf } from '../../../src/jobs/drawing/target.ts'
import { drawLabel, listLabels } from '../../../src/render/pdf/look.ts'
import { loadPdfium } from '../../../src/render/pdf/pdfium.ts'
import { renderPage } from '../../../src/render/render.ts'
import type { Rendered, Target } from '../../../src/render/target.ts'
import { findPdfium } from '../../../src/system/process.ts'
import { makeTarget } from '../make-target.ts'

export const pdfium = await loadPdfium(readFileSync(findPdfium()))

export { paperOf }

/** All labels of a PDF, as they print. */
export function drawAll(pdf: Uint8Array, more: Partial<Target> = {}): readonly Rendered[] {
  const target = makeTarget({ language: 'zpl', ...more })
  const paper = paperOf(target)
  pdfium.open(pdf)
  return listLabels(pdfium, { pages: undefined, area: undefined }, paper).map((label) => {
    const { plane, notes, placed } = drawLabel(pdfium, label, paper)
    return renderPage({ ...plane, notes, placed }, target)
  })
}
