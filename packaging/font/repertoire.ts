/** Characters of Terminus that a label can want: no controls, combining marks, Braille, private use or box drawing. */
export function wantedInTerminus(point: number): boolean {
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return false
  if (point >= 0x300 && point < 0x370) return false
  if (point >= 0x2000 && point <= 0x200f) return false
  if (point >= 0x2500 && point < 0x25a0) return [0x2500, 0x2502, 0x2588].includes(point)
  if (point >= 0x2800 && point < 0x2900) return false
  return point < 0xe000 && point !== 0xad
}

/** Characters of one set of two-byte codes, as `TextDecoder` knows it. */
function decodeAll(encoding: string, firstLead: number, lastLead: number): ReadonlySet<number> {
  const decoder = new TextDecoder(encoding)
  const points = new Set<number>()
  for (let lead = firstLead; lead <= lastLead; lead += 1) {
    for (let trail = 0xa1; trail <= 0xfe; trail += 1) {
      const [character = '', ...more] = decoder.decode(Uint8Array.of(lead, trail))
      if (more.length === 0 && character !== '\ufffd') points.add(character.codePointAt(0) ?? 0)
    }
  }
  return points
}

// The ideographs of ordinary simplified Chinese and Japanese text, 9,788 of 20,992: GB 2312 and JIS X 0208.
const chinese = decodeAll('gb2312', 0xb0, 0xf7)
const japanese = decodeAll('euc-jp', 0xb0, 0xf4)

const BLOCKS: readonly (readonly [number, number])[] = [
  [0x180, 0x24f], // Latin Extended B
  [0x400, 0x52f], // Cyrillic and its supplement
  [0x531, 0x58f], // Armenian
  [0x5d0, 0x5f4], // Hebrew letters
  [0x60c, 0x61f], // Arabic punctuation
  [0x621, 0x64a], // Arabic letters
  [0x660, 0x6f9], // Arabic and Persian digits and letters
  [0x10a0, 0x10ff], // Georgian
  [0x1e00, 0x1fff], // Latin Extended Additional (Vietnamese), Greek Extended
  [0x20a0, 0x20bf], // currency signs
  [0x2100, 0x218b], // letterlike symbols, number forms
  [0x2460, 0x24ff], // enclosed numbers
  [0x3000, 0x30ff], // East Asian punctuation, kana
  [0x3131, 0x318e], // Hangul jamo
  [0xac00, 0xd7a3], // Hangul
  [0xfb50, 0xfbff], // Arabic presentation forms of Persian and Urdu letters
  [0xfe70, 0xfefc], // Arabic presentation forms
  [0xff01, 0xffe6], // full and half width forms
]

/** Characters of Unifont that a label can want besides those of Terminus. */
export function wantedInUnifont(point: number): boolean {
  if (point >= 0x4e00 && point < 0xa000) return chinese.has(point) || japanese.has(point)
  return BLOCKS.some(([from, to]) => point >= from && point <= to)
}
