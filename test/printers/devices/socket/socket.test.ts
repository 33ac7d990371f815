import { spawnSync } from 'node:child_process'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import {
  createSocketDevice,
  explainRefusal,
} from '../../../../src/printers/devices/socket/index.ts'
import { conforms, makeLabel, type Rig } from '../../../conformance/device.ts'
import { openDeafPort } from '../../../devices/deaf-port.ts'
import { type SinkManners, TcpSink } from '../../../devices/tcp-sink.ts'
import { findClosedPort, listen } from '../../../listen.ts'

const limit = () => AbortSignal.timeout(60_000)

async function makeSink(t: Test, manners: SinkManners = {}): Promise<TcpSink> {
  const sink = await TcpSink.openFor(t, manners)
  return sink
}

async function makeRig(t: Test): Promise<Rig> {
  const sink = await makeSink(t)
  return {
    device: createSocketDevice(),
    uri: new URL(sink.uri),
    nowhere: new URL(`socket://127.0.0.1:${await findClosedPort()}`),
    received: (count) => sink.jobs(count),
    stall: () => sink.behave({ stall: true }),
    resume: () => sink.behave({}),
    begun: () => sink.until(() => sink.length > 0),
    unplug: () => sink.reset(),
  }
}

t.test('a network printer is a device', (t) => conforms(t, makeRig))

t.test('the address of a network printer is checked in words', (t) => {
  const { check } = createSocketDevice()
  const cases: readonly (readonly [string, RegExp | undefined])[] = [
    ['socket://10.0.0.7', undefined],
    ['socket://10.0.0.7:9100/', undefined],
    ['socket://[fe80::1]:9101', undefined],
    ['socket:printer', /no host name/],
    ['socket://printer:0', /port 0/],
    ['socket://printer/queue', /only a host and a port/],
    ['socket://me@printer', /only a host and a port/],
    ['socket://printer?x=1', /only a host and a port/],
  ]
  for (const [text, wanted] of cases) {
    const fault = check(new URL(text))
    if (wanted === undefined) t.equal(fault, undefined, text)
    else t.match(fault, wanted, text)
  }
  t.end()
})

t.test('the same printer written differently is the same printer', async (t) => {
  const sink = await makeSink(t)
  const device = createSocketDevice()
  await using _first = await device.open(new URL(sink.uri), limit())
  await t.rejects(device.open(new URL(`${sink.uri}/`), limit()), { code: 'PRINTER_BUSY' })
})

t.test('a printer that closes after the label leaves it "sent", not confirmed', async (t) => {
  const sink = await makeSink(t)
  await using connection = await createSocketDevice().open(new URL(sink.uri), limit())
  await connection.send(makeLabel(9), limit())
  t.equal(await connection.confirm?.(limit()), false)
  await sink.until(({ connections }) => connections[0]?.state !== 'open')
  t.equal(sink.connections[0]?.state, 'ended')
})

t.test('a printer that never closes is waited for only a while', async (t) => {
  const sink = await makeSink(t, { keepOpen: true })
  const device = createSocketDevice({ confirmMs: 30, blindMs: 30, lingerMs: 30 })
  {
    await using connection = await device.open(new URL(sink.uri), limit())
    await connection.send(makeLabel(9), limit())
    t.equal(await connection.confirm?.(limit()), false)
  }
  await using _next = await device.open(new URL(sink.uri), limit())
  await sink.until(({ connections }) => connections[0]?.state === 'ended')
})

t.test('confirm ends early when the print server stops', async (t) => {
  const sink = await makeSink(t, { keepOpen: true })
  await using connection = await createSocketDevice({ lingerMs: 10 }).open(
    new URL(sink.uri),
    limit(),
  )
  await connection.send(makeLabel(9), limit())
  t.equal(await connection.confirm?.(AbortSignal.abort()), false)
})

t.test('a reset after the last write is found by confirm', async (t) => {
  const sink = await makeSink(t, { stall: true })
  await using connection = await createSocketDevice().open(new URL(sink.uri), limit())
  await sink.until(({ connections }) => connections.length === 1)
  await connection.send(makeLabel(40_000), limit())
  const confirmed = connection.confirm?.(limit())
  sink.reset()
  await t.rejects(Promise.resolve(confirmed), {
    code: 'PRINTER_LOST',
    message: /broke after its last bytes/,
  })
})

t.test('a printer that resets after some bytes loses the label', async (t) => {
  const sink = await makeSink(t, { resetAfter: 1_000 })
  await using connection = await createSocketDevice().open(new URL(sink.uri), limit())
  const all = connection.send(makeLabel(200_000), limit()).then(() => connection.confirm?.(limit()))
  await t.rejects(all, { code: 'PRINTER_LOST', cause: { code: /ECONNRESET|EPIPE/ } })
})

t.test('a printer that answers the end of data with a reset has the label', async (t) => {
  const sink = await makeSink(t, { resetAtEnd: true })
  const device = createSocketDevice({ settleMs: 5 })
  for (const count of [1, 2, 3]) {
    await using connection = await device.open(new URL(sink.uri), limit())
    await connection.send(makeLabel(50_000), limit())
    await connection.finish?.(() => undefined, limit())
    t.equal(await connection.confirm?.(limit()), false)
    const jobs = await sink.jobs(count)
    t.ok(Buffer.from(jobs.at(-1) ?? []).equals(makeLabel(50_000)))
  }
})

t.test('a printer that closed properly before and then resets loses the label once', async (t) => {
  const sink = await makeSink(t)
  const device = createSocketDevice({ settleMs: 5 })
  const print = async () => {
    await using connection = await device.open(new URL(sink.uri), limit())
    await connection.send(makeLabel(9), limit())
    await connection.finish?.(() => undefined, limit())
  }
  await print()
  sink.behave({ resetAtEnd: true })
  await t.rejects(print(), { code: 'PRINTER_LOST' }, 'that is not how it ends a label')
  await print()
})

for (const resetAfter of [1, 9, 20_000]) {
  t.test(`a reset after ${resetAfter} bytes, before the end of data, loses it`, async (t) => {
    const sink = await makeSink(t, { resetAfter })
    await using connection = await createSocketDevice().open(new URL(sink.uri), limit())
    const all = connection
      .send(makeLabel(resetAfter), limit())
      .then(() => connection.finish?.(() => undefined, limit()))
    await t.rejects(all, { code: 'PRINTER_LOST' })
  })
}

t.test('a printer that closes its sending side at once still gets the label', async (t) => {
  const sink = await makeSink(t, { mute: true })
  const label = makeLabel(50_000)
  const device = createSocketDevice({ settleMs: 5 })
  {
    await using connection = await device.open(new URL(sink.uri), limit())
    await connection.receive(30_000, limit())
    await connection.send(label, limit())
    t.equal(await connection.confirm?.(limit()), false)
  }
  t.ok(Buffer.from((await sink.jobs(1))[0] ?? []).equals(label))
})

t.test('a printer that closed for good is found out by the last byte', async (t) => {
  const sink = await makeSink(t, { closeAfter: 1 })
  await using connection = await createSocketDevice().open(new URL(sink.uri), limit())
  await connection.send(makeLabel(1), limit())
  await connection.receive(30_000, limit()) // ends when the printer has closed
  await t.rejects(connection.send(makeLabel(1_000), limit()), {
    code: 'PRINTER_LOST',
    accepted: 999,
  })
})

t.test('a slow printer gets every byte', async (t) => {
  const sink = await makeSink(t, { bytesPerTick: 10_000 })
  const label = makeLabel(200_000)
  {
    await using connection = await createSocketDevice().open(new URL(sink.uri), limit())
    await connection.send(label, limit())
    t.equal(await connection.confirm?.(limit()), false)
  }
  t.ok(Buffer.from((await sink.jobs(1))[0] ?? []).equals(label))
})

t.test('what the printer says is kept until somebody asks, within bounds', async (t) => {
  const sink = await makeSink(t, { greeting: makeLabel(100_000), mute: true })
  await using connection = await createSocketDevice().open(new URL(sink.uri), limit())
  const words = await connection.receive(30_000, limit())
  t.ok(Buffer.from(words).equals(makeLabel(65_536)))
  t.equal((await connection.receive(30_000, limit())).length, 0)
})

t.test('a printer that talks without end is held up until somebody asks', async (t) => {
  const piece = Buffer.alloc(65_536, 0x41)
  let talker: Socket | undefined
  const server = createServer((socket) => {
    talker = socket.on('error', () => undefined)
    const talk = (): void => {
      if (socket.destroyed) return
      if (socket.write(piece)) setImmediate(talk)
      else socket.once('drain', talk)
    }
    talk()
  })
  const port = await listen(t, server)
  t.teardown(() => talker?.destroy())
  const connection = await createSocketDevice().open(new URL(`socket://127.0.0.1:${port}`), limit())
  const said = () => (talker?.bytesWritten ?? 0) - (talker?.writableLength ?? 0)
  const untilHeld = async (before: number): Promise<number> => {
    // A look, until nothing moves for a while; after one look this process itself may have been asleep.
    for (let last = -1, same = 0; last <= before || same < 5; ) {
      same = last === said() ? same + 1 : 0
      last = said()
      await setTimeout(50)
    }
    return said()
  }
  const first = await untilHeld(0)
  t.equal((await connection.receive(30, limit())).length, 65_536)
  // The system opens the window again in large steps: one ask need not reach the talker yet.
  while (said() === first) await connection.receive(30, limit())
  const second = await untilHeld(first)
  t.ok(second < 128_000_000, `${second} bytes, most of them in the buffers of the loopback`)
  await connection[Symbol.asyncDispose]()
})

t.test('asking a printer ends when the signal aborts', async (t) => {
  const sink = await makeSink(t)
  await using connection = await createSocketDevice().open(new URL(sink.uri), limit())
  const stop = new AbortController()
  const heard = connection.receive(30_000, stop.signal)
  stop.abort()
  t.equal((await heard).length, 0)
})

t.test('a connection that is not answered is given up in time', async (t) => {
  await using deaf = await openDeafPort()
  const device = createSocketDevice({ connectMs: 100 })
  await t.rejects(device.open(new URL(`socket://127.0.0.1:${deaf.port}`), limit()), {
    code: 'PRINTER_OFFLINE',
    message: /127\.0\.0\.1/,
  })
})

t.test('an unknown name is reported in words', async (t) => {
  const device = createSocketDevice()
  await t.rejects(device.open(new URL('socket://no-such-printer.invalid'), limit()), {
    code: 'PRINTER_OFFLINE',
    message: /no-such-printer\.invalid/,
  })
})

t.test('a refused connection is said in words, and free again', async (t) => {
  const sink = await makeSink(t)
  await sink.down()
  const device = createSocketDevice()
  await t.rejects(device.open(new URL(sink.uri), limit()), {
    code: 'PRINTER_OFFLINE',
    message: /refuses connections on port/,
    cause: { code: 'ECONNREFUSED' },
  })
  await sink.up()
  await using _connection = await device.open(new URL(sink.uri), limit())
})

t.test('every way to miss a printer has a sentence that says what to look at', (t) => {
  const sentences = [
    ['EAI_AGAIN', /no printer named zebra: check the name/],
    ['ECONNREFUSED', /refuses connections on port 9100: check the address/],
    ['EHOSTUNREACH', /cannot be reached from here \(EHOSTUNREACH\): check the network cables/],
    ['ETIMEDOUT', /is the printer on/],
    ['EMFILE', /failed \(EMFILE\)/],
  ] as const
  for (const [code, wanted] of sentences) {
    t.match(explainRefusal(Object.assign(new Error(code), { code }), 'zebra', 9100), wanted)
  }
  t.match(explainRefusal('odd', 'zebra', 9100), /failed \(no code\)/)
  t.end()
})

t.test('the end of a label is waited for, and bytes that leave are told', async (t) => {
  const sink = await makeSink(t, { stall: true })
  const label = makeLabel(8_000_000) // more than the buffers of the peer hold
  await using connection = await createSocketDevice().open(new URL(sink.uri), limit())
  const sent = connection.send(label, limit())
  sink.behave({ bytesPerTick: 20_000 })
  await sent
  sink.behave({ bytesPerTick: 5_000 }) // what is on its way takes longer than a look
  let flows = 0
  await connection.finish?.(() => {
    flows += 1
  }, limit())
  t.ok(flows > 0)
  await sink.until(({ length }) => length === label.length) // the system has it before the sink reads it
  t.equal(await connection.confirm?.(limit()), false)
})

t.test('a label that is given up while its end is on the way is cut', async (t) => {
  const sink = await makeSink(t, { stall: true })
  const countSockets = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  const before = countSockets()
  {
    await using connection = await createSocketDevice().open(new URL(sink.uri), limit())
    await sink.until(({ connections }) => connections.length === 1)
    await connection.send(makeLabel(40_000), limit())
    const stop = new AbortController()
    const finished = connection.finish?.(() => undefined, stop.signal)
    stop.abort('a person said so')
    await t.rejects(Promise.resolve(finished), { code: 'PRINTER_LOST', cause: 'a person said so' })
    sink.behave({})
    await sink.until(({ connections }) => connections[0]?.state !== 'open')
  }
  const end = performance.now() + 60_000
  while (countSockets() > before && performance.now() < end) await setTimeout(5)
  t.ok(countSockets() <= before, 'no socket is left open')
})

const hasOwnNetwork =
  spawnSync('unshare', ['-n', 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' }).status === 0

t.test(
  'a printer that vanishes without a word is given up',
  { skip: hasOwnNetwork ? false : 'no network of its own to be had here (unshare -n, as root)' },
  (t) => {
    // The child takes the loopback of its own network down while bytes are on their way.
    const child = join(import.meta.dirname, '../../../devices/vanish-child.ts')
    const { status, stdout, stderr } = spawnSync('unshare', ['-n', process.execPath, child], {
      encoding: 'utf8',
      timeout: 120_000,
    })
    t.same([status, stdout], [0, 'PRINTER_LOST no answer for 2 s'], stderr)
    t.end()
  },
)

t.test('a port of this print server is no printer', async (t) => {
  const sink = await TcpSink.openFor(t)
  const device = createSocketDevice({}, undefined, (uri) => uri === sink.uri)
  const error = await device.open(new URL(sink.uri), AbortSignal.timeout(5_000)).catch((e) => e)
  t.match(error, {
    code: 'PRINTER_OFFLINE',
    message: /this print server's own port/,
    advice: 'chooseItself',
  })
})
