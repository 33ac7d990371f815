import { setTimeout as wait } from 'node:timers/promises'
import { atMost } from './once.ts'
import {
  type Memory,
  makeBox,
  median,
  memoryOf,
  memoryVariables,
  SETTLE_MS,
  start,
} from './process.ts'
import type { Row } from './row.ts'

const RUNS = atMost(5)
const BARE_HTTP = `require('node:http').createServer((_, response) => response.end()).listen(0, '127.0.0.1', function () {
  console.log('http://127.0.0.1:' + this.address().port)
})`

/**
 * Memory and start of the bundle with no printer configured, beside a bare Node that only listens; and memory after a first
 * request, which loads what answers it. Then the same with what the Debian package sets for malloc.
 */
export async function benchIdle(): Promise<readonly Row[]> {
  const box = makeBox({})
  const ours = await measure(['dist/platen.js', ...box.args])
  const bare = await measure(['-e', BARE_HTTP])
  const service = await measure(['dist/platen.js', ...box.args], memoryVariables())
  box.dispose()
  return [...rows('', ours, bare), ...rows('as the service, ', service, bare)]
}

const rows = (how: string, ours: Measured, bare: Measured): readonly Row[] => [
  row(`${how}idle, private dirty MB`, ours.dirty, bare.dirty, 19.6),
  row(`${how}idle, resident MB`, ours.rss, bare.rss, 66.5),
  row(`${how}start to listening ms`, ours.ms, bare.ms, 80),
  row(`${how}answered once, private dirty MB`, ours.answered.dirty, bare.answered.dirty, 24),
  row(`${how}answered once, resident MB`, ours.answered.rss, bare.answered.rss, 72),
]

interface Size {
  readonly dirty: number
  readonly rss: number
}

interface Measured extends Size {
  readonly ms: number
  readonly answered: Size
}

async function measure(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Measured> {
  const idle: Memory[] = []
  const answered: Memory[] = []
  const times: number[] = []
  for (let i = 0; i < RUNS; i += 1) {
    const running = await start(args, variables)
    times.push(running.listeningMs)
    await wait(SETTLE_MS)
    idle.push(memoryOf(running.pid))
    await (await fetch(`${running.address}/healthz`)).arrayBuffer()
    await wait(SETTLE_MS)
    answered.push(memoryOf(running.pid))
    await running.stop()
  }
  return { ...sizeOf(idle), ms: median(times), answered: sizeOf(answered) }
}

const sizeOf = (seen: readonly Memory[]): Size => ({
  dirty: median(seen.map((one) => one.privateDirtyMb)),
  rss: median(seen.map((one) => one.rssMb)),
})

const row = (what: string, ours: number, peer: number, goal: number): Row => ({
  what,
  ours,
  peer,
  peerName: 'bare node:http',
  goal,
})
