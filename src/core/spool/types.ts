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

/** What one transaction may write: the loop stands still meanwhile, and a card writes a few MB a second. */
export const TAKEN_AT_ONCE = { jobs: 1_000, bytes: 128 * 2 ** 20 } as const

/** Rows of ended jobs kept at most; fewer would lose the answer to a repeat. */
export const ENDED_JOBS_MOST = 50_000

/** What the spool is given; everything but the folder has a default. */
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
  /** Requests that are remembered, for the tests. */
  readonly repeatsMost?: number
  /** What may wait, for the tests. */
  readonly shares?: Partial<ShareLimits>
  /** What plugins keep in the spool's database. */
  readonly tables?: readonly PluginTables[]
  /** Somebody is told what becomes of the labels: keep it until they have it. Default false. */
  readonly keepsResults?: boolean
  readonly now?: () => number
  readonly uptimeMs?: () => number
  readonly bootId?: string
  /** Told how many seconds each transaction took until it was on disk. */
  readonly onCommit?: (seconds: number) => void
  /** Told of a listener that throws; the move itself is done by then. */
  readonly fault?: (error: unknown) => void
  /** The clock and the event loop of the shared commits, for the tests. */
  readonly pace?: SpoolClock
}

/** A job to be. */
export interface NewJob {
  readonly source: string
  /** Whose share of the spool it takes: a network, or the type of a source; default `source`. '' = the owner of the box. */
  readonly sender?: string
  readonly printer: string
  /** Who printed it, as their program says. */
  readonly user?: string
  /** What a person calls the label. */
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
  /** What developers may want to know about the label; stays until its end. */
  readonly note?: string
  /** Same hash, same print; '' or left out = nobody asks. */
  readonly hash?: string
  /** Held from the beginning, and why; `reasons` say it in IPP's words. */
  readonly held?: Explanation
}

/** A request that may come twice. */
export interface Repeat {
  readonly key: string
  /** Tells one request from another with the same key. */
  readonly fingerprint: string
  /** How the keys begin under which the same fingerprint is the same request, `key` among them; only `key` when left out. */
  readonly family?: string
}

/** A move of another job, made in the same transaction. */
export interface OtherMove {
  readonly id: string
  readonly change: (job: Job) => Change
}

/** What is written together with a move, in its transaction. */
export interface MoveExtras {
  /** Bytes that this attempt will send. */
  readonly totalBytes?: number
  /** PNG of what is printed. */
  readonly preview?: Uint8Array | undefined
  /** The printer may sit in half a label of this job. */
  readonly isCut?: boolean
  /** Device URI of the printer that this attempt goes to. */
  readonly place?: string
}

/** What may wait: in the whole spool, for one printer, and from one sender. */
export interface ShareLimits {
  readonly jobs: number
  readonly printerJobs: number
  readonly senderJobs: number
  /** Of the bytes that may wait in the whole, for one printer and from one sender. */
  readonly part: number
}

/** The clock and the event loop, for the tests. */
export interface SpoolClock {
  /** Milliseconds. */
  now(): number
  /** Calls `turn` once the event loop has looked at its connections. */
  soon(turn: () => void): void
  /** Calls `turn` after so many milliseconds. */
  later(ms: number, turn: () => void): void
}

/** A state that a job came to. */
interface JobStep {
  /** Milliseconds since the epoch; for display only, as clocks are set. */
  readonly at: number
  readonly state: JobState
  readonly reasons: readonly JobReason[]
}

/** The first ones and the last ones stay: a label may wait for days and be tried a thousand times. */
const [FIRST, LAST] = [10, 30]

type JobStanding = Pick<Job, 'state' | 'reasons'>

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

/** The text after a move; a new sentence alone does not count as a step. */
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

/** What `firstStep` and `addStep` wrote, oldest first. */
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
