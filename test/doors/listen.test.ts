import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import t, { type Test } from 'tap'
import { followCertificates, listenAt, serveUntil } from '../../src/doors/listen.ts'

const placeOf = (server: Server): AddressInfo => server.address() as AddressInfo

/** Servers that are closed when the test ends. */
function makeServers(t: Test) {
  const made: Server[] = []
  t.teardown(() => {
    for (const server of made) server.close()
  })
  const open = (): Server => {
    const server = createServer()
    made.push(server)
    return server
  }
  return { made, open }
}

/** A port of one address that somebody else has; undefined where the computer has no such address. */
async function take(t: Test, host: string): Promise<number | undefined> {
  const { open } = makeServers(t)
  const server = open()
  const failed = once(server, 'error').then(() => undefined)
  server.listen(0, host)
  const isOpen = await Promise.race([once(server, 'listening').then(() => true), failed])
  return isOpen ? placeOf(server).port : undefined
}

t.test('a door listens where it is told to, at both addresses of localhost', async (t) => {
  const hasIpv6 = (await take(t, '::1')) !== undefined
  for (const [host, addresses] of [
    ['127.0.0.1', ['127.0.0.1']],
    ['localhost', hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1']],
  ] as const) {
    const { open } = makeServers(t)
    const servers = await listenAt(open, { host, port: 0 })
    t.same(
      servers.map((server) => placeOf(server).address),
      addresses,
      host,
    )
    for (const server of servers) t.equal(server.listenerCount('error'), 0, 'nobody listens there')
  }
  const { open } = makeServers(t)
  const all = await listenAt(open, { host: '', port: 0 })
  t.match(
    all.map((server) => placeOf(server).address),
    [/^(::|0\.0\.0\.0)$/],
  )
  t.equal(all.length, 1)
})

t.test('a port that is taken is told, and none of its addresses stays open', async (t) => {
  for (const taken of ['127.0.0.1', '::1']) {
    const port = await take(t, taken)
    if (port === undefined) continue
    const { made, open } = makeServers(t)
    await t.rejects(listenAt(open, { host: 'localhost', port }), {
      code: 'PORT_TAKEN',
      detail: 'EADDRINUSE',
      message: new RegExp(`${port}`),
    })
    t.notOk(
      made.some(({ listening }) => listening),
      taken,
    )
  }
})

t.test(
  'a door is served until it is to close, or until a server breaks; it is closed once',
  async (t) => {
    const serve = (signal: AbortSignal) => {
      let closes = 0
      const server = new EventEmitter() as unknown as Server
      const close = () => {
        closes += 1
        return Promise.resolve()
      }
      return { server, served: serveUntil([server], signal, close), closes: () => closes }
    }
    const before = serve(AbortSignal.abort())
    await before.served
    t.equal(before.closes(), 1)
    const stop = new AbortController()
    const open = serve(stop.signal)
    await new Promise(setImmediate)
    t.equal(open.closes(), 0, 'it goes on')
    stop.abort()
    await open.served
    t.equal(open.closes(), 1)
    const breaking = serve(new AbortController().signal)
    const fault = new Error('EMFILE')
    const refused = t.rejects(breaking.served, fault)
    breaking.server.emit('error', fault)
    await refused
    t.equal(breaking.closes(), 1)
  },
)

t.test('renewed certificates are given to a server of TLS again and again', async (t) => {
  const { open } = makeServers(t)
  const given: unknown[] = []
  const twice = Promise.withResolvers<void>()
  const server = Object.assign(open(), {
    setSecureContext(to: unknown) {
      given.push(to)
      if (given.length === 2) twice.resolve()
    },
  })
  let asked = 0
  const pairs = [undefined, { key: 'a' }, { key: 'b' }]
  const certificates = () => pairs[Math.min(asked++, 2)] as never
  t.equal(followCertificates(server, { certificates }, 1), server)
  // Its timer alone keeps no process alive.
  const alive = setTimeout(() => undefined, 60_000)
  await twice.promise
  clearTimeout(alive)
  t.same(given, [{ key: 'a' }, { key: 'b' }])
  server.emit('close')
})
