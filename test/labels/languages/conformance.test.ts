import t from 'tap'
import { findLanguage, languageNames, languages } from '../../../src/labels/languages/index.ts'
import { conforms } from '../../conformance/language.ts'
import { type Interpret, interpreters } from '../../interpreters/languages.ts'

t.setTimeout(300_000)

/** The printer of a language; a size in tenths of a millimeter is half a dot off at most, so the paper is cut to the dots that were meant. */
function cutToStock(interpret: Interpret): Interpret {
  return (job, stock) =>
    interpret(job, stock).map((label) => ({ ...label, raster: fit(label.raster, stock) }))
}

for (const language of languages) {
  t.test(language.title, (t) => {
    conforms(t, language, cutToStock(interpreters[language.name]))
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
  t.equal(new Set(languageNames).size, languages.length)
  for (const language of languages) t.equal(findLanguage(language.name), language)
  t.end()
})
