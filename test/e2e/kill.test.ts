import t from 'tap'
import { runKillLoop } from './kill-loop.ts'

// `make kill-test` sets it to 1000.
const kills = Number(process.env['KILLS'] ?? 50)

t.setTimeout(kills * 5_000 + 60_000)

t.test(`${kills} kills -9 lose nothing, print nothing twice, keep the order`, async (t) => {
  const seed = Date.now() % 1_000_000
  t.comment(`seed ${seed}`)
  const report = await runKillLoop(kills, seed)
  t.comment(`${report.acknowledged} requests acknowledged, ${report.labels} labels`)
  t.same(report.faults, [])
  t.ok(report.acknowledged > kills)
})

t.test('the checker sees a server that answers before the commit', async (t) => {
  const { faults } = await runKillLoop(12, 1, 'answer-early')
  t.ok(faults.some((fault) => fault.startsWith('lost: ')))
})

t.test('the checker sees a server that prints again unasked', async (t) => {
  const { faults } = await runKillLoop(8, 1, 'print-twice')
  t.ok(faults.some((fault) => fault.startsWith('out of order or again: ')))
})
