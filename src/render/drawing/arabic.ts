const ARABIC = /[\u0621-\u064a\u066e-\u06d3\u06fa-\u06ff]/
/** Vowel signs, which a label does without. */
const SIGNS =
  /[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]/g
const TATWEEL = '\u0640'

/** Blocks of Unicode in which the forms of a letter follow each other: alone, final, initial, middle. */
const FORM_BLOCKS: readonly (readonly [number, number])[] = [
  [0xfb50, 0xfbb1],
  [0xfbd3, 0xfbe7],
  [0xfbfc, 0xfbff],
  [0xfe80, 0xfefc],
]

/** The forms of each letter, and of lam with alef, by what Unicode says they are compatible with. */
function listForms(): ReadonlyMap<string, readonly string[]> {
  const forms = new Map<string, string[]>()
  for (const [first, last] of FORM_BLOCKS) {
    for (let point = first; point <= last; point += 1) {
      const form = String.fromCharCode(point)
      const letter = form.normalize('NFKC')
      forms.set(letter, [...(forms.get(letter) ?? []), form])
    }
  }
  return forms
}

/** Splits a text into letters, lam with alef being one. */
function splitLetters(
  text: string,
  forms: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const letters: string[] = []
  for (const character of text) {
    const pair = `${letters.at(-1) ?? ''}${character}`
    if (pair.length === 2 && forms.has(pair)) letters.splice(-1, 1, pair)
    else letters.push(character)
  }
  return letters
}

/**
 * Replaces the letters of Arabic script by the forms they take in their word, which a font of single pictures needs. Other text
 * is left as it is.
 */
export function shapeArabic(text: string): string {
  if (!ARABIC.test(text)) return text
  const forms = listForms()
  const letters = splitLetters(text.replace(SIGNS, ''), forms)
  const countForms = (letter = '') => (letter === TATWEEL ? 4 : (forms.get(letter)?.length ?? 0))
  // A letter with two forms joins the one before it, one with four the next one as well.
  const joinsOn = (at: number) => countForms(letters[at]) === 4 && countForms(letters[at + 1]) >= 2
  return letters
    .map((letter, at) => {
      const isJoined = at > 0 && joinsOn(at - 1)
      const form = (isJoined ? 1 : 0) + (joinsOn(at) ? 2 : 0)
      return forms.get(letter)?.[form] ?? letter
    })
    .join('')
}
