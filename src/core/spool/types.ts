import type { Sentences } from '../../words/say.ts'
import type {
  Change,
  Explanation,
  Job,
  JobFormat,
  JobReason,
  JobState,
  PrintOptions,
} from '../job.ts'
import type { PluginTables } from './plugin-tables.ts'

/** Limits of one transaction: the event loop stands still meanwhile, and a card writes a few MB a second. */
export const TAKEN_AT_ONCE = { jobs: 1_000, bytes: 128 * 2 ** 20 } as const

/** Rows of ended jobs kept at most; fewer would lose the answer to a repeat. */
export const ENDED_JOBS_MOST = 50_000

/** Settings of the spool; everything but the folder has a default. */
export interface SpoolSettings {
  /** Made when missing, mode 0700; the database in it is 0600. */
  readonly folder: string
  /** Default: the smaller of 256 MB and a quarter of the partition. */
  readonly quotaBytes?: number
  /** Default: the smaller of 64 MB and a tenth of the partition. */
  readonly minFreeBytes?: number
  /** Default: 8 MB; 0 = no ballast. */
  readonly ballastBytes?: number
  /** Hours of run-time that the label of an ended job is kept for reprint; asked at every `housekeep`. Default 72. */
  readonly retentionHours?: () => number
  readonly endedJobsMost?: number
  /** Most requests that are remembered, for tests. */
  readonly repeatsMost?: number
  /** Limits of the shares, for tests. */
  readonly shares?: Partial<ShareLimits>
  /** Tables of plugins in the spool's database. */
  readonly tables?: readonly PluginTables[]
  /** True when results have a receiver: they are kept until it has them. Default false. */
  readonly keepsResults?: boolean
  readonly now?: () => number
  readonly uptimeMs?: () => number
  readonly bootId?: string
  /** Called with the seconds that each transaction took until it was on disk. */
  readonly onCommit?: (seconds: number) => void
  /** Called with the error of a listener that throws; the move itself is done by then. */
  readonly fault?: (error: unknown) => void
  /** The clock and the event loop of the shared commits, for tests. */
  readonly pace?: SpoolClock
}

/** A job to add. */
export interface NewJob {
  readonly source: string
  /** The sender whose share of the spool it uses: a network, or the type of a source; default `source`. '' = the owner of the box. */
  readonly sender?: string
  readonly printer: string
  /** The user who printed it, according to their program. */
  readonly user?: string
  /** The title of the label. */
  readonly title?: string
  readonly format: JobFormat
  readonly options: PrintOptions
  /** The bytes as they were sent. */
  readonly label: Uint8Array
  readonly reasons?: Job['reasons']
  readonly message?: Sentences
  readonly reprintOf?: string
  /** Ties the job to rows of a plugin; called in the transaction that adds it. */
  readonly onAdded?: ((seq: number) => void) | undefined
  /** A sentence that stays with the job until its end. */
  readonly warning?: Sentences
  /** Information about the label for developers; stays until its end. */
  readonly note?: string
  /** Hash that equal prints share; '' or left out = not compared. */
  readonly hash?: string
  /** The reason for which it is held from the beginning; `reasons` has IPP's keywords. */
  readonly held?: Explanation
}

/** A request that may come twice. */
export interface Repeat {
  readonly key: string
  /** Distinguishes requests with the same key. */
  readonly fingerprint: string
  /** Common beginning of the keys under which the same fingerprint is the same request, `key` among them; only `key` when left out. */
  readonly family?: string
}

/** A move of another job, made in the same transaction. */
export interface OtherMove {
  readonly id: string
  readonly change: (job: Job) => Change
}

/** Data written together with a move, in its transaction. */
export interface MoveExtras {
  /** Bytes that this attempt will send. */
  readonly totalBytes?: number
  /** PNG of what is printed. */
  readonly preview?: Uint8Array | undefined
  /** True when the printer may have half a label of this job in memory. */
  readonly isCut?: boolean
  /** Device URI of the printer that this attempt goes to. */
  readonly place?: string
}

/** Limits of waiting jobs: in the whole spool, for one printer, and from one sender. */
export interface ShareLimits {
  readonly jobs: number
  readonly printerJobs: number
  readonly senderJobs: number
  /** Fraction of the bytes of the whole spool that one printer, and one sender, may use. */
  readonly part: number
}

/** The clock and the event loop, for tests. */
export interface SpoolClock {
  /** Milliseconds. */
  now(): number
  /** Calls `turn` once the event loop has looked at its connections. */
  soon(turn: () => void): void
  /** Calls `turn` after so many milliseconds. */
  later(ms: number, turn: () => void): void
}

/** A state that a job reached. */
interface JobStep {
  /** Milliseconds since the epoch; for display only, as clocks are set. */
  readonly at: number
  readonly state: JobState
  readonly reasons: readonly JobReason[]
}

/** Numbers of first and last steps that stay: a label may wait for days and be tried a thousand times. */
const [FIRST, LAST] = [10, 30]

type JobStanding = Pick<Job, 'state' | 'reasons'>

/** Codes of states: each job has several on disk, so they are short, and the usual reason of a state is left out. */
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

/** Returns the steps of a new job. */
export function firstStep({ held, reasons = ['none'] }: NewJob, now: number): string {
  return writeStep({ state: held === undefined ? 'pending' : 'pending-held', reasons }, now)
}

/** Returns the steps after a move; a new sentence alone does not count as a step. */
export function addStep(
  before: JobStanding & Pick<Job, 'steps'>,
  after: JobStanding,
  now: number,
): string {
  const isSame = before.state === after.state && before.reasons.join() === after.reasons.join()
  if (isSame) return before.steps
  const all = [...before.steps.split(' ').filter(Boolean), writeStep(after, now)]
  const kept = all.length > FIRST + LAST ? [...all.slice(0, FIRST), ...all.slice(-LAST)] : all
  return kept.join(' ')
}

/** Parses the text of `firstStep` and `addStep`, oldest first. */
export function readSteps(steps: string): readonly JobStep[] {
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

function writeStep({ state, reasons }: JobStanding, now: number): string {
  const [letter, usual] = CODES[state]
  const all = reasons.join()
  return `${now.toString(36)}${letter}${all === usual ? '' : all}`
}
