import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { createHeartbeat } from '../../../src/plugins/heartbeat/index.ts'
import { openMemory } from '../../../src/plugins/source/memory.ts'
import { Sources, type SourcesConfig, type SourcesParts } from '../../../src/plugins/source/run.ts'
import { sources as known } from '../../../src/plugins/sources.ts'
import { keepFile, openHandFile } from '../../../src/settings/write.ts'
import { makePrintServer, type PrintServerSettings } from '../../core/print-server.ts'

/** The settings of a small server. */
export interface SmallServer
  extends Partial<Pick<SourcesParts, 'list'>>,
    Pick<PrintServerSettings, 'folder' | 'device' | 'timing'> {
  /** Address of its one printer, A. */
  readonly uri: string
  readonly config: SourcesConfig
  /** Stands between the sources and the intake. */
  readonly guard?: (messages: ReturnType<SourcesParts['openIntake']>) => typeof messages
}

/** Sends a line from a child to the test. */
export function tell(line: string): void {
  writeSync(1, `${line}\n`)
}

/** The print server from the sources to the printer, as it is, in a child that is killed; what happens is told on stdout. */
export function startSmallServer(settings: SmallServer): void {
  const {
    folder,
    uri,
    device,
    config,
    timing,
    list = known,
    guard = (messages) => messages,
  } = settings
  const state = join(folder, 'state')
  const uris = { A: uri }
  const { spool, scheduler, intake } = makePrintServer({ folder, uris, device, timing })
  const sources = new Sources({
    memory: openMemory(keepFile(join(state, 'sources.json'))),
    hand: openHandFile(join(state, 'in-hand')),
    openIntake: (...which) => guard(intake.forSource(...which)),
    messageBytes: () => 2 ** 20,
    list,
    heartbeat: createHeartbeat(() => ({
      printer: 'A',
      availablePrinters: ['A'],
      port: '80',
      isOnline: true,
      ip: '127.0.0.1',
      version: '1',
    })),
    log: {
      info: () => undefined,
      warn: (fields, event) => tell(`${event} ${JSON.stringify(fields)}`),
    },
    backOff: { firstMs: 50, mostMs: 200 },
  })
  spool.onChange((job) => tell(`${job.state} ${job.code} ${job.labelBytes}`))
  scheduler.start()
  sources.configure(config)
  // Its death is the test's.
  setInterval(() => undefined, 3_600_000)
}
