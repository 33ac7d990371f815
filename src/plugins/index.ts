import { SettingsSchema } from '../settings/schema.ts'
import { heartbeat } from './heartbeat/index.ts'
import { tables as ippTables } from './ipp/tables.ts'
import { peers } from './peers/index.ts'
import type { Plugin } from './plugin.ts'
import { tables as printNodeTables } from './printnode/tables.ts'
import { results } from './results/index.ts'
import { shipping } from './shipping/index.ts'
import { sourcePlugin } from './source/index.ts'
import { sources } from './sources.ts'

/** All plugins, in the order in which they start. */
export const plugins: readonly Plugin[] = [
  sourcePlugin(sources, heartbeat),
  results,
  peers,
  shipping,
  { name: 'ipp', title: 'Print dialogs', tables: ippTables, start: () => ({}) },
  { name: 'printnode', title: 'PrintNode', tables: printNodeTables, start: () => ({}) },
]

/** The keys of config.json. */
export const settings = new SettingsSchema(plugins.flatMap((plugin) => plugin.settings ?? []))
