import { SettingsSchema } from '../settings/schema.ts'
import { appliance } from './appliance/index.ts'
import { doorPlugin } from './door/index.ts'
import { doors } from './doors.ts'
import { heartbeat } from './heartbeat/index.ts'
import { ipp } from './ipp/index.ts'
import { peers } from './peers/index.ts'
import type { Plugin } from './plugin.ts'
import { results } from './results/index.ts'
import { shipping } from './shipping/index.ts'
import { sourcePlugin } from './source/index.ts'
import { sources } from './sources.ts'

/** All plugins, in the order in which they start. */
export const plugins: readonly Plugin[] = [
  ipp,
  doorPlugin(doors),
  sourcePlugin(sources, heartbeat),
  results,
  appliance,
  peers,
  shipping,
]

/** The schema of config.json: the keys of the core and of all plugins. */
export const settingsSchema = new SettingsSchema(plugins.flatMap((plugin) => plugin.settings ?? []))
