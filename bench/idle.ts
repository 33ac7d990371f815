import { setTimeout as wait } from 'node:timers/promises'
import { makeBox, median, memoryOf, start } from './process.ts'
import type { Row } from './row.ts'

const RUNS = 5
/** Memory is read when the start is over (docs/decisions.md 6). */
const SETTLE_MS = 1_200
const BARE_HTTP = `require('node:http').createServer().listen(0, '127.0.0.1', function () {
  console.log('http://127.0.0.1:' + this.address().port)
})`

/** Memory and start of the bundle with no printer configured, beside a bare Node that only listens. */
export async function benchIdle(): Promise<readonly Row[]> {
  const box = makeBox({})
  const ours = await measure(['dist/platen.js', ...box.args])
  const bare = await measure(['-e', BARE_HTTP])
  box.dispose()
  return [
    row('idle, private dirty MB', ours.dirty, bare.dirty, 20),
    row('idle, resident MB', ours.rss, bare.rss, 68),
    row('start to listening ms', ours.ms, bare.ms, 100),
  ]
}

async function measure(
  args: readonly string[],
): Promise<{ dirty: number; rss: number; ms: number }> {
  const runs = []
  for (let i = 0; i < RUNS; i += 1) {
    const running = await start(args)
    await wait(SETTLE_MS)
    runs.push({ ...memoryOf(running.pid), ms: running.listeningMs })
    await running.stop()
  }
  return {
    dirty: median(runs.map((run) => run.privateDirtyMb)),
    rss: median(runs.map((run) => run.rssMb)),
    ms: median(runs.map((run) => run.ms)),
  }
}

const row = (what: string, ours: number, peer: number, goal: number): Row => ({
  what,
  ours,
  peer,
  peerName: 'bare node:http',
  goal,
})
