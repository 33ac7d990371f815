import t from 'tap'
import { runKillLoop } from './kill-loop.ts'

// `make kill-test` sets it to 1000.
const kills = Number(process.env['KILLS'] ?? 20)
const ROUND = 100

t.setTimeout(kills * 10_000 + 900_000)

// Each round has a spool of its own, so that a long loop tells how far it has come.
for (let done = 0; done < kills; done += ROUND) {
  const round = Math.min(ROUND, kills - done)
  const upTo = done + round
  t.test(`${upTo} kills -9 in a flood lose nothing, print nothing twice`, async (t) => {
    const seed = (Date.now() + done) % 1_000_000
    t.comment(`seed ${seed}`)
    const report = await runKillLoop(round, seed)
    t.comment(`${report.acknowledged} requests acknowledged, ${report.labels} labels`)
    t.same(report.faults, [], 'and keep the order')
    t.ok(report.acknowledged > round / 2, 'it had work')
  })
}

/** True when the checker finds this fault of a server that is broken on purpose; no single kill is sure to show it. */
async function sees(broken: string, kills: number, fault: string): Promise<boolean> {
  for (let seed = 1; seed <= 10; seed += 1) {
    const { faults } = await runKillLoop(kills, seed, broken)
    if (faults.some((found) => found.startsWith(fault))) return true
  }
  return false
}

t.test('the checker sees a server that answers before the commit', async (t) => {
  t.ok(await sees('answer-early', 12, 'lost: '))
})

t.test('the checker sees a server that prints again unasked', async (t) => {
  t.ok(await sees('print-twice', 8, 'out of order or again: '))
})
