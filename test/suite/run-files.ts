import { availableParallelism, cpus } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import { type FileRun, killAll, type RunOptions, runFile } from './run-file.ts'

/** These take a processor each for minutes: never two of them at a time. */
const HEAVY = /^test\/(?:vm|packages|image)\//
const MAX_REPEATS = 3 // files: more that fail are no matter of chance
const COMMENTS_SHOWN = 60
/** Files beside those of a processor each, while most of them only wait. */
const MORE = 6
const LOOK_MS = 300
/** Share of one processor that must have been idle to start another file. */
const SPARE = 0.4

/** The results of all files, and what failed only once. */
export interface Outcome {
  readonly runs: readonly FileRun[]
  /** First runs of the files that failed, and passed when they were repeated alone. */
  readonly unsteady: readonly FileRun[]
}

export interface SuiteOptions extends RunOptions {
  /** Files at a time; by default one for each processor, and more while these have time to spare. */
  readonly jobs?: number
  /** Runs a file the first time; by default in a process of its own. */
  readonly run?: typeof runFile
  /** True when failed files run once more; by default if there is more than one file. */
  readonly isRepeated?: boolean
}

/**
 * Runs the files. A few that failed run once more, alone, so that one unlucky moment of a busy machine does
 * not hide whether a change is good; what passes then is a defect to mend, and listed as unsteady.
 */
export async function runFiles(
  files: readonly string[],
  { jobs, run = runFile, isRepeated = files.length > 1, ...options }: SuiteOptions = {},
): Promise<Outcome> {
  const stop = (): void => {
    killAll()
    process.exit(130)
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const least = jobs ?? availableParallelism()
  const runs = await runQueue(files, { least, most: jobs ?? least + MORE }, (file) =>
    tell(run(file, options)),
  )
  const failed = runs.filter((run) => run.failed > 0)
  const unsteady: FileRun[] = []
  if (isRepeated && failed.length > 0 && failed.length <= MAX_REPEATS) {
    console.log(`\nOnce more, alone: ${failed.map(({ file }) => file).join(', ')}`)
    for (const first of failed) {
      const second = await tell(runFile(first.file, options))
      if (second.failed > 0) continue
      runs[runs.indexOf(first)] = second
      unsteady.push(first)
    }
  }
  process.off('SIGINT', stop).off('SIGTERM', stop)
  return { runs, unsteady }
}

/**
 * Starts the next file that may run beside the others, heavy ones first, as soon as fewer than `least` run, or fewer than `most` and
 * processors are idle: tests of brokers and printers mostly wait.
 */
async function runQueue(
  files: readonly string[],
  { least, most }: { readonly least: number; readonly most: number },
  run: (file: string) => Promise<FileRun>,
): Promise<FileRun[]> {
  const waiting = files.toSorted((a, b) => Number(HEAVY.test(b)) - Number(HEAVY.test(a)))
  const runs: FileRun[] = []
  const running = new Map<string, Promise<void>>()
  const start = async (file: string): Promise<void> => {
    runs.push(await run(file))
    running.delete(file)
  }
  const readIdle = watchProcessors()
  const hasRoom = (): boolean => running.size < least || (running.size < most && readIdle() > SPARE)
  for (;;) {
    const file = hasRoom() ? takeNext(waiting, [...running.keys()]) : undefined
    if (file !== undefined) running.set(file, start(file))
    else if (running.size === 0) return runs
    else await Promise.race([...running.values(), wait(LOOK_MS, undefined, { ref: false })])
  }
}

function takeNext(waiting: string[], running: readonly string[]): string | undefined {
  const isHeavyRunning = running.some((file) => HEAVY.test(file))
  const at = waiting.findIndex((file) => !isHeavyRunning || !HEAVY.test(file))
  return at === -1 ? undefined : waiting.splice(at, 1)[0]
}

/** Tells how many processors were idle, on average, since it was asked last, or 0 when that was only a moment ago. */
function watchProcessors(): () => number {
  const read = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0)
  let [before, at] = [read(), Date.now()]
  return () => {
    const took = Date.now() - at
    if (took < LOOK_MS / 2) return 0
    const idle = read() - before
    before += idle
    at += took
    return idle / took
  }
}

/** Describes a failure on one line; an error may hold itself. */
function describe(diag: unknown): string {
  try {
    return JSON.stringify(diag)
  } catch {
    return inspect(diag, { breakLength: Number.POSITIVE_INFINITY })
  }
}

async function tell(running: Promise<FileRun>): Promise<FileRun> {
  const run = await running
  const seconds = run.seconds.toFixed(1).padStart(6)
  console.log(`${run.failed === 0 ? 'ok  ' : 'FAIL'} ${seconds} s  ${run.file}`)
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
