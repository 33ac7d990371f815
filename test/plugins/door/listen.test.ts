import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import t, { type Test } from 'tap'
import { serveBrowserPrint } from '../../../src/plugins/browser-print/serve.ts'
import type { DoorBox } from '../../../src/plugins/door/door.ts'
import { listenAt, serveUntil } from '../../../src/plugins/door/listen.ts'
import { giveCertificates } from '../../http/tls/kept.ts'
import { findClosedPort } from '../../listen.ts'

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

t.test('who comes after certificates were renewed gets the new ones', async (t) => {
  const folder = t.testdir({ a: {}, b: {} })
  const [first, second] = [
    await giveCertificates(join(folder, 'a'), 'door-a', ['a.example']),
    await giveCertificates(join(folder, 'b'), 'door-b', ['b.example']),
  ]
  let now: typeof first | undefined = first
  const box = { certificates: () => now, ownerOf: () => 'somebody' }
  const place = { host: '127.0.0.1', port: await findClosedPort() }
  const end = new AbortController()
  t.teardown(() => end.abort())
  await serveBrowserPrint(place, box as Partial<DoorBox> as DoorBox, end.signal)
  const look = async () => {
    const client = connect({ ...place, port: place.port + 1, rejectUnauthorized: false })
    await once(client, 'secureConnect')
    const { subjectaltname } = client.getPeerCertificate()
    client.destroy()
    return subjectaltname
  }
  t.match(await look(), 'a.example')
  now = second
  t.match(await look(), 'b.example')
  now = undefined
  t.match(await look(), 'b.example', 'HTTPS that is off elsewhere')
})
