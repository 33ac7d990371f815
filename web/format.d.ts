export { format, listForms } from '../src/words/format.js'
