import t, { type Test } from 'tap'
import type { Device } from '../../src/printers/device.ts'
import { createSocketDevice } from '../../src/printers/socket.ts'
import { AnsweringPrinter, type Condition } from '../devices/answering-printer.ts'
import { TcpSink } from '../devices/tcp-sink.ts'
import { Bench, type BenchSettings, printer } from './bench.ts'
import { zplLabel } from './labels.ts'

t.setTimeout(60_000)

const ASKS = { answerMs: 300 }
const TIMING = { confirmAskMs: 10, blockedAskMs: 20 }

/** A network printer that may be asked as often as one on a cable. */
function quickSocket(): Device {
  const device = createSocketDevice({ connectMs: 2000, confirmMs: 50 })
  return { ...device, asking: { isTwoWay: true, idleSeconds: 0.05 } }
}

async function start(
  t: Test,
  language: 'zpl' | 'epl' | 'tspl',
  more: Partial<Condition> = {},
  settings: Partial<BenchSettings> = {},
) {
  const device = await AnsweringPrinter.open(language, more)
  t.teardown(() => device.close())
  const printers = [printer('A', device.uri, language)]
  const bench = new Bench(t, {
    ...{ printers, devices: [quickSocket()], asks: ASKS, timing: TIMING },
    ...settings,
  })
  bench.scheduler.start()
  return { device, bench }
}

/** Resolves when the printer has been asked once and is well. */
async function meet(bench: Bench, device: AnsweringPrinter): Promise<void> {
  bench.scheduler.wake('A')
  await device.until(({ asked }) => asked.length > 0)
}

t.test('a label is confirmed when the printer’s own counters say so', async (t) => {
  const { device, bench } = await start(t, 'zpl', { busyAnswers: 3 })
  await meet(bench, device)
  await device.until(({ asked }) => asked.length > 1)
  const [id] = bench.print([1])
  const job = await bench.until(id, 'completed')
  t.match(job, { delivery: 'confirmed', message: '' })
  t.same(device.labels, [Buffer.from(zplLabel(1)).toString()], 'no question came with the label')
})

t.test('what a printer says of itself is learned', async (t) => {
  const { device, bench } = await start(t, 'zpl')
  bench.scheduler.wake('A')
  await device.until(({ asked }) => asked.length > 1)
  t.same(bench.learned.get(device.uri), {
    ...{ answers: true, makeAndModel: 'Zebra ZD421', dpi: 203, z64: true },
    media: { widthDots: 832, tracking: 'gap' },
  })
})

t.test('a printer that nobody knows is asked after its first label, not before', async (t) => {
  const slow = createSocketDevice({ connectMs: 2000, confirmMs: 50 })
  const { device, bench } = await start(t, 'zpl', {}, { devices: [slow] })
  const [first] = bench.print([1])
  t.match(await bench.until(first, 'completed'), { delivery: 'sent' })
  await device.until(({ asked }) => asked.length > 0)
  t.match(device.heard[0], /^\^XA/)
  const [second] = bench.print([2])
  t.match(await bench.until(second, 'completed'), { delivery: 'confirmed' })
})

t.test(
  'a label waits in the box while the printer is out of labels, and prints by itself',
  async (t) => {
    const { device, bench } = await start(t, 'zpl')
    await meet(bench, device)
    device.condition.paperOut = true
    const status = await bench.untilPrinter('A', ({ reasons }) => reasons.includes('media-empty'))
    t.match(status, {
      state: 'stopped',
      message: /^A is out of labels\./,
      hint: 'Load a roll, then press the feed button.',
    })
    const [id] = bench.print([1])
    const waiting = await bench.untilJob(id, ({ code }) => code === 'PRINTER_STOPPED')
    t.match(waiting, { state: 'pending', message: /out of labels/, sentBytes: 0 })
    t.same(device.labels, [])
    device.condition.paperOut = false
    t.match(await bench.until(id, 'completed'), { delivery: 'confirmed' })
    await bench.untilPrinter('A', ({ state }) => state === 'idle')
  },
)

t.test('a label that waits for a blocked printer can be cancelled at once', async (t) => {
  const { device, bench } = await start(t, 'epl')
  await meet(bench, device)
  device.condition.headOpen = true
  await bench.untilPrinter('A', ({ reasons }) => reasons.includes('cover-open'))
  const [id] = bench.print([1])
  await bench.untilJob(id, ({ code }) => code === 'PRINTER_STOPPED')
  t.match(await bench.scheduler.cancel(id ?? ''), { state: 'canceled', sentBytes: 0 })
  t.same(device.labels, [])
})

t.test(
  'a printer that runs out while it prints keeps its label, and confirms it afterwards',
  async (t) => {
    const { device, bench } = await start(t, 'zpl', { busyAnswers: 2 })
    await meet(bench, device)
    await device.until(({ asked }) => asked.length > 1)
    const [id] = bench.print([1])
    await device.until(({ labels }) => labels.length === 1)
    device.condition.headOpen = true
    const stopped = await bench.untilJob(id, ({ state }) => state === 'processing-stopped')
    t.match(stopped, { message: /is open/, hint: /[Cc]lose the cover/ })
    device.condition.headOpen = false
    t.match(await bench.until(id, 'completed'), { delivery: 'confirmed', message: '' })
    t.equal(device.labels.length, 1)
  },
)

t.test('a label whose printer went away before it came out is for a person', async (t) => {
  const { device, bench } = await start(t, 'zpl', { busyAnswers: 9 })
  await meet(bench, device)
  await device.until(({ asked }) => asked.length > 1)
  const [id] = bench.print([1])
  await device.until(({ labels }) => labels.length === 1)
  device.condition.paperOut = true
  await bench.untilJob(id, ({ state }) => state === 'processing-stopped')
  device.close()
  t.match(await bench.until(id, 'pending-held'), {
    delivery: 'unknown',
    reasons: ['platen-interrupted'],
  })
})

t.test('a TSPL label is confirmed once the printer was seen printing', async (t) => {
  const { device, bench } = await start(t, 'tspl', { busyAnswers: 2 })
  await meet(bench, device)
  await device.until(({ asked }) => asked.length > 1)
  const label = Buffer.from('SIZE 4,6\r\nCLS\r\nBITMAP 0,0,1,1,0,\0\r\nPRINT 1,1\r\n')
  t.match(await bench.until(bench.accept(label), 'completed'), { delivery: 'confirmed' })
  device.condition.busyAnswers = 0
  t.match(await bench.until(bench.accept(label), 'completed'), { delivery: 'sent' })
})

t.test('a printer that never answers gets its labels, and is seldom asked', async (t) => {
  const sink = await TcpSink.open()
  t.teardown(() => sink.close())
  const bench = new Bench(t, {
    printers: [printer('A', sink.uri)],
    devices: [quickSocket()],
    asks: { answerMs: 50 },
    timing: TIMING,
  })
  bench.scheduler.start()
  const texts = () => sink.connections.map(({ bytes }) => Buffer.from(bytes).toString())
  const [first] = bench.print([1])
  t.match(await bench.until(first, 'completed'), { delivery: 'sent' })
  await sink.until(() => texts().includes('~HS~HQES'))
  const ids = bench.print([2, 3])
  for (const id of ids) t.match(await bench.until(id, 'completed'), { delivery: 'sent' })
  await sink.until(() => texts().filter((text) => text === '').length > 2)
  t.equal(texts().filter((text) => text.includes('~HS')).length, 1)
  t.equal(bench.printers.get('A')?.status.state, 'idle')
})

t.test('a printer that fell silent does not keep its labels', async (t) => {
  const { device, bench } = await start(t, 'zpl', {}, { asks: { answerMs: 40 } })
  await meet(bench, device)
  await device.until(({ asked }) => asked.length > 1)
  device.condition.mute = true
  await bench.untilPrinter('A', ({ message }) => message === 'A does not say that it is ready.')
  const ids = bench.print([1, 2])
  for (const id of ids) t.match(await bench.until(id, 'completed'), { delivery: 'sent' })
  device.condition.mute = false
})

t.test('a printer whose entry says so is never asked', async (t) => {
  const device = await AnsweringPrinter.open('zpl', { paperOut: true })
  t.teardown(() => device.close())
  const printers = [{ ...printer('A', device.uri), asksStatus: false }]
  const bench = new Bench(t, { printers, devices: [quickSocket()], asks: ASKS, timing: TIMING })
  bench.scheduler.start()
  const [id] = bench.print([1])
  t.match(await bench.until(id, 'completed'), { delivery: 'sent' })
  t.equal(device.heard.length, 1)
})

t.test('an idle printer that was switched off shows it, and that it is back', async (t) => {
  const sink = await TcpSink.open()
  t.teardown(() => sink.close())
  const bench = new Bench(t, {
    printers: [printer('A', sink.uri)],
    devices: [quickSocket()],
    asks: { answerMs: 50 },
  })
  bench.scheduler.start()
  bench.scheduler.wake('A')
  await sink.until(({ connections }) => connections.length > 0)
  await sink.down()
  await bench.untilPrinter('A', ({ reasons }) => reasons.includes('offline'))
  await sink.up()
  await bench.untilPrinter('A', ({ state }) => state === 'idle')
})

t.test('calibrating waits for the label in hand, and is a transmission of its own', async (t) => {
  const { device, bench } = await start(t, 'zpl')
  await meet(bench, device)
  const [id] = bench.print([1], { bytes: 500_000 })
  const calibrated = bench.scheduler.transmit('A', Buffer.from('~JC'))
  await bench.until(id, 'completed')
  await calibrated
  await device.until(({ calibrations }) => calibrations === 1)
  t.ok(device.asked.includes('~JC'), 'on a connection of its own')
})

t.test('calibrating a printer that cannot be reached says so', async (t) => {
  const { device, bench } = await start(t, 'zpl')
  device.close()
  await t.rejects(bench.scheduler.transmit('A', Buffer.from('~JC')), { code: 'PRINTER_OFFLINE' })
  await t.rejects(bench.scheduler.transmit('B', Buffer.from('~JC')), { code: 'PRINTER_UNKNOWN' })
  await bench.scheduler.stop(0)
  await t.rejects(bench.scheduler.transmit('A', Buffer.from('~JC')), { code: 'PRINTER_STOPPED' })
})

t.test('a printer that does not even take a question keeps its labels in the box', async (t) => {
  const gate = Promise.withResolvers<void>()
  const sent: string[] = []
  const device: Device = {
    ...createSocketDevice(),
    asking: { isTwoWay: true, idleSeconds: 0.05 },
    open: () =>
      Promise.resolve({
        async send(bytes) {
          if (Buffer.from(bytes).includes('~HS')) await gate.promise
          sent.push(Buffer.from(bytes).toString('latin1'))
        },
        receive: () => Promise.resolve(Buffer.from('\u0002030,0\u0003')),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
  }
  const bench = new Bench(t, {
    printers: [printer('A', 'socket://127.0.0.1')],
    devices: [device],
    asks: { answerMs: 20, stuckMs: 20 },
    timing: TIMING,
  })
  bench.scheduler.start()
  bench.scheduler.wake('A')
  await bench.untilPrinter('A', ({ message }) => message.startsWith('A takes no data.'))
  const [id] = bench.print([1])
  t.match(await bench.untilJob(id, ({ code }) => code === 'PRINTER_STOPPED'), {
    state: 'pending',
    message: /takes no data/,
  })
  t.same(sent, [])
  gate.resolve()
  await bench.until(id, 'completed')
  await bench.untilPrinter('A', ({ state }) => state === 'idle')
})

t.test('a printer that somebody has to look after is not told to calibrate', async (t) => {
  const sink = await TcpSink.open({ resetAfter: 100_000 })
  t.teardown(() => sink.close())
  const bench = new Bench(t, { printers: [printer('A', sink.uri, 'epl')] })
  bench.scheduler.start()
  const [cut] = bench.print([1], { bytes: 12_000_000 })
  await bench.until(cut, 'pending-held')
  await t.rejects(bench.scheduler.transmit('A', Buffer.from('xa')), {
    code: 'PRINTER_STOPPED',
    message: /cut off in the middle/,
  })
})
