import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { Metrics } from '../../src/core/metrics.ts'
import { createAccess } from '../../src/http/access/access.ts'
import { Keys } from '../../src/http/access/keys.ts'
import { createApp } from '../../src/http/app.ts'
import { createLimits } from '../../src/http/guard/body-limits.ts'
import { type Fetcher, serve } from '../../src/http/server.ts'
import { SettingsSchema } from '../../src/settings/schema.ts'
import { makePrintServer } from '../core/print-server.ts'
import { createSinkDevice } from '../devices/sink-device.ts'
import { printerNames } from './kill-contract.ts'

// The print server under the kill loop, from the HTTP port to the printers as it is. The third argument breaks it on
// purpose, to prove that the checker sees it.
const [folder = '', broken = ''] = process.argv.slice(2)

/** A printer that writes what it gets to the end of a file, a little at a time. */
const device = createSinkDevice((name) => {
  const file = openSync(join(folder, `${name}.sink`), 'a')
  return {
    async send(bytes) {
      for (let at = 0; at < bytes.length; at += 512) {
        writeSync(file, bytes.subarray(at, at + 512))
        await setImmediate()
      }
    },
    close: () => closeSync(file),
  }
})

const { spool, printers, scheduler, intake } = makePrintServer({
  folder,
  device,
  uris: Object.fromEntries(printerNames.map((name) => [name, `sink:${name}`])),
  timing: { retryFirstMs: 5 },
  onInterrupt: () => (broken === 'print-twice' ? 'reprint' : 'hold'),
  // Everything is kept, for the checker reads it at the end.
  spool: { quotaBytes: 2 ** 32, endedJobsMost: 1_000_000 },
})

const config = { printer: '' }
const nothing = (): never => {
  throw new Error('nobody asks for it here')
}
const app: Fetcher = createApp({
  intake,
  spool,
  printers,
  scheduler,
  access: createAccess({ config: () => ({}), ownNames: () => [], now: () => 0 }),
  keys: new Keys(folder),
  limits: createLimits(() => 16),
  config: {
    current: config,
    schema: new SettingsSchema([]),
    masked: nothing,
    put: nothing,
    check: nothing,
    findOwners: nothing,
  },
  discovery: { search: nothing, found: nothing, dismiss: nothing, welcome: nothing },
  events: { subscribe: () => () => undefined, count: 0, since: () => undefined },
  metrics: new Metrics({
    version: '',
    printers: () => [],
    counts: () => spool.history.counts(),
    usage: () => spool.health.usage(),
    shares: () => [],
  }),
  log: { error: (fields) => console.error(fields), warn: () => undefined },
  info: nothing,
  pluginInfo: nothing,
  describedCalls: nothing,
  findSender: () => Promise.resolve(undefined),
  elsewhere: undefined,
  webFolder: folder,
  shutdown: nothing,
  isSupervised: false,
  stopping: new AbortController().signal,
})

/** Says "accepted" before anything of it is on the disk. */
const hasty: Fetcher = {
  async fetch(request, env) {
    const copy = new Request(request.url, {
      method: request.method,
      headers: request.headers,
      body: await request.text(),
    })
    setTimeout(() => void app.fetch(copy, env), 5)
    return new Response('{}', { status: 202 })
  },
}

/** Nothing waits and nothing prints. */
function isQuiet(): boolean {
  const counts = spool.history.counts()
  return counts.pending + counts.processing + counts['processing-stopped'] === 0
}

scheduler.start()
const { address } = await serve(broken === 'answer-early' ? hasty : app, {
  host: '127.0.0.1',
  port: 0,
})
createInterface({ input: process.stdin }).on('line', () => {
  const timer = setInterval(() => {
    if (!isQuiet()) return
    clearInterval(timer)
    void scheduler.stop(1000).then(() => {
      spool.close()
      process.exit(0)
    })
  }, 5)
})
writeSync(1, `${address.port}\n`)
