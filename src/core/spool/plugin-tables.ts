import type { DatabaseSync } from 'node:sqlite'

/** The tables that a plugin has in the spool's database, for data written in one transaction with jobs. Decision `plugins-bring-sql`. */
export interface PluginTables {
  /** The name under which the database notes that they were made; it never changes. */
  readonly owner: string
  /** SQL that creates its tables and their indexes; left out = it has none. */
  readonly create?: string
  /** Tables with row numbers: a recovery copies their rows, even those behind a damaged page. */
  readonly rows?: readonly string[]
  /** Tables without row numbers: a recovery copies them from both ends, up to a damaged page. */
  readonly keyed?: readonly string[]
  /** Reconstructs rows that are gone from what is left; called once in each order, after `rows` were copied. May throw. */
  readonly repair?: (recovery: TableRecovery) => void
  /** Its keys in the table `meta`, as GLOB patterns of SQL: a recovery copies their rows. */
  readonly metaKeys?: readonly string[]
  /** SQL condition on a row of `job`: its label must not print any more. */
  readonly withdrawn?: string
  /** SQL statement that ties the job `:to` to the same data as the job `:from`, whose label it has: a reprint, a move. */
  readonly follow?: string
}

/** A damaged database, and the new one that gets what is readable. */
export interface TableRecovery {
  readonly old: DatabaseSync
  readonly db: DatabaseSync
  readonly order: 'ASC' | 'DESC'
  /** Milliseconds since the epoch. */
  readonly now: number
}
