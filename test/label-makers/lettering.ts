import { fillBox, type Gray } from './gray.ts'

/** Seven rows a letter, two hexadecimal digits a row, five dots wide. */
const LETTERS: Readonly<Record<string, string>> = {
  A: '0e11111f111111',
  B: '1e11111e11111e',
  C: '0e11101010110e',
  D: '1e11111111111e',
  E: '1f10101e10101f',
  F: '1f10101e101010',
  G: '0e11101711110f',
  H: '1111111f111111',
  I: '0e04040404040e',
  J: '0702020202120c',
  K: '11121418141211',
  L: '1010101010101f',
  M: '111b1515111111',
  N: '11191513111111',
  O: '0e11111111110e',
  P: '1e11111e101010',
  Q: '0e11111115120d',
  R: '1e11111e141211',
  S: '0f10100e01011e',
  T: '1f040404040404',
  U: '1111111111110e',
  V: '11111111110a04',
  W: '11111115151b11',
  X: '11110a040a1111',
  Y: '11110a04040404',
  Z: '1f01020408101f',
  '0': '0e11131519110e',
  '1': '040c040404040e',
  '2': '0e11010204081f',
  '3': '1f02040201110e',
  '4': '02060a121f0202',
  '5': '1f101e0101110e',
  '6': '0608101e11110e',
  '7': '1f010204080808',
  '8': '0e11110e11110e',
  '9': '0e11110f01020c',
  '-': '0000001f000000',
  '.': '00000000000c0c',
  ',': '000000000c0408',
  ':': '000c0c000c0c00',
  '/': '00010204081000',
  '#': '0a0a1f0a1f0a0a',
  ' ': '00000000000000',
}

/** Writes a line in capitals; `dot` is the size of one dot of a letter, a letter takes six of them. */
export function write(gray: Gray, x: number, y: number, text: string, dot: number): void {
  for (const [index, letter] of [...text.toUpperCase()].entries()) {
    const rows = LETTERS[letter]
    if (rows === undefined) throw new Error(`no such letter: ${letter}`)
    for (let row = 0; row < 7; row++) {
      const bits = Number.parseInt(rows.slice(row * 2, row * 2 + 2), 16)
      for (let column = 0; column < 5; column++) {
        if (bits & (16 >> column)) {
          fillBox(gray, x + (index * 6 + column) * dot, y + row * dot, dot, dot)
        }
      }
    }
  }
}
