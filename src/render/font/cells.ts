// Unicode's East_Asian_Width W and F (UAX #11), by block, and the pictographs, which are drawn as wide.
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f000, 0x1faff],
  [0x20000, 0x3fffd],
]

/** Cells that a character takes on paper: two for East Asian characters and pictographs, else one. */
export function cellsOf(codePoint: number): 1 | 2 {
  if (codePoint < 0x1100) return 1
  return WIDE.some(([from, to]) => codePoint >= from && codePoint <= to) ? 2 : 1
}

/** Cells that a text takes. */
export function countCells(text: string): number {
  let cells = 0
  for (const character of text) cells += cellsOf(character.codePointAt(0) ?? 0)
  return cells
}
