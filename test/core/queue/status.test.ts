import { once } from 'node:events'
import t, { type Test } from 'tap'
import { findCalibration } from '../../../src/core/printers/calibration.ts'
import type { PrinterStatus } from '../../../src/core/printers/status.ts'
import type { Device } from '../../../src/printers/device.ts'
import { createSerialDevice } from '../../../src/printers/devices/serial/index.ts'
import { createSocketDevice } from '../../../src/printers/devices/socket/index.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { inEnglish } from '../../../src/words/say.ts'
import { AnsweringPrinter, type Condition } from '../../devices/answering-printer.ts'
import { Pty } from '../../devices/pty.ts'
import { LARGE_BYTES, TcpSink } from '../../devices/tcp-sink.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, type BenchSettings, printer } from '../bench.ts'
import { zplLabel } from '../labels.ts'

t.setTimeout(300_000)

const PATIENT = { asks: { answerMs: 60_000 } } // for printers that always answer, on a machine that may be slow
/** For printers whose silence counts. Each silence costs so long; one that answers must do so within it. */
const LISTENS = { asks: { answerMs: 2_000 } }
/** No stall: a busy machine must not stop a label before its printer says why. */
const TIMING = { confirmAskMs: 10, blockedAskMs: 20, stallMs: 60_000 }
const SERIAL_ASKING = { isTwoWay: true, idleSeconds: 0.05, keepsLine: true } as const

/** The answer to `~HS` of a printer with so many labels to print. */
function hostStatus(left: number): string {
  const strings = ['030,0,0,1225,000,0,0,0,000,0,0,0', `001,0,0,0,1,2,6,0,0000000${left},1,000`]
  return [...strings, '1234,0'].map((text) => `\u0002${text}\u0003\r\n`).join('')
}

/** A network printer that may be asked as often as one on a cable. */
function quickSocket(): Device {
  const device = createSocketDevice({ connectMs: 2000, confirmMs: 50, settleMs: 5 })
  return { ...device, asking: { isTwoWay: true, idleSeconds: 0.05 } }
}

async function start(
  t: Test,
  language: 'zpl' | 'epl' | 'tspl',
  more: Partial<Condition> = {},
  settings: Partial<BenchSettings> = PATIENT,
) {
  const device = await AnsweringPrinter.open(language, more)
  t.teardown(() => device.close())
  const printers = [printer('A', device.uri, language)]
  const bench = new Bench(t, {
    printers,
    devices: [quickSocket()],
    timing: TIMING,
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
  t.match(spoken(job), { delivery: 'confirmed', message: '' })
  t.same(device.labels, [Buffer.from(zplLabel(1)).toString()], 'no question came with the label')
})

t.test('a printer that was not seen busy is asked once more', async (t) => {
  const { device, bench } = await start(t, 'zpl')
  await meet(bench, device)
  await device.until(({ asked }) => asked.length > 1)
  const [id] = bench.print([1])
  t.match(await bench.until(id, 'completed'), { delivery: 'confirmed' })
  const label = device.heard.findIndex((text) => text.includes('^XZ'))
  t.equal(device.heard[label + 1], '~HS~HS', 'the first may be from before the label')
})

t.test('what a printer says of itself is learned', async (t) => {
  const { device, bench } = await start(t, 'zpl')
  bench.scheduler.wake('A')
  await device.until(({ asked }) => asked.length > 1)
  t.same(bench.learned.get(device.uri), {
    language: 'zpl',
    answers: true,
    makeAndModel: 'Zebra ZD421',
    dpi: 203,
    z64: true,
    media: { widthDots: 832, tracking: 'gap' },
  })
})

/** A network printer as shipped: it is seldom asked while it is idle. */
function slowSocket(): Device {
  return createSocketDevice({ connectMs: 2000, confirmMs: 50, settleMs: 5 })
}

t.test('after a printer was away another one may have its place', async (t) => {
  const network = slowSocket()
  let isAway = false
  const away = new PlatenError('PRINTER_OFFLINE', 'no route to it')
  const socket: Device = {
    ...network,
    open: (uri, signal) => (isAway ? Promise.reject(away) : network.open(uri, signal)),
  }
  const { device, bench } = await start(t, 'zpl', {}, { ...PATIENT, devices: [socket] })
  bench.scheduler.wake('A')
  const isKnown = (model: string) => bench.learned.get(device.uri)?.makeAndModel === model
  await poll('its model', () => isKnown('Zebra ZD421'))
  isAway = true
  const [id] = bench.print([1])
  await bench.untilJob(id, ({ code }) => code === 'PRINTER_OFFLINE')
  device.condition = { ...device.condition, model: 'ZD621-300dpi' }
  isAway = false
  await bench.until(id, 'completed')
  await poll('the new model', () => isKnown('Zebra ZD621'))
})

const isUnasked = ({ reasons }: PrinterStatus): boolean => reasons.includes('platen-not-asked')

t.test('a network printer is asked at the start, and ready only then', async (t) => {
  const { device, bench } = await start(t, 'zpl', {}, { ...PATIENT, devices: [slowSocket()] })
  t.match(spoken(bench.printers.get('A')?.status), {
    state: 'idle',
    reasons: ['platen-not-asked'],
    message: /^It is not known yet whether A is switched on/,
  })
  bench.scheduler.wake('A')
  const status = await bench.untilPrinter('A', (status) => !isUnasked(status))
  t.same(spoken(status), { state: 'idle', reasons: ['none'], message: '', hint: '' })
  t.same(device.labels, [])
  const [first] = bench.print([1])
  t.match(await bench.until(first, 'completed'), { delivery: 'confirmed' })
})

t.test('a first label that comes at once does not wait for the question', async (t) => {
  const patient = { answerMs: 3_600_000 }
  const { device, bench } = await start(
    t,
    'zpl',
    { mute: true },
    {
      asks: patient,
      devices: [slowSocket()],
      timing: TIMING,
    },
  )
  bench.scheduler.wake('A')
  await device.until(({ heard }) => heard[0] === '~HS')
  t.ok(isUnasked(await bench.untilPrinter('A', () => true)), 'nobody has answered yet')
  const [first] = bench.print([1])
  t.match(await bench.until(first, 'completed'), { delivery: 'sent' })
  t.same(device.labels, [Buffer.from(zplLabel(1)).toString()])
  await bench.untilPrinter('A', ({ reasons }) => reasons.includes('none'))
})

t.test('a printer that answers no question counts as asked', async (t) => {
  for (const language of ['zpl', 'epl', undefined] as const) {
    const device = await AnsweringPrinter.open(language ?? 'zpl', { mute: true })
    t.teardown(() => device.close())
    const printers = [{ ...printer('A', device.uri), language }]
    const asks = { answerMs: 50 }
    const bench = new Bench(t, { printers, devices: [slowSocket()], asks, timing: TIMING })
    bench.scheduler.start()
    bench.scheduler.wake('A')
    const status = await bench.untilPrinter('A', (status) => !isUnasked(status))
    t.match(status, { state: 'idle', reasons: ['none'] }, String(language))
  }
})

t.test('a network printer that refuses is away before its first label', async (t) => {
  const { device, bench } = await start(t, 'zpl', {}, { ...PATIENT, devices: [slowSocket()] })
  device.close()
  bench.scheduler.wake('A')
  const status = await bench.untilPrinter('A', (status) => !isUnasked(status))
  t.match(spoken(status), { state: 'stopped', reasons: ['offline'], message: /^A does not answer/ })
})

t.test('a printer at a new address is asked there', async (t) => {
  const settings = { ...PATIENT, devices: [slowSocket()] }
  const { bench } = await start(t, 'zpl', {}, settings)
  bench.scheduler.wake('A')
  await bench.untilPrinter('A', (status) => !isUnasked(status))
  const other = await AnsweringPrinter.open('zpl', { paused: true })
  t.teardown(() => other.close())
  bench.printers.configure([printer('A', other.uri)], '')
  t.ok(isUnasked(await bench.untilPrinter('A', () => true)))
  bench.scheduler.wake('A')
  await bench.untilPrinter('A', ({ reasons }) => reasons.includes('paused'))
})

t.test('a network printer is asked again while somebody looks, but not all the time', async (t) => {
  const rest = { ...PATIENT, devices: [slowSocket()] }
  const { device, bench } = await start(t, 'zpl', {}, { ...rest, timing: { attendMs: 0 } })
  bench.scheduler.wake('A')
  await bench.untilPrinter('A', (status) => !isUnasked(status))
  device.condition.paused = true
  bench.scheduler.attend('A')
  await bench.untilPrinter('A', ({ reasons }) => reasons.includes('paused'))

  const seldom = await start(t, 'zpl', {}, rest)
  seldom.bench.scheduler.wake('A')
  await seldom.bench.untilPrinter('A', (status) => !isUnasked(status))
  await seldom.device.until(({ isAlone }) => isAlone)
  const before = seldom.device.heard.length
  seldom.bench.scheduler.attend('A')
  await seldom.bench.scheduler.stop(0)
  t.equal(seldom.device.heard.length, before)
})

t.test(
  'a label waits in the box while the printer is out of labels, and prints by itself',
  async (t) => {
    const { device, bench } = await start(t, 'zpl', {}, LISTENS)
    await meet(bench, device)
    device.condition.paperOut = true
    const status = await bench.untilPrinter('A', ({ reasons }) => reasons.includes('media-empty'))
    t.match(spoken(status), {
      state: 'stopped',
      message: /^A is out of labels\./,
      hint: 'Load a roll, then press the feed button.',
    })
    const [id] = bench.print([1])
    const waiting = await bench.untilJob(id, ({ code }) => code === 'PRINTER_STOPPED')
    t.match(spoken(waiting), { state: 'pending', message: /out of labels/, sentBytes: 0 })
    t.same(device.labels, [])
    device.condition.paperOut = false
    t.match(await bench.until(id, 'completed'), { delivery: 'confirmed' })
    await bench.untilPrinter('A', ({ state }) => state === 'idle')
  },
)

t.test('a label that waits for a blocked printer can be canceled at once', async (t) => {
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
    const { device, bench } = await start(t, 'zpl', { busyAnswers: 2 }, LISTENS)
    await meet(bench, device)
    await device.until(({ asked }) => asked.length > 1)
    const [id] = bench.print([1])
    await device.until(({ labels }) => labels.length === 1)
    device.condition.headOpen = true
    // On a busy machine it is first told that the printer takes nothing.
    const stopped = await bench.untilJob(id, ({ message }) =>
      inEnglish(message).includes('is open'),
    )
    t.match(spoken(stopped), { state: 'processing-stopped', hint: /[Cc]lose the cover/ })
    device.condition.headOpen = false
    t.match(spoken(await bench.until(id, 'completed')), { delivery: 'confirmed', message: '' })
    t.equal(device.labels.length, 1)
  },
)

t.test('a label whose printer went away before it came out is for a person', async (t) => {
  const { device, bench } = await start(t, 'zpl', { busyAnswers: 9 }, LISTENS)
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
  const sink = await TcpSink.openFor(t)
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

t.test('a label does not wait for a printer that does not answer', async (t) => {
  const sink = await TcpSink.openFor(t)
  const bench = new Bench(t, {
    printers: [printer('A', sink.uri)],
    devices: [quickSocket()],
    asks: { answerMs: 3_600_000 }, // a label that waited for it would never print here
    timing: TIMING,
  })
  bench.scheduler.start()
  const texts = () => sink.connections.map(({ bytes }) => Buffer.from(bytes).toString())
  bench.scheduler.wake('A')
  await sink.until(() => texts().includes('~HS'))
  const [id] = bench.print([1])
  t.match(spoken(await bench.until(id, 'completed')), { delivery: 'sent', message: '' })
  const label = Buffer.from(zplLabel(1)).toString()
  await sink.until(() => texts().includes(label)) // a transmission of its own
  t.equal(texts()[0], '~HS', 'nothing was asked any more')
  await bench.untilPrinter('A', ({ state }) => state === 'idle') // the silence says nothing
})

t.test('questions that gave way are as good as one that was not answered', async (t) => {
  const sink = await TcpSink.openFor(t)
  let clock = 0
  const bench = new Bench(t, {
    printers: [printer('A', sink.uri)],
    devices: [quickSocket()],
    asks: { answerMs: 60_000, now: () => clock },
    timing: TIMING,
  })
  bench.scheduler.start()
  const questions = () => sink.connections.filter(({ bytes }) => Buffer.from(bytes).includes('~HS'))
  bench.scheduler.wake('A')
  for (const mark of [1, 2, 3]) {
    await sink.until(() => questions().length === mark)
    clock += 24_000
    const [id] = bench.print([mark])
    t.match(await bench.until(id, 'completed'), { delivery: 'sent' })
  }
  const looks = sink.connections.length
  await sink.until(({ connections }) => connections.length > looks + 3)
  t.equal(questions().length, 3, 'after 72 s in all it is left alone for five minutes')
})

t.test('a question that waits for its connection gives way too', async (t) => {
  const opened: AbortSignal[] = []
  const sent: string[] = []
  const refusal = new PlatenError('PRINTER_OFFLINE', 'The call was given up.')
  const device: Device = {
    ...quickSocket(),
    // The first call is never answered, like that to a computer that is switched off.
    open: async (_uri, signal) => {
      opened.push(signal)
      if (opened.length === 1) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        throw refusal
      }
      return {
        send: (bytes) => Promise.resolve(void sent.push(Buffer.from(bytes).toString('latin1'))),
        receive: () => Promise.resolve(new Uint8Array()),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }
    },
  }
  const bench = new Bench(t, {
    printers: [printer('A', 'socket://127.0.0.1')],
    devices: [device],
    asks: { answerMs: 20 },
    timing: { ...TIMING, openMs: 3_600_000 },
  })
  bench.scheduler.start()
  bench.scheduler.wake('A')
  while (opened.length === 0) await new Promise(setImmediate)
  const [id] = bench.print([1])
  t.match(await bench.until(id, 'completed'), { attempts: 1 })
  t.equal(sent[0], Buffer.from(zplLabel(1)).toString())
  t.same(bench.faults, [])
})

t.test('an answer that comes too late is not taken for that to another question', async (t) => {
  const pty = new Pty()
  const device = { ...createSerialDevice(), asking: SERIAL_ASKING }
  t.teardown(async () => {
    await device[Symbol.asyncDispose]()
    pty.unplug()
  })
  const bench = new Bench(t, {
    printers: [printer('A', `serial:${pty.path}?baud=4000000`)],
    devices: [device],
    asks: { answerMs: 8_000 }, // so long the old answer is waited for, too
    timing: TIMING,
  })
  const ready = hostStatus(0)
  const count = (text: string) => pty.received.toString().split(text).length - 1
  bench.scheduler.start()
  bench.scheduler.wake('A')
  await pty.until(() => count('~HS') === 1)
  pty.say(ready) // so the printer is one that answers
  await pty.until(() => count('~HI') === 1)
  pty.say('\u0002CLONE,V1,8,1KB,X\u0003')
  await pty.until(() => count('~HS') === 2) // the next look, whose answer does not come
  const [id] = bench.print([1])
  await pty.until(() => count('^XZ') === 1)
  pty.say(ready) // now it comes, and the label still lies in the printer
  await pty.until(() => count('~HS') === 3)
  pty.say(hostStatus(1))
  await pty.until(() => count('~HS') === 4)
  t.equal(bench.job(id).state, 'processing', 'not ready on the word of the old answer')
  pty.say(ready)
  t.match(await bench.until(id, 'completed'), { delivery: 'confirmed' })
  t.equal(count('~HS'), 4)
})

t.test('a label that the printer counted is confirmed by that', async (t) => {
  const { device, bench } = await start(t, 'zpl', { counts: 'labels' }, PATIENT)
  await meet(bench, device)
  await device.until(({ asked }) => asked.some((text) => text.includes('odometer')))
  for (const mark of [1, 2]) {
    const [id] = bench.print([mark])
    t.match(await bench.until(id, 'completed'), { delivery: 'confirmed' })
  }
  device.condition.counts = 'nothing'
  const [blank] = bench.print([3])
  t.match(spoken(await bench.until(blank, 'completed')), { delivery: 'sent', message: '' })
  device.condition.counts = 'labels'
})

/** A printer on a cable, once its count of labels is known. */
async function meetCounting(t: Test, ours: Device) {
  const parts = { ...PATIENT, devices: [ours] }
  const { device, bench } = await start(t, 'zpl', { counts: 'labels' }, parts)
  await meet(bench, device)
  await device.until(({ asked, isAlone }) => asked.at(-1) === '~HS' && isAlone)
  return { device, bench }
}

t.test('a count that only we move saves the second look', async (t) => {
  const ours = { ...quickSocket(), asking: { ...SERIAL_ASKING, idleSeconds: 0.5 } }
  const { device, bench } = await meetCounting(t, ours)
  const before = device.heard.length
  const [id] = bench.print([1])
  t.match(await bench.until(id, 'completed'), { delivery: 'confirmed' })
  const label = device.heard.findIndex((text, index) => index >= before && text.includes('^XZ'))
  t.match(device.heard[label + 1], /^~HS! U1 getvar "odometer\.total_label_count"\r\n$/)
})

t.test('what came out of a canceled label does not count for the next one', async (t) => {
  const socket = quickSocket()
  const taken = Promise.withResolvers<void>()
  let isFirst = false
  /** A printer that takes the end of the first label as slowly as it prints. */
  const ours: Device = {
    ...socket,
    asking: { ...SERIAL_ASKING, idleSeconds: 0.5 },
    async open(uri, signal) {
      const connection = await socket.open(uri, signal)
      const finish = connection.finish?.bind(connection)
      connection.finish = async (flowing, ended) => {
        if (!isFirst) return (await finish?.(flowing, ended)) ?? true
        isFirst = false
        taken.resolve()
        await once(ended, 'abort')
        throw new PlatenError('PRINTER_LOST', 'It was stopped.')
      }
      return connection
    },
  }
  const { device, bench } = await meetCounting(t, ours)
  isFirst = true
  const [first, second] = bench.print([1, 2])
  await taken.promise
  await device.until(({ heard }) => heard.some((text) => text.includes('^FX1^')))
  device.condition.counts = 'nothing'
  await bench.scheduler.cancel(first ?? '')
  t.match(await bench.until(second, 'completed'), { delivery: 'confirmed' })
  const label = device.heard.findIndex((text) => text.includes('^FX2^'))
  t.match(device.heard[label + 1], /^~HS~HS/, 'the first may be from before the label')
})

t.test('a count that never moves is not believed', async (t) => {
  const { device, bench } = await start(t, 'zpl', { counts: 'nothing' }, PATIENT)
  await meet(bench, device)
  await device.until(({ asked }) => asked.some((text) => text.includes('odometer')))
  const [id] = bench.print([1])
  t.match(await bench.until(id, 'completed'), { delivery: 'confirmed' })
})

for (const [language, measured, media] of [
  ['epl', 'q816 Q1218,25', { lengthDots: 1218, tracking: 'gap' }],
  ['tspl', '1218', { lengthDots: 1218 }],
] as const) {
  t.test(`${language}: the stock is read after it was measured, not before`, async (t) => {
    const { device, bench } = await start(t, language, { measured }, PATIENT)
    await meet(bench, device)
    t.same(bench.learned.get(device.uri)?.media, undefined)
    await bench.scheduler.transmit('A', findCalibration({ name: 'A', language }))
    await device.until(({ asked }) => asked.some((text) => /UQ|OUT/.test(text)))
    while (bench.learned.get(device.uri)?.media === undefined) await new Promise(setImmediate)
    t.same(bench.learned.get(device.uri)?.media, media)
    const looks = device.heard.length
    await device.until(({ heard }) => heard.length > looks + 3)
    const asked = device.asked.filter((text) => /UQ|OUT/.test(text))
    t.equal(asked.length, 1, 'labels overwrite it, so it is not asked again')
  })
}

t.test('a printer that does not tell its stock is asked for it a few times only', async (t) => {
  const { device, bench } = await start(t, 'epl', { measured: 'q832 Q56,169' }, PATIENT)
  await meet(bench, device)
  await bench.scheduler.transmit('A', findCalibration({ name: 'A', language: 'epl' }))
  const times = () => device.asked.filter((text) => text.includes('UQ')).length
  await device.until(() => times() === 5) // the first question met the calibration
  const looks = device.heard.length
  await device.until(({ heard }) => heard.length > looks + 3)
  t.ok(times() <= 6)
  t.equal(bench.learned.get(device.uri)?.media, undefined)
})

t.test('a printer that fell silent does not keep its labels', async (t) => {
  const { device, bench } = await start(t, 'zpl', {}, LISTENS)
  await meet(bench, device)
  await device.until(({ asked }) => asked.length > 1)
  device.condition.mute = true
  await bench.untilPrinter(
    'A',
    ({ message }) => inEnglish(message) === 'A reports that it is not ready.',
  )
  const ids = bench.print([1, 2])
  for (const id of ids) t.match(await bench.until(id, 'completed'), { delivery: 'sent' })
  device.condition.mute = false
})

t.test('a printer whose entry says so is never asked', async (t) => {
  const device = await AnsweringPrinter.open('zpl', { paperOut: true })
  t.teardown(() => device.close())
  const printers = [{ ...printer('A', device.uri), asksStatus: false }]
  const bench = new Bench(t, { printers, devices: [quickSocket()], ...PATIENT, timing: TIMING })
  bench.scheduler.start()
  bench.scheduler.wake('A')
  bench.scheduler.attend('A')
  t.ok(isUnasked(await bench.untilPrinter('A', () => true)))
  const [id] = bench.print([1])
  t.match(await bench.until(id, 'completed'), { delivery: 'sent' })
  t.equal(device.heard.length, 1)
  await bench.untilPrinter('A', ({ reasons }) => reasons.includes('none')) // its label has shown it
})

t.test('an idle printer that was switched off shows it, and that it is back', async (t) => {
  const sink = await TcpSink.openFor(t)
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
  await bench.untilPrinter('A', ({ reasons }) => reasons.includes('none'))
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

/** A label for a printer that takes no question: both wait. */
async function printStuck(t: Test, device: Device): Promise<readonly [bench: Bench, id: string]> {
  const bench = new Bench(t, {
    printers: [printer('A', 'socket://127.0.0.1')],
    devices: [device],
    asks: { answerMs: 20, stuckMs: 20 },
    timing: TIMING,
  })
  bench.scheduler.start()
  bench.scheduler.wake('A')
  await bench.untilPrinter('A', ({ message }) => inEnglish(message).startsWith('A takes no data.'))
  const [id = ''] = bench.print([1])
  return [bench, id]
}

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
  const [bench, id] = await printStuck(t, device)
  t.match(spoken(await bench.untilJob(id, ({ code }) => code === 'PRINTER_STOPPED')), {
    state: 'pending',
    message: /takes no data/,
  })
  t.same(sent, [])
  gate.resolve()
  await bench.until(id, 'completed')
  await bench.untilPrinter('A', ({ state }) => state === 'idle')
})

t.test('... and prints them at its new address, though the old one never takes it', async (t) => {
  const device: Device = {
    ...createSocketDevice(),
    asking: { isTwoWay: true, idleSeconds: 0.05 },
    open: ({ hostname }) =>
      Promise.resolve({
        send: async () => {
          if (hostname === '127.0.0.1') await new Promise<never>(() => undefined)
        },
        receive: () => Promise.resolve(Buffer.from(hostStatus(0))),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
  }
  const [bench, id] = await printStuck(t, device)
  await bench.untilJob(id, ({ code }) => code === 'PRINTER_STOPPED')
  bench.printers.configure([printer('A', 'socket://127.0.0.2')], 'A')
  bench.scheduler.wake('A')
  await bench.until(id, 'completed')
  await bench.untilPrinter('A', ({ state }) => state === 'idle')
})

t.test('a printer that somebody has to look after is not told to calibrate', async (t) => {
  const sink = await TcpSink.openFor(t, { resetAfter: 100_000 })
  const bench = new Bench(t, { printers: [printer('A', sink.uri, 'epl')] })
  bench.scheduler.start()
  const [cut] = bench.print([1], { bytes: LARGE_BYTES })
  await bench.until(cut, 'pending-held')
  await t.rejects(bench.scheduler.transmit('A', Buffer.from('xa')), {
    code: 'PRINTER_STOPPED',
    message: /cut off in the middle/,
  })
})
