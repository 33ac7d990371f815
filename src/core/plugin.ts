import type { Tables } from './spool/plugin-tables.ts'

/** A feature beside the core: the core knows none by its name. */
export interface Plugin {
  /** Of its folder. */
  readonly name: string
  /** What people call it. */
  readonly title: string
  /** What it keeps in the spool's database, for what has to be written in one transaction with jobs. */
  readonly tables?: Tables
}
