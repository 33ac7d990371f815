import t, { type Test } from 'tap'
import { createCupsDevice } from '../../src/printers/cups.ts'
import { createSocketDevice } from '../../src/printers/socket.ts'
import { CupsDaemon, skipCups } from '../devices/cups-daemon.ts'
import { type SinkManners, TcpSink } from '../devices/tcp-sink.ts'
import { Bench, printer } from '../jobs/bench.ts'
import { zplLabel } from '../jobs/labels.ts'

const BYTES = 40_000
const LENGTH = zplLabel('bad', BYTES).length
const CUTS = [1, Math.floor(LENGTH / 2), LENGTH]
const OTHERS = 10
const MUCH = 14_000_000 // more than the network's buffers hold

async function makeSink(t: Test, manners: SinkManners = {}): Promise<TcpSink> {
  const sink = await TcpSink.open(manners)
  t.teardown(() => sink.close())
  return sink
}

/** Two benches: one printer in trouble, the other in health. */
async function makeBench(t: Test, badUri: string, cupsSocket = '/nowhere') {
  const good = await makeSink(t)
  const bench = new Bench(t, {
    printers: [printer('bad', badUri), printer('good', good.uri)],
    devices: [createSocketDevice(), createCupsDevice([{ socketPath: cupsSocket }])],
  })
  bench.scheduler.start()
  return { bench, good }
}

/** The other printer takes its labels while the first one is in trouble. */
async function othersPrint(bench: Bench, good: TcpSink): Promise<void> {
  const ids = bench.print(
    Array.from({ length: OTHERS }, (_, index) => index),
    { printer: 'good' },
  )
  for (const id of ids) await bench.until(id, 'completed')
  await good.until(({ connections }) => connections.length >= OTHERS)
}

function printBad(bench: Bench): string | undefined {
  return bench.print(['bad'], { printer: 'bad', bytes: BYTES })[0]
}

for (const take of CUTS) {
  t.test(`a network printer that resets after ${take} bytes: held, unknown`, async (t) => {
    const sink = await makeSink(t, { resetAfter: take, bytesPerTick: take })
    const { bench, good } = await makeBench(t, sink.uri)
    const id = printBad(bench)
    await othersPrint(bench, good)
    t.equal((await bench.until(id, 'pending-held')).delivery, 'unknown')
  })
}

t.test('a network printer that reads nothing and resets: held, unknown', async (t) => {
  const sink = await makeSink(t, { stall: true })
  const { bench, good } = await makeBench(t, sink.uri)
  const [id] = bench.print(['bad'], { printer: 'bad', bytes: MUCH })
  await bench.until(id, 'processing-stopped')
  sink.reset()
  await othersPrint(bench, good)
  t.equal((await bench.until(id, 'pending-held')).delivery, 'unknown')
})

t.test('a network printer that stalls waits for a person, and the label goes on', async (t) => {
  const sink = await makeSink(t, { stall: true })
  const { bench, good } = await makeBench(t, sink.uri)
  const [id] = bench.print(['bad'], { printer: 'bad', bytes: MUCH })
  const job = await bench.until(id, 'processing-stopped')
  t.equal(job.code, 'PRINTER_STOPPED')
  await othersPrint(bench, good)
  sink.behave({})
  t.equal((await bench.until(id, 'completed')).delivery, 'sent')
})

for (const take of [0, ...CUTS]) {
  const title = `a CUPS printer that fails after ${take} bytes: held, unknown, printed no more`
  t.test(title, { skip: skipCups }, async (t) => {
    const daemon = await CupsDaemon.start(t)
    daemon.behave('raw', { take, end: 'fail' })
    const { bench, good } = await makeBench(t, daemon.uri('raw').href, daemon.socketPath)
    const id = printBad(bench)
    await othersPrint(bench, good)
    t.equal((await bench.until(id, 'pending-held')).delivery, 'unknown')
    await daemon.rest()
    t.equal(daemon.runs().length, 1)
  })
}

t.test(
  'a CUPS printer out of labels, and a paused queue, are waited for',
  { skip: skipCups },
  async (t) => {
    const daemon = await CupsDaemon.start(t)
    daemon.behave('raw', { take: 1, end: 'hang', say: 'STATE: +media-empty-error' })
    const { bench, good } = await makeBench(t, daemon.uri('raw').href, daemon.socketPath)
    const id = printBad(bench)
    const out = await bench.untilJob(id, ({ message }) => message.includes('out of labels'))
    t.equal(out.state, 'processing-stopped')
    await othersPrint(bench, good)
    daemon.resume()
    t.equal((await bench.until(id, 'completed')).delivery, 'sent')
    await daemon.operate('pause', 'raw')
    const next = printBad(bench)
    const paused = await bench.untilJob(next, ({ message }) => message.includes('is paused'))
    t.equal(paused.state, 'processing-stopped')
    await daemon.operate('resume', 'raw')
    await bench.until(next, 'completed')
    t.equal(daemon.runs().length, 2)
  },
)

t.test(
  'a label cancelled at a CUPS printer is cancelled in CUPS',
  { skip: skipCups },
  async (t) => {
    const daemon = await CupsDaemon.start(t)
    daemon.behave('raw', { take: 1, end: 'hang' })
    const { bench } = await makeBench(t, daemon.uri('raw').href, daemon.socketPath)
    const id = printBad(bench)
    await daemon.until(() => daemon.runs().length === 1)
    await bench.scheduler.cancel(id ?? '')
    t.equal(bench.job(id).state, 'canceled')
    await daemon.rest()
    t.same(
      daemon.runs().map(({ isWhole }) => isWhole),
      [false],
    )
  },
)
