import type { DatabaseSync } from 'node:sqlite'

/**
 * Tables of a plugin in the spool's database, for what has to be written in one transaction with jobs.
 * Decision `plugins-bring-sql`.
 */
export interface TableSpec {
  /** The SQL that makes them, with their indexes. */
  readonly create: string
  /** Those with row numbers: a recovery copies their rows, also those behind a damaged page. */
  readonly rows?: readonly string[]
  /** Those without row numbers: a recovery copies them from both ends, up to a damaged page. */
  readonly keyed?: readonly string[]
  /** Tells from what is left what rows are gone; called once in each order, after `rows` were copied. It may throw. */
  readonly repair?: (recovery: TableRecovery) => void
  /** An SQL condition on a row of `job`: its label must not print any more. */
  readonly withdrawn?: string
  /** An SQL statement that ties the job `:to` to what the job `:from` is tied to, whose label it has: a reprint, a move. */
  readonly follow?: string
}

/** The tables of the plugin with this name. */
export interface PluginTables extends TableSpec {
  readonly owner: string
}

/** A damaged database, and the new one that gets what can be read of it. */
export interface TableRecovery {
  readonly old: DatabaseSync
  readonly db: DatabaseSync
  readonly order: 'ASC' | 'DESC'
  /** Milliseconds since the epoch. */
  readonly now: number
}
