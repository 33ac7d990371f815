import fc from 'fast-check'

const SURROGATES = 0xd800
const BEHIND_THEM = 0xe000
const COUNT = 0x110000 - (BEHIND_THEM - SURROGATES)

/**
 * Any character of Unicode: fast-check's own `unit: 'binary'`, which makes a table of all of them first, of a second and 200 MB in
 * each process.
 */
export const anyCharacter = fc.nat({ max: COUNT - 1 }).map(
  (at) => String.fromCodePoint(at < SURROGATES ? at : at + BEHIND_THEM - SURROGATES),
  (value) => {
    const point = typeof value === 'string' ? (value.codePointAt(0) ?? SURROGATES) : SURROGATES
    const isOne =
      String.fromCodePoint(point) === value && (point < SURROGATES || point >= BEHIND_THEM)
    if (!isOne) throw new Error('not a character')
    return point < SURROGATES ? point : point - (BEHIND_THEM - SURROGATES)
  },
)
