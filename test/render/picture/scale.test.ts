import fc from 'fast-check'
import t from 'tap'
import { createScaler } from '../../../src/render/picture/scale.ts'

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
