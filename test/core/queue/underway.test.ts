import t from 'tap'
import { UnprovenLabels } from '../../../src/core/queue/parts.ts'
import { LARGE_BYTES, TcpSink } from '../../devices/tcp-sink.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, printer } from '../bench.ts'

const HERE = { uri: 'socket://10.0.0.7', labelHeight: 6, speed: 4 }
const LABEL_MS = 3_000 + 1_500

t.test('labels of one place are inside one after the other, by length, speed and bytes', (t) => {
  const underway = new UnprovenLabels()
  underway.add(HERE, { id: 'a', bytes: 0 }, 0)
  underway.add(HERE, { id: 'b', bytes: 20_000 }, 0)
  t.same(underway.list(HERE, LABEL_MS - 1), ['a', 'b'])
  t.same(underway.list(HERE, LABEL_MS), ['b'])
  t.same(underway.list(HERE, 2 * LABEL_MS + 999), ['b'])
  t.same(underway.list(HERE, 2 * LABEL_MS + 1_000), [])
  t.same(underway.list({ uri: 'socket://10.0.0.8' }, 0), [])
  t.end()
})

t.test('of a printer that takes labels faster than it can print the last few are named', (t) => {
  const underway = new UnprovenLabels()
  for (let n = 0; n < 1_000; n += 1) underway.add(HERE, { id: `${n}`, bytes: 0 }, n)
  t.equal(underway.list(HERE, 1_000).length, 20)
  t.equal(underway.list(HERE, 1_000).at(-1), '999')
  t.end()
})

t.test('a label that is cut names those that its clearing may wipe', async (t) => {
  const sink = await TcpSink.openFor(t)
  let now = Date.now()
  const bench = new Bench(t, { printers: [printer('A', sink.uri)], now: () => now })
  bench.scheduler.start()
  const [first = ''] = bench.print(['first'])
  await bench.until(first, 'completed')
  await bench.untilPrinter('A', ({ state }) => state === 'idle')
  now += 3_600_000 // a box without a clock chip learns the time
  sink.behave({ resetAfter: 1 })
  const [cut = ''] = bench.print(['cut'], { bytes: LARGE_BYTES })
  await bench.until(cut, 'pending-held')
  t.match(spoken(bench.job(cut)), {
    message: /may not have come out\. The label sent just before it may be missing too\./,
    detail: `sent before it and not confirmed: ${first}`,
  })
})
