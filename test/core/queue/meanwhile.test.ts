import t from 'tap'
import { isMoving } from '../../../src/core/job.ts'
import * as moves from '../../../src/core/moves.ts'
import { NOTHING } from '../../../src/words/say.ts'
import { TcpSink } from '../../devices/tcp-sink.ts'
import { Bench, printer } from '../bench.ts'
import { PIXEL, zplLabel } from '../labels.ts'
import { makePrinter } from '../printers/make-printer.ts'

// What a queue has read may be otherwise once it has waited for a drawing or a connection.

const QUIET = { message: NOTHING, hint: NOTHING, code: '' } as const

const speechless = (uri: string) => makePrinter('A', { uri, language: undefined })

t.test('a label that cannot be drawn stays on its way to another box', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  const id = bench.accept(PIXEL) ?? ''
  bench.printers.configure([speechless('file:a')], '')
  bench.scheduler.start()
  // Its queue has it in hand by now.
  bench.spool.move(id, (job) => moves.hold(job, 'platen-moving', QUIET))
  await bench.until(bench.accept(zplLabel('next')), 'completed')
  t.ok(isMoving(bench.job(id)), 'the other box may have it')
  t.same(bench.faults, [])
})

t.test('a label is not sent in the language that its printer had when it was drawn', async (t) => {
  const sink = await TcpSink.openFor(t)
  const bench = new Bench(t, { printers: [printer('A', sink.uri, 'zpl')] })
  const id = bench.accept(PIXEL) ?? ''
  bench.scheduler.start()
  bench.printers.configure([printer('A', sink.uri, 'epl')], '')
  bench.scheduler.wake('A')
  await bench.until(id, 'completed')
  const sent = sink.connections.map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join('')
  t.match(sent, /^\s*N\n/, 'as EPL')
  t.notMatch(sent, /\^XA/)
})

t.test('the command of another language clears no half label', async (t) => {
  const sink = await TcpSink.openFor(t)
  const bench = new Bench(t, { printers: [printer('A', sink.uri, 'zpl')] })
  const cut = bench.accept(zplLabel(1)) ?? ''
  bench.spool.move(cut, (job) => moves.begin(job, 1, NOTHING))
  bench.spool.move(cut, (job) => moves.cancel(job, 2, 5), { isCut: true })
  const next = bench.accept(zplLabel(2)) ?? ''
  bench.scheduler.start()
  // Its printer is being opened for the command by now.
  bench.printers.configure([printer('A', sink.uri, 'epl')], '')
  bench.scheduler.wake('A')
  const asked = await bench.untilJob(next, ({ state }) => state !== 'pending')
  t.match(asked, { state: 'pending-held', reasons: ['platen-interrupted'] })
  await bench.scheduler.resolve(next, false)
  await bench.until(next, 'completed')
  t.same(bench.spool.halfLabels.list(), [])
})

t.test(
  'who is woken by the commit of its own first turn does not print beside itself',
  async (t) => {
    const sink = await TcpSink.openFor(t)
    let uptime = 1_000_000
    const bench = new Bench(t, {
      printers: [printer('A', sink.uri)],
      uptimeMs: () => uptime,
    })
    bench.accept(zplLabel('late'), { expireAfter: 1 })
    const id = bench.accept(zplLabel('next'))
    uptime += 2_000
    // As a label does that is on disk with the same flush.
    const seen: string[] = []
    bench.spool.onChange((job) => {
      if (job.id === id) seen.push(job.state)
      bench.scheduler.wake('A')
    })
    bench.scheduler.start()
    await bench.until(id, 'completed')
    t.notOk(seen.includes('pending'), 'no second attempt finds the printer taken by the first')
  },
)
