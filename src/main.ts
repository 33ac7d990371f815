import { buildAnnouncer } from './app/announcer.ts'
import { checkConfig, runCommand } from './app/commands.ts'
import { openCore } from './app/core.ts'
import { type Environment, endFailed, noteAddress, readEnvironment } from './app/environment.ts'
import { buildHttp } from './app/http.ts'
import { buildEvents, buildJobs } from './app/jobs.ts'
import { startPlugins } from './app/plugins.ts'
import { announce, findPageAddress } from './system/address.ts'
import { type Flags, HELP, readFlags } from './system/flags.ts'
import { boundInterimAnswers } from './system/http-client.ts'
import { EXIT_USAGE, listStopSignals, version } from './system/process.ts'
import { reportTo } from './system/service-manager.ts'

function main(): void {
  const flags = readFlags(process.argv.slice(2))
  if (typeof flags === 'string') {
    process.stderr.write(`${flags}\n`)
    process.exitCode = EXIT_USAGE
  } else if (flags.version) process.stdout.write(`${version}\n`)
  else if (flags.help) process.stdout.write(HELP)
  else {
    const { command } = flags
    const isWindowsService = command?.name === 'service' && command.verb === 'run'
    run(flags, readEnvironment(process.env, { isWindowsService }))
  }
}

function run(flags: Flags, environment: Environment): void {
  const fail = (error: unknown) => endFailed(error, environment, flags)
  start(flags, environment, fail).catch(fail)
}

/** Ends the program with the words and the exit code of a fault. */
type Fail = (error: unknown) => Promise<void>

async function start(flags: Flags, environment: Environment, fail: Fail): Promise<void> {
  if (flags.checkConfig) checkConfig(environment.configFile(flags.config))
  else if (flags.command?.name === 'service' && flags.command.verb === 'run') {
    await (await import('./system/windows.ts')).obeyServiceManager()
    await serve(flags, environment, fail)
  } else if (flags.command !== undefined)
    await runCommand(flags.command, {
      configFile: environment.configFile(flags.config),
      stateFolder: environment.stateFolder,
      service: environment.service(flags.config),
    })
  else await serve(flags, environment, fail)
}

/** Builds the parts in the order in which a label needs them, from the printers up to the page, and starts them. */
async function serve(flags: Flags, environment: Environment, fail: Fail): Promise<void> {
  boundInterimAnswers()
  const core = openCore(environment, flags.config)
  const { store, log, plugins, stopping, fault } = core
  const manager = environment.serviceManager((err) => log.error({ err }, 'service manager'))
  const jobs = buildJobs(core, flags.demo)
  const events = buildEvents(core, jobs)
  const announcer = buildAnnouncer(core, jobs)
  const http = buildHttp(core, { ...jobs, events, sockets: manager.sockets })
  const stop = async (): Promise<void> => {
    manager.notify('STOPPING=1')
    const inHand = [jobs.finish(), plugins.stop(), http.stop()]
    await Promise.all(inHand)
    await plugins.end()
    await jobs.close()
    log.info({}, 'stopped')
    process.exit(0)
  }
  stopping.signal.addEventListener('abort', () => void stop().catch(fail))
  for (const signal of listStopSignals(process.platform)) process.on(signal, () => stopping.abort())
  startPlugins(core, jobs)
  const { port } = await http.start()
  jobs.start()
  plugins.listening()
  await plugins.ready()
  announcer.start()
  const page = findPageAddress(store.current.host, port)
  noteAddress(environment, page, environment.configFile(flags.config))
  const opener = flags.noBrowser ? undefined : environment.opener
  announce({ ...store.current, port, version, opener }, log)
  const isAlive = () => jobs.scheduler.isAlive() && jobs.spool.health.answers()
  reportTo(manager, { isAlive, fault, port }, stopping.signal)
}

main()
