import { basename } from 'node:path'
import { settingsSchema } from '../plugins/index.ts'
import { findUnknownPrinters } from '../settings/check.ts'
import { formatFault } from '../settings/faults.ts'
import { loadConfig, readPrinterSettings } from '../settings/load.ts'
import { ConfigStore } from '../settings/store.ts'
import type { CommandEnd } from '../system/commands.ts'
import type { Subcommand } from '../system/flags.ts'
import type { ServiceGround } from '../system/service.ts'
import { readAddress } from './environment.ts'

/** The paths that commands use, all absolute. */
export interface CommandGround {
  readonly configFile: string
  readonly stateFolder: string
  readonly service: ServiceGround
}

/** Runs a command beside a server that may be running; its code is loaded only then. */
export async function runCommand(command: Subcommand, around: CommandGround): Promise<void> {
  const { code, text } = await runOne(command, around)
  const stream = code === 0 ? process.stdout : process.stderr
  // On a full disk, e.g., or behind a pipe that is gone: a script would take it for a refusal and print its labels again.
  if (command.name === 'print') stream.on('error', () => undefined)
  stream.write(text)
  process.exitCode = code
}

async function runOne(
  command: Subcommand,
  { configFile, stateFolder: folder, service }: CommandGround,
): Promise<CommandEnd> {
  switch (command.name) {
    case 'update':
      return (await import('../system/commands.ts')).runUpdate(command.args, process.argv[1] ?? '')
    case 'print':
      return (await import('../system/commands.ts')).runPrint(
        command,
        loadConfig(configFile, settingsSchema).config,
      )
    case 'key':
      return (await import('../http/access/key-command.ts')).runKey(command, folder)
    case 'stop':
      return (await import('../system/commands.ts')).runStop(
        loadConfig(configFile, settingsSchema).config,
        readAddress(folder, configFile),
      )
    case 'service':
      if (command.verb === 'run') throw new Error('the server itself runs as a service')
      return (await import('../system/service.ts')).runService(command.verb, service)
    case 'ship':
      return (await import('../plugins/shipping/ship-command.ts')).runShip(
        process.stdin,
        loadConfig(configFile, settingsSchema).config,
        folder,
        process.stderr,
      )
  }
}

/**
 * Prints the configuration without its secrets, and warnings on standard error.
 * @throws PlatenError CONFIG_*
 */
export function checkConfig(file: string): void {
  const loaded = loadConfig(file, settingsSchema)
  const configured = readPrinterSettings(loaded.config).map(({ name }) => name)
  const unknown = findUnknownPrinters(loaded.config, configured, settingsSchema)
  const warnings = [
    ...loaded.warnings,
    ...unknown.map((one) => `${basename(file)}: ${formatFault(one)}`),
  ]
  for (const warning of warnings) process.stderr.write(`${warning}\n`)
  const masked = new ConfigStore(file, loaded).masked()
  process.stdout.write(`${JSON.stringify(masked, null, 2)}\n`)
}
