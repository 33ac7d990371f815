import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { doubtHost } from '../system/address.ts'
import type { PlatenError } from '../words/errors.ts'
import { checkConfig, findWarnings } from './check.ts'
import { makeFault, makeWarning, refuseConfig, type SettingFault } from './faults.ts'
import { isObject } from './field.ts'
import { complete, dropBlanks, findExcess, type LoadedConfig } from './load.ts'
import { Masks, type Raw } from './masks.ts'
import type { Config, SettingsSchema } from './schema.ts'
import { readIfThere, writeWhole } from './write.ts'

/** The result of saving a configuration. */
interface SaveResult {
  /** Keys that are not in effect yet: the program runs with other values until its next start. */
  readonly restart: readonly string[]
  readonly warnings: readonly SettingFault[]
}

/** The configuration while the program runs: read by all parts, changed by the settings page, kept in its file. */
export class ConfigStore {
  /** Its keys. */
  readonly schema: SettingsSchema
  readonly #file: string
  readonly #masks = new Masks()
  readonly #listeners = new Set<(config: Config, before: Config) => void>()
  /** The values at the start; keys that need a restart keep them. */
  readonly #started: Config
  readonly #doubtHost: typeof doubtHost
  #raw: Raw
  #text: string | undefined
  #config: Config

  constructor(file: string, loaded: LoadedConfig, doubt: typeof doubtHost = doubtHost) {
    this.schema = loaded.schema
    this.#file = file
    this.#doubtHost = doubt
    this.#raw = loaded.raw
    this.#text = loaded.text
    this.#config = loaded.config
    this.#started = loaded.config
  }

  /** The configuration as it was last read or saved; keys that need a restart are not yet in effect. */
  get current(): Config {
    return this.#config
  }

  /** Calls `listener` after a change was saved; returns a function that unsubscribes. */
  onChange(listener: (config: Config, before: Config) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Returns the content of the file, secrets in clear: for a backup, whose reader must keep it as safe as the box. */
  whole(): Raw {
    return this.#raw
  }

  /** Returns the whole configuration with its defaults, in the form of the file, secrets masked. */
  masked(): Raw {
    const defaults = this.schema.fields.filter((field) => 'default' in field)
    return this.#masks.hide(
      { ...Object.fromEntries(defaults.map((field) => [field.key, field.default])), ...this.#raw },
      this.schema.fields,
    )
  }

  /** Finds the saved entries of the list `key` whose secret this masked value refers to. */
  findOwners(masked: string, key: string): readonly Raw[] {
    return this.#masks.findOwners(masked, this.#raw, key)
  }

  /**
   * Replaces the configuration. Keys left out return to their defaults; keys that this version does not know stay. `refuse` throws
   * objections at the moment of saving: a host is looked up before, which takes a while.
   * @throws PlatenError CONFIG_INVALID with all faults (`readFaults`), STATE_UNWRITABLE; nothing has changed then
   */
  async put(value: unknown, refuse?: (config: Config) => void): Promise<SaveResult> {
    const { host } = this.check(value)
    const before = this.masked()
    // One that stays is not looked at: its network may be down while other settings are changed.
    const doubt = host === this.#config.host ? undefined : await this.#doubtHost(host)
    if (doubt?.isWrong) throw this.#invalid([makeFault('host', doubt.message)])
    const saved = this.#put(keepChanges(value as Raw, before, this.masked()), refuse)
    if (doubt === undefined) return saved
    return { ...saved, warnings: [makeWarning('host', doubt.message), ...saved.warnings] }
  }

  /**
   * Returns the configuration that would run if this were saved; masked secrets are the saved ones.
   * @throws PlatenError CONFIG_INVALID with all faults (`readFaults`)
   */
  check(value: unknown): Config {
    return complete(this.#checked(this.#merge(value)))
  }

  #checked(raw: Raw): Config {
    const { config, faults } = checkConfig(raw, this.schema)
    if (faults !== undefined) throw this.#invalid(faults)
    return config
  }

  #put(value: unknown, refuse?: (config: Config) => void): SaveResult {
    const raw = this.#merge(value)
    const config = this.#checked(raw)
    refuse?.(config)
    this.#refuseHandMadeChange()
    const text = `${JSON.stringify(raw, null, 2)}\n`
    const excess = findExcess(Buffer.byteLength(text))
    if (excess !== undefined) throw this.#invalid([excess])
    writeWhole(this.#file, text)
    const before = this.#config
    this.#raw = raw
    this.#text = text
    this.#config = complete(config)
    const restart = this.schema.fields
      .map(({ key, restart }) => (restart ? (key as keyof Config) : undefined))
      .filter((key) => key !== undefined)
      .filter((key) => !isDeepStrictEqual(this.#started[key], this.#config[key]))
    for (const listener of this.#listeners) listener(this.#config, before)
    return { restart, warnings: findWarnings(raw, config, this.schema) }
  }

  /** Merges the new content of the file: the value, with old secrets in place of masks, and with unknown keys of the file. */
  #merge(value: unknown): Raw {
    if (!isObject(value)) {
      throw this.#invalid([makeFault('', 'got no object, wanted an object { … }')])
    }
    const kept = Object.entries(this.#raw).filter(
      ([key]) => !this.schema.fields.some((field) => field.key === key),
    )
    const { raw, faults } = this.#masks.restore(
      { ...Object.fromEntries(kept), ...Object(value) },
      this.#raw,
      this.schema.fields,
    )
    if (faults.length > 0) throw this.#invalid(faults)
    return dropBlanks(raw, this.schema.fields) as Raw
  }

  #refuseHandMadeChange(): void {
    const text = readIfThere(this.#file)
    if (text === undefined || text === this.#text) return
    const message =
      'the file was changed by hand since this print server read it; restart the print server, then change the settings'
    throw this.#invalid([makeFault('', message, { key: 'changedByHand', values: {} })])
  }

  #invalid(faults: readonly SettingFault[]): PlatenError {
    return refuseConfig(faults, basename(this.#file))
  }
}

/** Keeps changes that were saved while a host was looked up, e.g. an added printer, unless this value changes them too. */
function keepChanges(value: Raw, before: Raw, now: Raw): Raw {
  const isSame = (one: Raw, other: Raw, key: string): boolean =>
    isDeepStrictEqual(one[key], other[key])
  const changed = Object.keys({ ...before, ...now }).filter((key) => !isSame(before, now, key))
  const kept = changed.filter((key) => isSame(value, before, key))
  const left = Object.entries(value).filter(([key]) => !kept.includes(key))
  const stays = Object.entries(now).filter(([key]) => kept.includes(key))
  return Object.fromEntries([...left, ...stays])
}
