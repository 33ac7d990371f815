import { loadTexts } from './texts.js'

// The views come later than the first look, and so do their words.
await loadTexts('views')

export { language, t } from './texts.js'
