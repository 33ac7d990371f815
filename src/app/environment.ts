import { type Command, findOpener } from '../system/announce.ts'
import { isJournal } from '../system/log.ts'
import { findConfigFile, findStateFolder } from '../system/paths.ts'
import { readServiceManager, type ServiceManager } from '../system/service-manager.ts'

/** What the program was started with, besides its flags: read here, once, and nowhere else. */
export interface Environment {
  /** Absolute; `flag` is that of `--config`. */
  configFile(flag: string | undefined): string
  /** Holds the spool, certificates and virtual printers; absolute. */
  readonly stateFolder: string
  /** Where units of root look (`RUNTIME_DIRECTORY` of systemd); undefined = nobody does. */
  readonly runtimeFolder: string | undefined
  /** Where systemd puts credentials (`LoadCredential=`); undefined = none. */
  readonly credentialsFolder: string | undefined
  /** The SD image. */
  readonly isAppliance: boolean
  /** A service manager starts the program again when it ends: the SD image, and every Debian package. */
  readonly isSupervised: boolean
  /** The server may use mDNS to announce itself and its printers. */
  readonly announces: boolean
  /** What opens a page on this computer; undefined = nobody sits before it. */
  readonly opener: Command | undefined
  /** Standard error goes to systemd's journal. */
  readonly toJournal: boolean
  /** Takes systemd's variables out of the environment, so that no child believes that it is meant; call it once. */
  serviceManager(fault: (error: unknown) => void): ServiceManager
}

/** Reads the variables; `env` is that of the process, whose time zone (`TZ`) follows the settings later. */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const isAppliance = env['PLATEN_APPLIANCE'] === '1'
  return {
    configFile: (flag) => findConfigFile(flag, { env }),
    stateFolder: findStateFolder({ env }),
    runtimeFolder: env['RUNTIME_DIRECTORY'],
    credentialsFolder: env['CREDENTIALS_DIRECTORY'],
    isAppliance,
    isSupervised: env['PLATEN_SUPERVISED'] === '1',
    announces: env['PLATEN_ANNOUNCE'] !== '0',
    opener: findOpener(process.platform, env),
    toJournal: isJournal(env),
    serviceManager: (fault) => readServiceManager(env, process.pid, fault),
  }
}
