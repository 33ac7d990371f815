import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { encodeMessage } from '../../src/printers/ipp/codec.ts'
import { charset, language, mimeType, uri } from '../../src/printers/ipp/message.ts'
import { renderZpl } from '../interpreters/zpl.ts'
import { fromRaster } from '../label-makers/gray.ts'
import { upsLikeZpl } from '../label-makers/raw.ts'
import { makePwg } from '../pictures/make-raster.ts'
import { atMost } from './once.ts'
import { makeBox, median, memoryOf, SETTLE_MS, start } from './process.ts'
import type { Row } from './row.ts'

const STOCK = { width: 812, height: 1218, dpi: 203 }
const RUNS = atMost(25)
const WARM_UP = 3
/** A printer that has heard nothing for so long has the whole label. */
const SILENCE_MS = 150
const LPRINT = '/usr/bin/lprint'

/** A gray page of 4x6 inches from a print dialog, from its first byte to the printer's last, beside the same picture as PNG. */
export async function* benchDialogs(): AsyncGenerator<Row> {
  const { default: sharp } = await import('sharp')
  const { luma } = fromRaster(await renderZpl(upsLikeZpl, STOCK))
  const page = Buffer.from(luma)
  const png = await sharp(page, { raw: { width: 812, height: 1218, channels: 1 } })
    .toColorspace('b-w')
    .png()
    .toBuffer()
  const pwg = makePwg({ ...STOCK, space: 18, bitsPerPixel: 8, samples: page })
  const printer = await listen()
  const box = makeBox({
    host: '127.0.0.1',
    share_printers: true,
    printers: [{ name: 'sink', uri: `socket://127.0.0.1:${printer.port}`, language: 'zpl' }],
  })
  const running = await start(['dist/platen.js', ...box.args])
  const dialog = () => printIpp(`${running.address}/ipp/print/sink`, pwg)
  const post = () => printPng(running.address, png)
  const [ours = 0, plain = 0] = await measureInTurn(printer, [dialog, post])
  await running.stop()
  box.dispose()
  const what = 'PWG page of 4x6 at 203 dpi, first byte to last, ms'
  yield { what, ours, peer: plain, peerName: 'as PNG by POST /', goal: 1.5 * plain }
  const theirs = existsSync(LPRINT) ? await measureLprint(printer, pwg) : undefined
  if (theirs !== undefined) yield { what, ours, peer: theirs, peerName: 'lprint', goal: undefined }
  printer.server.close()
  yield* await benchMemory()
}

/** Idle, with the door open and shut. */
async function benchMemory(): Promise<readonly Row[]> {
  const measure = async (share_printers: boolean): Promise<number> => {
    const seen: number[] = []
    for (let n = 0; n < 5; n++) {
      const printers = [{ name: 'sink', uri: 'file:sink', language: 'zpl' }]
      const box = makeBox({ host: '127.0.0.1', share_printers, printers })
      const running = await start(['dist/platen.js', ...box.args])
      await wait(SETTLE_MS)
      seen.push(memoryOf(running.pid).rssMb)
      await running.stop()
      box.dispose()
    }
    return median(seen)
  }
  const [off, on] = [await measure(false), await measure(true)]
  const what = 'idle with print dialogs, resident MB'
  return [{ what, ours: on, peer: off, peerName: 'without', goal: off + 1.5 }]
}

interface Sink {
  readonly server: Server
  readonly port: number
  /** Resolves with the time of the last byte before a silence. */
  untilQuiet(): Promise<number>
}

async function listen(): Promise<Sink> {
  let last = 0
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => {
      last = performance.now()
    })
    socket.on('end', () => socket.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const untilQuiet = async (): Promise<number> => {
    const before = last
    while (last === before || performance.now() - last < SILENCE_MS) await wait(5)
    return last
  }
  return { server, port: (server.address() as AddressInfo).port, untilQuiet }
}

type Print = () => Promise<unknown>

/** The median of each, run in turn, so that what else the machine does falls on all alike. */
async function measureInTurn(printer: Sink, prints: readonly Print[]): Promise<readonly number[]> {
  const times = prints.map((): number[] => [])
  for (let run = -WARM_UP; run < RUNS; run++) {
    for (const [n, print] of prints.entries()) {
      const [began, quiet] = [performance.now(), printer.untilQuiet()]
      const answered = print()
      const ms = (await quiet) - began
      await answered
      if (run >= 0) times[n]?.push(ms)
    }
  }
  return times.map(median)
}

async function printPng(address: string, png: Buffer): Promise<void> {
  const headers = { 'content-type': 'image/png', prefer: 'respond-async' }
  const body = Uint8Array.from(png)
  await (await fetch(`${address}/`, { method: 'POST', headers, body })).arrayBuffer()
}

async function printIpp(address: string, document: Buffer): Promise<void> {
  const attributes = new Map(
    Object.entries({
      'attributes-charset': charset('utf-8'),
      'attributes-natural-language': language('en'),
      'printer-uri': uri(address.replace('http:', 'ipp:')),
      'document-format': mimeType('image/pwg-raster'),
    }),
  )
  const head = encodeMessage({
    version: [2, 0],
    code: 0x02,
    requestId: 1,
    groups: [{ tag: 1, attributes }],
  })
  const body = Uint8Array.from(Buffer.concat([head, document]))
  const headers = { 'content-type': 'application/ipp' }
  const answer = await fetch(address, { method: 'POST', headers, body })
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (answer.status !== 200 || bytes.readUInt16BE(2) >= 0x100) {
    throw new Error(`${address} did not take the page: ${bytes.toString('latin1', 0, 200)}`)
  }
}

/** LPrint as a server of its own with the same printer. */
async function measureLprint(printer: Sink, pwg: Buffer): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'lprint-'))
  const env = { ...process.env, HOME: home, TMPDIR: home, XDG_CONFIG_HOME: home }
  const port = await findPort()
  const server = spawn(LPRINT, ['server', '-o', `server-port=${port}`, '-o', 'log-level=fatal'], {
    env,
    stdio: 'ignore',
  })
  try {
    const device = `socket://127.0.0.1:${printer.port}`
    const add = ['add', '-d', 'sink', '-v', device, '-m', 'zpl_4inch-203dpi-dt']
    for (let tries = 0; ; tries++) {
      await wait(500)
      try {
        execFileSync(LPRINT, add, { env, stdio: 'ignore' })
        break
      } catch (error) {
        if (tries > 10) throw error
      }
    }
    const print = () => printIpp(`http://127.0.0.1:${port}/ipp/print/sink`, pwg)
    return (await measureInTurn(printer, [print]))[0] ?? Number.NaN
  } finally {
    server.kill('SIGKILL')
    await once(server, 'exit')
    rmSync(home, { recursive: true, force: true })
  }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
