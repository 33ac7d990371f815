import t from 'tap'
import { renderTestLabel } from '../../src/render/test-label.ts'
import { fromPng } from '../labels/files.ts'
import { makeTarget } from './make-target.ts'

/** The lengths of the runs of black dots in a row, or a column, of a gray picture. */
function runsOf(lumas: readonly (number | undefined)[]): readonly number[] {
  const text = lumas.map((one = 255) => (one < 128 ? 'x' : ' ')).join('')
  return text.split(/ +/).flatMap((run) => (run === '' ? [] : [run.length]))
}

const countOf = (runs: readonly number[], length: number): number =>
  runs.filter((run) => run === length).length

t.test('the stripes of a test label are 1, 2 and 3 dots thick, both ways', async (t) => {
  const label = { printer: 'Bench 2', host: 'printserver.local', at: '2026-11-21 03:40:12' }
  const { preview } = await renderTestLabel(label, makeTarget())
  const { width, height, luma } = fromPng(Buffer.from(preview ?? []))
  const row = (y: number) => runsOf(Array.from({ length: width }, (_, x) => luma[y * width + x]))
  const column = (x: number) =>
    runsOf(Array.from({ length: height }, (_, y) => luma[y * width + x]))
  const rows = Array.from({ length: height }, (_, y) => row(y))
  const columns = Array.from({ length: width }, (_, x) => column(x))
  // Half an inch of each, where no level line lies: so many of one thickness that nothing else has them.
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
