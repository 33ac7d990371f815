import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bareEnvironment } from '../bare-environment.ts'
import { TcpSink } from '../devices/tcp-sink.ts'
import type { Flood, FloodName } from './flood-child.ts'
import { base64, ENTRIES, type Server, startServer } from './server.ts'

t.setTimeout(600_000)

const GOOD = '127.0.0.9'
const LABELS = 5
const PEAK_MB = 400
const ANSWER_MS = 30_000 // a machine may be busy; before, no answer came at all

function startFlood(t: Test, flood: Flood): ChildProcess {
  const child = fork(join(import.meta.dirname, 'flood-child.ts'), [JSON.stringify(flood)], {
    env: bareEnvironment(),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  // The attacker's machine is another one.
  if (child.pid !== undefined) setPriority(child.pid, 19)
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

/** Asks from an address of one's own, on a new connection; the status, or why there is none. */
function ask(port: number, path: string, body?: string): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { host: 'localhost', 'content-type': 'application/json', prefer: 'wait=0' }
    const method = body === undefined ? 'GET' : 'POST'
    const where = { host: '127.0.0.1', port, path, localAddress: GOOD, agent: false }
    const req = request({ ...where, method, headers, timeout: ANSWER_MS }, (res) => {
      res.resume()
      res.on('end', () => resolve(res.statusCode ?? 0))
      res.on('error', (error) => resolve(error.message))
    })
    req.on('timeout', () => req.destroy(new Error(`no answer for ${ANSWER_MS / 1_000} s`)))
    req.on('error', (error) => resolve(error.message))
    req.end(body)
  })
}

const peakMb = (server: Server): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024

/** Once the crowd has what it can have: connections come and go from then on. */
async function isInFlood(port: number): Promise<void> {
  for (let at = 0; at < 3; at += 1) await ask(port, '/healthz')
}

const isLinux = process.platform === 'linux'

t.test(
  '250 connections of one address',
  { skip: isLinux ? false : 'needs 127.0.0.2' },
  async (t) => {
    const sink = await TcpSink.openFor(t)
    const server = await startServer(t, {
      entry: ENTRIES.at(-1) ?? 'packaging/launcher/platen.js',
      folder: t.testdir(),
      config: {
        host: '127.0.0.1',
        printer: 'Bench 1',
        printers: [{ name: 'Bench 1', uri: sink.uri, language: 'zpl' }],
      },
    })
    const port = Number(new URL(server.address).port)
    const names: readonly FloodName[] = ['pipelined-deaf', 'slow-body', 'pipelined-read']
    let printed = 0
    for (const [at, name] of names.entries()) {
      const from = ['127.0.1.1']
      const flood = startFlood(t, { name, port, securePort: port, from, connections: 250 })
      await once(flood, 'message')
      await isInFlood(port)
      for (let label = 0; label < LABELS; label += 1) {
        const zpl = `^XA^FDhonest ${printed}^FS^XZ`
        const status = await ask(port, '/', JSON.stringify({ label: base64(zpl) }))
        t.ok(status === 200 || status === 202, `${name}: label ${label}: ${status}`)
        t.equal(await ask(port, '/healthz'), 200, name)
        printed += 1
      }
      if (at === names.length - 1) break
      flood.kill('SIGKILL')
      await once(flood, 'exit')
    }
    t.ok(peakMb(server) < PEAK_MB, `${Math.round(peakMb(server))} MB at most`)
    await sink.until(({ connections }) => {
      const text = connections.map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join('')
      return text.split('honest').length - 1 >= printed
    })
    t.equal(await server.stop(), 0, 'SIGTERM ends it while the last flood goes on')
  },
)
