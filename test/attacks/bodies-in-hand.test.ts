// What had arrived was not counted any more: 32 requests of 16 MB to Browser Print, or 48 messages of QZ whose files came slowly, ended
// the program, and so did 20 PDFs of 15 MB that waited for their turn. Now it counts until it is answered, whichever way it came.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import type { LabelRequest, RequestReceipt } from '../../src/core/intake/requests.ts'
import { BodyBudget } from '../../src/core/request/body-budget.ts'
import { browserPrint } from '../../src/plugins/browser-print/index.ts'
import { countBodies } from '../../src/plugins/door/box.ts'
import { qz } from '../../src/plugins/qz/index.ts'
import { startRig } from '../http/rig.ts'
import { findClosedPort, listen } from '../listen.ts'
import { type DoorBench, jobs, openDoor } from '../plugins/door/door-bench.ts'
import { poll } from '../until.ts'

t.setTimeout(300_000)

const MIB = 2 ** 20
const LIMITS = { limitBytes: 8 * MIB, freeBytes: 1_024, waitMs: 100 }
const TAKEN: RequestReceipt = { jobs: [], repeated: false, ended: Promise.resolve() }
const label = (bytes: number): Buffer => Buffer.from(`^XA^FX${'a'.repeat(bytes)}^XZ`)
const request = (bytes: number, network: string): LabelRequest => ({
  labels: [label(bytes)],
  options: {},
  source: 'new',
  network,
})

t.test('a door that thinks of nothing is counted while its labels are taken', async (t) => {
  const bodies = new BodyBudget(LIMITS)
  const ends: (() => void)[] = []
  const slow = {
    takeTogether: () => new Promise<RequestReceipt>((resolve) => ends.push(() => resolve(TAKEN))),
    forSource: () => {
      throw new Error('not asked')
    },
  }
  const { intake } = countBodies(slow, bodies)
  const first = intake.take(request(6 * MIB, 'a'))
  const second = intake.take(request(3 * MIB, 'b'))
  await t.rejects(intake.take(request(6 * MIB, 'c')), { code: 'SERVER_BUSY' })
  for (const end of ends) end()
  await Promise.all([first, second])
  const third = intake.take(request(6 * MIB, 'c'))
  await new Promise(setImmediate)
  ends.at(-1)?.()
  t.equal(await third, TAKEN, 'there is room again')
})

t.test('HTTP: a body counts until its labels are on disk', async (t) => {
  const rig = startRig(t, {
    bounds: { bodyBytesTogether: 4 * MIB, bodyBytesFree: 1_024, bodyWaitMs: 60_000 },
  })
  const sent = Array.from({ length: 12 }, () =>
    rig.call('/', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', prefer: 'respond-async' },
      body: label(3 * MIB),
    }),
  )
  const answers = await Promise.all(sent)
  t.same(new Set(answers.map(({ status }) => status)), new Set([202]))
  t.equal(rig.jobs().length, 12, 'each gave back what it held')
})

t.test('Browser Print: large requests come one after the other, none is lost', async (t) => {
  const port = await findClosedPort()
  const door = await openDoor(t, browserPrint, { browser_print: true, browser_print_port: port })
  const body = JSON.stringify({ device: { uid: 'A' }, data: label(9 * MIB).toString() })
  const sent = Array.from({ length: 12 }, () =>
    fetch(`http://127.0.0.1:${port}/write`, { method: 'POST', body }),
  )
  const answers = await Promise.all(sent)
  const statuses = answers.map(({ status }) => status)
  t.same(
    statuses.filter((status) => status !== 200 && status !== 503),
    [],
  )
  t.equal(jobs(door).length, statuses.filter((status) => status === 200).length)
  t.ok(statuses.includes(200))
})

t.test('Browser Print: a form of very many parts is refused at once', async (t) => {
  const port = await findClosedPort()
  const door = await openDoor(t, browserPrint, { browser_print: true, browser_print_port: port })
  const post = (body: string) =>
    fetch(`http://127.0.0.1:${port}/write`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body,
    })
  const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
  const many = await post(`${part.repeat(200_000)}--x--\r\n`)
  t.equal(many.status, 413)
  const json = `--x\r\nContent-Disposition: form-data; name="json"\r\n\r\n${JSON.stringify({ device: { uid: 'A' }, data: '' })}\r\n`
  for (const file of ['; filename="a.zpl"', '']) {
    const blob = `--x\r\nContent-Disposition: form-data; name="blob"${file}\r\n\r\n^XA^FDform${file.length}^FS^XZ\r\n`
    t.equal((await post(`${json}${blob}--x--\r\n`)).status, 200)
  }
  t.equal(jobs(door).length, 2)
})

async function openQz(t: Test): Promise<{ door: DoorBench; port: number }> {
  const port = await findClosedPort()
  const settings = { qz_tray: true, qz_port: port - 1, fetch_hosts: ['127.0.0.1'] }
  return { door: await openDoor(t, qz, settings), port }
}

async function connectTo(t: Test, port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  t.teardown(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

/** The answer to a label with so many bytes, and the file at an address; rejects when the connection ends. */
async function printBy(socket: WebSocket, bytes: number, address = ''): Promise<unknown> {
  const raw = { type: 'raw', format: 'command' }
  const data: object[] = [{ ...raw, flavor: 'plain', data: label(bytes).toString() }]
  if (address !== '') data.push({ ...raw, flavor: 'file', data: address })
  socket.send(JSON.stringify({ call: 'print', uid: 'a', params: { printer: 'A', data } }))
  const closed = once(socket, 'close').then(() => {
    throw new Error('closed')
  })
  const [text] = await Promise.race([once(socket, 'message'), closed])
  return JSON.parse(String(text))
}

t.test('QZ: large messages that come at once wait for each other, none is cut off', async (t) => {
  const { door, port } = await openQz(t)
  const sockets = await Promise.all(Array.from({ length: 8 }, () => connectTo(t, port)))
  const answers = await Promise.all(sockets.map((socket) => printBy(socket, 9 * MIB)))
  t.same(
    answers,
    sockets.map(() => ({ uid: 'a', result: null })),
  )
  t.equal(jobs(door).length, 8)
})

t.test('QZ: while large messages wait for a slow file, others print', async (t) => {
  const { door, port } = await openQz(t)
  let isSlow = true
  const asked: ServerResponse[] = []
  const slow = createServer((_, answer) => {
    if (isSlow) asked.push(answer)
    else answer.end('^XA^FXfile^XZ')
  })
  const address = `http://127.0.0.1:${await listen(t, slow)}/slow`
  const sockets = await Promise.all(Array.from({ length: 3 }, () => connectTo(t, port)))
  const answers = sockets.map((socket) => printBy(socket, 9 * MIB, address))
  await poll('the file to be asked for', () => asked.length > 0)
  const other = await connectTo(t, port)
  for (const bytes of [2_000, 100_000]) {
    t.same(await printBy(other, bytes), { uid: 'a', result: null })
  }
  t.equal(jobs(door).length, 2, 'the large ones wait still')
  isSlow = false
  for (const answer of asked) answer.end('^XA^FXfile^XZ')
  t.same(
    await Promise.all(answers),
    sockets.map(() => ({ uid: 'a', result: null })),
  )
  t.equal(jobs(door).length, 5)
  const gone = await connectTo(t, port)
  const cut = printBy(gone, 9 * MIB)
  gone.terminate()
  await t.rejects(cut)
  t.same(await printBy(other, 9 * MIB), { uid: 'a', result: null }, 'all was given back')
})
