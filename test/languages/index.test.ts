import t from 'tap'
import { findLanguage, languageNames, languages } from '../../src/languages/index.ts'

t.test('every language is found by its name', (t) => {
  t.same(languageNames, ['zpl', 'epl', 'tspl'])
  for (const language of languages) t.equal(findLanguage(language.name), language)
  t.end()
})
