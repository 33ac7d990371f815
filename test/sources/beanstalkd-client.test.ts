import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { PlatenError } from '../../src/errors.ts'
import type { SourceDoor } from '../../src/jobs/intake/source-door.ts'
import {
  BeanstalkdClient,
  type ClientSettings,
  type Reply,
  ReplyReader,
} from '../../src/sources/beanstalkd/client.ts'
import { createBeanstalkd } from '../../src/sources/beanstalkd/index.ts'
import { OtherServers } from '../../src/sources/beanstalkd/pull.ts'
import type { BeanstalkdTiming } from '../../src/sources/beanstalkd/settings.ts'
import { Tube } from '../../src/sources/beanstalkd/tube.ts'
import { openMemory } from '../../src/sources/memory.ts'
import type { SourceEvent, SourceIntake } from '../../src/sources/source.ts'
import { openDeafPort } from '../devices/deaf-port.ts'
import { findClosedPort } from '../devices/tcp-sink.ts'
import { Bench, printer } from '../jobs/bench.ts'
import { poll } from '../until.ts'
import { BeanstalkdDaemon, noBeanstalkd } from './beanstalkd-daemon.ts'
import { makeLook } from './intake-bench.ts'

t.setTimeout(300_000)

/** For whoever answers, on a machine that may be slow, and for whoever never does. */
const PATIENT = { connectMs: 60_000, replyMs: 60_000, bodyIdleMs: 60_000 }
const HURRIED = { ...PATIENT, replyMs: 150, bodyIdleMs: 150 }
const ZPL64 = Buffer.from('^XA^FDHello^FS^XZ').toString('base64')

const signal = (): AbortSignal => AbortSignal.timeout(120_000)

/** A server that does as a test says, for what the real one never does. */
async function serve(
  t: Test,
  serve: (socket: Socket, line: string) => void,
): Promise<ClientSettings> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (data) => serve(socket, data.toString()))
    t.teardown(() => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { endpoint: `127.0.0.1:${port}`, bodyBytes: 1_000, ...PATIENT }
}

function read(stream: Uint8Array, cuts: readonly number[], bodyMost = 1_000): readonly Reply[] {
  const replies: Reply[] = []
  const reader = new ReplyReader(bodyMost, (reply) => replies.push(reply))
  const places = [...new Set(cuts.map((cut) => cut % (stream.length + 1)))].sort((a, b) => a - b)
  let from = 0
  for (const to of [...places, stream.length]) {
    reader.push(stream.subarray(from, to))
    from = to
  }
  return replies
}

t.test('replies are read whole wherever they are cut, whatever their bodies hold', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 5 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      (bodies, cuts) => {
        const parts = bodies.flatMap((body, index) => [
          Buffer.from(`RESERVED ${index} ${body.length}\r\n`),
          body,
          Buffer.from('\r\nTIMED_OUT\r\n'),
        ])
        const replies = read(Buffer.concat(parts), cuts)
        const seen = replies.filter(({ word }) => word === 'RESERVED').map(({ body }) => body)
        t.strictSame(
          seen.map((body) => Buffer.from(body ?? 'none')),
          bodies.map((body) => Buffer.from(body)),
        )
        return replies.length === bodies.length * 2
      },
    ),
    { numRuns: 300 },
  )
  t.end()
})

t.test('a body above the bound is dropped as it comes, and the next reply is read', (t) => {
  const big = Buffer.concat([
    Buffer.from('RESERVED 7 2000\r\n'),
    Buffer.alloc(2_000, 0x0a),
    Buffer.from('\r\nDELETED\r\n'),
  ])
  t.match(read(big, [5, 600, 1_999, 2_018]), [
    { word: 'RESERVED', numbers: ['7', '2000'], body: undefined, bodyBytes: 2_000 },
    { word: 'DELETED' },
  ])
  t.end()
})

t.test('what is not beanstalkd is found out', async (t) => {
  const lies = [
    'HTTP/1.1 400 Bad Request\r\n\r\n',
    'x'.repeat(2_000),
    'RESERVED 1 huge\r\n',
    'RESERVED 1 3\r\nabcdef',
    'DELETED\n',
    'DELETED\r\nDELETED\r\n',
  ]
  for (const lie of lies) {
    const settings = await serve(t, (socket) => socket.write(lie))
    using client = await BeanstalkdClient.connect(settings, signal())
    const answer = client.command('stats').then(() => client.command('stats'))
    await t.rejects(answer, { code: 'SOURCE_REFUSED' }, lie.slice(0, 20))
    await t.rejects(client.command('stats'), { code: 'SOURCE_REFUSED' }, 'and stays so')
  }
  const settings = await serve(t, (socket) => socket.write('OUT_OF_MEMORY\r\n'))
  using client = await BeanstalkdClient.connect(settings, signal())
  await t.rejects(Tube.watch(client, 'labels'), {
    code: 'SOURCE_REFUSED',
    message: 'The queue server answered OUT_OF_MEMORY; wanted WATCHING.',
  })
})

t.test('every command has a deadline, in the middle of an answer too', async (t) => {
  const silent = await serve(t, () => undefined)
  using first = await BeanstalkdClient.connect({ ...silent, ...HURRIED }, signal())
  const answers = [first.command('stats'), first.command('stats')]
  for (const answer of answers) {
    await t.rejects(answer, { code: 'SOURCE_UNREACHABLE', message: /did not answer within 1 sec/ })
  }
  const half = await serve(t, (socket) => socket.write('OK 100\r\nabc'))
  using second = await BeanstalkdClient.connect({ ...half, ...HURRIED }, signal())
  await t.rejects(second.command('stats', 60_000), { code: 'SOURCE_UNREACHABLE' })
})

t.test('nobody, nowhere, and an end in between are told in sentences', async (t) => {
  const settings = { bodyBytes: 1_000, ...PATIENT }
  const closed = `127.0.0.1:${await findClosedPort()}`
  await t.rejects(BeanstalkdClient.connect({ ...settings, endpoint: closed }, signal()), {
    code: 'SOURCE_UNREACHABLE',
    message: `${closed} refuses connections: nothing listens there.`,
  })
  await t.rejects(BeanstalkdClient.connect({ ...settings, endpoint: '[::1]:1' }, signal()), {
    code: 'SOURCE_UNREACHABLE',
  })
  await using deaf = await openDeafPort()
  const nowhere = { ...settings, endpoint: `127.0.0.1:${deaf.port}`, connectMs: 50 }
  await t.rejects(BeanstalkdClient.connect(nowhere, signal()), { code: 'SOURCE_UNREACHABLE' })
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 20)
  const late = BeanstalkdClient.connect({ ...nowhere, connectMs: 10_000 }, stop.signal)
  const fault = await late.catch((error: unknown) => error)
  t.match(String(fault), /AbortError|cannot be reached|refuses/)
  const quitting = await serve(t, (socket) => socket.end())
  using client = await BeanstalkdClient.connect(quitting, signal())
  await t.rejects(client.command('stats'), { message: /closed the connection/ })
})

interface Pulled {
  readonly daemon: BeanstalkdDaemon
  readonly bench: Bench
  readonly events: SourceEvent[]
  readonly stop: () => Promise<unknown>
  readonly start: () => void
}

/** The source beside a real daemon, in this process. */
async function pull(
  t: Test,
  makeIntake: (door: SourceDoor) => Partial<SourceIntake> = () => ({}),
  timing: Partial<BeanstalkdTiming> = {},
): Promise<Pulled> {
  const daemon = await BeanstalkdDaemon.start(t)
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  bench.scheduler.start()
  const events: SourceEvent[] = []
  const door = bench.intake.forSource('beanstalkd')
  const intake: SourceIntake = {
    ...{ ack: 'spooled', messageBytes: 60_000, memory: openMemory(), ...makeLook(), ...door },
    report: (event) => events.push(event),
    ...makeIntake(door),
  }
  const source = createBeanstalkd({
    ...PATIENT,
    ...{ reserveSeconds: 1, countMs: 50, settleMs: 100, strangerReserves: 2 },
    ...timing,
  })
  const settings = { endpoint: daemon.endpoint, tube: 'labels' }
  let stopping = new AbortController()
  let ended: Promise<unknown> = Promise.resolve()
  const start = (): void => {
    stopping = new AbortController()
    ended = source.run(settings, intake, stopping.signal).catch((error: unknown) => error)
  }
  const stop = (): Promise<unknown> => {
    stopping.abort()
    return ended
  }
  start()
  t.teardown(stop)
  return { daemon, bench, events, stop, start }
}

t.test('a message above the bound is buried with a sentence', { skip: noBeanstalkd }, async (t) => {
  const { daemon, events, bench } = await pull(t)
  await daemon.put('labels', 'A'.repeat(60_001))
  await daemon.put('labels', ZPL64)
  await poll('the good one', () => bench.spool.history.counts().completed === 1)
  t.equal((await daemon.count('labels')).buried, 1)
  t.match(
    events.find(({ kind }) => kind === 'refused'),
    { message: /has 60001 bytes; wanted at most 60000 \(Largest request\)/ },
  )
  await poll('the count', () => events.some((event) => event.kind === 'backlog' && event.bad === 1))
})

t.test(
  'a label for an unknown printer is given back, and buried at last',
  { skip: noBeanstalkd },
  async (t) => {
    const { daemon, events } = await pull(t)
    await daemon.put('labels', JSON.stringify({ label: ZPL64, printer: 'Bench 9' }))
    const refusals = (): readonly string[] =>
      events.flatMap((event) => (event.kind === 'refused' ? [event.message] : []))
    await poll('both tries', () => refusals().length === 2)
    t.match(refusals()[0], /was given back for another station\. .*"Bench 9"/)
    t.match(refusals()[1], /was buried\. .*"Bench 9"/)
    t.equal((await daemon.count('labels')).buried, 1)
  },
)

t.test(
  'a label that finds the printer stopped goes back to the queue at once',
  { skip: noBeanstalkd },
  async (t) => {
    let isReady = true
    const intake = {
      isReady: () => isReady,
      ready: async (stop: AbortSignal) => {
        while (!isReady) {
          stop.throwIfAborted()
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      },
    }
    const { daemon, bench, events } = await pull(t, () => intake, { reserveSeconds: 600 })
    await poll('the long wait for a label', () => events.length > 0)
    isReady = false
    await daemon.put('labels', ZPL64)
    const released = async (): Promise<boolean> =>
      /^releases: 1$/m.test(await daemon.ask('stats-job 1', /^OK/))
    await poll('the release', released)
    t.match(await daemon.ask('stats-job 1', /^OK/), /^pri: 100$/m, 'with the priority it had')
    t.equal(bench.spool.history.list({ limit: 9 }).length, 0)
    isReady = true
    await poll('the label', () => bench.spool.history.counts().completed === 1)
  },
)

t.test(
  'what the box cannot take stays in the queue, and the source says why',
  { skip: noBeanstalkd },
  async (t) => {
    const { PlatenError } = await import('../../src/errors.ts')
    const full = new PlatenError('SPOOL_FULL', 'The spool is full.')
    const intake = { accept: () => Promise.reject(full) }
    const { daemon, stop } = await pull(t, () => intake)
    await daemon.put('labels', ZPL64)
    const isBack = async (): Promise<boolean> =>
      /^state: ready\n[\s\S]*^reserves: 1$/m.test(await daemon.ask('stats-job 1', /^OK/))
    await poll('the label to be back', isBack)
    t.equal(await stop(), full)
  },
)

t.test(
  'a label that the server takes back while it prints is told of, and printed once',
  { skip: noBeanstalkd },
  async (t) => {
    // The label is out only after the server has given it to another station, as after a stall of ours.
    const given = Promise.withResolvers<void>()
    const makeIntake = (door: SourceDoor): Partial<SourceIntake> => ({
      ack: 'printed',
      accept: async (message) => {
        const taken = await door.accept(message)
        if (!taken.repeated) await given.promise
        return { ...taken, ended: Promise.resolve() }
      },
    })
    const { daemon, bench, events } = await pull(t, makeIntake)
    // As long as our acknowledgement may take until the other's time is over, too.
    await daemon.put('labels', ZPL64, 5)
    await poll('the label', () => bench.spool.history.list({ limit: 9 }).length === 1)
    const other = connect(daemon.port, '127.0.0.1')
    other.on('data', (data) => {
      if (data.includes('RESERVED')) given.resolve()
    })
    other.write('watch labels\r\nignore default\r\nreserve\r\n')
    await poll('the warning', () => events.some(({ kind }) => kind === 'warning'))
    t.match(
      events.find(({ kind }) => kind === 'warning'),
      { message: /took back a message before its label was acknowledged/, detail: /TTR/ },
    )
    other.destroy()
    await poll('the queue to be empty', async () => (await daemon.count('labels')).waiting === 0)
    t.equal(bench.spool.history.list({ limit: 9 }).length, 1)
  },
)

t.test(
  'a server that has lost its log may give the same label the same number again',
  { skip: noBeanstalkd },
  async (t) => {
    const { daemon, bench, stop, start } = await pull(t)
    await daemon.put('labels', ZPL64)
    await poll('the label', () => bench.spool.history.counts().completed === 1)
    await stop()
    await daemon.kill()
    await daemon.startFresh()
    await daemon.put('labels', ZPL64)
    t.match(await daemon.ask('stats-job 1', /^OK/), /^id: 1$/m)
    start()
    await poll('the label once more', () => bench.spool.history.counts().completed === 2)
  },
)

t.test(
  'a stop while labels print acknowledges what is in the spool',
  { skip: noBeanstalkd },
  async (t) => {
    const never = new Promise<void>(() => undefined)
    let isTaken = false
    const accept: SourceIntake['accept'] = () => {
      isTaken = true
      return Promise.resolve({ jobs: [], repeated: false, ended: never })
    }
    const { daemon, stop, events } = await pull(t, () => ({ ack: 'printed', accept }))
    await daemon.put('labels', ZPL64)
    await poll('the label to be ours', () => isTaken)
    await stop()
    t.equal((await daemon.count('labels')).waiting, 0)
    t.notOk(events.some(({ kind }) => kind === 'warning'))
  },
)

t.test(
  'the server is in contact as long as a label of its is in hand',
  { skip: noBeanstalkd },
  async (t) => {
    const never = new Promise<void>(() => undefined)
    let isTaken = false
    const accept: SourceIntake['accept'] = () => {
      isTaken = true
      return Promise.resolve({ jobs: [], repeated: false, ended: never })
    }
    const { daemon, events } = await pull(t, () => ({ ack: 'printed', accept }))
    // A touch at a third of it would be one in twenty minutes.
    await daemon.put('labels', ZPL64, 3_600)
    await poll('the label to be ours', () => isTaken)
    const before = events.length
    await poll('contacts', () => events.length > before + 2)
    t.ok(events.slice(before).every(({ kind }) => kind === 'contact'))
  },
)

t.test('other servers are remembered over restarts, for 30 days', (t) => {
  const day = 24 * 3600 * 1000
  const memory = openMemory()
  let now = 0
  const restart = (): OtherServers =>
    new OtherServers('a:1/labels', { memory, report: () => undefined }, () => now)
  const first = restart()
  first.note(1)
  t.notOk(first.wereSeen, 'its own connection is not another server')
  first.note(2)
  t.ok(first.wereSeen)
  now = 20 * day
  t.ok(restart().wereSeen)
  restart().note(3)
  now = 49 * day
  t.ok(restart().wereSeen)
  now = 50 * day
  t.notOk(restart().wereSeen)
  const apart = new OtherServers('a:1/more', { memory, report: () => undefined }, () => now)
  t.notOk(apart.wereSeen, 'each tube has its own note')
  t.end()
})

t.test('what cannot be written down is remembered until the end, and said', (t) => {
  const events: unknown[] = []
  const memory = openMemory({
    load: () => undefined,
    save: () => {
      throw new PlatenError('STATE_UNWRITABLE', 'The disk is full.')
    },
  })
  const others = new OtherServers('a:1/labels', { memory, report: (event) => events.push(event) })
  others.note(2)
  others.note(2)
  t.ok(others.wereSeen)
  t.match(events, [{ kind: 'warning', message: /disk is full/ }])
  t.equal(events.length, 1)
  t.end()
})

t.test('the button says what is there', { skip: noBeanstalkd }, async (t) => {
  const daemon = await BeanstalkdDaemon.start(t)
  const source = createBeanstalkd()
  const settings = { endpoint: daemon.endpoint, tube: 'labels' }
  const reached = `Reached beanstalkd 1.`
  t.match(await source.test(settings, signal()), /; 0 messages wait in its tube labels\.$/)
  await daemon.put('labels', ZPL64)
  const said = await source.test(settings, signal())
  t.ok(said.startsWith(reached), said)
  t.match(said, /; 1 messages wait in its tube labels\.$/)
  await daemon.ask(
    'watch labels\r\nignore default\r\nreserve\r\nbury 1 1',
    /BURIED|RESERVED|WATCHING/,
  )
  t.equal(source.describe(settings), `${daemon.endpoint}, tube labels`)
})
