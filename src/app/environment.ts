import { homedir } from 'node:os'
import path from 'node:path'
import { type Command, findOpener } from '../system/announce.ts'
import { isJournal } from '../system/log.ts'
import { findConfigFile, findStateFolder } from '../system/paths.ts'
import type { ServiceGround } from '../system/service.ts'
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
  /** Where the log goes instead of standard error; absolute. */
  readonly logFile: string | undefined
  /** Windows gave it no console: what people must read goes into a page. */
  readonly isWindowless: boolean
  /** What a service would be installed from; `flag` is that of `--config`. */
  service(flag: string | undefined): ServiceGround
  /** Takes systemd's variables out of the environment, so that no child believes that it is meant; call it once. */
  serviceManager(fault: (error: unknown) => void): ServiceManager
}

/** Reads the variables; `env` is that of the process, whose time zone (`TZ`) follows the settings later. */
export function readEnvironment(
  env: NodeJS.ProcessEnv,
  { isWindowsService = false } = {},
): Environment {
  const isAppliance = env['PLATEN_APPLIANCE'] === '1'
  const isWindowless = env['PLATEN_WINDOWLESS'] === '1'
  const programData = env['ProgramData'] ?? 'C:\\ProgramData'
  const stateFolder = isWindowsService
    ? path.win32.join(programData, 'platen')
    : findStateFolder({ env })
  const hasNoReader = isWindowless || isWindowsService
  return {
    configFile: (flag) =>
      isWindowsService && flag === undefined
        ? path.win32.join(stateFolder, 'config.json')
        : findConfigFile(flag, { env }),
    stateFolder,
    runtimeFolder: env['RUNTIME_DIRECTORY'],
    credentialsFolder: env['CREDENTIALS_DIRECTORY'],
    isAppliance,
    isSupervised: env['PLATEN_SUPERVISED'] === '1',
    announces: env['PLATEN_ANNOUNCE'] !== '0',
    opener: isWindowsService ? undefined : findOpener(process.platform, env),
    toJournal: isJournal(env),
    logFile:
      env['PLATEN_LOG_FILE'] || (hasNoReader ? path.join(stateFolder, 'platen.log') : undefined),
    isWindowless,
    service: (configFlag) => ({
      ...{ platform: process.platform, home: homedir(), uid: process.getuid?.() ?? 0 },
      ...{ program: findProgram(), programData },
      configFile: configFlag === undefined ? undefined : path.resolve(configFlag),
      programFiles: env['ProgramFiles'] ?? 'C:\\Program Files',
    }),
    serviceManager: (fault) => readServiceManager(env, process.pid, fault),
  }
}

/** A single executable is its own script. */
function findProgram(): readonly [string, ...(readonly string[])] {
  const { execPath, argv } = process
  const script = path.resolve(argv[1] ?? '')
  return script === execPath || argv[1] === undefined ? [execPath] : [execPath, script]
}
