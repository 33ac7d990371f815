import type { Plugin } from '../core/plugin.ts'
import type { PluginTables } from '../core/spool/plugin-tables.ts'
import { tables as ippTables } from './ipp/tables.ts'
import { tables as printNodeTables } from './printnode/tables.ts'
import { tables as shippingTables } from './shipping/tables.ts'

/** All plugins, in the order in which they start. */
export const plugins: readonly Plugin[] = [
  { name: 'shipping', title: 'Shipping API', tables: shippingTables },
  { name: 'ipp', title: 'Print dialogs', tables: ippTables },
  { name: 'printnode', title: 'PrintNode', tables: printNodeTables },
]

/** What they keep in the spool's database. */
export const pluginTables: readonly PluginTables[] = plugins.flatMap(({ name, tables }) =>
  tables === undefined ? [] : [{ owner: name, ...tables }],
)
