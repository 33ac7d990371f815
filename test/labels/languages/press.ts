import type { PictureFormat } from '../../../src/labels/codecs/index.ts'
import { type LanguageName, languageNames } from '../../../src/labels/languages/index.ts'
import type { Raster } from '../../../src/labels/languages/raster.ts'
import { renderPicture } from '../../../src/labels/render.ts'
import type { RenderedLabel, Target } from '../../../src/labels/target.ts'
import type { Bench } from '../../interpreters/paper.ts'
import { toGif, toJpeg, toPng } from '../../label-makers/files.ts'
import type { Gray } from '../../label-makers/gray.ts'
import { makeTarget } from '../make-target.ts'

/** The picture formats and who writes them. */
export const FILES: readonly (readonly [PictureFormat, (gray: Gray) => Uint8Array])[] = [
  ['png', toPng],
  ['jpeg', toJpeg],
  ['gif', toGif],
]

/** A printer of 203 dpi with 4x6 inch stock, and nothing configured but what is given. */
export function target<L extends LanguageName>(
  language: L,
  more: Partial<Target> = {},
): Target & { language: L } {
  return { ...makeTarget(more), language }
}

/** A label as it came out of the printer of one language. */
export interface Sheet {
  readonly language: LanguageName
  readonly raster: Raster
  readonly rendered: RenderedLabel
}

/** Sends a file through the whole renderer to a printer of each language, or of those named. */
export async function printEverywhere(
  bench: Bench,
  file: Uint8Array,
  format: PictureFormat,
  more: Partial<Target> = {},
  names: readonly LanguageName[] = languageNames,
): Promise<readonly Sheet[]> {
  const sheets: Sheet[] = []
  for (const language of names) {
    const to = target(language, more)
    const rendered = await renderPicture(file, format, to)
    sheets.push({ language, rendered, raster: await bench.print(rendered.bytes, to) })
  }
  return sheets
}
