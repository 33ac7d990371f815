import { type Sign, TEXT, WITHIN_BYTES } from '../sign.ts'

const SIZE = new RegExp(`^(${TEXT}[\\r\\n])?[ \\t]*SIZE `, 'i')
const DRAWS = /[\r\n][ \t]*(CLS|BITMAP)\b/i

/** A SIZE within the first lines, and a line that clears or draws. */
export const signs: readonly Sign[] = [
  {
    doubt: 1,
    matches: ({ head }) => SIZE.test(head.slice(0, WITHIN_BYTES)) && DRAWS.test(head),
  },
]
