import { availableParallelism } from 'node:os'
import { inspect } from 'node:util'
import { type FileRun, killAll, type RunOptions, runFile } from './run-file.ts'
import { expectSeconds, readSeconds, writeSeconds } from './seconds.ts'

/** These take a processor each for minutes: never two of them at a time. */
const HEAVY = /^test\/(?:vm|packages|image)\//
const MAX_REPEATS = 3 // files: more that fail are no matter of chance
const COMMENTS_SHOWN = 60

/** The results of all files, and what failed only once. */
export interface Outcome {
  readonly runs: readonly FileRun[]
  /** First runs of the files that failed, and passed when they were repeated alone. */
  readonly unsteady: readonly FileRun[]
}

export interface SuiteOptions extends RunOptions {
  /** Files at a time. */
  readonly jobs?: number
}

/**
 * Runs the files, dearest first. A few that failed run once more, alone, so that one unlucky moment of a busy machine does
 * not hide whether a change is good; what passes then is a defect to mend, and listed as unsteady.
 */
export async function runFiles(
  files: readonly string[],
  { jobs = availableParallelism(), ...options }: SuiteOptions = {},
): Promise<Outcome> {
  const stop = (): void => {
    killAll()
    process.exit(130)
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const runs = await runQueue(files, jobs, options)
  const failed = runs.filter((run) => run.failed > 0)
  const unsteady: FileRun[] = []
  if (failed.length > 0 && failed.length <= MAX_REPEATS && runs.length > 1) {
    console.log(`\nOnce more, alone: ${failed.map(({ file }) => file).join(', ')}`)
    for (const first of failed) {
      const second = await runAndTell(first.file, options)
      if (second.failed > 0) continue
      runs[runs.indexOf(first)] = second
      unsteady.push(first)
    }
  }
  process.off('SIGINT', stop).off('SIGTERM', stop)
  writeSeconds(runs.filter((run) => run.failed === 0).map(({ file, seconds }) => [file, seconds]))
  return { runs, unsteady }
}

/** As many workers as files at a time; each takes the dearest file that may run beside the others. */
async function runQueue(
  files: readonly string[],
  jobs: number,
  options: RunOptions,
): Promise<FileRun[]> {
  const known = readSeconds()
  const cost = (file: string): number => expectSeconds(known, file)
  const waiting = files.toSorted((a, b) => cost(b) - cost(a) || a.localeCompare(b))
  const runs: FileRun[] = []
  let isHeavyRunning = false
  const take = (): string | undefined => {
    const at = waiting.findIndex((file) => !isHeavyRunning || !HEAVY.test(file))
    // With nothing light left the heavy ones wait for each other: this worker is done, the other one takes them.
    return at === -1 ? undefined : waiting.splice(at, 1)[0]
  }
  const work = async (): Promise<void> => {
    for (let file = take(); file !== undefined; file = take()) {
      const isHeavy = HEAVY.test(file)
      if (isHeavy) isHeavyRunning = true
      runs.push(await runAndTell(file, options))
      if (isHeavy) isHeavyRunning = false
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return runs
}

/** What failed, on one line; an error may hold itself. */
function describe(diag: unknown): string {
  try {
    return JSON.stringify(diag)
  } catch {
    return inspect(diag, { breakLength: Number.POSITIVE_INFINITY })
  }
}

async function runAndTell(file: string, options: RunOptions): Promise<FileRun> {
  const run = await runFile(file, options)
  const seconds = run.seconds.toFixed(1).padStart(6)
  console.log(`${run.failed === 0 ? 'ok  ' : 'FAIL'} ${seconds} s  ${file}`)
  // Here, too: who keeps only a piece of a long output keeps the piece around this line.
  if (run.failed > 0) {
    for (const { where, diag } of run.failures) {
      console.log(`  ${where}: ${describe(diag)}`.slice(0, 1000))
    }
    for (const line of run.comments.slice(-COMMENTS_SHOWN)) console.log(`  ${line}`)
    console.log(run.stderr.slice(-2000).replace(/^/gm, '  '))
  }
  return run
}
