import type { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import t, { type Test } from 'tap'
import { listen } from '../../../src/http/listen.ts'
import { CERTIFICATE_ENTRY, giveCertificates } from '../tls/kept.ts'

const OPTIONS = 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n'
const GET = 'GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

/** Both ports, with an app that says what it was asked. */
async function startBoth(t: Test, use_ssl: boolean) {
  const app = { fetch: ({ method, url }: Request) => new Response(`${method} ${url}`) }
  const stop = new AbortController()
  const tlsFolder = join(t.testdir(), 'tls')
  await giveCertificates(tlsFolder, 'box')
  const listening = await listen(
    {
      app,
      config: { host: '127.0.0.1', port: '0', use_ssl, secure_port: '0' },
      bounds: { headersTimeoutMs: 2_000 },
      ownNames: () => [],
      furtherNames: () => [],
      tlsFolder,
      certificateEntry: CERTIFICATE_ENTRY,
      onCertificates: () => {},
      onFault: (error) => t.fail(String(error)),
      onUnloaded: (error) => t.fail(String(error)),
    },
    stop.signal,
  )
  t.teardown(async () => {
    await listening.close(100)
    stop.abort()
  })
  const open = async (): Promise<Socket> => {
    const socket = connectPlain(Number(listening.port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return { listening, open, authority: listening.certificates()?.authority ?? '' }
}

/** Reads on until the text is there. */
async function readUntil(socket: Socket, wanted: RegExp): Promise<string> {
  let text = ''
  while (!wanted.test(text)) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    text += chunk
  }
  return text
}

t.test('a plain connection becomes TLS, with the box’s own certificate', async (t) => {
  const { open, authority } = await startBoth(t, true)
  const plain = await open()
  plain.write(`${OPTIONS}Upgrade: TLS/1.2,TLS/1.1\r\n\r\n`)
  t.match(await readUntil(plain, /\r\n\r\n/), /^HTTP\/1\.1 101 .*\r\nUpgrade: TLS\/1\.2/s)
  const safe = connectTls({ socket: plain, ca: authority, servername: 'localhost' })
  await once(safe, 'secureConnect')
  t.ok(safe.authorized)
  t.match(await readUntil(safe, /\r\n\r\n/), /^HTTP\/1\.1 200 /, 'the OPTIONS is answered inside')
  safe.write(GET)
  t.match(await readUntil(safe, /GET /), /^HTTP\/1\.1 200 .*GET https:\/\/localhost\/hello/s)
})

t.test(
  'whoever asks for another protocol, or on another path, is answered as before',
  async (t) => {
    const { open } = await startBoth(t, true)
    for (const head of [
      `${OPTIONS.replace('*', '/ipp/print')}Upgrade: TLS/1.2\r\n`,
      `${OPTIONS}Upgrade: websocket\r\n`,
      `GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`,
    ]) {
      const socket = await open()
      socket.write(`${head}\r\n`)
      t.notMatch(await readUntil(socket, /\r\n\r\n/), /^HTTP\/1\.1 101/, head)
    }
  },
)

t.test('without HTTPS nothing is offered', async (t) => {
  const { open } = await startBoth(t, false)
  const socket = await open()
  socket.write(`${OPTIONS}Upgrade: TLS/1.2\r\n\r\n`)
  t.notMatch(await readUntil(socket, /\r\n\r\n/), /^HTTP\/1\.1 101/)
})

t.test('who asks and then says nothing, or no TLS, is hung up on', async (t) => {
  const { open, listening } = await startBoth(t, true)
  for (const words of ['', 'Dear box, hello\r\n\r\n']) {
    const socket = await open()
    socket.write(`${OPTIONS}Upgrade: TLS/1.2\r\n\r\n`)
    await readUntil(socket, /\r\n\r\n/)
    socket.resume().on('error', () => {})
    socket.write(words)
    await once(socket, 'close')
  }
  const plain = await open()
  plain.write(GET)
  t.match(await readUntil(plain, /GET /), /200/, 'the others are served')
  t.ok(Number(listening.port) > 0)
})
