import { randomUUID } from 'node:crypto'
import type { StatementSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { decodeMessage, encodeMessage, GROUPS, type IppAttributes } from '#printers'
import { readKey } from '../../core/intake/checks.ts'
import { hasEnded, type Job } from '../../core/job.ts'
import { type JobRow, numberOf, textOf } from '../../core/spool/columns.ts'
import type { Spool } from '../../core/spool/spool.ts'
import { inEnglish, NOTHING } from '../../words/say.ts'
import { JOB_STATES } from './protocol.ts'
import { ENDS, KEEP_END, type Stage, sayStage } from './stages.ts'

/** The owner of the jobs of a client that names nobody. Decision `dialog-jobs-by-key`. */
export const ANONYMOUS = 'anonymous'

/** The facts that a client gives with a job. */
export interface IppWish {
  /** The name of the shared printer. */
  readonly printer: string
  readonly name: string
  readonly user: string
  /** The client that sent it: any other client that asks for the job is told that there is none. */
  readonly client: string
  readonly format: string
  /** The job template attributes that are obeyed. */
  readonly template: IppAttributes
}

/** A job of a print dialog: all its labels together. */
export interface IppJob extends IppWish {
  /** A number that is never used twice, not even after restarts. */
  readonly id: number
  /** The UUID of its labels. */
  readonly uuid: string
  /** A value of `JOB_STATES`. */
  readonly state: number
  readonly reasons: readonly string[]
  readonly message: string
  /** True while its document has not come. */
  readonly isIncoming: boolean
  readonly labels: readonly Job[]
  /** Milliseconds since the epoch; 0 = not yet. */
  readonly createdAt: number
  readonly startedAt: number
  readonly endedAt: number
}

/** Milliseconds for which a job is kept; the spool keeps the keys of its labels as long (`REPEAT_KEPT_MS`). */
const KEPT_MS = 7 * 86_400_000
/** `multiple-operation-time-out`: a job whose document has not come by then is given up. */
const INCOMING_MS = 60_000
const READ_A_TURN = 20
/** Milliseconds after which a job whose document never came is forgotten; by then its sender has asked. */
const FORGOTTEN_MS = 600_000
/** The most jobs kept of one client at one printer. */
export const KEPT_MOST = 2_000
/** The most jobs kept of all clients, and their share of the spool, where their rows cannot make way for labels. */
const ALL_MOST = 5_000
const SPOOL_SHARE = 0.1
/** Jobs dropped at once, since finding the first of them sorts all; twice as many are read. */
const DROPPED_AT_ONCE = 100
/** Bytes reserved for the row of a job: each of its texts has 1 KB at most. */
const ROW_BYTES = 4_096

type IppSpool = Pick<Spool, 'records' | 'history' | 'repeats' | 'commits'>

/**
 * The jobs of print dialogs, on disk: CUPS takes a forgotten job for printed, and a job of the same number for its own. Their labels are
 * found by the idempotency key with which they were taken, so one commit takes both.
 */
export class IppJobs {
  readonly #spool: IppSpool
  /** Jobs whose labels are being written to disk: too late to cancel them without the labels. */
  readonly #taking = new Set<number>()
  /** Requests that are arriving, oldest first: a document may take longer than its job waits for it to begin. */
  readonly #arriving = new Set<{ readonly client: string; readonly run: number }>()
  readonly #allMost: number
  readonly #sql: Record<
    | 'add'
    | 'get'
    | 'join'
    | 'end'
    | 'list'
    | 'drop'
    | 'late'
    | 'beyond'
    | 'count'
    | 'incoming'
    | 'listIncoming'
    | 'first'
    | 'dropOne',
    StatementSync
  >

  constructor(spool: IppSpool) {
    const { records } = spool
    this.#spool = spool
    this.#allMost = Math.min(ALL_MOST, Math.floor((records.limitBytes * SPOOL_SHARE) / ROW_BYTES))
    records.prepare(KEEP_END).run()
    this.#sql = {
      add: records.prepare(`INSERT INTO ipp_job(uuid, printer, name, user, client, format, template, stage, message, at, ended_at, run)
        VALUES(?, ?, ?, ?, ?, ?, ?, 'incoming', '', ?, 0, ?)`),
      get: records.prepare('SELECT * FROM ipp_job WHERE id = ?'),
      join: records.prepare('UPDATE ipp_job SET uuid = ?, stage = ?, ended_at = ? WHERE id = ?'),
      end: records.prepare(
        'UPDATE ipp_job SET stage = ?, message = ?, format = ?, ended_at = ? WHERE id = ?',
      ),
      list: records.prepare(
        `SELECT * FROM ipp_job WHERE printer = ? AND client = ? ORDER BY id DESC LIMIT ?`,
      ),
      drop: records.prepare('DELETE FROM ipp_job WHERE run < ?'),
      beyond: records.prepare(
        `SELECT id FROM ipp_job WHERE printer = ? AND client = ? ORDER BY id DESC LIMIT 10 OFFSET ${KEPT_MOST - 1}`,
      ),
      late: records.prepare(
        "SELECT id, uuid FROM ipp_job WHERE stage = 'incoming' AND run < ? LIMIT 100",
      ),
      count: records.prepare('SELECT count(*) AS jobs FROM ipp_job'),
      incoming: records.prepare(
        "SELECT count(*) AS jobs FROM ipp_job WHERE stage = 'incoming' AND run >= ?",
      ),
      listIncoming: records.prepare(
        `SELECT * FROM ipp_job WHERE stage = 'incoming' AND run >= ? AND id > ? ORDER BY id LIMIT ${DROPPED_AT_ONCE}`,
      ),
      // Jobs without labels first, of these such whose document has not come; the labels of a taken one may still print.
      first: records.prepare(
        `SELECT id, uuid, stage, client FROM ipp_job ORDER BY stage = 'taken', stage <> 'incoming', id LIMIT ${2 * DROPPED_AT_ONCE}`,
      ),
      dropOne: records.prepare('DELETE FROM ipp_job WHERE id = ?'),
    }
  }

  /** Adds a job. @throws PlatenError SPOOL_FULL, SPOOL_BROKEN */
  add({ printer, name, user, client, format, template }: IppWish): IppJob {
    const { records } = this.#spool
    const run = records.run()
    const packed = packTemplate(template)
    // What jobs need to end must be left for them.
    records.checkRoom(ROW_BYTES + packed.length)
    const id = records.write(() => {
      this.#sql.drop.run(run - KEPT_MS)
      this.#makeWay(printer, client, run)
      const { lastInsertRowid } = this.#sql.add.run(
        randomUUID(),
        printer,
        name,
        user,
        client,
        format,
        packed,
        records.now(),
        run,
      )
      return Number(lastInsertRowid)
    })
    return this.#get(id) as IppJob
  }

  /** Forgets the jobs that nobody asks for any more, and any beyond the limit; inside a transaction. */
  #makeWay(printer: string, client: string, run: number): void {
    const drop = (rows: readonly JobRow[]): void => {
      for (const row of rows) this.#sql.dropOne.run(numberOf(row, 'id'))
    }
    const isFree = (row: JobRow): boolean => !this.#taking.has(numberOf(row, 'id'))
    // That its labels were taken is written later than they are.
    const isEmpty = (row: JobRow): boolean => this.#labelsOf(textOf(row, 'uuid')).length === 0
    drop(this.#sql.late.all(run - FORGOTTEN_MS).filter((row) => isFree(row) && isEmpty(row)))
    drop(this.#sql.beyond.all(printer, client).filter(isFree))
    if (numberOf(this.#sql.count.get() as JobRow, 'jobs') < this.#allMost) return
    const arriving = new Set([...this.#arriving].map((request) => request.client))
    const first = this.#sql.first.all().filter(isFree)
    const empty = first.filter((row) => textOf(row, 'stage') !== 'taken' && isEmpty(row))
    // Documents may be arriving for the jobs of these clients; they are spared while there are others.
    const quiet = empty.filter((row) => !arriving.has(textOf(row, 'client')))
    const chosen = [quiet, empty, first].find((rows) => rows.length > 0) ?? []
    drop(chosen.slice(0, DROPPED_AT_ONCE))
  }

  /** Keeps everything that the client was told of its jobs valid for the document that is arriving, until disposed of. */
  arrive(client: string): Disposable {
    const request = { client, run: this.#spool.records.run() }
    this.#arriving.add(request)
    return { [Symbol.dispose]: () => void this.#arriving.delete(request) }
  }

  /** Finds a job of this client; undefined for jobs of others. */
  find(id: number, client: string): IppJob | undefined {
    const job = this.#get(id)
    return job?.client === client ? job : undefined
  }

  /** Lists the newest jobs of a client, oldest first; others have their turn in between. */
  async list(printer: string, client: string, most: number): Promise<readonly IppJob[]> {
    const rows = this.#spool.records.read(() => this.#sql.list.all(printer, client, most))
    const jobs: IppJob[] = []
    for (const row of rows.reverse()) {
      jobs.push(this.#read(row))
      if (jobs.length % READ_A_TURN === 0) await turn()
    }
    return jobs
  }

  /** Gives a job the labels of an earlier one, under the number that the client now asks for. */
  join(job: IppJob, { uuid, labels, state }: IppJob): IppJob {
    const { records } = this.#spool
    // Once its labels have left the list, the row alone says what became of it.
    const end = ENDS.find((stage) => labels.length === 0 && state === JOB_STATES[stage])
    const stage = end ?? 'taken'
    records.write(() => this.#sql.join.run(uuid, stage, records.now(), job.id))
    return this.#get(job.id) as IppJob
  }

  /** Returns the key with which the labels of a job are taken. */
  static keyOf({ uuid }: IppJob) {
    return { idempotencyKey: uuid, sender: { kind: 'ipp', from: '' } } as const
  }

  /** Notes that the labels of a job are on disk, which is what counts: the note is written along with the next commit. */
  taken({ id }: IppJob, format: string): IppJob {
    const { commits, records } = this.#spool
    const write = () => this.#sql.end.run('taken', '', format, records.now(), id)
    commits.step(write).catch(() => {
      // The disk is full or broken: its labels still say what became of it.
    })
    return this.#get(id) as IppJob
  }

  /** Ends a job without labels. */
  end(
    job: IppJob,
    stage: Exclude<Stage, 'incoming' | 'taken'>,
    more: { message?: string; format?: string },
  ) {
    const { message = '', format = job.format } = more
    const { records } = this.#spool
    records.write(() => this.#sql.end.run(stage, message, format, records.now(), job.id))
    return this.#get(job.id) as IppJob
  }

  /** Marks a job before its labels are taken; false when it was canceled, or other labels are being taken for it. */
  begin({ id, client }: IppJob): boolean {
    if (this.#taking.has(id) || this.find(id, client)?.isIncoming !== true) return false
    this.#taking.add(id)
    return true
  }

  /** Unmarks a job after its labels were taken or refused. */
  settle({ id }: IppJob): void {
    this.#taking.delete(id)
  }

  /** Ends a job whose document has not come; false when its labels are being taken, or were. */
  giveUp(job: IppJob, stage: 'canceled' | 'aborted' = 'canceled', message = ''): boolean {
    if (this.#taking.has(job.id) || !job.isIncoming) return false
    this.end(job, stage, { message })
    return true
  }

  /** Counts the jobs of all clients that wait for their document. */
  countIncoming(): number {
    const { records } = this.#spool
    const row = records.read(() => this.#sql.incoming.get(this.#firstRun()))
    return numberOf(row as JobRow, 'jobs')
  }

  /** Ends all jobs whose document has not come; others have their turn in between. Resolves with their number. */
  async giveUpAll(message: string): Promise<number> {
    const { records } = this.#spool
    const from = this.#firstRun()
    let [ended, last] = [0, 0]
    for (;;) {
      const rows = records.read(() => this.#sql.listIncoming.all(from, last))
      if (rows.length === 0) return ended
      records.write(() => {
        for (const row of rows) {
          const { id, isIncoming, format } = this.#read(row)
          if (this.#taking.has(id) || !isIncoming) continue
          this.#sql.end.run('canceled', message, format, records.now(), id)
          ended += 1
        }
      })
      last = numberOf(rows.at(-1) as JobRow, 'id')
      await turn()
    }
  }

  /** Returns the running time before which waiting jobs are given up. */
  #firstRun(): number {
    const runs = [...this.#arriving].map(({ run }) => run)
    return Math.min(this.#spool.records.run(), ...runs) - INCOMING_MS
  }

  #get(id: number): IppJob | undefined {
    const row = this.#spool.records.read(() => this.#sql.get.get(id))
    return row === undefined ? undefined : this.#read(row)
  }

  #read(row: JobRow): IppJob {
    const [uuid, id, client] = [textOf(row, 'uuid'), numberOf(row, 'id'), textOf(row, 'client')]
    const first = [...this.#arriving].find((request) => request.client === client)
    const age = (first?.run ?? this.#spool.records.run()) - numberOf(row, 'run')
    const isLate = age > INCOMING_MS && !this.#taking.has(id)
    const found = this.#labelsOf(uuid)
    const told = textOf(row, 'stage') as Stage
    // The commit that took the labels is the truth, even when the power failed before the next one.
    const stage = found.length > 0 ? 'taken' : told === 'incoming' && isLate ? 'aborted' : told
    const at = numberOf(row, 'ended_at')
    const plain = {
      id,
      uuid,
      printer: textOf(row, 'printer'),
      name: textOf(row, 'name'),
      user: textOf(row, 'user'),
      client,
      format: textOf(row, 'format'),
      template: unpackTemplate(row['template'] as Uint8Array),
      createdAt: numberOf(row, 'at'),
      labels: found,
    }
    if (stage === 'taken') {
      const end = found.every(hasEnded) ? ENDS.find((one) => one === told) : undefined
      return { ...plain, ...sumUp(found, at), ...(end && sayStage(end)), isIncoming: false }
    }
    const isIncoming = stage === 'incoming'
    return {
      ...plain,
      ...sayStage(stage),
      message: textOf(row, 'message'),
      isIncoming,
      startedAt: 0,
      endedAt: isIncoming ? 0 : at || numberOf(row, 'at') + INCOMING_MS,
    }
  }

  #labelsOf(uuid: string): readonly Job[] {
    const key = readKey(uuid, { kind: 'ipp', from: '' })?.key ?? ''
    return this.#spool.repeats.list(key)
  }
}

type Summary = Pick<IppJob, 'state' | 'reasons' | 'message' | 'startedAt' | 'endedAt'>

/** Sums up the states of all labels; `at` = when they were taken, for labels that are no longer in the list. */
function sumUp(labels: readonly Job[], at: number): Summary {
  const starts = labels.map(({ startedAt }) => startedAt).filter((start) => start > 0)
  const open = labels.filter((label) => !hasEnded(label))
  const decisive = open.length > 0 ? decideOpen(labels, open) : decideEnded(labels)
  return {
    ...decisive,
    message: inEnglish(labels.find(({ message }) => message.length > 0)?.message ?? NOTHING),
    startedAt: starts.length === 0 ? 0 : Math.min(...starts),
    endedAt: open.length > 0 ? 0 : Math.max(at, ...labels.map(({ endedAt }) => endedAt)),
  }
}

type Decision = Pick<IppJob, 'state' | 'reasons'>

function decideOpen(labels: readonly Job[], open: readonly Job[]): Decision {
  const first = (...states: readonly Job['state'][]): Job | undefined =>
    open.find(({ state }) => states.includes(state))
  const stopped = first('processing-stopped')
  if (stopped !== undefined) return decide('processing-stopped', stopped.reasons)
  const isBegun = first('processing') !== undefined || open.length < labels.length
  const waiting = first('pending')
  if (first('processing') !== undefined || (isBegun && waiting !== undefined)) {
    return decide('processing', ['job-printing'])
  }
  if (waiting !== undefined) return decide('pending', waiting.reasons)
  return decide('pending-held', open[0]?.reasons ?? [])
}

function decideEnded(labels: readonly Job[]): Decision {
  // Another printer has what was moved: whoever hears that it was canceled prints it once more.
  const odd =
    labels.find(({ state }) => state === 'aborted') ??
    labels.find(({ state, reasons }) => state === 'canceled' && !reasons.includes('platen-moved'))
  if (odd !== undefined) return decide(odd.state, odd.reasons)
  return decide('completed', ['job-completed-successfully'])
}

function decide(state: keyof typeof JOB_STATES, reasons: readonly string[]): Decision {
  return { state: JOB_STATES[state], reasons: reasons.length === 0 ? ['none'] : reasons }
}

export function packTemplate(attributes: IppAttributes): Uint8Array {
  const groups = [{ tag: GROUPS.job, attributes }]
  return encodeMessage({ version: [2, 0], code: 0, requestId: 1, groups })
}

function unpackTemplate(bytes: Uint8Array): IppAttributes {
  return decodeMessage(bytes).message.groups[0]?.attributes ?? new Map()
}
