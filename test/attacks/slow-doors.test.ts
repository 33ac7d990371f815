// Whoever sends drop by drop, or nothing, keeps no place at a door; and where all places are taken somebody gives way.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { browserPrint } from '../../src/plugins/browser-print/index.ts'
import type { Door } from '../../src/plugins/door/door.ts'
import { listenAtBoth } from '../../src/plugins/door/listen.ts'
import { qz } from '../../src/plugins/qz/index.ts'
import { raw } from '../../src/plugins/raw/index.ts'
import { serveRaw } from '../../src/plugins/raw/serve.ts'
import { RAW_BOUNDS, type RawSettings } from '../../src/plugins/raw/settings.ts'
import { giveCertificates } from '../http/tls/kept.ts'
import { findClosedPort } from '../listen.ts'
import { jobs, openDoor } from '../plugins/door/door-bench.ts'

t.setTimeout(300_000)

/** Twice what HTTP ports take; the doors took 87 s and more, or never ended it. */
const SOON_MS = 60_000
const DROP_MS = 500

/** Sends a beginning, and a byte twice a second; resolves when the other side has ended it. False = not soon. */
async function drip(t: Test, port: number, first: string | Buffer, drop: string): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.on('error', () => undefined)
  socket.resume()
  await once(socket, 'connect')
  socket.write(first)
  const timer = setInterval(() => drop !== '' && socket.write(drop), DROP_MS)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const late = setTimeout(() => resolve(false), SOON_MS)
  socket.once('close', () => resolve(true))
  socket.once('end', () => resolve(true))
  const isEnded = await promise
  clearInterval(timer)
  clearTimeout(late)
  return isEnded
}

const POST = 'POST /write HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999\r\n\r\n{'
const UPGRADE = [
  'GET / HTTP/1.1',
  'Host: 127.0.0.1',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
  '\r\n',
].join('\r\n')
/** A text of a million bytes, masked. */
const FRAME = Buffer.from('81ff00000000000f424061626364', 'hex')

t.test('drop by drop', async (t) => {
  const [atQz, atBrowserPrint] = [await findClosedPort(), await findClosedPort()]
  await openDoor(t, qz, { qz_tray: true, qz_port: atQz - 1 })
  await openDoor(t, browserPrint, { browser_print: true, browser_print_port: atBrowserPrint })
  const { port: atTls } = await openTls(t)
  // A page that pings once in a while and prints nothing keeps its connection.
  const idle = new WebSocket(`ws://127.0.0.1:${atQz}`)
  await once(idle, 'open')
  idle.send('ping')
  idle.ping()
  const ways: readonly (readonly [string, number, string | Buffer, string])[] = [
    ['a body to Browser Print', atBrowserPrint, POST, 'x'],
    ['the head of a request to Browser Print', atBrowserPrint, 'POST / HTTP/1.1\r\n', 'X: y\r\n'],
    ['nothing to Browser Print', atBrowserPrint, '', ''],
    ['a message to QZ', atQz, Buffer.concat([Buffer.from(UPGRADE), FRAME]), 'x'],
    ['a message to QZ that stops', atQz, Buffer.concat([Buffer.from(UPGRADE), FRAME]), ''],
    ['the head of a request to QZ', atQz, 'GET / HTTP/1.1\r\n', 'X: y\r\n'],
    ['no greeting of TLS', atTls, '', ''],
    ['half a greeting of TLS', atTls, Buffer.from('1603010200', 'hex'), '\0'],
  ]
  await Promise.all(
    ways.map(async ([name, port, first, drop]) => {
      t.ok(await drip(t, port, first, drop), name)
    }),
  )
  t.equal(idle.readyState, WebSocket.OPEN)
  idle.terminate()
})

/** The ports of a door with TLS; gives the one of TLS. */
async function openTls(t: Test): Promise<{ port: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'platen-slow-'))
  const certificates = await giveCertificates(folder, 'bench')
  rmSync(folder, { recursive: true })
  const [http, https] = [await findClosedPort(), await findClosedPort()]
  const serve = <S extends Server>(server: S): S => server
  const ports = { host: '127.0.0.1', http, https }
  const { servers } = await listenAtBoth(serve, ports, { certificates: () => certificates })
  t.teardown(() => {
    for (const server of servers) server.close()
  })
  return { port: https }
}

/** A raw port with a shorter window. */
async function openRaw(t: Test, limits: Partial<Record<keyof typeof RAW_BOUNDS, number>>) {
  const port = await findClosedPort()
  const door: Door<RawSettings> = {
    ...raw,
    start: (settings, box, signal) => serveRaw(settings, box, signal, { ...RAW_BOUNDS, ...limits }),
  }
  return { bench: await openDoor(t, door, { raw_port: port }), port }
}

t.test('a raw label drop by drop is evidence; a slow line and a pause are not', async (t) => {
  const { bench, port } = await openRaw(t, { silentMs: 4_000 })
  t.ok(await drip(t, port, '^XA^FO9,9', 'a'))
  t.match(jobs(bench), [{ state: 'pending-held' }])
  // Some 300 baud for a good while, and nothing at all between two labels.
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const label = `^XA^FO9,9^FD${'serial '.repeat(50)}^FS^XZ`
  for (const pauseMs of [0, 6_000]) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    for (let at = 0; at < label.length; at += 12) {
      socket.write(label.slice(at, at + 12))
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  socket.end()
  await once(socket, 'close')
  t.match(
    jobs(bench).map(({ format }) => format),
    ['unknown', 'zpl', 'zpl'],
  )
})

t.test('idle connections give way to one that asks', async (t) => {
  const [atQz, atBrowserPrint] = [await findClosedPort(), await findClosedPort()]
  await openDoor(t, qz, { qz_tray: true, qz_port: atQz - 1 })
  await openDoor(t, browserPrint, { browser_print: true, browser_print_port: atBrowserPrint })
  const idle: Socket[] = []
  t.teardown(() => {
    for (const socket of idle) socket.destroy()
  })
  for (const [port, count] of [
    [atQz, 64],
    [atBrowserPrint, 128],
  ] as const) {
    for (let n = 0; n < count; n += 1) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      idle.push(socket)
      await once(socket, 'connect')
      if (port === atQz) socket.write(UPGRADE)
    }
  }
  const answer = await fetch(`http://127.0.0.1:${atBrowserPrint}/available`)
  t.equal(answer.status, 200)
  const client = new WebSocket(`ws://127.0.0.1:${atQz}`)
  await once(client, 'open')
  client.terminate()
})
