import { plugins } from '../../src/plugins/index.ts'
import { listTables } from '../../src/plugins/plugin.ts'

/** The plugins' tables in the spool's database. */
export const pluginTables = listTables(plugins)
