import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { boundsWith, type HttpBounds } from '../../../src/http/bounds.ts'
import { Connections } from '../../../src/http/guard/connections.ts'
import { serve } from '../../../src/http/server.ts'
import { until } from '../../until.ts'
import { giveCertificates } from '../tls/kept.ts'

/** A client with an address of its own. */
interface Client {
  readonly socket: Socket
  readonly text: () => string
}

/** Target and local port of a connection. */
interface Ends {
  readonly port: number
  readonly host: string
  readonly localPort: number
}

interface Rig {
  /** Connects and waits until the server knows it. */
  open(from?: string, more?: Partial<Ends>): Promise<Client>
  /** The same, and begins a request that the test answers. */
  ask(from?: string, head?: string): Promise<Client>
  /** Requests under way. */
  underWay(): number
  /** Answers all that are under way. */
  answer(): void
  readonly ports: readonly number[]
}

const ANSWER = 'answered'

/** Two servers that share their connections, as the HTTP and the HTTPS port do. */
async function startRig(t: Test, changes: Partial<HttpBounds>, host = '127.0.0.1'): Promise<Rig> {
  const bounds = { keepAliveMs: 600_000, headersTimeoutMs: 600_000, ...changes }
  const connections = new Connections(boundsWith(bounds))
  let underWay = 0
  let waiting: (() => void)[] = []
  const app = {
    async fetch(request: Request) {
      underWay += 1
      if (request.method === 'POST') await request.text().catch(() => '')
      await new Promise<void>((resolve) => waiting.push(resolve))
      underWay -= 1
      return new Response(ANSWER)
    },
  }
  const settings = { host, port: 0, bounds, connections }
  const listeners = [await serve(app, settings), await serve(app, settings)]
  t.teardown(() => Promise.all(listeners.map((listener) => listener.close(0))))
  const ports = listeners.map(({ address }) => address.port)
  const [first = 0] = ports
  const open: Rig['open'] = async (from = '127.0.0.1', more = {}) => {
    const ends = { port: first, host: '127.0.0.1', localPort: 0, ...more }
    const socket = connect({ ...ends, localAddress: from })
    let text = ''
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
    await once(socket, 'connect')
    return { socket, text: () => text }
  }
  return {
    open,
    async ask(from, head = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n') {
      const before = underWay
      const client = await open(from)
      client.socket.write(head)
      await until(
        'the request',
        async () => underWay > before || client.socket.destroyed || undefined,
      )
      return client
    },
    underWay: () => underWay,
    answer() {
      for (const resolve of waiting.splice(0)) resolve()
      waiting = []
    },
    ports,
  }
}

const SLOW = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx'

async function closed({ socket }: Client): Promise<void> {
  await until('the end', async () => socket.destroyed || undefined)
}

/** It may ask, and is answered. */
async function isServed(t: Test, rig: Rig, client: Client): Promise<void> {
  const before = rig.underWay()
  client.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await until('the request', async () => rig.underWay() > before || undefined)
  rig.answer()
  await until('the answer', async () => client.text().includes(ANSWER) || undefined)
  t.pass('served')
}

t.test('clients that connect and say nothing keep nobody out', async (t) => {
  const rig = await startRig(t, { connections: 3 })
  const first = await rig.open()
  const second = await rig.open()
  await rig.open()
  const late = await rig.open()
  await closed(first)
  await isServed(t, rig, late)
  t.equal(second.socket.destroyed, false, 'only the one that was idle longest')
})

t.test('where all have requests under way, nobody gives way to an equal', async (t) => {
  const rig = await startRig(t, { connections: 2, connectionsKept: 0 })
  const busy = await rig.ask('127.0.0.2')
  const idle = await rig.open('127.0.0.3')
  const other = await rig.ask('127.0.0.4')
  await closed(idle)
  await closed(await rig.open('127.0.0.5'))
  rig.answer()
  for (const { text } of [busy, other]) {
    await until('the answer', async () => text().includes(ANSWER) || undefined)
  }
  t.pass('both were answered')
})

t.test('one port of a client towards several addresses of ours counts for each', async (t) => {
  const rig = await startRig(t, { connectionsOfAddress: 2 }, '0.0.0.0')
  const first = await rig.open('127.0.0.2')
  const { localPort = 0 } = first.socket
  for (const host of ['127.0.0.3', '127.0.0.4']) await rig.open('127.0.0.2', { host, localPort })
  await closed(first)
  t.pass('it has given way')
})

t.test('who asked last is kept longest', async (t) => {
  const rig = await startRig(t, { connections: 2 })
  const first = await rig.open()
  const second = await rig.open()
  await isServed(t, rig, first)
  await rig.open()
  await closed(second)
  t.equal(first.socket.destroyed, false)
})

t.test('a shop that sends 50 labels at once, with 25 benches open behind one router', async (t) => {
  const rig = await startRig(t, {})
  const clients: Client[] = []
  for (let at = 0; at < 75; at += 1) clients.push(await rig.ask('127.0.0.2'))
  t.equal(rig.underWay(), 75)
  rig.answer()
  for (const { text } of clients) {
    await until('the answer', async () => text().includes(ANSWER) || undefined)
  }
  t.pass('all were answered')
})

t.test('250 requests of one address under way keep nobody else out', async (t) => {
  const rig = await startRig(t, {})
  const crowd: Client[] = []
  for (let at = 0; at < 250; at += 1) crowd.push(await rig.open('127.0.0.2'))
  for (const { socket } of crowd) socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await until('its share', async () => rig.underWay() === 100 || undefined)
  for (const from of ['127.0.0.3', '127.0.0.4', '127.0.0.1']) {
    await isServed(t, rig, await rig.open(from))
  }
  for (const { socket } of crowd) socket.destroy()
})

t.test('250 slow bodies of one address: the slowest gives way to its own', async (t) => {
  const rig = await startRig(t, { connectionsOfAddress: 3 })
  const [first] = [await rig.ask('127.0.0.2', SLOW), await rig.ask('127.0.0.2', SLOW)]
  const working = await rig.ask('127.0.0.2')
  await rig.ask('127.0.0.2', SLOW)
  await closed(first)
  t.equal(working.socket.destroyed, false)
  await isServed(t, rig, await rig.open('127.0.0.3'))
})

t.test('where several addresses have taken all places, who has most gives way', async (t) => {
  const rig = await startRig(t, {
    connections: 12,
    connectionsKept: 2,
    connectionsOfAddress: 5,
  })
  const crowd: Client[] = []
  for (const from of ['127.0.0.2', '127.0.0.3']) {
    for (let at = 0; at < 5; at += 1) crowd.push(await rig.ask(from))
  }
  const few = await rig.ask('127.0.0.4')
  const other = await rig.ask('127.0.0.5')
  t.equal(few.socket.destroyed || other.socket.destroyed, false)
  await until(
    'two to give way',
    async () => crowd.filter(({ socket }) => socket.destroyed).length === 2 || undefined,
  )
  rig.answer()
  for (const { text } of [few, other]) {
    await until('the answer', async () => text().includes(ANSWER) || undefined)
  }
})

t.test('who has few does not give way to others with few while a crowd is there', async (t) => {
  const rig = await startRig(t, { connections: 10, connectionsKept: 0, connectionsOfAddress: 5 })
  for (const from of ['127.0.0.2', '127.0.0.3']) {
    for (let at = 0; at < 5; at += 1) await rig.ask(from)
  }
  // Both have only just connected when the other comes.
  const [one, other] = [await rig.open('127.0.0.4'), await rig.open('127.0.0.5')]
  await isServed(t, rig, other)
  await isServed(t, rig, one)
})

t.test('places are kept for this machine itself', async (t) => {
  const rig = await startRig(t, { connections: 6, connectionsKept: 2, connectionsOfAddress: 1 })
  const remote: Client[] = []
  for (let at = 2; at < 6; at += 1) remote.push(await rig.ask(`127.0.0.${at}`))
  await closed(await rig.open('127.0.0.6'))
  const own = [await rig.ask('127.0.0.1'), await rig.ask('127.0.0.1')]
  t.same(
    [...remote, ...own].map(({ socket }) => socket.destroyed),
    Array(6).fill(false),
  )
})

t.test('the places of both ports are counted together', async (t) => {
  const rig = await startRig(t, { connectionsOfAddress: 2 })
  const [one, two] = rig.ports
  const first = await rig.open('127.0.0.2', { port: one ?? 0 })
  await rig.open('127.0.0.2', { port: two ?? 0 })
  await rig.open('127.0.0.2', { port: two ?? 0 })
  await closed(first)
  t.pass('an idle one of the other port gave way')
})

t.test('clients behind a proxy of this machine have shares of their own', async (t) => {
  const rig = await startRig(t, { connectionsOfAddress: 2, connections: 20 })
  const head = (client: string): string =>
    `GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 127.0.0.1, ${client}\r\n\r\n`
  await rig.ask('127.0.0.1', head('192.0.2.1'))
  await rig.ask('127.0.0.1', head('192.0.2.1'))
  const third = await rig.open('127.0.0.1')
  third.socket.write(head('192.0.2.1'))
  await closed(third)
  const other = await rig.ask('127.0.0.1', head('192.0.2.2'))
  t.equal(other.socket.destroyed, false)
  t.equal(rig.underWay(), 3)
})

t.test('nobody else is believed whom it comes from', async (t) => {
  const rig = await startRig(t, { connectionsOfAddress: 2, connections: 20 })
  for (const client of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
    const { socket } = await rig.open('127.0.0.2')
    socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${client}\r\n\r\n`)
  }
  await until('two requests', async () => rig.underWay() >= 2 || undefined)
  await isServed(t, rig, await rig.open('127.0.0.3'))
  t.equal(rig.underWay(), 0)
})

t.test('a close does not wait for who has not finished a TLS handshake', async (t) => {
  const { key, cert } = await giveCertificates(join(t.testdir(), 'tls'), 'box')
  const listener = await serve(
    { fetch: () => new Response('') },
    { host: '127.0.0.1', port: 0, tls: { key, cert }, bounds: { headersTimeoutMs: 600_000 } },
  )
  const socket = connect(listener.address.port, '127.0.0.1')
  socket.on('error', () => undefined).resume()
  await once(socket, 'connect')
  await listener.close(100)
  t.pass('closed')
})
