import { loadTexts } from './texts.js'

// The views come later than the first look, and so do their words.
await loadTexts('views')

export { language, t, tell, tellNotes } from './texts.js'
