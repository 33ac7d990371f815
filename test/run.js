// Runs test files under plain node and closes with their seconds, the list of skips, and one line of counts.
//   usage: node test/run.js [--jobs=N] [FILE or FOLDER...]     without files: all that `make test` proves, on the bundle
import { existsSync, globSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readGraph } from './suite/graph.ts'
import { listUsual } from './suite/parts.ts'
import { report } from './suite/report.ts'
import { runFile } from './suite/run-file.ts'
import { runFiles } from './suite/run-files.ts'
import { shareProcesses } from './suite/shared-processes.ts'
import { isUnit } from './suite/tiers.ts'

const ROOT = join(import.meta.dirname, '..')
const BUNDLE = 'dist/platen.js'
const args = process.argv.slice(2)
const jobs = args.find((arg) => arg.startsWith('--jobs='))?.slice('--jobs='.length)
// --disable-coverage is of the time when tap ran the files; there is none here (make coverage).
const wrong = args.filter((arg) => /^-/.test(arg) && !/^--(?:jobs=\d+|disable-coverage)$/.test(arg))
const paths = args.filter((arg) => !arg.startsWith('-'))
const options = jobs === undefined ? {} : { jobs: Number(jobs) }

if (wrong.length > 0) fail(`${wrong.join(' ')} is not an option.`)
else if (paths.length > 0) await run(paths.flatMap(listFiles), options)
else if (!existsSync(join(ROOT, BUNDLE))) fail(`${BUNDLE} is missing: run make build.`)
else {
  const graph = await readGraph(ROOT)
  const env = { PLATEN_TEST_ENTRIES: BUNDLE }
  const shared = shareProcesses()
  const runOne = (file, more) =>
    isUnit(graph.reach(file)) ? shared.run(file) : runFile(file, more)
  await run(listUsual(graph), { ...options, env, run: runOne })
  await shared.close()
}

async function run(files, options) {
  const counts = report(await runFiles(files, options))
  const file = process.env.PLATEN_TEST_COUNTS // for who adds more to them: .ci/run
  if (file !== undefined) writeFileSync(file, JSON.stringify(counts))
  process.exitCode = counts.failed === 0 ? 0 : 1
}

function listFiles(path) {
  return statSync(path).isDirectory() ? globSync(`${path}/**/*.test.ts`) : [path]
}

function fail(why) {
  console.error(why)
  process.exitCode = 64
}
