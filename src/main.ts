import { buildBox } from './app/box.ts'
import { checkConfig, runCommand } from './app/commands.ts'
import { openCore } from './app/core.ts'
import { buildDoors } from './app/doors.ts'
import { type Environment, readEnvironment } from './app/environment.ts'
import { buildHttp } from './app/http.ts'
import { buildJobs } from './app/jobs.ts'
import { buildResults } from './app/results.ts'
import { buildShipping } from './app/shipping.ts'
import { buildSources } from './app/sources.ts'
import { PlatenError } from './errors.ts'
import { boundInterimAnswers } from './http-client.ts'
import { announce } from './system/announce.ts'
import { type Flags, HELP, readFlags } from './system/flags.ts'
import { EXIT_CODES, EXIT_USAGE, listStopSignals } from './system/process.ts'
import { reportTo } from './system/service-manager.ts'
import { version } from './system/version.ts'

function main(): void {
  const flags = readFlags(process.argv.slice(2))
  if (typeof flags === 'string') {
    process.stderr.write(`${flags}\n`)
    process.exitCode = EXIT_USAGE
  } else if (flags.version) process.stdout.write(`${version}\n`)
  else if (flags.help) process.stdout.write(HELP)
  else start(flags, readEnvironment(process.env)).catch(exitWith)
}

async function start(flags: Flags, environment: Environment): Promise<void> {
  if (flags.checkConfig) checkConfig(environment.configFile(flags.config))
  else if (flags.command !== undefined)
    await runCommand(flags.command, {
      configFile: environment.configFile(flags.config),
      stateFolder: environment.stateFolder,
    })
  else await serve(flags, environment)
}

/** Builds the parts in the order in which a label needs them, from the printers up to the page, and starts them. */
async function serve(flags: Flags, environment: Environment): Promise<void> {
  boundInterimAnswers()
  const core = openCore(environment, flags.config)
  const { store, log, stopping, fault } = core
  const manager = environment.serviceManager((err) => log.error({ err }, 'service manager'))
  const jobs = buildJobs(core, flags.demo)
  const results = await buildResults(core, jobs)
  const sources = buildSources(core, jobs)
  const shipping = buildShipping(core, jobs)
  const doors = buildDoors(core, jobs, shipping)
  const box = buildBox(core, jobs)
  const http = buildHttp(core, {
    ...{ ...jobs, ...results, ...sources },
    ...{ startLabel: box.startLabel, sockets: manager.sockets },
    ...{ shipping: shipping.shipping, doors: doors.doors },
  })
  const stop = async (): Promise<void> => {
    manager.notify('STOPPING=1')
    await Promise.all([jobs.finish(), sources.stop(), doors.stop(), http.stop()])
    await results.stop()
    await jobs.close()
    log.info({}, 'stopped')
    process.exit(0)
  }
  stopping.signal.addEventListener('abort', () => void stop().catch(exitWith))
  for (const signal of listStopSignals(process.platform)) process.on(signal, () => stopping.abort())
  const { port } = await http.start()
  jobs.start()
  sources.start()
  doors.start()
  shipping.start()
  await box.start()
  announce({ ...store.current, port, version, opener: environment.opener }, log)
  const isAlive = () => jobs.scheduler.isAlive() && jobs.spool.health.answers()
  reportTo(manager, { isAlive, fault, port }, stopping.signal)
}

/** A fault of the start in words for people, with the exit code of its kind; anything else is a fault of ours. */
function exitWith(error: unknown): never {
  if (!(error instanceof PlatenError)) throw error
  process.stderr.write(`${error.message}\n${error.hint}\n`)
  process.exit(EXIT_CODES[error.code] ?? 1)
}

main()
