import type { DatabaseSync } from 'node:sqlite'
import { ENDED, type JobState, noneOfEach } from '../job.ts'
import { numberOf, textOf } from './columns.ts'
import { JOB_BYTES, ROOM_OF_LABEL } from './schema.ts'

/** The load of one printer, of one sender, or of the whole spool: jobs that have not ended. */
export interface Load {
  readonly jobs: number
  readonly bytes: number
}

/** A change of the tally by a step of a job. */
export interface TallyStep {
  /** Undefined for a new job. */
  readonly from?: JobState
  /** Undefined when the row is dropped. */
  readonly to?: JobState
  readonly printer: string
  readonly sender: string
  /** Change of the waiting bytes. */
  readonly bytes: number
}

/** The loads of the whole spool and of its holders. */
export interface Loads {
  readonly all: Load
  readonly printers: Readonly<Record<string, Load>>
  readonly senders: Readonly<Record<string, Load>>
}

interface PrinterLoad extends Load {
  /** Jobs that print when their turn comes. */
  readonly pending: number
}

const NOTHING: PrinterLoad = { jobs: 0, bytes: 0, pending: 0 }
const WAITS = "state IN ('pending', 'pending-held', 'processing', 'processing-stopped')"

/**
 * Numbers of jobs and bytes by holder: counted once at the opening, then kept in step with every transaction, so that asking costs the same
 * however much waits. Labels of one row, sender and printer count once.
 */
export class SpoolTally {
  readonly #states = noneOfEach()
  readonly #printers = new Map<string, PrinterLoad>()
  readonly #senders = new Map<string, Load>()
  #whole: Load = { jobs: 0, bytes: 0 }
  #noted: TallyStep[] = []
  /** Steps that are counted already, and undone if their transaction fails. */
  #counted: TallyStep[] = []
  readonly #touched = { printers: new Set<string>(), senders: new Set<string>() }

  constructor(db: DatabaseSync) {
    for (const row of db.prepare('SELECT state, count(*) AS jobs FROM job GROUP BY state').all()) {
      this.#states[textOf(row, 'state') as JobState] = numberOf(row, 'jobs')
    }
    const jobs = `SELECT printer, sender, sum(state = 'pending') AS pending, count(*) AS jobs,
      count(*) * ${JOB_BYTES} AS bytes FROM job WHERE ${WAITS} GROUP BY printer, sender`
    const labels = `SELECT printer, sender, 0 AS pending, 0 AS jobs, sum(${ROOM_OF_LABEL}) AS bytes FROM (
      SELECT DISTINCT content, printer, sender, label_bytes FROM job WHERE ${WAITS} AND content > 0
      ) GROUP BY printer, sender`
    for (const row of [...db.prepare(jobs).all(), ...db.prepare(labels).all()]) {
      this.#add(textOf(row, 'printer'), textOf(row, 'sender'), {
        jobs: numberOf(row, 'jobs'),
        bytes: numberOf(row, 'bytes'),
        pending: numberOf(row, 'pending'),
      })
    }
  }

  /** Number of jobs in each state. */
  get states(): Readonly<Record<JobState, number>> {
    return { ...this.#states }
  }

  /** Number of jobs that have ended and are still in the list. */
  get ended(): number {
    return [...ENDED].reduce((sum, state) => sum + this.#states[state], 0)
  }

  get whole(): Load {
    return this.#whole
  }

  /** All loads, by the names of their holders. */
  get loads(): Loads {
    return {
      all: this.#whole,
      printers: Object.fromEntries(this.#printers),
      senders: Object.fromEntries(this.#senders),
    }
  }

  /** Loads of the printers that jobs wait for. */
  get printers(): ReadonlyMap<string, PrinterLoad> {
    return this.#printers
  }

  /** Loads of the senders of waiting jobs. */
  get senders(): ReadonlyMap<string, Load> {
    return this.#senders
  }

  /** Names of holders whose loads have changed since the last call. */
  takeTouched(): { readonly printers: readonly string[]; readonly senders: readonly string[] } {
    const { printers, senders } = this.#touched
    const taken = { printers: [...printers], senders: [...senders] }
    printers.clear()
    senders.clear()
    return taken
  }

  /** Notes a step inside a transaction; it counts once that is committed. */
  note(step: TallyStep): void {
    this.#noted.push(step)
  }

  /** Begins a transaction; steps noted before and never committed are forgotten. */
  begin(): void {
    this.#noted = []
  }

  /** Counts the noted steps: their transaction is committed. */
  commit(): void {
    for (const step of this.#noted) this.#take(step)
    this.#counted.push(...this.#noted)
    this.#noted = []
  }

  /** A mark to return to with `undo`. */
  mark(): number {
    return this.#counted.length
  }

  /** Takes back the steps counted since a mark: they are not on disk after all. */
  undo(mark: number): void {
    for (const { from, to, bytes, ...owner } of this.#counted.splice(mark).reverse()) {
      this.#take({
        ...owner,
        ...(to === undefined ? {} : { from: to }),
        ...(from === undefined ? {} : { to: from }),
        bytes: -bytes,
      })
    }
    this.#noted = []
  }

  /** Forgets the steps that could be undone: they are on disk. */
  forget(): void {
    this.#counted = []
  }

  #take({ from, to, printer, sender, bytes }: TallyStep): void {
    if (from !== undefined) this.#states[from] -= 1
    if (to !== undefined) this.#states[to] += 1
    this.#add(printer, sender, {
      jobs: Number(waits(to)) - Number(waits(from)),
      bytes,
      pending: Number(to === 'pending') - Number(from === 'pending'),
    })
  }

  #add(printer: string, sender: string, more: PrinterLoad): void {
    if (more.jobs === 0 && more.pending === 0 && more.bytes === 0) return
    this.#touched.printers.add(printer)
    this.#touched.senders.add(sender)
    this.#whole = sum(this.#whole, more)
    const before = this.#printers.get(printer) ?? NOTHING
    put(this.#printers, printer, {
      ...sum(before, more),
      pending: before.pending + more.pending,
    })
    put(this.#senders, sender, sum(this.#senders.get(sender) ?? NOTHING, more))
  }
}

function waits(state: JobState | undefined): boolean {
  return state !== undefined && !ENDED.has(state)
}

function sum(a: Load, b: Load): Load {
  return { jobs: a.jobs + b.jobs, bytes: a.bytes + b.bytes }
}

/** Sets the load of a name. Names without any are forgotten: a sender may use a new one each time. */
function put<T extends Load>(loads: Map<string, T>, name: string, load: T): void {
  if (load.jobs === 0 && load.bytes === 0) loads.delete(name)
  else loads.set(name, load)
}
