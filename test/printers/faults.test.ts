import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Device } from '../../src/printers/device.ts'
import { createCupsDevice } from '../../src/printers/devices/cups/index.ts'
import { createSerialDevice } from '../../src/printers/devices/serial/index.ts'
import { createSocketDevice } from '../../src/printers/devices/socket/index.ts'
import { createUsbDevice } from '../../src/printers/devices/usb/index.ts'
import { inEnglish } from '../../src/words/say.ts'
import { Bench, printer } from '../core/bench.ts'
import { zplLabel } from '../core/labels.ts'
import { CupsDaemon, skipCups } from '../devices/cups-daemon.ts'
import { Pty } from '../devices/pty.ts'
import { type SinkManners, TcpSink } from '../devices/tcp-sink.ts'
import { UsbBench } from '../devices/usb-bench.ts'

t.setTimeout(300_000)

const BYTES = 40_000
const LENGTH = zplLabel('bad', BYTES).length
const CUTS = [1, Math.floor(LENGTH / 2), LENGTH]
const OTHERS = 10
const [XON, XOFF] = ['\x11', '\x13']
const MUCH = 14_000_000 // more than the network's buffers hold

async function makeSink(t: Test, manners: SinkManners = {}): Promise<TcpSink> {
  const sink = await TcpSink.openFor(t, manners)
  return sink
}

/** Two benches: one printer in trouble, the other in health. */
async function makeBench(
  t: Test,
  badUri: string,
  badDevice: readonly Device[] = [],
  folder = t.testdir(),
) {
  const good = await makeSink(t)
  const bench = new Bench(t, {
    folder,
    printers: [printer('bad', badUri), printer('good', good.uri)],
    // However late a printer breaks off; one in health closes by itself.
    devices: [createSocketDevice({ confirmMs: 60_000 }), ...badDevice],
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

const cupsOf = ({ socketPath }: CupsDaemon): Device => createCupsDevice([{ socketPath }])

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

/** A USB printer that still takes so many bytes. */
function plugPrinter(t: Test, credit: number) {
  const computer = new UsbBench(t.testdir({}))
  const usb = computer.plug()
  usb.credit = credit
  const { sysfs, dev, load } = computer
  const device = createUsbDevice({ sysfs, dev, load, platform: 'linux', pollMs: 20 })
  t.teardown(() => device.close?.())
  const folder = join(sysfs, '..', 'state') // a second testdir would empty the first
  mkdirSync(folder)
  return { computer, usb, device, folder, uri: 'usb://Zebra/GK420d?serial=28J0821' }
}

/** Resolves when the page says that the printer takes no data, and `hasTaken` that it took what it should before. */
async function untilStuck(bench: Bench, id: string | undefined, hasTaken: () => boolean) {
  while (bench.job(id).state !== 'processing-stopped' || !hasTaken()) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

for (const take of [0, 1, Math.floor(LENGTH / 2), LENGTH - 1]) {
  t.test(`a USB printer that takes ${take} bytes and is pulled out: held, unknown`, async (t) => {
    const { computer, usb, device, folder, uri } = plugPrinter(t, take)
    const { bench, good } = await makeBench(t, uri, [device], folder)
    const id = printBad(bench)
    await untilStuck(bench, id, () => usb.received.length === take)
    t.equal(bench.job(id).code, 'PRINTER_STOPPED')
    await othersPrint(bench, good)
    computer.unplug(usb)
    t.match(await bench.until(id, 'pending-held'), {
      delivery: 'unknown',
      reasons: ['platen-interrupted'],
    })
    computer.replug(usb)
    usb.accept()
    bench.scheduler.printerRestarted('bad')
    const [next] = bench.print(['next'], { printer: 'bad' })
    await bench.until(next, 'completed')
    t.equal(bench.job(id).state, 'pending-held', 'no label is sent again by itself')
  })

  t.test(`a USB printer that takes ${take} bytes and goes on: sent, every byte once`, async (t) => {
    const { usb, device, folder, uri } = plugPrinter(t, take)
    const { bench, good } = await makeBench(t, uri, [device], folder)
    const id = printBad(bench)
    await untilStuck(bench, id, () => usb.received.length === take)
    await othersPrint(bench, good)
    usb.accept()
    t.equal((await bench.until(id, 'completed')).delivery, 'sent')
    t.ok(Buffer.from(usb.received).equals(zplLabel('bad', BYTES)))
  })
}

t.test('a USB printer that took every byte before it was pulled out: sent', async (t) => {
  const { computer, usb, device, folder, uri } = plugPrinter(t, LENGTH)
  const { bench, good } = await makeBench(t, uri, [device], folder)
  const id = printBad(bench)
  t.equal((await bench.until(id, 'completed')).delivery, 'sent')
  computer.unplug(usb)
  await othersPrint(bench, good)
  t.equal(bench.job(id).state, 'completed')
})

/** A serial printer that has stopped the line before the label. */
async function makeSerial(t: Test) {
  const pty = new Pty()
  const device = createSerialDevice()
  t.teardown(async () => {
    await device[Symbol.asyncDispose]()
    pty.unplug()
  })
  const uri = `serial:${pty.path}?baud=4000000`
  const signal = AbortSignal.timeout(60_000)
  {
    await using connection = await device.open(new URL(uri), signal)
    pty.say(`${XOFF}!`)
    for (let heard = ''; !heard.includes('!'); ) {
      heard += Buffer.from(await connection.receive(20, signal)).toString()
    }
  }
  return { pty, device, uri }
}

t.test('a serial printer that takes nothing and is pulled out: held, unknown', async (t) => {
  const { pty, device, uri } = await makeSerial(t)
  const { bench, good } = await makeBench(t, uri, [device])
  const id = printBad(bench)
  await bench.until(id, 'processing-stopped')
  await othersPrint(bench, good)
  t.equal(pty.length, 0)
  pty.unplug()
  t.equal((await bench.until(id, 'pending-held')).delivery, 'unknown')
})

t.test('a serial printer that stops in the middle and is pulled out: held, unknown', async (t) => {
  const { pty, device, uri } = await makeSerial(t)
  const { bench, good } = await makeBench(t, uri, [device])
  const [id] = bench.print(['bad'], { printer: 'bad', bytes: 2_000_000 })
  await bench.until(id, 'processing-stopped')
  pty.say(XON)
  await pty.until(({ length }) => length > 50_000)
  pty.stall() // beyond what the kernel holds it takes no more
  await bench.until(id, 'processing-stopped')
  await othersPrint(bench, good)
  pty.unplug()
  const job = await bench.until(id, 'pending-held')
  t.match(job, { delivery: 'unknown', reasons: ['platen-interrupted'] })
  t.ok(job.sentBytes > 0 && job.sentBytes < 2_000_000)
})

t.test('a serial printer that goes on gets every byte once: sent', async (t) => {
  const { pty, device, uri } = await makeSerial(t)
  const { bench, good } = await makeBench(t, uri, [device])
  const id = printBad(bench)
  await bench.until(id, 'processing-stopped')
  await othersPrint(bench, good)
  pty.say(XON)
  t.equal((await bench.until(id, 'completed')).delivery, 'sent')
  await pty.until(({ length }) => length >= LENGTH)
  t.ok(pty.received.equals(zplLabel('bad', BYTES)))
})

for (const take of [0, ...CUTS]) {
  const title = `a CUPS printer that fails after ${take} bytes: held, unknown, printed no more`
  t.test(title, { skip: skipCups }, async (t) => {
    const daemon = await CupsDaemon.start(t)
    daemon.behave('raw', { take, end: 'fail' })
    const { bench, good } = await makeBench(t, daemon.uri('raw').href, [cupsOf(daemon)])
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
    const { bench, good } = await makeBench(t, daemon.uri('raw').href, [cupsOf(daemon)])
    const id = printBad(bench)
    const out = await bench.untilJob(id, ({ message }) =>
      inEnglish(message).includes('out of labels'),
    )
    t.equal(out.state, 'processing-stopped')
    await othersPrint(bench, good)
    daemon.resume()
    t.equal((await bench.until(id, 'completed')).delivery, 'sent')
    await daemon.operate('pause', 'raw')
    const next = printBad(bench)
    const paused = await bench.untilJob(next, ({ message }) =>
      inEnglish(message).includes('is paused'),
    )
    t.equal(paused.state, 'processing-stopped')
    await daemon.operate('resume', 'raw')
    await bench.until(next, 'completed')
    t.equal(daemon.runs().length, 2)
  },
)

t.test('a label canceled at a CUPS printer is canceled in CUPS', { skip: skipCups }, async (t) => {
  const daemon = await CupsDaemon.start(t)
  daemon.behave('raw', { take: 1, end: 'hang' })
  const { bench } = await makeBench(t, daemon.uri('raw').href, [cupsOf(daemon)])
  const id = printBad(bench)
  await daemon.until(() => daemon.runs().length === 1)
  await bench.scheduler.cancel(id ?? '')
  t.equal(bench.job(id).state, 'canceled')
  await daemon.rest()
  t.same(
    daemon.runs().map(({ isWhole }) => isWhole),
    [false],
  )
})
