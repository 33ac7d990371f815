import { setTimeout as wait } from 'node:timers/promises'
import { Paper } from '../load/paper.ts'
import { portOf, send, startBox, switchOn } from './flood-run.ts'
import { forMs } from './once.ts'
import { type Memory, memoryOf } from './process.ts'
import type { Row } from './row.ts'

/** The final number of waiting labels; the levels in between are parts of it. */
const MOST = Number(process.env['WAITING'] ?? 50_000)
const LEVELS = [Math.round(MOST / 5), MOST]
const PRINTERS = 20
/** All loopback addresses together may have half of the spool's 256 MB, so 50,000 labels have to be small ones. */
const LOAD = { clients: 16, from: ['127.0.1.1'], labelBytes: 1_000, isKeyed: false }
/** The program tidies up when nothing has happened for half a minute (src/system/process.ts). */
const SETTLE_MS = forMs(40_000)
const WAITING_MB = 30
const PRINTED_MB = 10

/** Memory with labels that wait for printers that are off, and when all of them have been printed. */
export async function* benchFloodMemory(): AsyncGenerator<Row> {
  const paper = await Paper.open(PRINTERS)
  const { program, end } = await startBox(paper)
  await (await fetch(`${program.address}/healthz`)).arrayBuffer()
  await wait(SETTLE_MS)
  const idle = memoryOf(program.pid)
  yield* rows('no label waits', idle, idle, undefined)
  const load = { ...LOAD, port: portOf(program), printers: paper.names, first: 0 }
  await paper.ask('down')
  let first = 0
  for (const level of LEVELS) {
    await send({ ...load, first, labels: level - first })
    first = level
    await wait(SETTLE_MS)
    yield* rows(`${level} labels wait`, memoryOf(program.pid), idle, WAITING_MB)
  }
  const began = performance.now()
  await switchOn(paper, load)
  while ((await paper.total()) < MOST + PRINTERS) await wait(500)
  const seconds = (performance.now() - began) / 1_000
  yield {
    what: `${MOST} waiting labels printed a second, 20 printers`,
    ours: MOST / seconds,
    peer: MOST / seconds,
    peerName: '-',
    goal: undefined,
  }
  await wait(SETTLE_MS)
  yield* rows(`${MOST} labels were printed`, memoryOf(program.pid), idle, PRINTED_MB)
  await end()
  await paper.close()
}

function rows(when: string, now: Memory, idle: Memory, moreMb: number | undefined): readonly Row[] {
  const row = (what: string, ours: number, peer: number): Row => ({
    what: `${when}, ${what} MB`,
    ours,
    peer,
    peerName: 'ours, no label waits',
    goal: moreMb === undefined ? undefined : peer + moreMb,
  })
  return [
    row('resident', now.rssMb, idle.rssMb),
    row('private dirty', now.privateDirtyMb, idle.privateDirtyMb),
  ]
}
