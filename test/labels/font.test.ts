import t from 'tap'
import { loadFont } from '../../src/labels/documents/font/font.ts'
import {
  cellsOf,
  countCells,
  drawNothing,
  FACE_HEIGHTS,
  faceFor,
  nearestHeight,
  scaleGlyph,
} from '../../src/labels/documents/font/glyph.ts'

/** Rows of a glyph as `#` and `.`. */
function show(glyph: { width: number; height: number; rows: Uint8Array }): readonly string[] {
  const bytes = (glyph.width + 7) >> 3
  return Array.from({ length: glyph.height }, (_, y) =>
    [...glyph.rows.subarray(y * bytes, (y + 1) * bytes)]
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join('')
      .slice(0, glyph.width)
      .replaceAll('0', '.')
      .replaceAll('1', '#'),
  )
}

t.test(
  'the font has the letters of Europe, punctuation and currency signs in every size',
  async (t) => {
    const text = 'AZaz09@ÄÖÜßéøåñŁŐžğĲΑΩαωАЯяЁіїґ€£¥“”‘’–—…•™©№→'
    const font = await loadFont(text)
    for (const character of text) {
      const point = character.codePointAt(0) ?? 0
      t.ok(font.has(point), character)
      for (const height of FACE_HEIGHTS) {
        const glyph = font.glyph(point, height)
        t.equal(glyph.height, height)
        t.equal(glyph.width, height / 2)
        t.ok(
          glyph.rows.some((byte) => byte !== 0),
          `${character} has ink at ${height}`,
        )
      }
    }
  },
)

t.test('East Asian characters take two cells, and come from the second font', async (t) => {
  const font = await loadFont('漢字 한글 かな')
  for (const character of '漢字한글かなカ') {
    const point = character.codePointAt(0) ?? 0
    t.ok(font.has(point), character)
    t.equal(cellsOf(point), 2)
    t.equal(font.glyph(point, 24).width, font.glyph(point, 24).height)
  }
  t.equal(countCells('a漢b'), 4)
  t.equal(countCells('㐀䶿Ω'), 5, 'those of extension A too')
  t.equal(font.has('漢'.codePointAt(0) ?? 0), true)
  const plain = await loadFont('only Latin')
  t.equal(
    plain.has('漢'.codePointAt(0) ?? 0),
    false,
    'it is not loaded for text that does not need it',
  )
})

// UAX #11, EastAsianWidth.txt: the first and the last of each block, and what stands beside it.
t.test('which characters are two cells wide', (t) => {
  const edges = [
    '10ff:1 1100:2 115f:2 1160:1',
    '2e7f:1 2e80:2 303e:2 303f:1 3040:1 3041:2 33ff:2 3400:2',
    '4dbf:2 4dc0:1 4dff:1 4e00:2 9fff:2 a000:1',
    'a95f:1 a960:2 a97c:2 a97d:1',
    'abff:1 ac00:2 d7a3:2 d7a4:1',
    'f8ff:1 f900:2 faff:2 fb00:1',
    'fe2f:1 fe30:2 fe6f:2 fe70:1',
    'ff00:1 ff01:2 ff60:2 ff61:1',
    'ffdf:1 ffe0:2 ffe6:2 ffe7:1',
    '1efff:1 1f000:2 1faff:2 1fb00:1',
    '1ffff:1 20000:2 3fffd:2 3fffe:1',
  ].flatMap((block) => block.split(' '))
  const found = edges.map((edge) => {
    const [point = ''] = edge.split(':')
    return `${point}:${cellsOf(Number.parseInt(point, 16))}`
  })
  t.same(found, edges)
  t.end()
})

t.test('a character that no font has is drawn as a frame', async (t) => {
  const font = await loadFont('😀')
  t.equal(font.has(0x1f600), false)
  t.same(show(font.glyph(0x0e01, 16)), [
    ...Array.from({ length: 3 }, () => '........'),
    '.######.',
    ...Array.from({ length: 9 }, () => '.#....#.'),
    '.######.',
    ...Array.from({ length: 2 }, () => '........'),
  ])
  t.equal(font.glyph(0x1f600, 16).width, 16)
})

t.test('sizes are whole multiples of the drawn ones', (t) => {
  t.same(
    [1, 16, 19, 20, 24, 30, 40, 59, 64, 71, 95].map((wanted) => nearestHeight(wanted)),
    [16, 16, 16, 20, 24, 28, 40, 60, 64, 72, 96],
  )
  t.same(FACE_HEIGHTS, [16, 20, 24, 28, 32])
  t.same([16, 40, 48, 56, 64, 80, 17].map(faceFor), [16, 20, 24, 28, 32, 20, 16])
  for (let wanted = 16; wanted < 400; wanted += 1) {
    const height = nearestHeight(wanted)
    t.ok(height <= wanted * 1.05 && height % faceFor(height) === 0, `${wanted} gives ${height}`)
  }
  t.end()
})

t.test('a glyph grows with smooth diagonals and unchanged strokes', (t) => {
  const bar = { width: 8, height: 2, rows: Uint8Array.from([0b00110000, 0b00110000]) }
  t.same(
    show(scaleGlyph(bar, 16, 4)),
    Array.from({ length: 4 }, () => '....####........'),
  )
  const steps = { width: 4, height: 4, rows: Uint8Array.from([0x80, 0x40, 0x20, 0x10]) }
  t.same(
    show(scaleGlyph(steps, 4, 4)),
    ['#...', '.#..', '..#.', '...#'],
    'its own size is left alone',
  )
  t.same(show(scaleGlyph(steps, 8, 8)), [
    '##......',
    '###.....',
    '.###....',
    '..###...',
    '...###..',
    '....###.',
    '.....###',
    '......##',
  ])
  t.end()
})

t.test('beyond three times its size a glyph keeps its corners', (t) => {
  const dot = { width: 3, height: 3, rows: Uint8Array.from([0x40, 0xa0, 0x40]) }
  const [near, far] = [9, 12].map((side) => show(scaleGlyph(dot, side, side)))
  t.same(near, [
    '...###...',
    '...###...',
    '..#####..',
    '####.####',
    '###...###',
    '####.####',
    '..#####..',
    '...###...',
    '...###...',
  ])
  t.same(far, [
    '.....##.....',
    '....####....',
    '....####....',
    '....####....',
    '.###....###.',
    '####....####',
    '####....####',
    '.###....###.',
    '....####....',
    '....####....',
    '....####....',
    '.....##.....',
  ])
  t.end()
})

t.test('what no font has is a frame, of any width', (t) => {
  const [nothing, bar, sides] = ['..........', '.########.', '.#......#.']
  const frame = [nothing, nothing, bar, ...Array(5).fill(sides), bar, nothing]
  t.same(show(drawNothing(10, 10)), frame)
  t.end()
})
