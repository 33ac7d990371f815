import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Paper } from '../test/load/paper.ts'
import { type FloodSeen, floodBare, floodBox } from './flood-run.ts'
import { median } from './process.ts'
import type { Row } from './row.ts'

const ROUNDS = 3
const HEALTH_GOAL_MS = 250
const BARE = 'bare Node, same fsyncs'
const QUIET = 'ours, nobody sends'

/**
 * Sixteen clients that post 3 KB labels without a pause: what comes in beside a bare server that writes as safely, what is
 * printed meanwhile beside the same when nobody sends, and how soon others are served.
 */
export async function* benchFlood(): AsyncGenerator<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'platen-bench-bare-'))
  const [one, bare]: [FloodSeen[], Awaited<ReturnType<typeof floodBare>>[]] = [[], []]
  // In turn, so that what else the machine does falls on both.
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await floodBare(join(folder, String(round))))
    one.push(await flood(3, 1))
  }
  rmSync(folder, { recursive: true })
  yield* acceptRows(one, bare)
  yield printRow('1 printer', one)
  const othersMs = one.map((seen) => quantile(seen.othersMs, 0.95))
  yield {
    ...{ what: 'flooded: label for another printer on paper, p95 ms', goal: HEALTH_GOAL_MS },
    ...{ ours: median(othersMs), peer: median(one.map((seen) => quantile(seen.othersMs, 0.5))) },
    peerName: 'ours, median of the same',
  }
  const twenty: FloodSeen[] = []
  for (let round = 0; round < ROUNDS; round += 1) twenty.push(await flood(20, 20))
  yield printRow('all of 20 printers', twenty)
  yield leastRow(twenty)
}

async function flood(printers: number, flooded: number): Promise<FloodSeen> {
  const paper = await Paper.open(printers)
  try {
    return await floodBox(paper, flooded)
  } finally {
    await paper.close()
  }
}

type Accepting = Pick<FloodSeen, 'accepted' | 'healthMs'>

function acceptRows(ours: readonly Accepting[], bare: readonly Accepting[]): readonly Row[] {
  const [mine, floor] = [ours, bare].map((list) => median(list.map(({ accepted }) => accepted)))
  const health = (list: readonly Accepting[], part: number): number =>
    quantile(
      list.flatMap(({ healthMs }) => healthMs),
      part,
    )
  const healthRow = (which: string, part: number): Row => ({
    ...{ what: `flooded: /healthz on a new connection, ${which} ms`, goal: HEALTH_GOAL_MS },
    ...{ ours: health(ours, part), peer: health(bare, part), peerName: BARE },
  })
  return [
    {
      ...{
        what: 'flooded: labels of 3 KB accepted a second',
        isRate: true,
        goal: (floor ?? 0) / 2,
      },
      ...{ ours: mine ?? 0, peer: floor ?? 0, peerName: BARE },
    },
    healthRow('p99', 0.99),
    healthRow('longest', 1),
  ]
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)

/** Labels a second of all flooded printers together. */
function printRow(which: string, seen: readonly FloodSeen[]): Row {
  const quiet = median(seen.map((one) => sum(one.quiet)))
  return {
    ...{ what: `flooded: labels printed a second, ${which}`, isRate: true, goal: quiet / 2 },
    ...{ ours: median(seen.map((one) => sum(one.flooded))), peer: quiet, peerName: QUIET },
  }
}

/** The printer that lost the most by the flood, in parts of what it prints without; one that got nothing then says nothing. */
function leastRow(seen: readonly FloodSeen[]): Row {
  const parts = seen.map(({ flooded, quiet }) => {
    const each = flooded.map((rate, index) => rate / (quiet[index] ?? 0))
    return Math.min(...each.filter((part) => Number.isFinite(part)))
  })
  return {
    ...{ what: 'flooded: the slowest of 20 printers, % of its own rate', isRate: true, goal: 50 },
    ...{ ours: median(parts) * 100, peer: 100, peerName: QUIET },
  }
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
