import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import type { HttpBindings } from '@hono/node-server'
import t, { type Test } from 'tap'
import type { HttpBounds } from '../../../src/http/bounds.ts'
import { PipelineTurns } from '../../../src/http/guard/pipelining.ts'
import { serve } from '../../../src/http/server.ts'
import { until } from '../../until.ts'
import { giveCertificates } from '../tls/kept.ts'

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
const BODY = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\n\r\n\r\nab'
const CHUNKED =
  'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n\r\n\r\nab\r\n0\r\n\r\n'
const EXPECTING = GET.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n')
const STRANGE = GET.replace('\r\n\r\n', '\r\nExpect: a miracle\r\n\r\n')

/** A server whose answers wait for the test. */
interface Gate {
  readonly port: number
  /** Requests that Node has made of heads so far. */
  made(): number
  /** Requests that have begun so far. */
  begun(): number
  /** The most that were under way together. */
  most(): number
  /** The server's end of the connection that asked last. */
  socket(): Socket
  /** Lets the oldest request go on. */
  answer(): void
}

async function startGate(
  t: Test,
  settings: Partial<Parameters<typeof serve>[1]> = {},
): Promise<Gate> {
  const waiting: (() => void)[] = []
  let [begun, underWay, most] = [0, 0, 0]
  let last: IncomingMessage | undefined
  const listener = await serve(
    {
      async fetch(request, env) {
        const { incoming, outgoing } = env as HttpBindings
        last = incoming
        if (request.headers.get('expect') === '100-continue') outgoing.writeContinue()
        begun += 1
        underWay += 1
        most = Math.max(most, underWay)
        const text = request.method === 'POST' ? await request.text() : ''
        await new Promise<void>((resolve) => waiting.push(resolve))
        underWay -= 1
        return new Response(`answer${text.trim()}`)
      },
    },
    { host: '127.0.0.1', port: 0, ...settings },
  )
  t.teardown(() => listener.close(0))
  let made = 0
  for (const server of listener.servers) server.on('request', () => made++)
  return {
    port: listener.address.port,
    made: () => made,
    begun: () => begun,
    most: () => most,
    socket() {
      if (last === undefined) throw new Error('nobody has asked yet')
      return last.socket
    },
    answer: () => waiting.shift()?.(),
  }
}

/** Collects the answers of a connection, and counts them. */
function collect(socket: Socket): { readonly text: () => string; readonly answers: () => number } {
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  return { text: () => text, answers: () => text.split('answer').length - 1 }
}

/** So many requests were answered on connections of others since: the server has had its turns. */
async function letOthersThrough(gate: Gate): Promise<void> {
  const socket = connect(gate.port, '127.0.0.1')
  const { text } = collect(socket)
  // Refused by the parser, so it needs no answer of the gate.
  socket.write('no HTTP\r\n\r\n')
  await until('the refusal', async () => text().includes('400') || undefined)
  socket.destroy()
}

/** Answers until so many answers have come. */
async function answers(gate: Gate, count: number, got: () => number): Promise<void> {
  const answerAndCount = (): number => {
    gate.answer()
    return got()
  }
  await until(`${count} answers`, async () => answerAndCount() >= count || undefined, 60_000, 1)
}

t.test('four requests of a connection are under way at most, the fifth is not begun', async (t) => {
  const gate = await startGate(t)
  const socket = connect(gate.port, '127.0.0.1')
  const got = collect(socket)
  socket.write(GET.repeat(1_700))
  await until('four requests', async () => gate.begun() >= 4 || undefined)
  for (let round = 0; round < 5; round += 1) await letOthersThrough(gate)
  t.equal(gate.begun(), 4)
  gate.answer()
  await until('the fifth', async () => gate.begun() >= 5 || undefined)
  await letOthersThrough(gate)
  t.equal(gate.begun(), 5)
  await answers(gate, 300, got.answers)
  t.equal(gate.most(), 4)
  socket.destroy()
})

t.test('no request is made of a head that has to wait', async (t) => {
  const gate = await startGate(t)
  const socket = connect(gate.port, '127.0.0.1')
  collect(socket)
  socket.write(GET.repeat(1_700))
  await until('four requests', async () => gate.begun() >= 4 || undefined)
  await letOthersThrough(gate)
  t.equal(gate.made(), 4)
  socket.destroy()
})

t.test('what follows is not read, however much comes', async (t) => {
  const gate = await startGate(t)
  const socket = connect(gate.port, '127.0.0.1')
  collect(socket)
  const piece = GET.repeat(2_000)
  let isFull = false
  const write = (): void => {
    while (!isFull && socket.bytesWritten < 20_000_000 && socket.write(piece));
    if (!isFull && socket.bytesWritten < 20_000_000) socket.once('drain', write)
  }
  write()
  await until('four requests', async () => gate.begun() >= 4 || undefined)
  let before = -1
  await until('the server to read no more', async () => {
    await letOthersThrough(gate)
    const { bytesRead } = gate.socket()
    const isStill = bytesRead === before
    before = bytesRead
    return isStill || undefined
  })
  isFull = true
  // What the socket's own buffer takes, and the piece that was on its way.
  t.ok(before <= 256 * 1024, `${before} bytes`)
  t.equal(gate.begun(), 4)
  socket.destroy()
})

for (const [name, request] of Object.entries({ BODY, CHUNKED, EXPECTING, STRANGE })) {
  t.test(`each of many is answered, in order: ${name}`, async (t) => {
    const gate = await startGate(t)
    const socket = connect(gate.port, '127.0.0.1')
    const got = collect(socket)
    socket.write(request.repeat(100))
    await until('four requests', async () => gate.begun() >= 4 || undefined)
    await letOthersThrough(gate)
    t.equal(gate.begun(), 4)
    await answers(gate, 100, got.answers)
    t.equal(gate.begun(), 100)
    t.equal(gate.most(), 4)
    if (name === 'BODY' || name === 'CHUNKED') t.equal(got.text().split('answerab').length - 1, 100)
    socket.destroy()
  })
}

t.test('a head may come in pieces of any size', async (t) => {
  const gate = await startGate(t)
  const socket = connect(gate.port, '127.0.0.1')
  const got = collect(socket)
  socket.setNoDelay()
  const text = [GET, BODY, CHUNKED, GET].join('').repeat(10)
  for (let at = 0, size = 1; at < text.length; at += size, size = (size % 7) + 1) {
    socket.write(text.slice(at, at + size))
    await new Promise(setImmediate)
  }
  await answers(gate, 40, got.answers)
  t.equal(gate.most(), 4)
  t.equal(gate.begun(), 40)
  socket.destroy()
})

t.test('HTTPS is paced too', async (t) => {
  const { key, cert } = await giveCertificates(join(t.testdir(), 'tls'), 'box')
  const gate = await startGate(t, { tls: { key, cert } })
  const socket = connectTls({ host: '127.0.0.1', port: gate.port, rejectUnauthorized: false })
  const got = collect(socket)
  await once(socket, 'secureConnect')
  socket.write(GET.repeat(1_000))
  await until('four requests', async () => gate.begun() >= 4 || undefined)
  await answers(gate, 200, got.answers)
  t.equal(gate.most(), 4)
  socket.destroy()
})

// More than the kernel keeps for a client that does not read.
const LARGE = 'x'.repeat(40_000_000)

/** Clients that ask and never read; gives the server's ends, one for each request that it answered. */
async function openDeaf(
  t: Test,
  bounds: Partial<HttpBounds>,
  clients: number,
): Promise<readonly Socket[]> {
  const asked: Socket[] = []
  const listener = await serve(
    {
      fetch(_, env) {
        asked.push((env as HttpBindings).incoming.socket)
        return new Response(LARGE)
      },
    },
    { host: '127.0.0.1', port: 0, bounds },
  )
  t.teardown(() => listener.close(0))
  for (let at = 0; at < clients; at += 1) {
    const socket = connect(listener.address.port, '127.0.0.1')
    socket.on('error', () => undefined).pause()
    socket.write(GET.repeat(1_000))
    t.teardown(() => socket.destroy())
  }
  await until('the requests', async () => new Set(asked).size === clients || undefined)
  return asked
}

t.test('a client that takes no answers is not asked for more, and not kept', async (t) => {
  const asked = await openDeaf(t, { answerIdleMs: 500 }, 1)
  await until('the end', async () => asked[0]?.destroyed || undefined)
  t.ok(asked.length <= 4, `${asked.length} answers were made`)
})

t.test('answers that nobody takes are bounded together', async (t) => {
  // One of them fits, two do not.
  const bounds = { answerIdleMs: 600_000, unreadBytes: 45_000_000, requestsUnderWay: 1 }
  const asked = await openDeaf(t, bounds, 2)
  const isOver = (): boolean => asked.some(({ destroyed }) => destroyed)
  await until('one to be dropped', async () => isOver() || undefined)
  t.equal(asked.filter(({ destroyed }) => destroyed).length, 1)
})

t.test('connections that wait go on eight a turn, the clients in turn', async (t) => {
  const turns = new PipelineTurns()
  const begun: string[] = []
  const wait = (owner: string): void => turns.wait({ owner, release: () => void begun.push(owner) })
  for (let at = 0; at < 12; at += 1) wait('crowd')
  wait('other')
  await new Promise(setImmediate)
  t.same(begun, ['crowd', 'other', ...Array.from({ length: 6 }, () => 'crowd')])
  await new Promise(setImmediate)
  t.equal(begun.length, 13)
})
