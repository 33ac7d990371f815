// Bodies by chance that mean harm, for every door and route that takes one, beside a client that prints a label every moment:
// its labels are taken in time, the server stays up, within the memory of its unit, and is never silent for long.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { WebSocket } from 'ws'
import { OPERATIONS } from '../../src/plugins/ipp/protocol.ts'
import { ENTRIES, type Server, startServer } from '../e2e/server.ts'
import { drawText, LABEL, makePdf } from '../labels/codecs/pdf/make-pdf.ts'
import { findClosedPort } from '../listen.ts'
import { joinPng } from '../pictures/make-png.ts'
import { makePwg } from '../pictures/make-raster.ts'
import { makeRequest } from '../plugins/ipp/ask.ts'
import { makeRandom } from '../random.ts'

t.setTimeout(3_600_000)

/** For each door and route; `PLATEN_TEST_BODIES=200` is the long proof. */
const BODIES = Number(process.env['PLATEN_TEST_BODIES'] ?? 12)
const SEED = Number(process.env['PLATEN_TEST_SEED'] ?? 45)
/** MemoryMax of the unit. Looked at often: what the server has for itself, without the code of its files. */
const PEAK_MB = 240
/** Times are of a quiet machine, which only the long proof has. */
const isLong = BODIES >= 200
const LATE_MS = isLong ? 5_000 : 25_000
const SILENCE_MS = isLong ? 1_000 : 20_000
const AT_ONCE = 4

type Random = () => number
const below = (random: Random, most: number): number => Math.floor(random() * most)
const bytesOf = (random: Random, count: number): Buffer =>
  Buffer.from(Uint8Array.from({ length: count }, () => below(random, 256)))

function cut(random: Random, file: Buffer): Buffer {
  const copy = Buffer.from(file)
  for (let n = below(random, 12); n > 0; n -= 1)
    copy[below(random, copy.length)] = below(random, 256)
  return copy.subarray(0, 1 + below(random, copy.length))
}

function makePng(side: number): Buffer {
  const rows = Buffer.alloc((Math.ceil(side / 8) + 1) * side)
  return joinPng(
    { width: side, height: side, depth: 1, color: 0, samples: () => [] },
    deflateSync(rows),
  )
}

/** A TIFF of one strip that says what it likes of its size. */
function makeTiff(random: Random): Buffer {
  const file = Buffer.alloc(200 + below(random, 20_000))
  file.write('II*\0', 'latin1')
  file.writeUInt32LE(8, 4)
  const entries = [256, 257, 258, 259, 262, 273, 277, 278, 279]
  file.writeUInt16LE(entries.length, 8)
  for (const [n, tag] of entries.entries()) {
    const at = 10 + n * 12
    file.writeUInt16LE(tag, at)
    file.writeUInt16LE(4, at + 2)
    file.writeUInt32LE(1 + below(random, 3) ** 20, at + 4)
    file.writeUInt32LE(below(random, 2 ** (1 + below(random, 31))), at + 8)
  }
  return file
}

const KINDS: readonly ((random: Random) => Buffer)[] = [
  (random) => bytesOf(random, 1 + below(random, 100_000)),
  (random) => Buffer.from('['.repeat(1 + below(random, 200_000))),
  (random) => Buffer.from(`{"a":${'{"b":'.repeat(below(random, 5_000))}1`),
  (random) => Buffer.from(JSON.stringify({ label: 'A'.repeat(below(random, 10) * 2 ** 20) })),
  (random) =>
    Buffer.from(
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(below(random, 50_000)),
    ),
  (random) => gzipSync(Buffer.alloc(below(random, 64) * 2 ** 20)),
  (random) => gzipSync(Buffer.from(`^XA${'^FDx^FS\n'.repeat(below(random, 2_000_000))}^XZ`)),
  (random) => makePng(64 * (1 + below(random, 250))),
  (random) => makeTiff(random),
  (random) => cut(random, makePdf([{ ...LABEL, content: drawText('hostile', 20, 20) }])),
  (random) =>
    makePdf([
      { ...LABEL, content: `${'1 0 0 1 1 1 cm 0 0 99 99 re f\n'.repeat(below(random, 50_000))}` },
    ]),
  (random) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xc0]), bytesOf(random, 20_000)]),
  (random) =>
    cut(
      random,
      makePwg({
        width: 812,
        height: 1218,
        dpi: 203,
        space: 3,
        bitsPerPixel: 1,
        samples: bytesOf(random, 102 * 1218),
      }),
    ),
  (random) => Buffer.from(`^XA${'^GFA,99999999,99999999,9,'.repeat(below(random, 20_000))}`),
  (random) =>
    Buffer.from(
      `SIZE 4,6\nCODEPAGE constructor\n${'BITMAP 0,0,9999,9999,0,'.repeat(below(random, 9_999))}`,
    ),
  (random) => Buffer.from(`\nN\n${'GW0,0,9999,9999,\n'.repeat(below(random, 20_000))}`),
  (random) => Buffer.from('~HS'.repeat(below(random, 100_000))),
]
const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/pdf',
  'image/png',
  'application/ipp',
  'text/plain',
  'application/x-ndjson',
]

interface Sent {
  readonly body: Buffer
  readonly type: string
  readonly random: Random
}
type Send = (sent: Sent) => Promise<unknown>

/** Whatever comes back; a connection that is cut is an answer as well. */
function post(url: string, body: Buffer, type: string, method = 'POST'): Promise<void> {
  return new Promise((resolve) => {
    const headers = { 'content-type': type, prefer: 'respond-async', 'content-length': body.length }
    const sent = request(url, { method, headers, timeout: 30_000 }, (answer) => {
      answer.resume()
      answer.on('close', resolve)
    })
    sent.on('error', () => resolve())
    sent.on('timeout', () => sent.destroy())
    sent.end(body)
  })
}

async function sendRaw(port: number, body: Buffer): Promise<void> {
  const socket = connect(port)
  socket.on('error', () => undefined)
  socket.resume()
  socket.end(body)
  const stop = setTimeout(() => socket.destroy(), 10_000)
  await new Promise((resolve) => socket.once('close', resolve))
  clearTimeout(stop)
}

async function sendQz(port: number, { body, random }: Sent): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  socket.on('error', () => undefined)
  await Promise.race([once(socket, 'open'), once(socket, 'close')]).catch(() => undefined)
  if (socket.readyState !== WebSocket.OPEN) return
  const data = [{ type: 'raw', format: 'command', flavor: 'base64', data: body.toString('base64') }]
  const call = JSON.stringify({
    call: 'print',
    uid: 'a',
    params: { printer: { name: 'Prey' }, data },
  })
  socket.send(random() < 0.5 ? body.toString('latin1') : call)
  await Promise.race([
    once(socket, 'message').catch(() => undefined),
    once(socket, 'close').catch(() => undefined),
    sleep(5_000, undefined, { ref: false }),
  ])
  socket.terminate()
}

const ownMb = (server: Server): number =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024

/** Prints a label after the other until it is told to end; gives the longest wait for one, and for a sign of life. */
class Honest {
  readonly #server: Server
  #isOver = false
  labels = 0
  longestMs = 0
  silenceMs = 0
  peakMb = 0
  readonly refused: string[] = []

  constructor(server: Server) {
    this.#server = server
  }

  end(): void {
    this.#isOver = true
  }

  async print(): Promise<void> {
    while (!this.#isOver) {
      const began = performance.now()
      this.labels += 1
      const label = Buffer.from(`^XA^FDhonest ${this.labels}^FS^XZ`).toString('base64')
      const answer = await this.#server.post('/', { printer: 'Good', label }, { prefer: 'wait=20' })
      const said = await answer.text()
      if (answer.status !== 200) this.refused.push(`${answer.status} ${said}`)
      this.longestMs = Math.max(this.longestMs, performance.now() - began)
      await sleep(200)
    }
  }

  async look(): Promise<void> {
    while (!this.#isOver) {
      const began = performance.now()
      await (await this.#server.get('/healthz')).text()
      this.silenceMs = Math.max(this.silenceMs, performance.now() - began)
      this.peakMb = Math.max(this.peakMb, ownMb(this.#server))
      await sleep(50)
    }
  }
}

const isLinux = process.platform === 'linux'

t.test(
  'hostile bodies by chance',
  { skip: isLinux ? false : 'peak memory is in /proc' },
  async (t) => {
    const [raw, qz, browserPrint] = [
      await findClosedPort(),
      await findClosedPort(),
      await findClosedPort(),
    ]
    const server = await startServer(t, {
      entry: ENTRIES.at(-1) ?? 'packaging/launcher/platen.js',
      folder: t.testdir(),
      config: {
        printers: [
          { name: 'Good', uri: 'file:good', language: 'zpl' },
          { name: 'Prey', uri: 'file:prey', language: 'zpl', raw_port: raw },
        ],
        share_printers: true,
        qz_tray: true,
        qz_port: qz - 1,
        browser_print: true,
        browser_print_port: browserPrint,
        printnode: true,
      },
      env: { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' },
    })
    const http =
      (path: string, method?: string): Send =>
      ({ body, type }) =>
        post(server.address + path, body, type, method)
    const ipp =
      (operation: number): Send =>
      ({ body }) => {
        const asked = makeRequest({ operation, path: '/ipp/print/prey', document: body })
        return post(`${server.address}/ipp/print/prey`, asked, 'application/ipp')
      }
    const doors: Record<string, Send> = {
      'POST /': http('/?printer=Prey'),
      'POST /jobs/cancel': http('/jobs/cancel'),
      'POST /jobs/move': http('/jobs/move'),
      'POST /dialogs/cancel': http('/dialogs/cancel'),
      'POST /printers/check': http('/printers/check'),
      'POST /sources/test': http('/sources/test'),
      'PUT /config': http('/config', 'PUT'),
      'POST /backup': http('/backup'),
      'POST /v1': http('/v1'),
      'POST /login': http('/login'),
      'POST /printnode/printjobs': http('/printnode/printjobs'),
      'IPP Print-Job': ipp(OPERATIONS.printJob),
      'IPP alone': ({ body }) => post(`${server.address}/ipp/print/prey`, body, 'application/ipp'),
      'raw port': ({ body }) => sendRaw(raw, body),
      'Browser Print': ({ body, type }) =>
        post(`http://127.0.0.1:${browserPrint}/write`, body, type),
      'QZ Tray': (sent) => sendQz(qz, sent),
    }
    const honest = new Honest(server)
    const beside = Promise.all([honest.print(), honest.look()])
    const random = makeRandom(SEED)
    for (const [name, send] of Object.entries(doors)) {
      const began = performance.now()
      for (let sent = 0; sent < BODIES; sent += AT_ONCE) {
        const count = Math.min(AT_ONCE, BODIES - sent)
        const bodies = Array.from({ length: count }, () => {
          const kind = KINDS[below(random, KINDS.length)] ?? KINDS[0]
          const type = TYPES[below(random, TYPES.length)] ?? ''
          return { body: kind?.(random) ?? Buffer.alloc(0), type, random }
        })
        await Promise.all(bodies.map(send))
      }
      const ms = performance.now() - began
      t.comment(`${name}: ${ms.toFixed(0)} ms, peak ${honest.peakMb.toFixed(0)} MB`)
      t.equal(server.child.exitCode, null, name)
    }
    honest.end()
    await beside
    const { labels, longestMs, silenceMs, peakMb, refused } = honest
    t.comment(
      `${labels} labels, ${longestMs.toFixed(0)} ms at most; silence ${silenceMs.toFixed(0)} ms`,
    )
    t.same(refused, [], 'every honest label is printed')
    t.ok(longestMs < LATE_MS, `the slowest of ${labels} took ${longestMs.toFixed(0)} ms`)
    t.ok(silenceMs < SILENCE_MS, `silent for ${silenceMs.toFixed(0)} ms`)
    t.ok(peakMb < PEAK_MB, `${peakMb.toFixed(0)} MB`)
    t.match(await (await server.get('/config')).json(), { printers: [{ name: 'Good' }, {}] })
  },
)
