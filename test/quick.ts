// Runs the unit tests that a change reaches: what differs from main, or --all, or the files that are named.
//   usage: node test/quick.ts [--all | FILE...]
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { readGraph } from './suite/graph.ts'
import { report } from './suite/report.ts'
import { runFiles } from './suite/run-files.ts'
import { shareProcesses } from './suite/shared-processes.ts'
import { listChanged, pickUnits } from './suite/tiers.ts'

process.env['PLATEN_TEST_QUICK'] = '1' // random.ts
const ROOT = join(import.meta.dirname, '..')
/** Some of them wait more than they work. */
const jobs = 3 * availableParallelism()
const args = process.argv.slice(2)

const graph = await readGraph(ROOT)
const isAll = args.includes('--all')
const changed = isAll ? undefined : args.length > 0 ? args : listChanged(ROOT)
const files = pickUnits(graph, changed)
if (files.length === 0) console.log('No unit test reaches what was changed (ALL=1: all of them).')
else {
  const { run, close } = shareProcesses()
  const outcome = await runFiles(files, { jobs, run })
  await close()
  process.exitCode = report(outcome, { dearest: 10 }).failed === 0 ? 0 : 1
}
