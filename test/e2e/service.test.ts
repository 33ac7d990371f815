import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../until.ts'
import { base64, PATIENT } from './server.ts'

t.setTimeout(300_000)

const ROOT = join(import.meta.dirname, '../..')

/**
 * A replacement of systemd for the program: it binds the socket, hands it over with descriptor 3, keeps it over the restarts and passes on
 * messages. While it waits for the program it takes no connection itself.
 */
const MANAGER = `
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
const server = createServer().listen(0, '127.0.0.1', () => {
  process.stdout.write(server.address().port + '\\n', () => {
    const [runs, ...command] = process.argv.slice(1)
    for (let run = 0; run < Number(runs); run++) {
      // The shell knows the process id that exec keeps.
      const shell = ['-c', 'LISTEN_PID=$$ exec "$@"', 'sh', ...command]
      spawnSync('sh', shell, { stdio: ['ignore', 'ignore', 'ignore', server._handle.fd, 3] })
    }
    process.exit()
  })
})`

/** The program under that manager, started so many times in a row. */
async function startUnder(t: Test, runs: number) {
  const folder = t.testdir()
  mkdirSync(folder, { recursive: true })
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ open_browser: false, port: '1' }))
  const program = [process.execPath, 'packaging/launcher/platen.js', '--demo', '--config', config]
  const node = ['--input-type=module', '-e', MANAGER, String(runs), ...program]
  const manager = spawn(process.execPath, node, {
    cwd: ROOT,
    detached: true,
    env: {
      ...process.env,
      STATE_DIRECTORY: join(folder, 'state'),
      LISTEN_FDS: '2',
      LISTEN_FDNAMES: 'http:notify',
      WATCHDOG_USEC: '300000',
    },
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  })
  const hasEnded = (): boolean => manager.exitCode !== null || manager.signalCode !== null
  t.teardown(() => hasEnded() || process.kill(-(manager.pid ?? 0), 'SIGKILL'))
  let heard = ''
  manager.stdio[3]?.on('data', (chunk: Buffer) => {
    heard += chunk.toString()
  })
  let port = ''
  manager.stdio[1]?.on('data', (chunk: Buffer) => {
    port += chunk.toString()
  })
  await until('the port', async () => port.endsWith('\n') || undefined)
  const address = `http://127.0.0.1:${port.trim()}`
  return { address, heard: () => heard, ended: once(manager, 'close') }
}

t.test('under systemd the program takes its socket, is ready, lives and stops', async (t) => {
  const { address, heard, ended } = await startUnder(t, 1)
  await until('READY=1', async () => heard().includes('READY=1') || undefined)
  t.match(heard(), /STATUS=Listens on port \d+\./)
  t.equal((await fetch(`${address}/healthz`)).status, 200)
  await until('three pings', async () => heard().split('WATCHDOG=1')[3])
  t.equal((await fetch(`${address}/shutdown`)).status, 200)
  await ended
  t.match(heard(), /STOPPING=1$/)
})

t.test('while it restarts nobody is refused, and the label that comes then prints', async (t) => {
  const { address, heard, ended } = await startUnder(t, 2)
  await until('the first start', async () => heard().includes('READY=1') || undefined)
  await (await fetch(`${address}/shutdown`)).text()
  await until('the first stop', async () => heard().includes('STOPPING=1') || undefined)
  const response = await fetch(`${address}/`, {
    method: 'POST',
    headers: { ...PATIENT, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ label: base64('^XA^FDbetween^FS^XZ') }),
  })
  t.match(await response.json(), { Status: 'OK', jobs: [{ state: 'completed' }] })
  await until('the second start', async () => heard().split('READY=1')[2])
  const metrics = await (await fetch(`${address}/metrics`)).text()
  const own = /^platen_jobs_ended_total\{.*state="completed"\} 1$/m
  t.match(metrics, own, 'it was the second start that took it')
  await (await fetch(`${address}/shutdown`)).text()
  await ended
})
