import { createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import {
  BeanstalkdClient,
  type BeanstalkReply,
  type ClientSettings,
  ReplyReader,
} from '../../../src/plugins/beanstalkd/client.ts'
import { OtherServers } from '../../../src/plugins/beanstalkd/pull.ts'
import { Tube } from '../../../src/plugins/beanstalkd/tube.ts'
import { openMemory } from '../../../src/plugins/source/memory.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { openDeafPort } from '../../devices/deaf-port.ts'
import { findClosedPort, listen } from '../../listen.ts'
import { spoken } from '../../words/spoken.ts'

t.setTimeout(300_000)

/** For an answer of a slow machine, and for a server that never answers. */
const PATIENT = { connectMs: 60_000, replyMs: 60_000, bodyIdleMs: 60_000 }
const HURRIED = { ...PATIENT, replyMs: 150, bodyIdleMs: 150 }

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
  return { endpoint: `127.0.0.1:${await listen(t, server)}`, bodyBytes: 1_000, ...PATIENT }
}

function read(
  stream: Uint8Array,
  cuts: readonly number[],
  bodyMost = 1_000,
): readonly BeanstalkReply[] {
  const replies: BeanstalkReply[] = []
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
  t.match(spoken(events), [{ kind: 'warning', message: /disk is full/ }])
  t.equal(events.length, 1)
  t.end()
})
