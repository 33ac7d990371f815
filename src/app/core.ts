import { hostname } from 'node:os'
import { Metrics } from '../core/metrics.ts'
import { BODY_BUDGET, BodyBudget } from '../core/request/body-budget.ts'
import { listOwnNames } from '../http/access/addresses.ts'
import { Keys } from '../http/access/keys.ts'
import type { Listening } from '../http/listen.ts'
import type { ServerInfo } from '../http/parts.ts'
import { plugins, settingsSchema } from '../plugins/index.ts'
import { Plugins } from '../plugins/registry.ts'
import { listSecretKeys } from '../settings/describe.ts'
import { loadConfig } from '../settings/load.ts'
import { ConfigStore } from '../settings/store.ts'
import { findInternalAddress } from '../system/address.ts'
import { listAnnounced } from '../system/box.ts'
import { createLog, type Log, LogFile, RecentLines } from '../system/log.ts'
import { holdTimeZone, version } from '../system/process.ts'
import type { Environment } from './environment.ts'

/** The foundation of every part. */
export interface Core {
  readonly environment: Environment
  readonly store: ConfigStore
  readonly log: Log
  /** The last lines of the log. */
  readonly recent: RecentLines
  /** Each part registers its own figures. */
  readonly metrics: Metrics
  readonly station: Station
  readonly keys: Keys
  /** Features beside the core. */
  readonly plugins: Plugins
  /** Logs a non-fatal error. */
  readonly fault: (error: unknown) => void
  /** The budget for the bodies of all ways in together. */
  readonly bodies: BodyBudget
  /** Aborts when the program ends. */
  readonly stopping: AbortController
}

/**
 * Reads the settings and opens the log.
 * @throws PlatenError CONFIG_INVALID, CONFIG_UNREADABLE and similar
 */
export function openCore(environment: Environment, configFlag: string | undefined): Core {
  const file = environment.configFile(configFlag)
  const loaded = loadConfig(file, settingsSchema)
  const store = new ConfigStore(file, loaded)
  followTimeZone(store)
  const recent = new RecentLines()
  const log = openLog(environment, store.current.log_level, recent)
  for (const warning of loaded.warnings) log.warn({ warning }, 'configuration')
  store.onChange((config) => {
    log.level = config.log_level
  })
  const fault = (err: unknown) => log.error({ err }, 'fault')
  return {
    environment,
    store,
    log,
    recent,
    metrics: new Metrics({ version }),
    station: new Station(store),
    keys: new Keys(environment.stateFolder),
    plugins: new Plugins(plugins, fault),
    fault,
    bodies: new BodyBudget(BODY_BUDGET),
    stopping: new AbortController(),
  }
}

function openLog({ logFile, toJournal }: Environment, level: string, recent: RecentLines): Log {
  const secretKeys = listSecretKeys(settingsSchema.fields)
  if (logFile === undefined) return createLog({ level, toJournal, secretKeys, recent })
  const file = new LogFile(logFile)
  const log = createLog({
    recent,
    level,
    secretKeys,
    toJournal: false,
    write: (line) => file.write(line),
  })
  // Node.js writes it to standard error, which nobody reads where there is a log file.
  process.on('uncaughtExceptionMonitor', (err) => log.fatal({ err }, 'crash'))
  return log
}

/** Makes displayed times follow the time zone of the settings. */
function followTimeZone(store: ConfigStore): void {
  const hold = holdTimeZone()
  hold(store.current.time_zone)
  store.onChange((config) => hold(config.time_zone))
}

/** The addresses of this server: as configured, and as bound once it listens. */
class Station {
  readonly #store: ConfigStore
  /** Undefined until the server listens. */
  listening: Listening | undefined
  /** The name of this computer on the network if another one has its own name: `box-2`. */
  networkName: string | undefined

  constructor(store: ConfigStore) {
    this.#store = store
  }

  /** The names and addresses that this computer has now. */
  ownNames(): readonly string[] {
    const { networkName: name } = this
    return [...listOwnNames(), ...(name === undefined ? [] : [name, `${name}.local`])]
  }

  info(): ServerInfo {
    const { current } = this.#store
    const { host = current.host, port = current.port, securePort = '' } = this.listening ?? {}
    return {
      version,
      host,
      hostName: this.networkName ?? hostname(),
      ip: findInternalAddress(),
      names: listAnnounced(),
      port,
      securePort,
      uptime: process.uptime(),
    }
  }
}
