import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { findClosedPort } from '../listen.ts'
import { atMost } from './once.ts'
import { type Memory, makeBox, median, memoryOf, start } from './process.ts'
import type { Row } from './row.ts'

const RUNS = atMost(3)
const MOSQUITTO = '/usr/sbin/mosquitto'
/** The source has been reached and the start is over. */
const SETTLE_MS = 2_500
const FAUXQS = join(import.meta.dirname, '../plugins/source/fauxqs-child.ts')

/** Megabytes of private memory that a source adds to an idle box may be at most so many. */
const GOALS = { beanstalkd: 2, heartbeat: 2, sqs: 8, mqtt: 5 } as const

/** Memory of the idle bundle with one source that waits for labels, beside the same without a source. */
export async function benchSources(): Promise<readonly Row[]> {
  const servers: ChildProcess[] = []
  const folder = mkdtempSync(join(tmpdir(), 'platen-bench-sources-'))
  try {
    const printers = [{ name: 'A', uri: 'file:a' }]
    const plain = await measure({ printers })
    const rows: Row[] = []
    for (const [name, config] of Object.entries(await startServers(servers, folder))) {
      const { dirty, rss } = await measure({ printers, ...config })
      const goal = GOALS[name as keyof typeof GOALS]
      rows.push(row(`idle with ${name}, private dirty MB`, dirty, plain.dirty, plain.dirty + goal))
      rows.push(row(`idle with ${name}, resident MB`, rss, plain.rss, plain.rss + 2 * goal))
    }
    return rows
  } finally {
    for (const server of servers) server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts what is installed; gives the configuration that pulls from each. */
async function startServers(
  servers: ChildProcess[],
  folder: string,
): Promise<Readonly<Record<string, object>>> {
  const ports = [await findClosedPort(), await findClosedPort()] as const
  servers.push(
    spawn('beanstalkd', ['-l', '127.0.0.1', '-p', `${ports[0]}`], { stdio: 'ignore' }).on(
      'error',
      () => undefined, // not installed: the source tries in vain, which costs the same
    ),
  )
  const fauxqs = fork(FAUXQS, ['--data', folder], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  servers.push(fauxqs)
  const [port] = (await once(fauxqs, 'message')) as [number]
  process.env['AWS_ACCESS_KEY_ID'] = 'bench'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'bench'
  const sqs = new SQSClient({ region: 'eu-central-1', endpoint: `http://127.0.0.1:${port}` })
  await sqs.send(new CreateQueueCommand({ QueueName: 'labels' }))
  if (existsSync(MOSQUITTO)) {
    const file = join(folder, 'mosquitto.conf')
    writeFileSync(file, `listener ${ports[1]} 127.0.0.1\nallow_anonymous true\n`)
    servers.push(spawn(MOSQUITTO, ['-c', file], { stdio: 'ignore' }))
  }
  const queue = (entry: object) => ({ queues: [entry] })
  const url = `http://127.0.0.1:${port}/000000000000/labels`
  return {
    beanstalkd: queue({ type: 'beanstalkd', endpoint: `127.0.0.1:${ports[0]}` }),
    heartbeat: { heart_beat_url: `http://127.0.0.1:${port}/`, heart_beat_interval: 60 },
    sqs: queue({ type: 'sqs', region: 'eu-central-1', url }),
    mqtt: queue({ type: 'mqtt', url: `mqtt://127.0.0.1:${ports[1]}`, topic: 'labels' }),
  }
}

async function measure(config: object): Promise<{ readonly dirty: number; readonly rss: number }> {
  const seen: Memory[] = []
  for (let i = 0; i < RUNS; i += 1) {
    const box = makeBox(config)
    const running = await start(['dist/platen.js', ...box.args])
    await wait(SETTLE_MS)
    seen.push(memoryOf(running.pid))
    await running.stop()
    box.dispose()
  }
  return {
    dirty: median(seen.map((one) => one.privateDirtyMb)),
    rss: median(seen.map((one) => one.rssMb)),
  }
}

const row = (what: string, ours: number, peer: number, goal: number): Row => ({
  what,
  ours,
  peer,
  peerName: 'without a source',
  goal,
})
