import t from 'tap'
import {
  findLanguage,
  type LanguageName,
  languageNames,
  languages,
} from '../../../src/labels/languages/index.ts'
import { conforms, type Interpret } from '../../conformance/language.ts'
import { interpretEpl } from '../../interpreters/epl.ts'
import { interpretTspl } from '../../interpreters/tspl.ts'
import { interpretZpl } from '../../interpreters/zpl-graphics.ts'

t.setTimeout(300_000)

/** An independent printer for each language. */
const PRINTERS: Readonly<Record<LanguageName, Interpret>> = {
  zpl: interpretZpl,
  epl: interpretEpl,
  // A size in tenths of a millimeter is half a dot off at most, so the paper is cut to the dots that were meant.
  tspl: (job, stock) =>
    interpretTspl(job, stock.dpi).map((label) => ({ ...label, raster: fit(label.raster, stock) })),
}

for (const language of languages) {
  t.test(language.title, (t) => {
    conforms(t, language, PRINTERS[language.name])
    t.end()
  })
}

function fit(
  raster: { width: number; height: number; bits: Uint8Array },
  stock: { width: number; height: number },
) {
  const [from, to] = [Math.ceil(raster.width / 8), Math.ceil(stock.width / 8)]
  const bits = new Uint8Array(to * stock.height)
  for (let y = 0; y < Math.min(raster.height, stock.height); y++) {
    bits.set(raster.bits.subarray(y * from, y * from + Math.min(from, to)), y * to)
  }
  return { width: stock.width, height: stock.height, bits }
}

t.test('every language is found by its name', (t) => {
  t.same(languageNames, ['zpl', 'epl', 'tspl'])
  for (const language of languages) t.equal(findLanguage(language.name), language)
  t.end()
})
