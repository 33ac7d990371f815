// Runs tap and counts what it says.
import { spawn } from 'node:child_process'
import { Parser } from 'tap-parser'

const SAID_LINES = 60 // of a failed file's comments

const MAX_REPEATS = 3 // files: more that fail are no matter of chance

/** Nothing counted yet. */
export const newSum = () => ({
  passed: 0,
  failed: 0,
  skips: [],
  failures: [],
  coverage: [],
  unsteady: [],
})

/**
 * Runs tap with these arguments and adds to the sum. Past the limit everything that it started is killed, which counts as
 * one failure. With `repeat`, a few files that failed run once more, alone, so that one unlucky moment of a busy machine does
 * not hide whether the change is good; what passes then is listed as unsteady, a defect to mend. True when all passed.
 */
export async function runRound(args, sum, { env = {}, limitMs, repeat = false } = {}) {
  const files = new Map()
  const ended = await runTap(args, sum, { env, limitMs, files })
  const failed = [...files].filter(([, { failed }]) => failed > 0).map(([name]) => name)
  if (repeat && ended === 0 && failed.length > 0 && failed.length <= MAX_REPEATS) {
    console.log(`\nOnce more, alone: ${failed.join(', ')}`)
    const again = new Map()
    const options = { env, limitMs, files: again }
    const broken = await runTap(['--disable-coverage', '--jobs=1', ...failed], sum, options)
    for (const name of broken === 0 ? failed : []) {
      const first = files.get(name)
      const second = again.get(name)
      if (second === undefined || second.failed > 0) continue
      files.set(name, second)
      sum.unsteady.push({ name, failures: first.failures })
    }
  }
  let failures = ended
  for (const file of files.values()) {
    sum.passed += file.passed
    failures += file.failed
    sum.skips.push(...file.skips)
    sum.failures.push(...file.failures)
  }
  sum.failed += failures
  return failures === 0
}

/** Runs tap once and counts each file for itself. Resolves to the failures that are of no file. */
async function runTap(args, sum, { env, limitMs, files }) {
  const tap = spawn('tap', ['--reporter=tap', '--show-full-coverage', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
    // A group of its own can be killed whole; without a limit, Ctrl-C of the terminal reaches it.
    detached: limitMs !== undefined,
  })
  const parser = new Parser()
  parser.on('child', (file) => {
    const count = { passed: 0, failed: 0, skips: [], failures: [] }
    files.set(file.name, count)
    follow(file, [], count)
  })
  parser.on('extra', (text) => sum.coverage.push(text))
  tap.stdout.pipe(parser)
  const late = limitMs === undefined ? undefined : setTimeout(() => killAll(tap), limitMs)
  const code = await new Promise((resolve) => tap.on('close', resolve))
  clearTimeout(late)
  if (tap.signalCode !== null && late !== undefined) {
    const why = `killed after ${Math.round(limitMs / 60_000)} minutes: something in it hangs`
    sum.failures.push({ where: args.at(-1), diag: { why } })
    return 1
  }
  if (code === 0 || [...files.values()].some(({ failed }) => failed > 0)) return 0
  console.log(`\ntap ended with ${code}: see the coverage, or a test file that ended early`)
  return 1
}

function killAll(tap) {
  try {
    process.kill(-tap.pid, 'SIGKILL')
  } catch {} // it ended by itself just now
}

/** Counts the leaves: tests that hold no other test. `said` are the comments of the whole file. */
function follow(test, path, sum, said = []) {
  const here = [...path, test.name]
  const failedBefore = sum.failures.length
  let hasChildren = false
  test.on('child', (child) => {
    hasChildren = true
    follow(child, here, sum, said)
  })
  test.on('comment', (text) => said.push(text.trimEnd()))
  test.on('assert', (result) => note(result, here, sum))
  test.on('complete', ({ ok }) => {
    if (path.length === 0) tellFile(test.name, ok, sum.failures.slice(failedBefore), said)
    if (!hasChildren || !ok) sum[ok ? 'passed' : 'failed'] += 1
  })
}

/** Tells here, too, why a file failed: who keeps only a piece of a long output keeps the piece around this line. */
function tellFile(name, ok, failures, said) {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}`)
  if (ok) return
  for (const { where, diag } of failures)
    console.log(`  ${where}: ${JSON.stringify(diag)}`.slice(0, 1000))
  for (const line of said.slice(-SAID_LINES)) console.log(`  ${line}`)
}

function note(result, here, sum) {
  const where = [...here, result.name].join(' > ')
  const why =
    typeof result.skip === 'string' && result.skip !== '' ? result.skip : 'no reason given'
  if (result.skip) sum.skips.push(`${where}: ${why}`)
  else if (!result.ok && !result.todo && result.diag)
    sum.failures.push({ where, diag: result.diag })
}
