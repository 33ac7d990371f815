import fc from 'fast-check'
import t from 'tap'
import { createScaler } from '../../../src/labels/picture/scale.ts'

function scale(rows: readonly (readonly number[])[], width: number, height: number): number[][] {
  const from = { width: rows[0]?.length ?? 0, height: rows.length }
  const scaler = createScaler(from, { width, height })
  for (const row of rows) scaler.take(Uint8Array.from(row))
  const { luma } = scaler.plane
  return Array.from({ length: height }, (_, y) => [...luma.subarray(y * width, (y + 1) * width)])
}

t.test('the same size changes nothing', (t) => {
  t.same(
    scale(
      [
        [1, 2],
        [3, 4],
      ],
      2,
      2,
    ),
    [
      [1, 2],
      [3, 4],
    ],
  )
  t.end()
})

t.test('smaller is the mean of what each dot covers', (t) => {
  t.same(
    scale(
      [
        [0, 100],
        [200, 100],
      ],
      1,
      1,
    ),
    [[100]],
  )
  t.same(scale([[0, 30, 60]], 2, 1), [[10, 50]], 'a dot and a half each')
  t.same(scale([[0], [90], [240]], 1, 2), [[30], [190]])
  t.same(scale([[0, 0, 255, 255, 0, 0]], 2, 1), [[85, 85]])
  t.end()
})

t.test('whole factors stay sharp', (t) => {
  t.same(
    scale(
      [
        [0, 255],
        [255, 0],
      ],
      4,
      4,
    ),
    [
      [0, 0, 255, 255],
      [0, 0, 255, 255],
      [255, 255, 0, 0],
      [255, 255, 0, 0],
    ],
  )
  t.end()
})

t.test('larger by a fraction blends only where an edge falls inside a dot', (t) => {
  t.same(scale([[0, 255]], 3, 1), [[0, 128, 255]])
  t.end()
})

t.test('whatever the sizes, an even picture stays even and the mean stays', (t) => {
  const side = fc.integer({ min: 1, max: 23 })
  fc.assert(
    fc.property(side, side, side, side, fc.nat(255), (w, h, toW, toH, value) => {
      const row = new Array<number>(w).fill(value)
      for (const out of scale(new Array<number[]>(h).fill(row), toW, toH)) {
        for (const luma of out) if (luma !== value) throw new Error(`${luma}, wanted ${value}`)
      }
    }),
  )
  t.end()
})

t.test(
  'every dot is the mean of what it covers, rounded, also of rows that come several times',
  (t) => {
    const side = fc.integer({ min: 1, max: 40 })
    const luma = fc.constantFrom(0, 1, 60, 127, 128, 254, 255, 255)
    const row = (width: number) => fc.array(luma, { minLength: width, maxLength: width })
    const picture = fc
      .tuple(side, side)
      .chain(([width, height]) => fc.array(row(width), { minLength: height, maxLength: height }))
    fc.assert(
      fc.property(picture, side, side, fc.integer({ min: 1, max: 9 }), (rows, width, height, n) => {
        const times = rows.map((_, y) => (y % 3 === 0 ? n : 1))
        const all = rows.flatMap((one, y) => new Array<number[]>(times[y] ?? 1).fill(one))
        const scaler = createScaler(
          { width: rows[0]?.length ?? 0, height: all.length },
          { width, height },
        )
        for (const [y, one] of rows.entries()) scaler.take(Uint8Array.from(one), times[y])
        t.same([...scaler.plane.luma], meanOf(all, width, height))
      }),
      { numRuns: 300 },
    )
    t.end()
  },
)

/** By the definition, in whole numbers: units in which both pictures' edges are whole. */
function meanOf(rows: readonly (readonly number[])[], width: number, height: number): number[] {
  const [fromWidth, fromHeight] = [rows[0]?.length ?? 0, rows.length]
  const share = (n: number, from: number, to: number, size: number): number =>
    Math.max(0, Math.min((n + 1) * to, (size + 1) * from) - Math.max(n * to, size * from))
  return Array.from({ length: width * height }, (_, at) => {
    const [x, y] = [at % width, Math.floor(at / width)]
    let sum = 0
    for (const [v, row] of rows.entries()) {
      const down = share(v, fromHeight, height, y)
      if (down === 0) continue
      for (const [u, luma] of row.entries()) sum += luma * down * share(u, fromWidth, width, x)
    }
    return Math.floor((2 * sum + fromWidth * fromHeight) / (2 * fromWidth * fromHeight))
  })
}
