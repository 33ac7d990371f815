import t, { type Test } from 'tap'
import { createSocketDevice } from '../../../../src/printers/devices/socket/index.ts'
import { conforms, type Rig } from '../../../conformance/device.ts'
import { Bench, printer, QUICK } from '../../../core/bench.ts'
import { zplLabel } from '../../../core/labels.ts'
import { LARGE_BYTES, type SinkManners, TcpSink } from '../../../devices/tcp-sink.ts'
import { findClosedPort } from '../../../listen.ts'
import { spoken } from '../../../words/spoken.ts'

t.setTimeout(300_000)

const NOWHERE = '/nowhere' // as on Windows and macOS: no table says how far a connection is
const PATIENT = { connectMs: 60_000, confirmMs: 60_000, blindMs: 60_000, silentMs: 60_000 }

async function openSink(t: Test, manners: SinkManners = {}): Promise<TcpSink> {
  const sink = await TcpSink.openFor(t, manners)
  return sink
}

const withBytes = ({ connections }: TcpSink) => connections.filter(({ bytes }) => bytes.length > 0)

async function makeRig(t: Test): Promise<Rig> {
  const sink = await openSink(t)
  return {
    device: createSocketDevice({}, NOWHERE),
    uri: new URL(sink.uri),
    nowhere: new URL(`socket://127.0.0.1:${await findClosedPort()}`),
    received: async (count) => (await sink.jobs(count + 1)).slice(1), // the first one brought nothing
    stall: () => sink.behave({ stall: true }),
    resume: () => sink.behave({}),
    begun: () => sink.until(() => sink.length > 0),
    unplug: () => sink.reset(),
  }
}

t.test('a network printer is a device where nothing tells how far it is', (t) => {
  return conforms(t, makeRig)
})

async function start(t: Test, manners: SinkManners, limits = {}) {
  const sink = await openSink(t, manners)
  const bench = new Bench(t, {
    printers: [printer('A', sink.uri)],
    devices: [createSocketDevice({ ...PATIENT, ...limits }, NOWHERE)],
    timing: { ...QUICK, openMs: 600_000 },
  })
  bench.scheduler.start()
  return { sink, bench }
}

t.test('what the printer has not taken is not sent, and a stop leaves it unknown', async (t) => {
  const { sink, bench } = await start(t, {})
  const [good] = bench.print(['good'])
  t.match(spoken(await bench.until(good, 'completed')), { delivery: 'sent', message: '' })
  sink.behave({ stall: true })
  const ids = bench.print([1, 2, 3], { bytes: 18_688 })
  const [first, second, third] = ids
  t.match(spoken(await bench.until(first, 'processing-stopped')), { message: /takes no data/ })
  t.equal(bench.job(second).state, 'pending')
  t.equal(bench.job(third).state, 'pending')
  t.equal(sink.connections.filter(({ state }) => state === 'open').length, 1)
  await bench.scheduler.stop(10)
  t.match(bench.job(first), { state: 'pending-held', delivery: 'unknown' })
  t.equal(bench.job(second).state, 'pending')
})

t.test('it goes on by itself when the printer takes it, one connection at a time', async (t) => {
  const { sink, bench } = await start(t, {})
  const [good] = bench.print(['good'])
  await bench.until(good, 'completed')
  sink.behave({ stall: true })
  const ids = bench.print([1, 2, 3], { bytes: 100_000 })
  await bench.until(ids[0], 'processing-stopped')
  let most = 0
  const count = (): boolean => {
    most = Math.max(most, withBytes(sink).filter(({ state }) => state === 'open').length)
    return false
  }
  void sink.until(count)
  sink.behave({ bytesPerTick: 10_000 })
  for (const id of ids) t.match(await bench.until(id, 'completed'), { delivery: 'sent' })
  t.ok(most <= 1, `${most} labels under way at a time`)
  t.same(
    withBytes(sink).map(({ bytes }) => Buffer.from(bytes).toString()),
    [zplLabel('good'), ...[1, 2, 3].map((n) => zplLabel(n, 100_000))].map((label) =>
      Buffer.from(label).toString(),
    ),
  )
})

t.test('a printer that never closes is unknown, and the next label prints', async (t) => {
  const { sink, bench } = await start(t, { keepOpen: true }, { blindMs: 50, silentMs: 20 })
  const ids = bench.print([1, 2])
  for (const id of ids) {
    t.match(spoken(await bench.until(id, 'completed')), {
      delivery: 'unknown',
      message: /did not show that it took this label/,
    })
  }
  t.equal(withBytes(sink).length, 2)
})

t.test('a label that a printer which never closes may not have is not left behind', async (t) => {
  const { sink, bench } = await start(
    t,
    { stall: true, keepOpen: true },
    { blindMs: 50, silentMs: 20 },
  )
  const [id] = bench.print([1], { bytes: 18_688 })
  t.match(await bench.until(id, 'completed'), { delivery: 'unknown' })
  sink.behave({})
  await sink.until(({ connections }) => connections.at(-1)?.state !== 'open')
})

t.test('a printer that closes its sending side at once gets its time', async (t) => {
  const { sink, bench } = await start(t, { mute: true }, { blindMs: 50, silentMs: 20 })
  const [id] = bench.print([1], { bytes: 18_688 })
  t.match(await bench.until(id, 'completed'), { delivery: 'unknown' })
  t.equal(withBytes(sink)[0]?.bytes.length, 18_688)
})

t.test('a label cut off is held, and the resync of such a system counts', async (t) => {
  const { sink, bench } = await start(t, { resetAfter: 100_000 })
  const [cut] = bench.print(['cut'], { bytes: LARGE_BYTES })
  t.match(await bench.until(cut, 'pending-held'), { delivery: 'unknown' })
  sink.behave({})
  const [next] = bench.print(['next'])
  t.match(await bench.until(next, 'completed'), { delivery: 'sent' })
})
