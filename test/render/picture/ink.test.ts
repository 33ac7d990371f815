import t from 'tap'
import { type Box, createInkFinder, type Plane } from '../../../src/render/picture/plane.ts'

/** `#` is black, `.` white, `o` just dark enough, `-` just too light. */
function draw(rows: readonly string[]): Plane {
  const luma: Record<string, number> = { '#': 0, '.': 255, o: 199, '-': 200 }
  return {
    width: rows[0]?.length ?? 0,
    height: rows.length,
    luma: Uint8Array.from([...rows.join('')].map((mark) => luma[mark] ?? 255)),
  }
}

function findInk({ width, height, luma }: Plane): Box | undefined {
  const finder = createInkFinder({ width, height })
  for (let y = 0; y < height; y++) finder.take(luma.subarray(y * width, (y + 1) * width), y, 1)
  return finder.box()
}

t.test('finds the box around what is dark', (t) => {
  const plane = draw(['........', '..ooo...', '..#.#...', '..ooo...', '--------'])
  // Row 2 and column 3 have two dark pixels only, but lie inside.
  t.same(findInk(plane), { x: 2, y: 1, width: 3, height: 3 })
  t.end()
})

t.test('leaves single specks out', (t) => {
  const plane = draw(['#......#', '...###..', '...###..', '...###..', '#.......', '........'])
  t.same(findInk(plane), { x: 3, y: 1, width: 3, height: 3 })
  t.end()
})

t.test('finds nothing on blank paper, nor in a hair line', (t) => {
  t.equal(findInk(draw(['....', '....'])), undefined)
  t.equal(findInk(draw(['....', '####'])), undefined)
  t.equal(findInk(draw(['#...', '#...', '#...'])), undefined)
  t.end()
})
