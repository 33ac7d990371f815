import { settingsSchema } from '../../src/plugins/index.ts'
import * as check from '../../src/settings/check.ts'
import * as load from '../../src/settings/load.ts'
import type { Config } from '../../src/settings/schema.ts'

// The settings as the program has them: with the keys of all plugins.

export const loadConfig = (file: string) => load.loadConfig(file, settingsSchema)

export const checkConfig = (raw: unknown) => check.checkConfig(raw, settingsSchema)

/** The values of valid settings. */
export function readConfig(raw: object): Config {
  const { config, faults } = checkConfig(raw)
  if (config === undefined) throw new Error(JSON.stringify(faults))
  return config
}

export const findWarnings = (raw: unknown, config: Config) =>
  check.findWarnings(raw, config, settingsSchema)

export const findUnknownPrinters = (config: Config, known: readonly string[]) =>
  check.findUnknownPrinters(config, known, settingsSchema)

export const describeSchema = () => settingsSchema.fields
