import { plugins } from '../../src/plugins/index.ts'
import { listTables } from '../../src/plugins/plugin.ts'

/** What the plugins keep in the spool's database. */
export const pluginTables = listTables(plugins)
