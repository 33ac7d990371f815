import { readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path, { join } from 'node:path'
import { findOpener, openBrowser, type ProgramCall } from '../system/address.ts'
import type { Flags } from '../system/flags.ts'
import { createLog, isJournal, LogFile } from '../system/log.ts'
import { EXIT_CODES, findConfigFile, findConfigHere, findStateFolder } from '../system/process.ts'
import type { ServiceGround } from '../system/service.ts'
import { readServiceManager, type ServiceManager } from '../system/service-manager.ts'
import { PlatenError } from '../words/errors.ts'

/** The environment of the program, besides its flags: read here, once, and nowhere else. */
export interface Environment {
  /** Returns the absolute path of the configuration; `flag` is the value of `--config`. */
  configFile(flag: string | undefined): string
  /** Holds the spool, certificates and virtual printers; absolute. */
  readonly stateFolder: string
  /** Folder that root's units read (`RUNTIME_DIRECTORY` of systemd); undefined = none. */
  readonly runtimeFolder: string | undefined
  /** Folder of systemd's credentials (`LoadCredential=`); undefined = none. */
  readonly credentialsFolder: string | undefined
  /** True on the SD image. */
  readonly isAppliance: boolean
  /** True when a service manager restarts the program after its end: on the SD image, and with every Debian package. */
  readonly isSupervised: boolean
  /** True when the server may use mDNS to announce itself and its printers. */
  readonly announces: boolean
  /** Opens a page on this computer; undefined = nobody sits in front of it. */
  readonly opener: ProgramCall | undefined
  /** True when standard error goes to systemd's journal. */
  readonly toJournal: boolean
  /** Absolute path of the log that replaces standard error. */
  readonly logFile: string | undefined
  /** True when Windows gave it no console: messages for people then go into a page. */
  readonly isWindowless: boolean
  /** The files from which a service would be installed; `flag` is the value of `--config`. */
  service(flag: string | undefined): ServiceGround
  /** Removes systemd's variables from the environment, so that no child takes them for its own; call it once. */
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
      platform: process.platform,
      home: homedir(),
      uid: process.getuid?.() ?? 0,
      program: findProgram(),
      programData,
      // One of Windows may not read what lies with the user: it has a folder of its own.
      configFile:
        process.platform === 'win32'
          ? configFlag && path.resolve(configFlag)
          : findConfigHere(configFlag, { env }),
      programFiles: env['ProgramFiles'] ?? 'C:\\Program Files',
    }),
    serviceManager: (fault) => readServiceManager(env, process.pid, fault),
  }
}

/** Finds the command line of this program; a single executable is its own script. */
function findProgram(): readonly [string, ...(readonly string[])] {
  const { execPath, argv } = process
  const script = path.resolve(argv[1] ?? '')
  return script === execPath || argv[1] === undefined ? [execPath] : [execPath, script]
}

const ADDRESS_FILE = 'address' // in the state folder

/** Stores the address of the page for a second start of the program and for `platen stop`; a service manager needs neither. */
export function noteAddress(
  { stateFolder, isSupervised }: Environment,
  address: string,
  configFile: string,
): void {
  if (isSupervised) return
  try {
    writeFileSync(join(stateFolder, ADDRESS_FILE), `${address}\n${configFile}\n`)
  } catch {
    // A second start says that this one runs, and names no page: no reason to end it.
  }
}

/**
 * Ends a failed start: an expected fault with words for people and the exit code of its kind, an unexpected one as a fault of ours. A
 * second start shows the page of the first; if a window would close at once, a page shows the words.
 */
export async function endFailed(
  error: unknown,
  environment: Environment,
  { noBrowser }: Pick<Flags, 'noBrowser'>,
): Promise<void> {
  if (!(error instanceof PlatenError)) throw error
  const { message, code } = error
  const { stateFolder, opener } = environment
  const isSecond = code === 'SPOOL_TAKEN' && opener !== undefined
  const running = isSecond ? readAddress(stateFolder) : undefined
  const hint = running === undefined ? error.hint : `It runs already: its page is ${running}`
  process.stderr.write(`${message}\n${hint}\n`)
  process.exitCode = EXIT_CODES[code] ?? 1 // nothing waits for a browser that opens
  logTo(environment, error)
  const page = running ?? (await writePage(environment, { message, hint }))
  // A service is started again and again while the other one runs.
  const isUnasked = noBrowser && running !== undefined
  if (page !== undefined && !isUnasked) await openBrowser(page, opener)
  process.exit()
}

/** Reads the address of the last start; undefined = unknown, or started with other settings than `configFile`. */
export function readAddress(stateFolder: string, configFile?: string): string | undefined {
  try {
    const [address = '', used = ''] = readFileSync(join(stateFolder, ADDRESS_FILE), 'utf8').split(
      '\n',
    )
    const isOther = configFile !== undefined && used !== '' && used !== configFile
    return /^http:\/\/\S+$/.test(address) && !isOther ? address : undefined
  } catch {
    return undefined
  }
}

/** Logs the failure to the log file, because the log may not be open yet. */
function logTo({ logFile }: Environment, err: PlatenError): void {
  if (logFile === undefined) return
  const file = new LogFile(logFile)
  const log = createLog({ level: 'info', toJournal: false, write: (line) => file.write(line) })
  log.error({ err }, 'start failed')
}

/** Writes the failure into a page; undefined if the person who started the program can read standard error. */
async function writePage(
  { isWindowless, logFile }: Environment,
  words: { readonly message: string; readonly hint: string },
): Promise<string | undefined> {
  const { ownsConsole, writeFailedStart } = await import('../system/windows.ts')
  if (!isWindowless && !(await ownsConsole())) return undefined
  return writeFailedStart({ ...words, logFile })
}
