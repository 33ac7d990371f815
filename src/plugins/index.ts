import { SettingsSchema } from '../settings/schema.ts'
import { heartbeat } from './heartbeat/index.ts'
import { ipp } from './ipp/index.ts'
import { peers } from './peers/index.ts'
import type { Plugin } from './plugin.ts'
import { tables as printNodeTables } from './printnode/tables.ts'
import { results } from './results/index.ts'
import { shipping } from './shipping/index.ts'
import { sourcePlugin } from './source/index.ts'
import { sources } from './sources.ts'

/** All plugins, in the order in which they start. */
export const plugins: readonly Plugin[] = [
  ipp,
  sourcePlugin(sources, heartbeat),
  results,
  peers,
  shipping,
  { name: 'printnode', title: 'PrintNode', tables: printNodeTables, start: () => ({}) },
]

/** The keys of config.json. */
export const settings = new SettingsSchema(plugins.flatMap((plugin) => plugin.settings ?? []))
