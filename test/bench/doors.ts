import { setTimeout as wait } from 'node:timers/promises'
import { findClosedPort } from '../listen.ts'
import { atMost } from './once.ts'
import { makeBox, median, memoryOf, SETTLE_MS, start } from './process.ts'
import type { Row } from './row.ts'

const RUNS = atMost(5)
/** Memory is read when the start is over (decision `idle-modules`). */

/** Measures an idle server with each door open, beside one whose doors are all off, in turn. */
export async function* benchDoors(): AsyncGenerator<Row> {
  const [one, two] = [await findClosedPort(), await findClosedPort()]
  const doors: Readonly<Record<string, object>> = {
    'none, once more': {},
    raw_port: { raw_port: String(one) },
    qz_tray: { qz_tray: true, qz_port: String(two - 1) },
    browser_print: { browser_print: true, browser_print_port: String(one) },
    printnode: { printnode: true },
  }
  const seen = new Map<string, Size[]>()
  for (let run = 0; run < RUNS; run += 1) {
    for (const [name, config] of Object.entries({ off: {}, ...doors })) {
      seen.set(name, [...(seen.get(name) ?? []), await measure(config)])
    }
  }
  const of = (name: string, what: keyof Size): number =>
    median((seen.get(name) ?? []).map((size) => size[what]))
  const row = (name: string, what: string, key: keyof Size): Row => ({
    what: `door ${name}: ${what}`,
    ours: of(name, key),
    peer: of('off', key),
    peerName: 'all doors off',
    goal: undefined,
  })
  for (const name of Object.keys(doors)) {
    yield row(name, 'idle, private dirty MB', 'dirtyMb')
    yield row(name, 'idle, resident MB', 'rssMb')
    yield row(name, 'start to listening ms', 'ms')
  }
}

interface Size {
  readonly dirtyMb: number
  readonly rssMb: number
  readonly ms: number
}

async function measure(config: object): Promise<Size> {
  const box = makeBox({ host: '127.0.0.1', ...config })
  const running = await start(['dist/platen.js', ...box.args])
  await wait(SETTLE_MS)
  const { privateDirtyMb, rssMb } = memoryOf(running.pid)
  await running.stop()
  box.dispose()
  return { dirtyMb: privateDirtyMb, rssMb, ms: running.listeningMs }
}
