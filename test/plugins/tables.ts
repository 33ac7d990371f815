import { allPlugins } from './all.ts'

/** The plugins' tables in the spool's database. */
export const pluginTables = allPlugins.tables()
