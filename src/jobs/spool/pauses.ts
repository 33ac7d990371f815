import { textOf } from './columns.ts'
import type { SpoolDatabase } from './database.ts'

const KEY = 'paused:'

/** Which printers a person has paused (IPP Pause-Printer), by name: on disk, so that they are paused after a restart too. */
export class Pauses {
  readonly #db: SpoolDatabase

  constructor(db: SpoolDatabase) {
    this.#db = db
  }

  list(): readonly string[] {
    const rows = this.#db.read(() => this.#db.sql.metaFrom.all(KEY, `${KEY}\uffff`))
    return rows.map((row) => textOf(row, 'key').slice(KEY.length))
  }

  /** @throws PlatenError SPOOL_FULL, SPOOL_BROKEN */
  set(printer: string, isPaused: boolean): void {
    this.#db.write(() => {
      if (isPaused) this.#db.sql.setMeta.run(`${KEY}${printer}`, '1')
      else this.#db.sql.dropMeta.run(`${KEY}${printer}`)
    })
  }
}
