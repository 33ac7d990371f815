import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import * as moves from '../../../src/core/moves.ts'
import type { Device, FoundPrinter } from '../../../src/printers/device.ts'
import { createSocketDevice } from '../../../src/printers/devices/socket/index.ts'
import { Discovery } from '../../../src/printers/known/discovery.ts'
import { inEnglish, NOTHING } from '../../../src/words/say.ts'
import { openDeafPort } from '../../devices/deaf-port.ts'
import { LARGE_BYTES, TcpSink } from '../../devices/tcp-sink.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, printer } from '../bench.ts'
import { zplLabel } from '../labels.ts'
import { makeMemory } from '../printers/make-printer.ts'

function eplLabel(mark: number, bytes = 0): Uint8Array {
  return Buffer.from(`N\n;${mark}\n;${' '.repeat(bytes)}\nP1\n`)
}

async function openSink(t: Test, manners = {}): Promise<TcpSink> {
  const sink = await TcpSink.openFor(t, manners)
  return sink
}

t.test('canceled half-way, a label waits until its printer was looked after', async (t) => {
  const sink = await openSink(t, { stall: true })
  const bench = new Bench(t, { printers: [printer('A', sink.uri, 'epl')] })
  bench.scheduler.start()
  const cut = bench.accept(eplLabel(1, LARGE_BYTES)) ?? ''
  await bench.until(cut, 'processing-stopped')
  const stopped = await bench.scheduler.cancel(cut)
  t.match(spoken(stopped), {
    state: 'pending-held',
    delivery: 'unknown',
    reasons: ['platen-interrupted'],
    message: /was stopped while it printed/,
    hint: /cancel the label again/,
  })
  const next = bench.accept(eplLabel(2))
  await bench.untilPrinter('A', ({ message }) =>
    inEnglish(message).includes('in the middle of a label'),
  )
  sink.behave({})
  t.match(await bench.scheduler.cancel(cut), { state: 'canceled', delivery: 'unknown' })
  await bench.until(next, 'completed')
})

/** A printer without a serial number whose cable is put into port 1-1, then into others. */
function openCable(t: Test, sink: TcpSink, language: string) {
  const tcp = createSocketDevice()
  const find = (n: number): FoundPrinter => ({
    uri: `usb://Maker/Model?port=1-${n}`,
    deviceId: `MFG:Maker;MDL:Model;CMD:${language};`,
    makeAndModel: 'Maker Model',
    vendorId: 1,
    productId: 2,
    session: `1.${n}`,
  })
  let [port, uri] = [1, new URL(sink.uri)]
  const usb: Device = {
    scheme: 'usb',
    example: '',
    about: '',
    check: () => undefined,
    list: () => Promise.resolve([find(port)]),
    open: (_, signal) => tcp.open(uri, signal),
  }
  const bench = new Bench(t, { printers: [], devices: [usb] })
  const discovery = new Discovery({
    devices: [usb],
    printers: bench.printers,
    store: makeMemory(),
    configured: () => [],
    defaultName: () => '',
    onMove: (from, to) => bench.spool.halfLabels.follow(from, to),
    onRestart: (name) => bench.scheduler.printerRestarted(name),
    fault: (error) => bench.faults.push(error),
  })
  const plug = async (to: number, there = sink): Promise<void> => {
    ;[port, uri] = [to, new URL(there.uri)]
    await discovery.search(new AbortController().signal)
  }
  return { bench, plug }
}

t.test('half a label goes along when its printer is put into another port', async (t) => {
  const sink = await openSink(t, { resetAfter: 1 })
  const { bench, plug } = openCable(t, sink, 'ZPL')
  await plug(1)
  bench.scheduler.start()
  const [cut] = bench.print([1], { bytes: LARGE_BYTES })
  await bench.until(cut, 'pending-held')
  const after = await openSink(t)
  await plug(3, after)
  const [next] = bench.print([2])
  await bench.until(next, 'completed')
  const [first] = after.connections.filter(({ bytes }) => bytes.length > 0)
  t.equal(first?.bytes.toString(), '~JA', 'before the next label')
  t.same(bench.spool.halfLabels.list(), [])
})

t.test('... where a language has no command the new port says that it was cut off', async (t) => {
  const sink = await openSink(t, { resetAfter: 1 })
  const { bench, plug } = openCable(t, sink, 'EPL')
  await plug(1)
  bench.scheduler.start()
  const cut = bench.accept(eplLabel(1, LARGE_BYTES)) ?? ''
  await bench.until(cut, 'pending-held')
  sink.behave({})
  await plug(3)
  t.same(bench.spool.halfLabels.list(), [])
  await bench.until(bench.accept(eplLabel(2)), 'completed')
  t.same(bench.faults, [])
})

t.test('a folder keeps no half label, so nobody is asked', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a', 'epl')] })
  bench.scheduler.start()
  for (let mark = 0; mark < 5; mark += 1) {
    const cut = bench.accept(eplLabel(mark, LARGE_BYTES)) ?? ''
    while (bench.job(cut).state === 'pending') await turn()
    await bench.scheduler.cancel(cut)
    t.match(bench.job(cut).state, /canceled|completed/)
  }
  await bench.until(bench.accept(eplLabel(5)), 'completed')
})

t.test('one word is enough where another entry has a language with a command', async (t) => {
  const sink = await openSink(t, { resetAfter: 1 })
  const printers = [printer('A', sink.uri, 'zpl'), printer('B', sink.uri, 'epl')]
  const bench = new Bench(t, { printers })
  bench.scheduler.start()
  const cut = bench.accept(eplLabel(1, LARGE_BYTES), { printer: 'B' }) ?? ''
  await bench.until(cut, 'pending-held')
  sink.behave({})
  await bench.scheduler.resolve(cut, false)
  const after = await bench.untilJob(
    cut,
    ({ attempts, state }) => attempts > 1 || state !== 'pending',
  )
  t.match(after, { state: 'processing', attempts: 2 }, 'nobody is asked once more')
  await bench.until(cut, 'completed')
})

t.test('of half a label whose job expires a person is asked with the next one', async (t) => {
  const sink = await openSink(t, { resetAfter: 1 })
  let ms = 1_000
  const settings = { printers: [printer('A', sink.uri, 'epl')], uptimeMs: () => ms }
  const bench = new Bench(t, { ...settings, onInterrupt: () => 'reprint' })
  bench.scheduler.start()
  const cut = bench.accept(eplLabel(1, LARGE_BYTES), { expireAfter: 60 })
  await bench.untilJob(cut, ({ reasons }) => reasons.includes('platen-interrupted'))
  const next = bench.accept(eplLabel(2))
  await bench.untilPrinter('A', ({ message }) =>
    inEnglish(message).includes('in the middle of a label'),
  )
  ms += 60_000
  await bench.until(cut, 'canceled')
  t.match(await bench.until(next, 'pending-held'), { reasons: ['platen-interrupted'] })
})

t.test('of half a label whose job has ended a person is asked with the next one', async (t) => {
  const sink = await openSink(t)
  const bench = new Bench(t, { printers: [printer('A', sink.uri, 'epl')] })
  const old = bench.accept(eplLabel(1)) ?? ''
  bench.spool.move(old, (job) => moves.begin(job, 1, NOTHING))
  bench.spool.move(old, (job) => moves.cancel(job, 2, 5), { isCut: true })
  bench.scheduler.start()
  bench.scheduler.pause('A')
  const expired = bench.accept(eplLabel(2), { expireAfter: 1 }) ?? ''
  const next = bench.accept(eplLabel(3)) ?? ''
  await bench.until(expired, 'canceled')
  t.equal(bench.job(next).state, 'pending', 'a paused printer asks nobody')
  bench.scheduler.resume('A')
  await bench.until(next, 'pending-held')
  t.match(bench.spool.halfLabels.list(), [{ job: next, printer: 'A' }])
  await bench.scheduler.resolve(next, false)
  await bench.until(next, 'completed')
  t.same(bench.spool.halfLabels.list(), [])
})

t.test('a word said at another printer does not count for the one with half a label', async (t) => {
  const [one, other] = [await openSink(t, { resetAfter: 1 }), await openSink(t)]
  const bench = new Bench(t, { printers: [printer('A', one.uri, 'epl')] })
  bench.scheduler.start()
  const cut = bench.accept(eplLabel(1, LARGE_BYTES)) ?? ''
  await bench.until(cut, 'pending-held')
  one.behave({})
  bench.printers.configure([printer('A', other.uri, 'epl'), printer('B', one.uri, 'epl')], '')
  await bench.scheduler.resolve(cut, false)
  await bench.until(cut, 'completed')
  const next = bench.accept(eplLabel(2), { printer: 'B' }) ?? ''
  const held = await bench.until(next, 'pending-held')
  t.match(spoken(held), {
    delivery: 'none',
    reasons: ['platen-interrupted'],
    message: /in the middle of a label/,
  })
  await bench.close()

  const later = new Bench(t, { printers: [printer('B', one.uri, 'epl')], folder: bench.folder })
  later.scheduler.start()
  const after = later.accept(eplLabel(3)) ?? ''
  await later.untilPrinter('B', ({ message }) =>
    inEnglish(message).includes('in the middle of a label'),
  )
  await later.scheduler.resolve(next, false)
  await later.until(next, 'completed')
  await later.until(after, 'completed')
  t.same(later.spool.halfLabels.list(), [])
})

t.test(
  'a word said while the printer is not in the settings is asked for again there',
  async (t) => {
    const sink = await openSink(t, { resetAfter: 1 })
    const bench = new Bench(t, { printers: [printer('A', sink.uri, 'epl')] })
    bench.scheduler.start()
    const [cut, gone] = [
      bench.accept(eplLabel(1, LARGE_BYTES)) ?? '',
      bench.accept(eplLabel(2)) ?? '',
    ]
    await bench.until(cut, 'pending-held')
    bench.printers.configure([], '')
    await bench.scheduler.resolve(cut, true)
    sink.behave({})
    // The label that was cut has ended: the next one there asks, whatever its printer is called.
    bench.printers.configure([printer('B', sink.uri, 'epl')], '')
    const next = bench.accept(eplLabel(3), { printer: 'B' }) ?? ''
    await bench.until(next, 'pending-held')
    await bench.scheduler.resolve(next, false)
    await bench.until(next, 'completed')
    t.equal(bench.job(gone).state, 'pending', 'one for a printer that is gone waits for it')
    t.same(bench.spool.halfLabels.list(), [])
  },
)

t.test('a label that is asked about for two printers is asked about once for each', async (t) => {
  const [one, other] = [await openSink(t, { resetAfter: 1 }), await openSink(t, { resetAfter: 1 })]
  const printers = [printer('A', one.uri, 'epl'), printer('B', other.uri, 'epl')]
  const bench = new Bench(t, { printers })
  bench.scheduler.start()
  const [cut, second] = ['A', 'B'].map((name) =>
    bench.accept(eplLabel(1, LARGE_BYTES), { printer: name }),
  ) as [string, string]
  for (const id of [cut, second]) await bench.until(id, 'pending-held')
  for (const sink of [one, other]) sink.behave({})
  bench.printers.configure([printer('A', other.uri, 'epl'), printer('B', one.uri, 'epl')], '')
  await bench.scheduler.resolve(second, true)
  await bench.scheduler.resolve(cut, false)
  await bench.until(cut, 'pending-held')
  t.same(
    bench.spool.halfLabels.list().map(({ job }) => job),
    [cut, cut],
    'its own at the old printer, and the one that the other left here',
  )
  await bench.scheduler.resolve(cut, false)
  await bench.until(cut, 'completed')
  t.match(bench.spool.halfLabels.list(), [{ job: cut }], 'the old printer is asked about later')
})

t.test('what was cut off under one name is cleared before another name prints there', async (t) => {
  const sink = await openSink(t, { resetAfter: 1 })
  const [a, b, c] = ['A', 'B', 'C'].map((name) => printer(name, sink.uri))
  if (a === undefined || b === undefined || c === undefined) throw new Error('no printers')
  const bench = new Bench(t, { printers: [a, b] })
  bench.scheduler.start()
  const [cut = ''] = bench.print(['cut'], { printer: 'A', bytes: LARGE_BYTES })
  await poll('the first to have the printer', () => sink.connections.length > 0)
  // Waits for the end of the first, and must not follow it into its half label.
  const [next] = bench.print(['next'], { printer: 'B' })
  await bench.until(cut, 'pending-held')
  sink.behave({})
  bench.scheduler.wake('B')
  await bench.until(next, 'completed')
  // Some are looks at the printer alone.
  const words = (): readonly string[] =>
    sink.connections.flatMap(({ bytes }) => Buffer.from(bytes).toString().trimEnd() || [])
  const whole = (mark: string) => Buffer.from(zplLabel(mark)).toString().trimEnd()
  t.same(words().slice(-2), ['~JA', whole('next')])

  sink.behave({ resetAfter: 1 })
  const [again = ''] = bench.print(['again'], { printer: 'A', bytes: LARGE_BYTES })
  await bench.until(again, 'pending-held')
  sink.behave({})
  bench.printers.configure([c], '')
  const [renamed] = bench.print(['renamed'], { printer: 'C' })
  await bench.until(renamed, 'completed')
  t.same(words().slice(-2), ['~JA', whole('renamed')])
})

t.test('half a label stays where it is when its name leads elsewhere', async (t) => {
  const [one, other] = [await openSink(t, { resetAfter: 1 }), await openSink(t)]
  const bench = new Bench(t, { printers: [printer('A', one.uri)] })
  bench.scheduler.start()
  const [cut = ''] = bench.print(['cut'], { printer: 'A', bytes: LARGE_BYTES })
  await bench.until(cut, 'pending-held')
  one.behave({})
  bench.printers.configure([], '')
  bench.printers.configure([printer('A', other.uri), printer('B', one.uri)], '')
  const [elsewhere] = bench.print(['elsewhere'], { printer: 'A' })
  const [there] = bench.print(['there'], { printer: 'B' })
  await bench.until(elsewhere, 'completed')
  await bench.until(there, 'completed')
  const words = ({ connections }: TcpSink): readonly string[] =>
    connections.flatMap(({ bytes }) => Buffer.from(bytes).toString().trimEnd() || [])
  const whole = (mark: string): string => Buffer.from(zplLabel(mark)).toString().trimEnd()
  t.same(words(other), [whole('elsewhere')], 'nothing was cut there')
  t.same(words(one).slice(-2), ['~JA', whole('there')])
  t.same(bench.spool.halfLabels.list(), [])
})

t.test('a printer that left the settings before a kill is remembered by its address', async (t) => {
  const sink = await openSink(t, { stall: true })
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const [cut] = bench.print(['cut'], { bytes: LARGE_BYTES })
  await bench.until(cut, 'processing-stopped')
  bench.printers.configure([printer('C', sink.uri)], '')
  await bench.close()
  sink.behave({})
  const later = new Bench(t, { printers: [printer('C', sink.uri)], folder: bench.folder })
  later.scheduler.start()
  const [next] = later.print(['next'])
  await later.until(next, 'completed')
  const words = sink.connections.map(({ bytes }) => Buffer.from(bytes).toString().trimEnd())
  t.same(words.filter((word) => word !== '').slice(-2), [
    '~JA',
    Buffer.from(zplLabel('next')).toString().trimEnd(),
  ])
})

t.test('a label follows its printer when the settings change while it waits', async (t) => {
  const [one, other] = [await openSink(t, { stall: true }), await openSink(t)]
  const a = printer('A', one.uri)
  const bench = new Bench(t, { printers: [a, printer('B', one.uri)] })
  bench.scheduler.start()
  const [first] = bench.print(['first'], { printer: 'A', bytes: LARGE_BYTES })
  await bench.until(first, 'processing-stopped')
  const [second] = bench.print(['second'], { printer: 'B' })
  await turn()
  bench.printers.configure([a, printer('B', other.uri)], '')
  bench.scheduler.wake('B')
  one.behave({})
  await bench.until(second, 'completed')
  t.equal(Buffer.concat(await other.jobs(1)).toString(), Buffer.from(zplLabel('second')).toString())
})

t.test('a label that is decided about while its printer is opened is not a fault', async (t) => {
  await using deaf = await openDeafPort()
  const bench = new Bench(t, { printers: [printer('A', `socket://127.0.0.1:${deaf.port}`)] })
  bench.scheduler.start()
  const [id = ''] = bench.print([1])
  await turn()
  const canceled = bench.scheduler.cancel(id)
  await bench.scheduler.cancelWaiting('A')
  t.match(await canceled, { state: 'canceled', delivery: 'none' })
  t.same(bench.faults, [])
})

t.test('a label that is canceled and moved in one moment is not a fault', async (t) => {
  await using deaf = await openDeafPort()
  const uri = `socket://127.0.0.1:${deaf.port}`
  const bench = new Bench(t, { printers: [printer('A', uri), printer('B', uri)] })
  bench.scheduler.start()
  for (let steps = 0; steps < 20; steps += 1) {
    const [id = ''] = bench.print([steps], { printer: 'A' })
    await turn()
    const canceled = bench.scheduler.cancel(id)
    for (let step = 0; step < steps; step += 1) await Promise.resolve()
    // Refused when the cancel was quicker.
    await Promise.allSettled([bench.intake.reprint(id, 'B', { isMove: true })])
    t.match(await canceled, { state: 'canceled' })
  }
  t.same(bench.faults, [])
})

t.test('a label that is canceled while half a label is cleared is not a fault', async (t) => {
  await using deaf = await openDeafPort()
  const timing = { openMs: 50 }
  const bench = new Bench(t, {
    printers: [printer('A', `socket://127.0.0.1:${deaf.port}`)],
    timing,
  })
  const [cut = '', next = ''] = bench.print([1, 2])
  bench.spool.move(cut, (job) => moves.begin(job, 1, NOTHING))
  bench.scheduler.start() // holds the first, and clears the printer for the second
  await turn()
  await bench.scheduler.cancel(next)
  await bench.untilPrinter('A', ({ state }) => state === 'stopped')
  t.same(bench.faults, [])
})

t.test('a label whose printer is about to be opened does not begin after a stop', async (t) => {
  const sink = await openSink(t)
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const [id] = bench.print([1])
  await bench.scheduler.stop(0)
  t.match(bench.job(id), { state: 'pending', attempts: 0 })
})
