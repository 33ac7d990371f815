import type { StatementSync } from 'node:sqlite'
import type { Before } from '../jobs/moving.ts'
import { textOf } from '../jobs/spool/columns.ts'
import type { Records } from '../jobs/spool/upkeep.ts'

/** A label that is handed over, as it stands on disk from before the first byte leaves until the outcome is known. */
export interface Handover {
  /** Id of the job here. */
  readonly job: string
  readonly peer: string
  /** For people: `Bench 3 on packing-2`. */
  readonly where: string
  readonly printer: string
  /** Idempotency key at the other side; of this handover alone. */
  readonly key: string
  /** Since when the other side must remember requests. */
  readonly ticket: string
  /** Seconds that the label had left when it was offered first; 0 = it never expires. One request is the same each time. */
  readonly expireAfter: number
  /**
   * `asking`: the other side is asked to take it. `withdrawing`: it is asked to refuse it for ever. `unsure`: it cannot say
   * whether it has it, and a person decides.
   */
  readonly stage: 'asking' | 'withdrawing' | 'unsure'
  /** What a person wants once it is known not to be there. */
  readonly wish: '' | 'release' | 'cancel'
  /** A person has decided without waiting: the job here is done with, and the other side is only told. */
  readonly isDecided: boolean
  readonly before: Before
}

const KEY = 'move:'

/** The handovers that are not over, in the table `meta` of the spool. */
export class HandoverRecords {
  readonly #records: Records
  readonly #set: StatementSync
  readonly #drop: StatementSync
  readonly #all: StatementSync

  constructor(records: Records) {
    this.#records = records
    this.#set = records.prepare('INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)')
    this.#drop = records.prepare('DELETE FROM meta WHERE key = ?')
    this.#all = records.prepare('SELECT value FROM meta WHERE key >= ? AND key < ? ORDER BY key')
  }

  /** Within a transaction or in one of its own. @throws PlatenError SPOOL_FULL, SPOOL_BROKEN */
  put(handover: Handover): void {
    this.#records.write(() => this.#set.run(`${KEY}${handover.job}`, JSON.stringify(handover)))
  }

  drop(job: string): void {
    this.#records.write(() => this.#drop.run(`${KEY}${job}`))
  }

  list(): readonly Handover[] {
    const rows = this.#records.read(() => this.#all.all(KEY, `${KEY}\uffff`))
    return rows.map((row) => JSON.parse(textOf(row, 'value')) as Handover)
  }
}
