// Runs what make test runs, the program from source, and counts what of src/ is run; fails below the bounds.
//   usage: node test/coverage.ts
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readGraph } from './suite/graph.ts'
import { listUsual } from './suite/parts.ts'
import { report } from './suite/report.ts'
import { runFiles } from './suite/run-files.ts'

const ROOT = join(import.meta.dirname, '..')
const LEAST = { lines: 95, statements: 95, functions: 90, branches: 90 }

const folder = mkdtempSync(join(tmpdir(), 'platen-coverage-'))
try {
  const env = { NODE_V8_COVERAGE: folder, PLATEN_TEST_ENTRIES: 'packaging/launcher/platen.js' }
  const isGood = report(await runFiles(listUsual(await readGraph(ROOT)), { env })).failed === 0
  const bounds = Object.entries(LEAST).map(([name, percent]) => `--${name}=${percent}`)
  const args = ['report', '--check-coverage', ...bounds, '--all', '--src=src', '--include=src/**']
  const { status } = spawnSync('c8', [...args, `--temp-directory=${folder}`, '--reporter=text'], {
    cwd: ROOT,
    stdio: 'inherit',
  })
  process.exitCode = isGood && status === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}
