/** L = written to the right, R = to the left, N = a number, O = other, which goes with what is around it. */
type Direction = 'L' | 'R' | 'N' | 'O'

const TO_LEFT = /[\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff]/
const NUMBER = /[\d\u0660-\u0669\u06f0-\u06f9]/
/** Letters behind which signs stand on the other side of their number (UAX #9, W2 and W5). */
const ARABIC_SCRIPT = /[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufeff]/
/** Signs of numbers, such as percent and currencies. */
const SIGN = /[#$%\u00a2-\u00a5\u00b0\u00b1\u2030-\u2034\u20a0-\u20cf\u2212\u2213]/
const LETTER = /[\p{L}\u200e]/u
/** Letters of no width that say where a line begins. */
const MARKS = { L: '\u200e', R: '\u200f' }
/** Characters inside of numbers, dates and times. */
const IN_NUMBERS = /[.,:/+-]/
const MIRRORED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '(': ')',
    ')': '(',
    '[': ']',
    ']': '[',
    '{': '}',
    '}': '{',
    '<': '>',
    '>': '<',
    '«': '»',
    '»': '«',
  }),
)

function classify(character: string): Direction {
  if (NUMBER.test(character)) return 'N'
  if (TO_LEFT.test(character)) return 'R'
  return LETTER.test(character) ? 'L' : 'O'
}

/** Numbers take their sign and their points with them, and count as letters behind letters that are written to the right. */
function settleNumbers(characters: readonly string[], base: Direction): readonly Direction[] {
  const raw = characters.map(classify)
  const joined = raw.map((direction, at) => {
    const isInside = raw[at - 1] === 'N' && raw[at + 1] === 'N'
    return isInside && IN_NUMBERS.test(characters[at] ?? '') ? 'N' : direction
  })
  let strong = base
  return addSigns(characters, joined).map((direction) => {
    if (direction === 'L' || direction === 'R') strong = direction
    return direction === 'N' && strong === 'L' ? 'L' : direction
  })
}

/** Signs that touch a number belong to it: `100%` and `₪50` are read from the left in Hebrew, too. */
function addSigns(
  characters: readonly string[],
  directions: readonly Direction[],
): readonly Direction[] {
  let isArabic = false
  const isNumber = directions.map((direction, at) => {
    if (direction === 'L' || direction === 'R') isArabic = ARABIC_SCRIPT.test(characters[at] ?? '')
    return direction === 'N' && !isArabic
  })
  const isSign = characters.map((character) => SIGN.test(character))
  for (let at = 1; at < isSign.length; at += 1) {
    if (isSign[at] && isNumber[at - 1]) isNumber[at] = true
  }
  for (let at = isSign.length - 2; at >= 0; at -= 1) {
    if (isSign[at] && isNumber[at + 1]) isNumber[at] = true
  }
  return directions.map((direction, at) => (isNumber[at] ? 'N' : direction))
}

/** Resolves neutral characters: they go with their neighbors where these agree, else with the line. */
function settleOthers(directions: readonly Direction[], base: Direction): readonly Direction[] {
  const side = (direction: Direction | undefined) =>
    direction === undefined ? base : direction === 'N' ? 'R' : direction
  return directions.map((direction, at) => {
    if (direction !== 'O') return direction
    const before = side(directions.slice(0, at).findLast((other) => other !== 'O'))
    const after = side(directions.slice(at).find((other) => other !== 'O'))
    return before === after ? before : base
  })
}

/**
 * Puts the characters of one line in the order in which they stand on paper, from the left. Hebrew and Arabic are turned around
 * with numbers left as they are: the implicit part of the Unicode bidirectional algorithm (UAX #9), without its control characters,
 * which are not printable anyway.
 */
export function orderForPaper(line: string): string {
  if (!TO_LEFT.test(line)) return line
  const characters = [...line]
  const base = findBase(line)
  const directions = settleOthers(settleNumbers(characters, base), base)
  const levels = directions.map((direction) => {
    if (direction === 'N') return 2
    if (direction === 'R') return 1
    return base === 'R' ? 2 : 0
  })
  let ordered = characters.map((character, at) => ({
    level: levels[at] ?? 0,
    character: levels[at] === 1 ? (MIRRORED.get(character) ?? character) : character,
  }))
  for (const level of [2, 1]) ordered = turnRuns(ordered, level)
  return ordered
    .map(({ character }) => character)
    .join('')
    .replace(/[\u200e\u200f]/g, '')
}

/** Finds the base direction of a line: its first letter says it (UAX #9, P2). */
function findBase(line: string): 'L' | 'R' {
  for (const character of line) {
    const direction = classify(character)
    if (direction === 'L' || direction === 'R') return direction
  }
  return 'L'
}

/** The lines into which a paragraph was broken, each of which begins where the first one does, whatever it begins with. */
export function keepBase(paragraph: string, lines: readonly string[]): readonly string[] {
  if (!TO_LEFT.test(paragraph)) return lines
  const base = findBase(paragraph)
  return lines.map((line) =>
    TO_LEFT.test(line) && findBase(line) !== base ? MARKS[base] + line : line,
  )
}

interface BidiCharacter {
  readonly level: number
  readonly character: string
}

/** Turns around every run of characters of at least this level. */
function turnRuns(characters: readonly BidiCharacter[], level: number): BidiCharacter[] {
  const turned: BidiCharacter[] = []
  let run: BidiCharacter[] = []
  for (const character of characters) {
    if (character.level >= level) {
      run.unshift(character)
      continue
    }
    turned.push(...run, character)
    run = []
  }
  return [...turned, ...run]
}

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
