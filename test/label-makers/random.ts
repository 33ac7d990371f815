import fc from 'fast-check'
import type { Raster } from '../../src/labels/languages/raster.ts'

type Row = { readonly kind: 'blank' | 'black' | 'again' } | { readonly runs: readonly number[] }

const row: fc.Arbitrary<Row> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'blank' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'again' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'black' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({ runs: fc.array(fc.nat({ max: 120 }), { minLength: 1, maxLength: 24 }) }),
  },
)

/** Rasters of random sizes whose rows are blank, black, as above, or made of runs: what labels are made of. */
export function rasters(most: { width: number; height: number }): fc.Arbitrary<Raster> {
  return fc
    .record({
      width: fc.integer({ min: 1, max: most.width }),
      rows: fc.array(row, { minLength: 1, maxLength: most.height }),
    })
    .map(({ width, rows }) => draw(width, rows))
}

function draw(width: number, rows: readonly Row[]): Raster {
  const stride = Math.ceil(width / 8)
  const raster = { width, height: rows.length, bits: new Uint8Array(stride * rows.length) }
  for (const [y, row] of rows.entries()) {
    if ('runs' in row) drawRuns(raster, y, row.runs)
    else if (row.kind === 'black') drawRuns(raster, y, [0, width])
    else if (row.kind === 'again' && y > 0) {
      raster.bits.copyWithin(y * stride, (y - 1) * stride, y * stride)
    }
  }
  return raster
}

/** White and black by turns. */
function drawRuns({ width, bits }: Raster, y: number, runs: readonly number[]): void {
  const stride = Math.ceil(width / 8)
  let x = 0
  for (const [index, run] of runs.entries()) {
    const end = Math.min(width, x + run)
    for (; x < end; x++) {
      const at = y * stride + (x >> 3)
      if (index % 2 === 1) bits[at] = (bits[at] ?? 0) | (128 >> (x & 7))
    }
  }
}
