import t, { type Test } from 'tap'
import type { Connection, Device } from '../../../../src/printers/device.ts'
import { createCupsDevice } from '../../../../src/printers/devices/cups/index.ts'
import { conforms, makeLabel, type Rig, type Skips } from '../../../conformance/device.ts'
import { CupsDaemon, skipCups } from '../../../devices/cups-daemon.ts'

const limit = () => AbortSignal.timeout(60_000)
const LABEL = makeLabel(100_000)
const flowing = () => undefined

interface Bench {
  readonly daemon: CupsDaemon
  readonly device: Device
}

async function makeBench(t: Test, directives: readonly string[] = []): Promise<Bench> {
  const daemon = await CupsDaemon.start(t, directives)
  return { daemon, device: createCupsDevice([{ socketPath: daemon.socketPath }]) }
}

/** A test with a cupsd of its own. */
function test(title: string, body: (t: Test, bench: Bench) => Promise<void>): void {
  t.test(title, { skip: skipCups }, async (t) => body(t, await makeBench(t)))
}

const makeRig =
  (queue: string) =>
  async (t: Test): Promise<Rig> => {
    const { daemon, device } = await makeBench(t)
    return {
      device,
      uri: daemon.uri(queue),
      nowhere: daemon.uri('nobody'),
      async received(count) {
        await daemon.rest()
        const jobs = daemon.runs().map(({ bytes }) => bytes)
        // A label that was given up before it was whole never reaches a backend.
        return [...jobs, ...Array.from({ length: count }, () => new Uint8Array())].slice(0, count)
      },
    }
  }

const SKIPS: Skips = {
  stall: 'a queue that is stopped is waited for, and CUPS takes the rest at once: tests below',
  unplug: 'CUPS takes the whole label before its printer gets any of it: tests below',
}

for (const queue of ['raw', 'driver']) {
  t.test(`the ${queue} queue of CUPS is a device`, { skip: skipCups }, (t) =>
    conforms(t, makeRig(queue), SKIPS),
  )
}

/** Sends the label and begins to follow it; gives up to the caller what becomes of it. */
async function print(connection: Connection, signal = limit()): Promise<void> {
  await connection.send(LABEL, signal)
  await connection.finish?.(flowing, signal)
}

/** Bytes that each run of the backend got, and whether the label was whole. */
function outcome({ daemon }: Bench, job?: number): readonly (readonly [number, boolean])[] {
  const runs = daemon.runs().filter((run) => job === undefined || run.job === job)
  return runs.map(({ bytes, isWhole }) => [bytes.length, isWhole])
}

function isPrinting({ daemon }: Bench): Promise<void> {
  return daemon.until(() => daemon.runs().some(({ bytes }) => bytes.length > 0))
}

test('queues are listed with their names, and with the printer behind them', async (t, bench) => {
  t.same(await bench.device.list(limit()), [
    {
      uri: 'ipp://localhost/printers/driver',
      name: 'driver',
      makeAndModel: 'Zebra ZPL Label Printer',
      behind: 'usb://Zebra/LP2844?serial=42J1234',
    },
    {
      uri: 'ipp://localhost/printers/raw',
      name: 'raw',
      makeAndModel: '',
      behind: 'capture:/raw',
    },
  ])
})

test('a label is followed to its end, and is "sent": no printer has spoken', async (t, bench) => {
  await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
  await print(connection)
  t.equal(await connection.confirm?.(limit()), false)
  t.same(outcome(bench), [[LABEL.length, true]])
  t.ok(Buffer.from(bench.daemon.runs()[0]?.bytes ?? []).equals(LABEL))
  await connection.cancel?.(limit())
})

test('a stopped queue is waited for, and the label is not in CUPS meanwhile', async (t, bench) => {
  await bench.daemon.operate('pause', 'raw')
  await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
  const printed = print(connection)
  t.same(await connection.status?.(limit()), ['paused'])
  t.equal(await bench.daemon.openJobs(), 0)
  await bench.daemon.operate('resume', 'raw')
  await printed
  t.equal(bench.daemon.runs().length, 1)
  t.same(await connection.status?.(limit()), [])
})

t.test('a label that is too large for CUPS cannot print', { skip: skipCups }, async (t) => {
  const bench = await makeBench(t, [`LimitRequestBody ${LABEL.length - 1_000}`])
  for (let n = 0; n < 5; n++) {
    await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
    await t.rejects(print(connection))
    t.equal(connection.mayPrint, false)
  }
  t.same(bench.daemon.runs(), [])
})

test('a label that is canceled while the queue is stopped leaves nothing there', async (t, bench) => {
  await bench.daemon.operate('pause', 'raw')
  const stop = new AbortController()
  {
    await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
    const sent = connection.send(LABEL, stop.signal)
    stop.abort('a person said so')
    await t.rejects(sent, { code: 'PRINTER_LOST', cause: 'a person said so' })
    await t.rejects(connection.send(LABEL, limit()), { code: 'PRINTER_LOST' })
    await connection.cancel?.(limit())
  }
  await bench.daemon.operate('resume', 'raw')
  await bench.daemon.rest()
  t.same(bench.daemon.runs(), [])
})

test('a label that is canceled in the middle is canceled in CUPS', async (t, bench) => {
  bench.daemon.behave('raw', { take: 5_000, end: 'hang' })
  const stop = new AbortController()
  {
    await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
    const printed = print(connection, stop.signal)
    await isPrinting(bench)
    stop.abort('a person said so')
    await t.rejects(printed, { code: 'PRINTER_LOST', cause: 'a person said so' })
    await t.rejects(Promise.resolve(connection.finish?.(flowing, limit())), {
      code: 'PRINTER_LOST',
    })
  }
  await bench.daemon.rest()
  t.same(outcome(bench), [[5_000, false]])
})

test('a label that prints for long is shown as flowing while CUPS names no trouble', async (t, bench) => {
  bench.daemon.behave('raw', { take: 5_000, end: 'hang' })
  await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
  await connection.send(LABEL, limit())
  const { promise, resolve } = Promise.withResolvers<void>()
  const finished = connection.finish?.(resolve, limit())
  await promise
  bench.daemon.resume()
  await finished
  t.same(outcome(bench), [[LABEL.length, true]])
})

test('the backend tells why it waits, and the label goes on', async (t, bench) => {
  bench.daemon.behave('raw', { take: 10, end: 'hang', say: 'STATE: +media-empty-error' })
  await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
  const printed = print(connection)
  await isPrinting(bench)
  await bench.daemon.until(async () => (await connection.status?.(limit()))?.[0] === 'media-empty')
  bench.daemon.resume()
  await printed
  t.ok(Buffer.from(bench.daemon.runs()[0]?.bytes ?? []).equals(LABEL))
})

for (const take of [0, 1, 50_000, LABEL.length]) {
  test(`a printer that fails after ${take} bytes leaves the label in doubt, and CUPS does not repeat it`, async (t, bench) => {
    bench.daemon.behave('raw', { take, end: 'fail' })
    {
      await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
      await t.rejects(print(connection), { code: 'PRINTER_LOST', message: /queue "raw"/ })
      // ErrorPolicy stop-printer, the default of CUPS
      t.equal((await connection.status?.(limit()))?.[0], 'paused')
    }
    t.equal(await bench.daemon.openJobs(), 0)
    bench.daemon.behave('raw', {})
    await bench.daemon.operate('resume', 'raw')
    await bench.daemon.rest()
    t.same(outcome(bench), [[take, false]])
  })
}

test('a queue that is stopped in the middle of a label leaves it in doubt', async (t, bench) => {
  bench.daemon.behave('raw', { take: 9, end: 'hang' })
  {
    await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
    const printed = print(connection)
    await isPrinting(bench)
    // Handled before the test waits for the queue to stop.
    const refused = t.rejects(printed, { code: 'PRINTER_LOST', message: /does not print twice/ })
    await bench.daemon.operate('pause', 'raw')
    await refused
  }
  t.equal(await bench.daemon.openJobs(), 0)
})

for (const how of ['SIGTERM', 'SIGKILL'] as const) {
  test(`cupsd restarted (${how}) in the middle of a label leaves it in doubt, and stops its repetition`, async (t, bench) => {
    bench.daemon.behave('raw', { take: 9, end: 'hang' })
    {
      await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
      const refused = t.rejects(print(connection), { code: 'PRINTER_LOST' })
      await isPrinting(bench)
      // It must have been seen to print: only then is a repetition told from a first run.
      await connection.status?.(limit())
      await bench.daemon.stop(how)
      t.same(await connection.status?.(limit()), ['offline'])
      await bench.daemon.up()
      await refused
    }
    await bench.daemon.rest()
    bench.daemon.resume()
    const countWhole = () => bench.daemon.runs().filter(({ isWhole }) => isWhole).length
    // The backend that a crash left behind prints on; SIGTERM ends it.
    if (how === 'SIGKILL') await bench.daemon.until(() => countWhole() > 0)
    t.equal(countWhole(), how === 'SIGKILL' ? 1 : 0)
  })
}

test('cupsd restarted while the label waits behind another one prints it once', async (t, bench) => {
  bench.daemon.behave('raw', { take: 9, end: 'hang' })
  const other = createCupsDevice([{ socketPath: bench.daemon.socketPath }])
  await using first = await other.open(bench.daemon.uri('raw'), limit())
  const cut = t.rejects(print(first), { code: 'PRINTER_LOST' })
  await isPrinting(bench)
  await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
  await connection.send(LABEL, limit())
  const before = bench.daemon.looks(2)
  const printed = connection.finish?.(flowing, limit())
  // It is asked after once CUPS has acknowledged that it has all of it.
  await bench.daemon.until(() => bench.daemon.looks(2) > before)
  await bench.daemon.stop()
  const looks = bench.daemon.looks(2)
  await bench.daemon.up()
  // The first label is canceled when its connection is left, and ours must not begin unseen.
  await bench.daemon.until(() => bench.daemon.looks(2) > looks)
  await cut
  await first[Symbol.asyncDispose]()
  bench.daemon.resume()
  await printed
  t.same(outcome(bench, 2), [[LABEL.length, true]])
})

test('a spooler that dies before it has the whole label has printed nothing', async (t, bench) => {
  {
    await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
    await connection.send(LABEL, limit())
    await bench.daemon.stop('SIGKILL')
    await t.rejects(connection.send(makeLabel(9_000_000), limit()), { code: 'PRINTER_OFFLINE' })
  }
  await bench.daemon.up()
  t.same(bench.daemon.runs(), [])
})

test('a label whose end the spooler did not acknowledge is in doubt', async (t, bench) => {
  await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
  await connection.send(LABEL, limit())
  await bench.daemon.stop('SIGKILL')
  await t.rejects(Promise.resolve(connection.finish?.(flowing, limit())), { code: 'PRINTER_LOST' })
})

test('a queue that takes no jobs says so before anything leaves', async (t, bench) => {
  await bench.daemon.operate('reject', 'raw')
  await t.rejects(bench.device.open(bench.daemon.uri('raw'), limit()), {
    code: 'PRINTER_OFFLINE',
    message: /takes no jobs: type "cupsaccept raw"/,
  })
  const found = await bench.device.list(limit())
  t.match(found[1]?.hindrance, /takes no jobs/)
  await bench.daemon.operate('accept', 'raw')
  await using _connection = await bench.device.open(bench.daemon.uri('raw'), limit())
})

test('a queue that does not exist is named, with those that do', async (t, bench) => {
  await t.rejects(bench.device.open(bench.daemon.uri('rwa'), limit()), {
    code: 'PRINTER_OFFLINE',
    message: 'CUPS has no queue "rwa"; it has "driver", "raw". Did you mean "raw"?',
  })
})

test('a queue that is removed while its label waits is told', async (t, bench) => {
  await bench.daemon.operate('pause', 'raw')
  {
    await using connection = await bench.device.open(bench.daemon.uri('raw'), limit())
    const refused = t.rejects(connection.send(LABEL, limit()), { message: /no queue "raw" any/ })
    await connection.status?.(limit())
    await bench.daemon.operate('delete', 'raw')
    await refused
    t.same(await connection.status?.(limit()), ['offline'])
  }
  await bench.daemon.operate('delete', 'driver')
  t.same(await bench.device.list(limit()), [])
  await t.rejects(bench.device.open(bench.daemon.uri('raw'), limit()), { message: /it has none/ })
})

t.test('a spooler that forgets its jobs leaves labels in doubt', { skip: skipCups }, async (t) => {
  const { daemon, device } = await makeBench(t, ['PreserveJobHistory No'])
  await using connection = await device.open(daemon.uri('raw'), limit())
  await t.rejects(print(connection), { code: 'PRINTER_LOST', message: /PreserveJobHistory/ })
})

t.test('the name of a queue is checked in words', (t) => {
  const { check } = createCupsDevice([])
  const cases: readonly (readonly [string, RegExp | undefined])[] = [
    ['ipp://localhost/printers/Zebra', undefined],
    ['ipp://localhost:631/classes/All', undefined],
    ['ipp://[::1]/printers/Zebra%20LP', undefined],
    ['ipp://10.0.0.7/printers/Zebra', /only queues of this computer/],
    ['ipp://localhost:632/printers/Zebra', /no port/],
    ['ipp://localhost/Zebra', /the name of a queue/],
    ['ipp://localhost/printers/a/b', /the name of a queue/],
    ['ipp://me@localhost/printers/a', /the name of a queue/],
  ]
  for (const [text, wanted] of cases) {
    const fault = check(new URL(text))
    if (wanted === undefined) t.equal(fault, undefined, text)
    else t.match(fault, wanted, text)
  }
  t.end()
})

t.test('a computer without CUPS has no queues, and says so', async (t) => {
  const uri = new URL('ipp://localhost/printers/%Zebra')
  const without = createCupsDevice([])
  t.same(await without.list(limit()), [])
  await t.rejects(without.open(uri, limit()), { message: /has no CUPS/ })
  const silent = createCupsDevice([{ socketPath: '/nowhere/1' }, { socketPath: '/nowhere/2' }])
  t.same(await silent.list(limit()), [])
  await t.rejects(silent.open(uri, limit()), {
    code: 'PRINTER_OFFLINE',
    message: /does not answer at \/nowhere\/2 \(ENOENT\)/,
  })
})

t.test('the addresses of CUPS are tried in turn', { skip: skipCups }, async (t) => {
  const { daemon } = await makeBench(t)
  const addresses = [{ socketPath: '/nowhere' }, { socketPath: daemon.socketPath }]
  t.equal((await createCupsDevice(addresses).list(limit())).length, 2)
})
