import t from 'tap'
import { enlarge } from '../../../src/labels/codecs/jpeg/bands.ts'
import { type BlockLayout, layOut } from '../../../src/labels/codecs/jpeg/layout.ts'
import { makeRandom } from '../../random.ts'

type Tables = Parameters<typeof layOut>[1]

/** Luma that is stored so many times coarser than color. */
function layoutOf(width: number, height: number, across: number, down: number): BlockLayout {
  const component = (id: number, h: number, v: number) => ({ id, h, v, quantization: 0 })
  const components = [component(1, 1, 1), component(2, across, down), component(3, across, down)]
  return layOut({ width, height, components } as unknown as BlockLayout['frame'], {} as Tables)
}

function run(layout: BlockLayout, rows: readonly Uint8Array[]): readonly (readonly number[])[] {
  const out: number[][] = []
  const take = enlarge(layout, (row, y) => {
    t.equal(y, out.length, 'rows come in order')
    out.push([...row])
  })
  for (const [y, row] of rows.entries()) take(row, y)
  return out
}

/**
 * libjpeg-turbo's words (jdsample.c, "fancy upsampling"): three quarters of the nearer sample and one of the other, the
 * edge standing for what is beyond it; rounding alternates between a little down and a little up.
 */
function smooth(
  rows: readonly Uint8Array[],
  [x, y]: readonly [number, number],
  [across, down]: readonly [number, number],
): number {
  const near = (at: number, times: number): number => Math.floor(at / times)
  const other = (at: number, times: number, most: number): number =>
    Math.min(most, Math.max(0, near(at, times) + (at % 2 === 0 ? -1 : 1)))
  const at = (column: number, row: number): number => rows[row]?.[column] ?? 0
  const width = rows[0]?.length ?? 0
  const [row, column] = [near(y, down), near(x, across)]
  const farRow = down === 2 ? other(y, down, rows.length - 1) : row
  const farColumn = across === 2 ? other(x, across, width - 1) : column
  if (down === 1) return (3 * at(column, row) + at(farColumn, row) + (x % 2 === 0 ? 1 : 2)) >> 2
  const sum = (column: number): number => 3 * at(column, row) + at(column, farRow)
  if (across === 1) return (sum(column) + (y % 2 === 0 ? 1 : 2)) >> 2
  return (3 * sum(column) + sum(farColumn) + (x % 2 === 0 ? 8 : 7)) >> 4
}

const repeat = (
  rows: readonly Uint8Array[],
  [x, y]: readonly [number, number],
  [across, down]: readonly [number, number],
): number => rows[Math.floor(y / down)]?.[Math.floor(x / across)] ?? 0

const cases: readonly (readonly [
  across: number,
  down: number,
  width: number,
  height: number,
  how: typeof smooth,
])[] = [
  [2, 1, 10, 3, smooth],
  [2, 1, 9, 3, smooth],
  [2, 1, 5, 1, smooth], // three samples: the fewest that are smoothed
  [2, 1, 4, 3, repeat], // two samples
  [2, 1, 1, 1, repeat],
  [1, 2, 10, 8, smooth],
  [1, 2, 1, 7, smooth],
  [1, 2, 3, 1, smooth],
  [2, 2, 12, 10, smooth],
  [2, 2, 11, 9, smooth],
  [2, 2, 5, 2, smooth],
  [2, 2, 4, 6, repeat],
  [3, 1, 11, 4, repeat],
  [4, 1, 13, 2, repeat],
  [1, 3, 5, 8, repeat],
  [1, 4, 6, 10, repeat],
  [4, 2, 14, 5, repeat],
  [2, 4, 14, 7, repeat],
]

for (const [across, down, width, height, how] of cases) {
  const what = `${across} times as wide and ${down} times as high`
  t.test(`coarse luma becomes ${what}, ${width}x${height}, as libjpeg-turbo has it`, (t) => {
    const layout = layoutOf(width, height, across, down)
    t.same(
      [layout.width, layout.height],
      [Math.ceil(width / across), Math.ceil(height / down)],
      'samples',
    )
    const random = makeRandom(across * 1000 + down * 100 + width)
    const rows = Array.from({ length: layout.height }, () =>
      Uint8Array.from({ length: layout.width }, () => Math.floor(random() * 256)),
    )
    const wanted = Array.from({ length: height }, (_, y) =>
      Array.from({ length: width }, (_, x) => how(rows, [x, y], [across, down])),
    )
    t.same(run(layout, rows), wanted)
    t.end()
  })
}

t.test('luma as fine as color is handed on as it is', (t) => {
  const take = () => undefined
  t.equal(enlarge(layoutOf(10, 10, 1, 1), take), take)
  t.end()
})

t.test('luma is at most coarser in whole steps, and alone in that', (t) => {
  const lay = (ids: string, ...factors: readonly (readonly [number, number])[]) => {
    const components = factors.map(([h, v], n) => ({ id: ids.charCodeAt(n), h, v }))
    const frame = { width: 100, height: 50, components } as unknown as BlockLayout['frame']
    return layOut(frame, {} as Tables)
  }
  const refused = { code: 'PICTURE_UNSUPPORTED', message: /lower resolution than color/ }
  t.throws(() => lay('abc', [2, 1], [3, 1], [3, 1]), refused, 'one and a half times as wide')
  t.throws(() => lay('abc', [1, 2], [1, 3], [1, 3]), refused, 'one and a half times as high')
  t.throws(() => lay('abc', [2, 2], [4, 3], [1, 1]), refused)
  t.throws(() => lay('RGB', [1, 1], [2, 1], [1, 1]), refused, 'red, of which luma is a part')
  t.throws(() => lay('RGB', [1, 2], [1, 1], [1, 2]), refused, 'green')
  t.match(lay('RGB', [2, 1], [2, 1], [2, 1]), { mixing: 'rgb', width: 100, height: 50, mcusX: 7 })
  t.match(lay('abc', [1, 2], [2, 4], [1, 1]), { mixing: 'luma', width: 50, height: 25 })
  t.match(lay('abc', [2, 2], [1, 1], [1, 1]), { width: 100, height: 50, mcusX: 7, mcusY: 4 })
  t.end()
})
