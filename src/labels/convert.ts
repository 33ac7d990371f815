import { findDecoder, isPicture } from './codecs/index.ts'
import { unpackLabel } from './detect/detect.ts'
import { LabelFault } from './fault.ts'
import type { LanguageName } from './languages/index.ts'
import { listPages, type RenderedLabel, type Target } from './target.ts'

/** A printer, and what a label of it should be. What is left out is as most labels are. */
export interface ConvertWish extends Partial<Target> {
  readonly language: LanguageName
  /** Dots per inch of the head; default 203. */
  readonly dpi?: number
  /** Inches; default 4. */
  readonly labelWidth?: number
  /** Inches; default 6. */
  readonly labelHeight?: number
}

const USUAL = {
  dpi: 203,
  labelWidth: 4,
  labelHeight: 6,
  pictureDpi: undefined,
  startingPointX: 0,
  startingPointY: 0,
  rotate: 'auto',
  darkness: undefined,
  speed: undefined,
  z64: false,
} as const satisfies Omit<Target, 'language'>

const PAGES_MOST = 1_000

/**
 * Turns a picture file into labels in the language of a printer, one for each page of it, in the thread of the caller. A
 * label of this language is given back as it is. `worker.ts` does the same in a thread that can be ended.
 * @throws LabelFault
 */
export async function convert(
  file: Uint8Array,
  wish: ConvertWish,
): Promise<readonly RenderedLabel[]> {
  const { label, format } = unpackLabel(file)
  if (format === wish.language) return [{ bytes: label, preview: undefined, notes: [] }]
  if (!isPicture(format)) {
    const what = `The file is ${format.toUpperCase()}; wanted a picture or ${wish.language.toUpperCase()}.`
    throw new LabelFault('LABEL_REFUSED', what)
  }
  const { renderPicture } = await import('./render.ts')
  const target = { ...USUAL, ...wish }
  const pages = findDecoder(format).pages?.(label, PAGES_MOST)
  if (pages === undefined) return [await renderPicture(label, format, target)]
  const rendered: RenderedLabel[] = []
  for (const number of listPages(undefined, pages.length, format.toUpperCase())) {
    const page = pages[number - 1]?.file() ?? label
    rendered.push(await renderPicture(page, format, target))
  }
  return rendered
}
