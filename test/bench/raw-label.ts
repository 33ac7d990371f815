import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { atMost } from './once.ts'
import { makeBox, median, start } from './process.ts'
import type { Row } from './row.ts'

const LABELS = atMost(200)
const LABEL_BYTES = 40_000

/** A bare Node server that decodes the form and writes to the printer: no spool, no checks, nothing kept. */
const BARE = `
const { connect } = require('node:net')
require('node:http').createServer((request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part)).on('end', () => {
    const label = Buffer.from(new URLSearchParams(Buffer.concat(parts).toString()).get('label'), 'base64')
    connect(Number(process.argv[1]), '127.0.0.1').end(label)
    response.end('{}')
  })
}).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port) })`

/** From POST to the last byte at a network printer, one label at a time, the flush to disk included. */
export async function benchRawLabel(): Promise<readonly Row[]> {
  const printer = await listen()
  const box = makeBox({
    printers: [{ name: 'sink', uri: `socket://127.0.0.1:${printer.port}`, language: 'zpl' }],
  })
  const ours = await measure(['dist/platen.js', ...box.args], printer)
  const bare = await measure(['-e', BARE, String(printer.port)], printer)
  printer.server.close()
  box.dispose()
  return [
    {
      what: `raw ${LABEL_BYTES / 1000} KB label, POST to last byte, ms`,
      ours,
      peer: bare,
      peerName: 'bare node, no spool',
      goal: 5,
    },
  ]
}

interface Sink {
  readonly server: Server
  readonly port: number
  /** Resolves with the time at which the next label was complete. */
  next(): Promise<number>
}

async function listen(): Promise<Sink> {
  let arrived: (at: number) => void = () => undefined
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
      if (bytes === LABEL_BYTES) arrived(performance.now())
    })
    socket.on('end', () => socket.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const next = (): Promise<number> =>
    new Promise((resolve) => {
      arrived = resolve
    })
  return { server, port: (server.address() as AddressInfo).port, next }
}

async function measure(args: readonly string[], printer: Sink): Promise<number> {
  const running = await start(args)
  const label = `^XA${'^FX 0123456789 '.repeat(2_700).slice(0, LABEL_BYTES - 6)}^XZ`
  const body = new URLSearchParams({ label: Buffer.from(label).toString('base64') }).toString()
  const times = []
  for (let i = 0; i < LABELS; i += 1) {
    const done = printer.next()
    const began = performance.now()
    const answer = fetch(`${running.address}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
    times.push((await done) - began)
    await (await answer).arrayBuffer()
  }
  await running.stop()
  return median(times)
}
