import { tables as ippTables } from './ipp/tables.ts'
import { peers } from './peers/index.ts'
import type { Plugin } from './plugin.ts'
import { tables as printNodeTables } from './printnode/tables.ts'
import { shipping } from './shipping/index.ts'

/** All plugins, in the order in which they start. */
export const plugins: readonly Plugin[] = [
  peers,
  shipping,
  { name: 'ipp', title: 'Print dialogs', tables: ippTables, start: () => ({}) },
  { name: 'printnode', title: 'PrintNode', tables: printNodeTables, start: () => ({}) },
]
