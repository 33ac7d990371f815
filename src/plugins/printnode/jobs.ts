import { readKey } from '../../core/intake/checks.ts'
import type { KeySender } from '../../core/intake/requests.ts'
import type { Job, JobReason, JobState } from '../../core/job.ts'
import { readSteps } from '../../core/spool/types.ts'
import { PlatenError, refuseField } from '../../words/errors.ts'
import { inEnglish } from '../../words/say.ts'
import type { DoorBox } from '../door/door.ts'
import { describePrinterOf, EVERY, type IdSet, isIn } from './printers.ts'

/** The states of a job that PrintNode has and this door uses, in PrintNode's words. */
export type PrintNodeState = 'new' | 'sent_to_client' | 'done' | 'error' | 'expired' | 'deleted'

const WORDS: Readonly<Record<PrintNodeState, string>> = {
  new: 'The label is on the disk of the print server.',
  sent_to_client: 'The label is at its printer, or waits for a person.',
  done: 'The label was sent to its printer.',
  error: 'The label did not print.',
  expired: 'The label could not print in time.',
  deleted: 'The label was canceled.',
}
/** Jobs that are canceled side by side: they share a commit. */
const AT_ONCE = 50

/** The most jobs in one list. */
const LISTED_MOST = 500
/** The end states in the order in which one decides for a job with many labels. */
const FIRST_OF_ENDED: readonly PrintNodeState[] = ['error', 'expired', 'deleted', 'done']

/** The labels that one POST made: jobs that follow each other. The id is the place of the first one in the spool. */
interface PrintJobGroup {
  readonly id: number
  readonly jobs: readonly [Job, ...Job[]]
}

/** The part of a list that was asked for. */
export interface PrintJobPage {
  readonly set: IdSet
  /** Names of printers; undefined = all. */
  readonly printers: readonly string[] | undefined
  readonly limit: number
  readonly after: number | undefined
  readonly isAscending: boolean
}

/** @throws PlatenError FIELD_INVALID */
export function readPage(
  query: URLSearchParams,
  set: IdSet = EVERY,
  printers?: readonly string[],
): PrintJobPage {
  const count = (name: string): number | undefined => {
    const text = query.get(name)
    if (text === null || text === '') return undefined
    if (/^\d{1,15}$/.test(text)) return Number(text)
    throw refuseField(name, text, 'a number')
  }
  return {
    set,
    printers,
    after: count('after'),
    limit: Math.min(count('limit') ?? 100, LISTED_MOST),
    isAscending: query.get('dir')?.toLowerCase() === 'asc',
  }
}

// The jobs of one POST are one of PrintNode's. `idem` knows how many they are, for 7 days.
const HEADS = `FROM job WHERE source = 'printnode' AND seq BETWEEN ? AND ?
  AND (? = 'null' OR printer IN (SELECT value FROM json_each(?)))
  AND coalesce((SELECT first_seq + jobs FROM idem WHERE jobs > 1 AND first_seq < job.seq
    ORDER BY first_seq DESC LIMIT 1), 0) <= job.seq`

/** The jobs that came through this door. */
export class PrintNodeJobs {
  readonly #box: DoorBox
  readonly #sql

  constructor(box: DoorBox) {
    const { records } = box.spool
    this.#box = box
    this.#sql = {
      newest: records.prepare(`SELECT seq ${HEADS} ORDER BY seq DESC LIMIT ?`),
      oldest: records.prepare(`SELECT seq ${HEADS} ORDER BY seq LIMIT ?`),
      head: records.prepare(
        'SELECT first_seq, jobs FROM idem WHERE jobs > 1 AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1',
      ),
      range: records.prepare(
        "SELECT id FROM job WHERE source = 'printnode' AND seq BETWEEN ? AND ? ORDER BY seq",
      ),
      open: records.prepare(`SELECT 1 FROM job WHERE source = 'printnode' AND seq BETWEEN ? AND ?
        AND state NOT IN ('canceled', 'aborted', 'completed') LIMIT 1`),
      waiting: records.prepare(`SELECT seq, id, printer FROM job WHERE source = 'printnode'
        AND state NOT IN ('canceled', 'aborted', 'completed') ORDER BY seq`),
    }
  }

  /** Lists jobs as PrintNode shows them. */
  list(page: PrintJobPage): readonly object[] {
    return this.#find(page).map((group) => this.#describe(group))
  }

  /** Lists the states of each job, oldest first. */
  states(page: PrintJobPage): readonly (readonly object[])[] {
    return this.#find(page).map((group) => this.#describeStates(group))
  }

  /** Reads the job that a label of this door belongs to; undefined when it is gone. */
  now(
    seq: number,
  ): { readonly id: number; readonly state: PrintNodeState; readonly message: string } | undefined {
    const group = this.#read(this.#headOf(seq))
    if (group === undefined) return undefined
    const { id, jobs } = group
    const state = sum(jobs.map(stateOf))
    return { id, state, message: sayState(state, jobs) }
  }

  /** Returns the id of the job that a label of this door belongs to, and the state of the label alone. */
  part(label: Job): { readonly id: number; readonly state: PrintNodeState } {
    return { id: this.#headOf(label.seq), state: stateOf(label) }
  }

  /** Tells whether any label of this job has not ended; reads none of them. */
  isOpen(id: number): boolean {
    const { records } = this.#box.spool
    return records.read(() => this.#sql.open.get(id, this.#lastOf(id))) !== undefined
  }

  /**
   * Answers for a label that could not be fetched, as an address may be valid for minutes only, or whose printer was removed. A sender
   * whose key has already printed must not hear that nothing was kept and send it again.
   * @throws the error, unless the key has printed
   */
  refuseGone(error: unknown, key: string, sender: KeySender): { readonly jobs: readonly Job[] } {
    const isGone = error instanceof PlatenError && /^(?:SOURCE|PRINTER)_/.test(error.code)
    const known = readKey(key, sender)?.key ?? ''
    if (!isGone || this.#box.spool.repeats.list(known).length === 0) throw error
    return { jobs: [] }
  }

  /** Cancels the jobs that have not ended; returns the ids of those it canceled. */
  async cancel(set: IdSet, printers: readonly string[] | undefined): Promise<readonly number[]> {
    const { records } = this.#box.spool
    const waiting = records
      .read(() => this.#sql.waiting.all())
      .map(({ seq, id, printer }) => ({
        head: this.#headOf(Number(seq)),
        id: String(id),
        printer: String(printer),
      }))
      .filter(({ head, printer }) => isIn(set, head) && (printers?.includes(printer) ?? true))
    const canceled = new Set<number>()
    for (let at = 0; at < waiting.length; at += AT_ONCE) {
      const part = waiting.slice(at, at + AT_ONCE)
      const done = await Promise.all(part.map(({ id }) => this.#cancel(id)))
      for (const [n, { head }] of part.entries()) if (done[n]) canceled.add(head)
    }
    return [...canceled]
  }

  /** Cancels one label; false = it had ended, or a person must look first. */
  async #cancel(id: string): Promise<boolean> {
    try {
      return (await this.#box.scheduler.cancel(id)).state === 'canceled'
    } catch (error) {
      const isPast =
        error instanceof PlatenError && (error.code === 'JOB_STATE' || error.code === 'JOB_UNKNOWN')
      if (!isPast) throw error
      return false
    }
  }

  #headOf(seq: number): number {
    const row = this.#box.spool.records.read(() => this.#sql.head.get(seq))
    const first = Number(row?.['first_seq'] ?? seq)
    return seq < first + Number(row?.['jobs'] ?? 1) ? first : seq
  }

  #lastOf(id: number): number {
    const row = this.#box.spool.records.read(() => this.#sql.head.get(id))
    return Number(row?.['first_seq']) === id ? id + Number(row?.['jobs']) - 1 : id
  }

  #find({ set, printers, limit, after, isAscending }: PrintJobPage): readonly PrintJobGroup[] {
    const { records } = this.#box.spool
    const names = JSON.stringify(printers ?? null)
    const statement = isAscending ? this.#sql.oldest : this.#sql.newest
    const seqs = set.flatMap(([first, last]) => {
      const from = isAscending && after !== undefined ? Math.max(first, after + 1) : first
      const to = !isAscending && after !== undefined ? Math.min(last, after - 1) : last
      return records
        .read(() => statement.all(from, to, names, names, limit))
        .map((row) => Number(row['seq']))
    })
    const order = isAscending ? 1 : -1
    return [...new Set(seqs)]
      .sort((a, b) => order * (a - b))
      .slice(0, limit)
      .flatMap((id) => this.#read(id) ?? [])
  }

  #read(id: number): PrintJobGroup | undefined {
    const { records, history } = this.#box.spool
    const rows = records.read(() => this.#sql.range.all(id, this.#lastOf(id)))
    const [first, ...others] = rows.flatMap((one) => history.look(String(one['id'])) ?? [])
    return first === undefined ? undefined : { id, jobs: [first, ...others] }
  }

  #describe({ id, jobs }: PrintJobGroup): object {
    const [first] = jobs
    const { printers, info } = this.#box
    return {
      id,
      printer: describePrinterOf(first.printer, printers.get(first.printer), info()),
      title: first.title,
      contentType: first.format === 'pdf' ? 'pdf_base64' : 'raw_base64',
      source: first.user,
      expireAt: first.expiresAt > 0 ? timeText(first.expiresAt) : null,
      createTimestamp: timeText(first.createdAt),
      state: sum(jobs.map(stateOf)),
    }
  }

  #describeStates({ id, jobs }: PrintJobGroup): readonly object[] {
    const [first] = jobs
    const now: PrintNodeState[] = jobs.map(() => 'new')
    const told: { at: number; state: PrintNodeState }[] = [{ at: first.createdAt, state: 'new' }]
    const tell = (at: number): void => {
      const state = sum(now)
      if (told.at(-1)?.state !== state) told.push({ at, state })
    }
    const steps = jobs.flatMap((job, n) => readSteps(job.steps).map((step) => ({ ...step, n })))
    for (const step of steps.toSorted((a, b) => a.at - b.at)) {
      now[step.n] = stateOf(step)
      tell(step.at)
    }
    const last = jobs.at(-1) ?? first
    now.splice(0, now.length, ...jobs.map(stateOf))
    tell(last.endedAt || last.startedAt || last.createdAt)
    return told.map(({ at, state }, n) => ({
      printJobId: id,
      state,
      message: n === told.length - 1 ? sayState(state, jobs) : WORDS[state],
      data: null,
      clientVersion: this.#box.info().version,
      createTimestamp: timeText(at),
      age: Math.max(0, Math.round((at - first.createdAt) / 1_000)),
    }))
  }
}

/** Returns PrintNode's state of a label. A held label has not failed: a client that sends it again at `error` would get it twice. */
function stateOf({
  state,
  reasons,
}: {
  readonly state: JobState
  readonly reasons: readonly JobReason[]
}): PrintNodeState {
  switch (state) {
    case 'pending':
      return 'new'
    case 'pending-held':
    case 'processing':
    case 'processing-stopped':
      return 'sent_to_client'
    case 'completed':
      return 'done'
    case 'aborted':
      return 'error'
    case 'canceled':
      // To a program that sends again what was deleted it would print twice.
      if (reasons.includes('platen-moved')) return 'done'
      return reasons.includes('job-canceled-after-timeout') ? 'expired' : 'deleted'
  }
}

/** Sums up the states of all labels: the job has ended when all of them have. */
function sum(states: readonly PrintNodeState[]): PrintNodeState {
  const open = states.filter((state) => state === 'new' || state === 'sent_to_client')
  const isBegun = states.some((state) => state === 'sent_to_client' || state === 'done')
  if (open.length > 0) return isBegun ? 'sent_to_client' : 'new'
  return FIRST_OF_ENDED.find((state) => states.includes(state)) ?? 'done'
}

/** Returns the message of the first label that has one. */
function sayState(state: PrintNodeState, jobs: readonly Job[]): string {
  return jobs.map(({ message }) => inEnglish(message)).find(Boolean) ?? WORDS[state]
}

function timeText(ms: number): string {
  return new Date(ms).toISOString()
}
