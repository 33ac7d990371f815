import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Paper } from '../load/paper.ts'
import { type Accepting, type FloodSeen, floodBare, floodBox, floodQuiet } from './flood-run.ts'
import { atMost } from './once.ts'
import { median } from './process.ts'
import type { Row } from './row.ts'
import { CARD_FLUSH_MS, makeSlowDisk, type SlowDisk } from './slow-disk.ts'

const ROUNDS = atMost(3)
const HEALTH_GOAL_MS = 250
const BARE = 'bare Node, same fsyncs'
const ROWS = 'bare Node, rows in SQLite, same fsyncs'
const QUIET = 'ours, nobody sends'
const CARD = `, flush ${CARD_FLUSH_MS} ms`

/**
 * Sixteen clients that post 3 KB labels without a pause: what comes in beside a bare server that writes as safely, what is
 * printed meanwhile beside the same when nobody sends, and how soon others are served.
 */
export async function* benchFlood(): AsyncGenerator<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'platen-bench-bare-'))
  const one: FloodSeen[] = []
  const seen = { quiet: [] as Accepting[], bare: [] as Accepting[], rows: [] as Accepting[] }
  // In turn, so that what else the machine does falls on all.
  for (let round = 0; round < ROUNDS; round += 1) {
    seen.bare.push(await floodBare('accepts', join(folder, `accepts-${round}`)))
    seen.rows.push(await floodBare('spool', join(folder, `spool-${round}`)))
    seen.quiet.push(await withPaper(3, (paper) => floodQuiet(paper)))
    one.push(await flood(3, 1))
  }
  rmSync(folder, { recursive: true })
  yield acceptRow('nobody prints', seen.quiet, seen.bare, BARE)
  yield acceptRow('nobody prints', seen.quiet, seen.rows, ROWS)
  yield acceptRow('1 printer prints', one, seen.bare, BARE)
  yield* healthRows(one, seen.bare)
  yield printRow('1 printer', one)
  const othersMs = one.map((seen) => quantile(seen.othersMs, 0.95))
  yield {
    what: 'flooded: label for another printer on paper, p95 ms',
    goal: HEALTH_GOAL_MS,
    ours: median(othersMs),
    peer: median(one.map((seen) => quantile(seen.othersMs, 0.5))),
    peerName: 'ours, median of the same',
  }
  const twenty: FloodSeen[] = []
  for (let round = 0; round < ROUNDS; round += 1) twenty.push(await flood(20, 20))
  yield printRow('all of 20 printers', twenty)
  yield leastRow(twenty)
  yield* benchCard()
}

/** The same accepts on a disk that flushes as slowly as the memory card of a box. */
async function* benchCard(): AsyncGenerator<Row> {
  const disk = makeSlowDisk()
  if (disk === undefined) return
  const folder = mkdtempSync(join(tmpdir(), 'platen-bench-bare-'))
  const { variables } = disk
  const seen = { quiet: [] as Accepting[], bare: [] as Accepting[], rows: [] as Accepting[] }
  const one: FloodSeen[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    seen.bare.push(await floodBare('accepts', join(folder, `accepts-${round}`), variables))
    seen.rows.push(await floodBare('spool', join(folder, `spool-${round}`), variables))
    seen.quiet.push(await withPaper(3, (paper) => floodQuiet(paper, variables)))
    one.push(await flood(3, 1, variables))
  }
  rmSync(folder, { recursive: true })
  disk.dispose()
  yield acceptRow(`nobody prints${CARD}`, seen.quiet, seen.bare, BARE)
  yield acceptRow(`nobody prints${CARD}`, seen.quiet, seen.rows, ROWS)
  yield acceptRow(`1 printer prints${CARD}`, one, seen.bare, BARE)
}

const flood = (printers: number, flooded: number, disk?: SlowDisk['variables']) =>
  withPaper(printers, (paper) => floodBox(paper, flooded, disk))

async function withPaper<T>(printers: number, work: (paper: Paper) => Promise<T>): Promise<T> {
  const paper = await Paper.open(printers)
  try {
    return await work(paper)
  } finally {
    await paper.close()
  }
}

/** The goal is half of what the peer takes. */
function acceptRow(
  when: string,
  ours: readonly Accepting[],
  peer: readonly Accepting[],
  peerName: string,
): Row {
  const [mine, floor] = [ours, peer].map((list) => median(list.map(({ accepted }) => accepted)))
  return {
    what: `flooded: 3 KB labels accepted a second, ${when}`,
    isRate: true,
    goal: (floor ?? 0) / 2,
    ours: mine ?? 0,
    peer: floor ?? 0,
    peerName,
  }
}

function healthRows(ours: readonly Accepting[], bare: readonly Accepting[]): readonly Row[] {
  const health = (list: readonly Accepting[], part: number): number =>
    quantile(
      list.flatMap(({ healthMs }) => healthMs),
      part,
    )
  const healthRow = (which: string, part: number): Row => ({
    what: `flooded: /healthz on a new connection, ${which} ms`,
    goal: HEALTH_GOAL_MS,
    ours: health(ours, part),
    peer: health(bare, part),
    peerName: BARE,
  })
  return [healthRow('p99', 0.99), healthRow('longest', 1)]
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)

/** Labels a second of all flooded printers together. */
function printRow(which: string, seen: readonly FloodSeen[]): Row {
  const quiet = median(seen.map((one) => sum(one.quiet)))
  return {
    what: `flooded: labels printed a second, ${which}`,
    isRate: true,
    goal: quiet / 2,
    ours: median(seen.map((one) => sum(one.flooded))),
    peer: quiet,
    peerName: QUIET,
  }
}

/** The printer that lost the most by the flood, in parts of what it prints without; one that got nothing then says nothing. */
function leastRow(seen: readonly FloodSeen[]): Row {
  const parts = seen.map(({ flooded, quiet }) => {
    const each = flooded.map((rate, index) => rate / (quiet[index] ?? 0))
    return Math.min(...each.filter((part) => Number.isFinite(part)))
  })
  return {
    what: 'flooded: the slowest of 20 printers, % of its own rate',
    isRate: true,
    goal: 50,
    ours: median(parts) * 100,
    peer: 100,
    peerName: QUIET,
  }
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
