import type { Job, JobReason, JobState } from '../job.ts'
import type { NewJob } from './types.ts'

/** A state that a job came to. */
export interface Step {
  /** Milliseconds since the epoch; for display only, as clocks are set. */
  readonly at: number
  readonly state: JobState
  readonly reasons: readonly JobReason[]
}

/** The first ones and the last ones stay: a label may wait for days and be tried a thousand times. */
const [FIRST, LAST] = [10, 30]

type Told = Pick<Job, 'state' | 'reasons'>

/** The line of a new job. */
export function firstStep({ held, reasons = ['none'] }: NewJob, now: number): string {
  return writeStep({ state: held === undefined ? 'pending' : 'pending-held', reasons }, now)
}

/** The lines after a move; a new sentence alone is no step. */
export function addStep(before: Told & Pick<Job, 'steps'>, after: Told, now: number): string {
  const isSame = before.state === after.state && before.reasons.join() === after.reasons.join()
  if (isSame) return before.steps
  const lines = [...before.steps.split('\n').filter(Boolean), writeStep(after, now)]
  const kept =
    lines.length > FIRST + LAST ? [...lines.slice(0, FIRST), ...lines.slice(-LAST)] : lines
  return kept.join('\n')
}

/** What `firstStep` and `addStep` wrote, oldest first; empty for jobs of earlier versions. */
export function readSteps(steps: string): readonly Step[] {
  return steps
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [at = '', state = '', reasons = ''] = line.split(' ')
      return {
        at: Number(at),
        state: state as JobState,
        reasons: reasons.split(',').filter((one) => one !== 'none' && one !== '') as JobReason[],
      }
    })
}

function writeStep({ state, reasons }: Told, now: number): string {
  return `${now} ${state} ${reasons.join(',')}`
}
