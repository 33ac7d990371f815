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

/** Each job has some of them on disk, so they are short: a letter a state, and its usual reason goes without saying. */
const CODES: Readonly<Record<JobState, readonly [letter: string, reason: JobReason]>> = {
  pending: ['P', 'none'],
  'pending-held': ['H', 'none'],
  processing: ['R', 'job-printing'],
  'processing-stopped': ['S', 'printer-stopped'],
  canceled: ['C', 'job-canceled-by-user'],
  aborted: ['A', 'aborted-by-system'],
  completed: ['D', 'job-completed-successfully'],
}
const STATE_OF = new Map(
  (Object.keys(CODES) as JobState[]).map((state) => [CODES[state][0], state] as const),
)

/** The text of a new job. */
export function firstStep({ held, reasons = ['none'] }: NewJob, now: number): string {
  return writeStep({ state: held === undefined ? 'pending' : 'pending-held', reasons }, now)
}

/** The text after a move; a new sentence alone is no step. */
export function addStep(before: Told & Pick<Job, 'steps'>, after: Told, now: number): string {
  const isSame = before.state === after.state && before.reasons.join() === after.reasons.join()
  if (isSame) return before.steps
  const all = [...before.steps.split(' ').filter(Boolean), writeStep(after, now)]
  const kept = all.length > FIRST + LAST ? [...all.slice(0, FIRST), ...all.slice(-LAST)] : all
  return kept.join(' ')
}

/** What `firstStep` and `addStep` wrote, oldest first; empty for jobs of earlier versions. */
export function readSteps(steps: string): readonly Step[] {
  return steps.split(' ').flatMap((step) => {
    const [, at = '', letter = '', reasons] = /^([0-9a-z]+)([A-Z])(.*)$/.exec(step) ?? []
    const state = STATE_OF.get(letter)
    if (state === undefined) return []
    const all = reasons === '' || reasons === undefined ? CODES[state][1] : reasons
    return {
      at: Number.parseInt(at, 36),
      state,
      reasons: all.split(',').filter((one) => one !== 'none') as JobReason[],
    }
  })
}

function writeStep({ state, reasons }: Told, now: number): string {
  const [letter, usual] = CODES[state]
  const all = reasons.join()
  return `${now.toString(36)}${letter}${all === usual ? '' : all}`
}
