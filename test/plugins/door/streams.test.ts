import type { EventEmitter } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import t from 'tap'
import { WebSocket } from 'ws'
import { Keys } from '../../../src/http/access/keys.ts'
import { memoryOf } from '../../bench/process.ts'
import { type Server, startServer, type WireJob } from '../../e2e/server.ts'
import { findClosedPort } from '../../listen.ts'
import { makeLabel } from '../../load/label.ts'
import { makeRandom } from '../../random.ts'
import { isLong } from '../../suite/long.ts'
import { until } from '../../until.ts'
import { PrintNodeClient } from '../printnode/client.ts'
import { addressOf, loadQz } from '../qz/client.ts'
import { sendRaw } from '../raw/client.ts'

// Anything at all into the two doors that speak no HTTP, of a running server.

const STREAMS = Number(process.env['STREAMS'] || (isLong ? 10_000 : 300))
const SEED = Number(process.env['SEED'] || 18)
const CLIENTS = 8 // of each door; one address may have 16
/** Far above what they keep on their way (8 MB, 48 MB), far below what 10,000 streams together have. */
const MORE_MB = 100
/** Time that another door may make anyone wait, on a machine that is ten times slower than usual. */
const STALL_MS = 10_000

const random = makeRandom(SEED)
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
const noise = (most: number): Buffer =>
  Buffer.from(Array.from({ length: random() * most }, () => random() * 256))

const RAW_WORDS: readonly string[] = [
  '^XA',
  '^XZ',
  '~HS',
  '~HQES',
  '^GFB,9,9,1,',
  '~DGR:A,400,4,',
  'BITMAP 0,0,9,9,0,',
  '\x1b!?',
  'GW0,0,9,9,',
  'N\n',
  'P1\n',
  'PRINT 1\n',
  '%PDF-1.7\n',
  '\x89PNG\r\n\x1a\n',
  '\x16\x03\x01',
]
const QZ_WORDS: readonly string[] = [
  '{"call":"',
  'print',
  'printers.find',
  'getVersion',
  '","uid":"a","params":{',
  '"data":[',
  '"printer":{"name":"A"},',
  '"type":"pixel"',
  '"flavor":"base64",',
  ']',
  '}',
  '\\u0000',
]
const mix = (words: readonly string[]): Buffer =>
  Buffer.concat(
    Array.from({ length: 1 + random() * 8 }, () =>
      random() < 0.6 ? Buffer.from(pick(words), 'latin1') : noise(pick([10, 40, 3_000])),
    ),
  )

/** Errors before it count for nothing. */
const closing = (socket: EventEmitter): Promise<unknown> =>
  new Promise((resolve) => socket.once('close', resolve))

/** Pours bytes into a connection, and then ends it, resets it, or stays silent until the other side ends it. */
async function pour(port: number, bytes: Buffer): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const closed = closing(socket)
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(bytes)
  if (random() < 0.5) socket.end()
  else socket.write('', () => socket.resetAndDestroy())
  setTimeout(() => socket.destroy(), 1_000).unref()
  await closed
}

const UPGRADE = [
  'GET / HTTP/1.1',
  'Host: 127.0.0.1',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n')

async function pourQz(port: number): Promise<void> {
  const kind = random()
  if (kind < 0.25) return await pour(port, mix(QZ_WORDS))
  // A good beginning, and frames that are none.
  if (kind < 0.5) return await pour(port, Buffer.concat([Buffer.from(UPGRADE), noise(2_000)]))
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  socket.on('error', () => undefined)
  const closed = closing(socket)
  socket.on('open', () => {
    for (let count = 0; count < 1 + random() * 4; count += 1) {
      const fin = random() < 0.8
      socket.send(mix(QZ_WORDS), { binary: random() < 0.3, fin }, () => undefined)
    }
    if (random() < 0.5) socket.close()
    else socket.terminate()
  })
  setTimeout(() => socket.terminate(), 1_000).unref()
  await closed
}

/** Asks another door again and again; gives the longest wait. */
async function watch(ask: () => Promise<unknown>, signal: AbortSignal): Promise<number> {
  let most = 0
  while (!signal.aborted) {
    const began = performance.now()
    // A connection that fetch keeps may be closed just as it is used again; a server that died is seen at the end.
    await ask().catch(ask)
    most = Math.max(most, performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return most
}

async function watchMemory(server: Server, signal: AbortSignal): Promise<number> {
  let most = 0
  while (!signal.aborted) {
    most = Math.max(most, memoryOf(server.pid).rssMb)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return most
}

const skip = process.platform === 'linux' ? false : 'memory is read from /proc'

t.setTimeout(240_000 + STREAMS * 200)

t.test(`${STREAMS} random streams into each door, seed ${SEED}`, { skip }, async (t) => {
  const [folder, raw, qz] = [t.testdir(), await findClosedPort(), await findClosedPort()]
  mkdirSync(`${folder}/state`, { recursive: true })
  const { key } = new Keys(`${folder}/state`).add('shop')
  const server = await startServer(t, {
    folder,
    config: {
      host: '127.0.0.1',
      printer: 'A',
      printers: [{ name: 'A', uri: 'file:a' }],
      raw_port: String(raw),
      qz_tray: true,
      qz_port: String(qz - 1),
      printnode: true,
    },
  })
  const place = { port: raw, address: server.address, key }
  const printQz = async (mark: string): Promise<void> => {
    const client = loadQz()
    await client.websocket.connect(addressOf(qz))
    await client.print(client.configs.create('A'), [makeLabel(mark, 100)])
    await client.websocket.disconnect()
  }
  const printRaw = async (mark: string) => await sendRaw(place, [Buffer.from(makeLabel(mark, 100))])
  await until('the doors', async () => ((await printRaw('a')) === 'taken' ? true : undefined))
  await printQz('b')
  const client = new PrintNodeClient(server.address, key)
  await client.get('/printers')
  const before = memoryOf(server.pid).rssMb

  const end = new AbortController()
  const waits = Promise.all([
    watch(async () => await (await server.get('/healthz')).text(), end.signal),
    watch(() => client.get('/printers'), end.signal),
    watchMemory(server, end.signal),
  ])
  let left = STREAMS
  const run = async (one: () => Promise<void>): Promise<void> => {
    while (left > 0) {
      left -= 1
      await one()
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, () => run(() => pour(raw, mix(RAW_WORDS)))))
  left = STREAMS
  await Promise.all(Array.from({ length: CLIENTS }, () => run(() => pourQz(qz))))
  end.abort()
  const [healthMs, printNodeMs, most] = await waits
  t.comment(
    `/healthz at most ${healthMs.toFixed(0)} ms, PrintNode ${printNodeMs.toFixed(0)} ms; ` +
      `memory ${before.toFixed(0)} MB, at most ${most.toFixed(0)} MB`,
  )
  t.ok(healthMs < STALL_MS && printNodeMs < STALL_MS, 'the other doors do not wait')
  t.ok(most - before < MORE_MB, 'memory within the bounds')
  t.equal(await printRaw('last raw'), 'taken')
  await printQz('last qz')
  await until('both to be printed', async () => {
    const jobs = (await (await server.get('/jobs?limit=50')).json()) as readonly WireJob[]
    const last = jobs.filter(({ format, state }) => format === 'zpl' && state === 'completed')
    return last.length >= 2 ? true : undefined
  })
  t.equal(server.child.exitCode, null, 'it is the same server')
  t.notMatch(server.log(), /"level":(50|60)|INTERNAL/, 'no fault of ours')
  t.equal(await server.stop(), 0)
})
