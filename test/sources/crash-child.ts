import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { openHandFile } from '../../src/config/hand-file.ts'
import { keepFile } from '../../src/config/write.ts'
import { Intake } from '../../src/jobs/intake.ts'
import { Renderer } from '../../src/jobs/renderer.ts'
import { Scheduler } from '../../src/jobs/scheduler.ts'
import { Spool } from '../../src/jobs/spool.ts'
import type { Device } from '../../src/printers/device.ts'
import { Printers } from '../../src/printers/registry.ts'
import type { SourcesConfig } from '../../src/sources/configured.ts'
import { openMemory } from '../../src/sources/memory.ts'
import { Sources } from '../../src/sources/run.ts'
import { makePrinter } from '../printers/make-printer.ts'
import { POISON } from './crash-contract.ts'

// The print server from the sources to the printer, as it is, but for one label: whoever looks at that never comes back,
// and waits to be killed. What happens is told on stdout. It must not import the test runner, which would end it when its
// own time is over.
const [folder = '', config = '{}'] = process.argv.slice(2)
const state = join(folder, 'state')

const sink: Device<'sink'> = {
  scheme: 'sink',
  example: 'sink:A',
  about: '',
  check: () => undefined,
  list: () => Promise.resolve([]),
  open: () =>
    Promise.resolve({
      send: () => Promise.resolve(),
      receive: () => Promise.resolve(new Uint8Array()),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
}

function tell(line: string): void {
  writeSync(1, `${line}\n`)
}

function hang(): never {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const spool = new Spool({ folder: state })
const printers = new Printers({
  printers: [makePrinter('A', { uri: 'sink:A' })],
  defaultName: '',
  devices: [sink],
})
const renderer = new Renderer({ worker: new URL('../../src/render/worker.ts', import.meta.url) })
const scheduler = new Scheduler({ spool, printers, renderer })
const intake = new Intake({ spool, printers, scheduler })
const sources = new Sources({
  memory: openMemory(keepFile(join(state, 'sources.json'))),
  hand: openHandFile(join(state, 'in-hand')),
  openDoor: (type, printer, commands) => {
    const door = intake.forSource(type, printer, commands)
    return {
      ...door,
      accept(message) {
        if (message.labels.some((label) => Buffer.from(label).includes(POISON))) {
          tell('looks')
          hang()
        }
        return door.accept(message)
      },
    }
  },
  messageBytes: () => 2 ** 20,
  facts: () => ({
    ...{ printer: 'A', availablePrinters: ['A'], port: '80', isOnline: true },
    ...{ ip: '127.0.0.1', version: '1' },
  }),
  log: {
    info: () => undefined,
    warn: (fields, event) => tell(`${event} ${JSON.stringify(fields)}`),
  },
  backOff: { firstMs: 50, mostMs: 200 },
})
spool.onChange((job) => tell(`${job.state} ${job.code} ${job.labelBytes}`))
scheduler.start()
sources.configure(JSON.parse(config) as SourcesConfig)
// Its death is the test's.
setInterval(() => undefined, 3_600_000)
