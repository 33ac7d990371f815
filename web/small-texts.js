// The small pages come in English and work without scripts; this puts them into the language of the browser.
import { loadTexts, translatePage } from './texts.js'

await loadTexts('small')
translatePage()

export { t } from './texts.js'
