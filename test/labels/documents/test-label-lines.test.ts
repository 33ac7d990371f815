import t from 'tap'
import { renderTestLabel } from '../../../src/labels/documents/test-label.ts'
import type { Target } from '../../../src/labels/target.ts'
import { fromPng } from '../../label-makers/files.ts'
import { makeTarget } from '../make-target.ts'

/** The lengths of the runs of black dots in a row, or a column, of a gray picture. */
function runsOf(lumas: readonly (number | undefined)[]): readonly number[] {
  const text = lumas.map((one = 255) => (one < 128 ? 'x' : ' ')).join('')
  return text.split(/ +/).flatMap((run) => (run === '' ? [] : [run.length]))
}

const countOf = (runs: readonly number[], length: number): number =>
  runs.filter((run) => run === length).length

/** The runs of each row, and of each column. */
async function read(size: Partial<Target> = {}) {
  const label = { printer: 'Bench 2', host: 'printserver.local', at: '2026-11-21 03:40:12' }
  const { preview } = await renderTestLabel(label, makeTarget(size))
  const { width, height, luma } = fromPng(Buffer.from(preview ?? []))
  const across = Array.from({ length: width }, (_, x) => x)
  const down = Array.from({ length: height }, (_, y) => y)
  return {
    rows: down.map((y) => runsOf(across.map((x) => luma[y * width + x]))),
    columns: across.map((x) => runsOf(down.map((y) => luma[y * width + x]))),
  }
}

t.test('the stripes of a test label are 1, 2 and 3 dots thick, both ways', async (t) => {
  const { rows, columns } = await read()
  // Half an inch of each, so many of one thickness that nothing else has them.
  const upright = rows.find((runs) => countOf(runs, 1) >= 45 && countOf(runs, 2) >= 20)
  t.ok(countOf(upright ?? [], 3) >= 15, String(upright))
  for (const [thickness, least] of [
    [1, 45],
    [2, 22],
    [3, 15],
  ] as const) {
    const level = columns.filter((runs) => countOf(runs, thickness) >= least).length
    t.ok(level >= 95, `${level} columns of lines of ${thickness}`)
  }
})

t.test('a low label has the barcode where a tenth of an inch is left for it', async (t) => {
  for (const [labelHeight, least, most] of [
    [0.95, 21, 40],
    [0.85, 0, 19],
  ] as const) {
    const { rows } = await read({ labelWidth: 2.25, labelHeight })
    const code = rows.filter((runs) => runs.length >= 25).length
    t.ok(code >= least && code <= most, `${code} rows at ${labelHeight} inches`)
  }
})
