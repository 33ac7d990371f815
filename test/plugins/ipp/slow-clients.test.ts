import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { OPERATIONS } from '../../../src/plugins/ipp/protocol.ts'
import { ENTRIES, startServer } from '../../e2e/server.ts'
import { makePwg } from '../../pictures/make-raster.ts'
import { makeRequest } from './ask.ts'

const CLIENTS = 200
const DRIPS = 40
const PEAK_MB = 200
const PAGE = { width: 812, height: 1218, dpi: 203, space: 3, bitsPerPixel: 1 }
const DOCUMENT = makePwg({ ...PAGE, samples: Buffer.alloc(102 * 1218, 0xf0) })
const REQUEST = makeRequest({ operation: OPERATIONS.printJob, document: DOCUMENT })
const skip = process.platform === 'linux' ? false : 'reads /proc'

/** A dialog that sends its document a byte at a time, in chunks whose end never comes. */
async function drip(t: Test, port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.66' })
  t.teardown(() => socket.destroy())
  socket.on('error', () => {}).resume()
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  const head =
    'POST /ipp/print/bench-1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/ipp\r\n'
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
  socket.write(`${REQUEST.length.toString(16)}\r\n`)
  socket.write(REQUEST.subarray(0, 400))
  return socket
}

t.test(
  '200 slow dialogs keep nobody from printing, and nothing of them prints',
  { skip },
  async (t) => {
    const config = {
      host: '127.0.0.1',
      share_printers: true,
      printers: [{ name: 'Bench 1', language: 'zpl', uri: 'file:bench-1' }],
    }
    const server = await startServer(t, {
      entry: ENTRIES.at(-1) ?? 'packaging/launcher/platen.js',
      folder: t.testdir(),
      config,
    })
    const port = Number(new URL(server.address).port)
    const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => drip(t, port)))
    for (let n = 0; n < DRIPS; n++) {
      for (const socket of sockets) if (socket.writable) socket.write(REQUEST.subarray(n, n + 1))
      await wait(25)
    }
    const answer = await fetch(`${server.address}/ipp/print/bench-1`, {
      method: 'POST',
      headers: { 'content-type': 'application/ipp' },
      body: Uint8Array.from(REQUEST),
    })
    t.equal(answer.status, 200)
    t.equal(Buffer.from(await answer.arrayBuffer()).readUInt16BE(2), 0, 'an honest dialog prints')
    for (const socket of sockets) socket.destroy()
    const jobs = (await (await server.get('/jobs')).json()) as readonly unknown[]
    t.equal(jobs.length, 1, 'half a document is none')
    const peak = Number(
      /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1],
    )
    t.ok(peak / 1024 < PEAK_MB, `${Math.round(peak / 1024)} MB at the most`)
  },
)
