import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Intake } from '../../src/jobs/intake.ts'
import { Renderer } from '../../src/jobs/renderer.ts'
import { Scheduler } from '../../src/jobs/scheduler.ts'
import { Spool } from '../../src/jobs/spool.ts'
import type { Device } from '../../src/printers/device.ts'
import { Printers } from '../../src/printers/registry.ts'
import { makePrinter } from '../printers/make-printer.ts'
import { printerNames, type Request } from './kill-contract.ts'

// The print server under the kill loop: spool, scheduler and intake as they are, requests on stdin, answers on stdout.
// The third argument breaks it on purpose, to prove that the checker sees it. It must not import the test runner, which
// would end it when its own time is over.
const [folder = '', broken = ''] = process.argv.slice(2)

/** A printer that writes what it gets to the end of a file, a little at a time. */
const sink: Device<'sink'> = {
  scheme: 'sink',
  example: 'sink:A',
  about: '',
  check: () => undefined,
  list: () => Promise.resolve([]),
  open(uri) {
    const file = openSync(join(folder, `${uri.pathname}.sink`), 'a')
    return Promise.resolve({
      async send(bytes) {
        for (let at = 0; at < bytes.length; at += 512) {
          writeSync(file, bytes.subarray(at, at + 512))
          await new Promise((resolve) => setImmediate(resolve))
        }
      },
      receive: () => Promise.resolve(new Uint8Array()),
      [Symbol.asyncDispose]() {
        closeSync(file)
        return Promise.resolve()
      },
    })
  },
}

// Everything is kept, for the checker reads it at the end.
const keep = { quotaBytes: 2 ** 32, endedJobsMost: 1_000_000 }
const spool = new Spool({ folder: join(folder, 'state'), ...keep })
const printers = new Printers({
  printers: printerNames.map((name) => makePrinter(name, { uri: `sink:${name}` })),
  defaultName: '',
  devices: [sink],
})
const renderer = new Renderer({ worker: new URL('../../src/render/worker.ts', import.meta.url) })
const onInterrupt = () => (broken === 'print-twice' ? 'reprint' : 'hold')
const scheduler = new Scheduler({
  spool,
  printers,
  renderer,
  onInterrupt,
  timing: { retryFirstMs: 5 },
})
const intake = new Intake({ spool, printers, scheduler })

function answer(key: string): void {
  writeSync(1, `${key}\n`)
}

function take({ key, printer, labels }: Request): void {
  const bytes = labels.map((label) => Buffer.from(label))
  const accept = (): void => {
    intake.accept({ labels: bytes, options: { printer }, source: 'http', idempotencyKey: key })
  }
  if (broken === 'answer-early') {
    answer(key)
    setTimeout(accept, 5)
    return
  }
  accept()
  answer(key)
}

/** Nothing waits and nothing prints. */
function isQuiet(): boolean {
  const counts = spool.counts()
  return counts.pending + counts.processing + counts['processing-stopped'] === 0
}

scheduler.start()
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line !== 'finish') return take(JSON.parse(line) as Request)
  const timer = setInterval(() => {
    if (!isQuiet()) return
    clearInterval(timer)
    void scheduler.stop(1000).then(() => {
      spool.close()
      process.exit(0)
    })
  }, 5)
})
answer('ready')
