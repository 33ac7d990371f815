import type { Failure } from './count-tap.ts'
import type { Outcome } from './run-files.ts'

const DIAG_LENGTH = 3000

/** The counts. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  /** Each with its reason. */
  readonly skips: readonly string[]
}

export interface ReportOptions {
  /** Tests that were not run at all, with the reason. */
  readonly moreSkips?: readonly string[]
  /** Number of files whose seconds are printed; all of them by default. */
  readonly dearest?: number
}

/** Prints seconds (dearest last), failures, skips, and one line of counts, which it gives back. */
export function report(
  { runs, unsteady }: Outcome,
  { moreSkips = [], dearest = runs.length }: ReportOptions = {},
): Counts {
  const skips = [...runs.flatMap((run) => run.skips), ...moreSkips]
  const sum = (key: 'passed' | 'failed' | 'seconds'): number =>
    runs.reduce((all, run) => all + run[key], 0)
  console.log(`\nSeconds of ${dearest < runs.length ? `the ${dearest} dearest` : 'each'}:`)
  const byCost = runs.toSorted((a, b) => a.seconds - b.seconds)
  for (const { file, seconds } of byCost.slice(-dearest)) {
    console.log(`${seconds.toFixed(1).padStart(7)}  ${file}`)
  }
  console.log(`${sum('seconds').toFixed(1).padStart(7)}  together`)
  for (const failure of runs.flatMap((run) => run.failures)) {
    console.log(`\nFAILED ${tell(failure)}`)
  }
  for (const { file, failures } of unsteady) {
    console.log(`\nUNSTEADY ${file}: failed, then passed alone. Mend it: it will fail again.`)
    for (const failure of failures) console.log(`  ${tell(failure)}`)
  }
  const counts = { passed: sum('passed'), failed: sum('failed'), skips }
  reportCounts(counts)
  return counts
}

/** Prints the skips and, as the last line, the counts. */
export function reportCounts({ passed, failed, skips }: Counts): void {
  if (skips.length > 0) console.log(`\nSkipped:\n${skips.map((line) => `- ${line}`).join('\n')}`)
  console.log(`\n${passed} passed, ${failed} failed, ${skips.length} skipped`)
}

function tell({ where, diag }: Failure): string {
  return `${where}\n${JSON.stringify(diag, null, 2).slice(0, DIAG_LENGTH)}`
}
