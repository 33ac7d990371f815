import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import type { Door } from '../../../src/plugins/door/door.ts'
import { raw } from '../../../src/plugins/raw/index.ts'
import { serveRaw } from '../../../src/plugins/raw/serve.ts'
import type { RawSettings } from '../../../src/plugins/raw/settings.ts'
import { RAW_BOUNDS } from '../../../src/plugins/raw/settings.ts'
import { findClosedPort } from '../../listen.ts'
import { makeLabel } from '../../load/label.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { type DoorBench, jobs, openDoor } from '../door/door-bench.ts'
import { open, talk } from './client.ts'

const LABEL = '^XA^FDHello^FS^XZ'
/** A label that cannot be the method of a request of HTTP, so that it is taken at once. */
const PLAIN = '^XA^FO9,9^FDHello^FS^XZ'
/** Long enough that nothing else of a test ends by it. */
const LONG_MS = 120_000

async function openRaw(
  t: Test,
  limits: Partial<typeof RAW_BOUNDS | Record<keyof typeof RAW_BOUNDS, number>>,
): Promise<DoorBench & { port: number }> {
  const port = await findClosedPort()
  const usual = { ...RAW_BOUNDS, silentMs: LONG_MS, idleMs: LONG_MS, labelMs: LONG_MS }
  const door: Door<RawSettings> = {
    ...raw,
    start: (settings, box, signal) => serveRaw(settings, box, signal, { ...usual, ...limits }),
  }
  return { ...(await openDoor(t, door, { raw_port: port })), port }
}

/** Resolves with the way in which the other side ended the connection: with its end, or a reset. */
function ending(socket: Socket): Promise<'end' | 'reset'> {
  return new Promise((resolve) => {
    socket.once('end', () => resolve('end'))
    socket.once('error', () => resolve('reset'))
    socket.once('close', () => resolve('reset'))
  })
}

const isHeld = (door: DoorBench): boolean => jobs(door)[0]?.state === 'pending-held'

t.test('who falls silent inside a label is not waited for, and the rest is evidence', async (t) => {
  const door = await openRaw(t, { silentMs: 100 })
  const { socket } = await open(door.port)
  socket.write(`${LABEL}^XA^FDhalf`)
  await ending(socket)
  await poll('the evidence', () => jobs(door).length === 2)
  t.match(spoken(jobs(door)), [
    { format: 'zpl' },
    { format: 'unknown', state: 'pending-held', message: /^The end of a label/ },
  ])
})

t.test('who says nothing between two labels is let go, and nothing is held', async (t) => {
  const door = await openRaw(t, { idleMs: 100 })
  const { socket } = await open(door.port)
  const ended = ending(socket)
  socket.write(LABEL)
  t.equal(await ended, 'end', 'all was taken')
  t.match(jobs(door), [{ format: 'zpl' }])
})

t.test('a label that comes a byte at a time has an end', async (t) => {
  const door = await openRaw(t, { labelMs: 400 })
  const { socket } = await open(door.port)
  socket.write('^XA^FD')
  const timer = setInterval(() => socket.write('.'), 20)
  await ending(socket)
  clearInterval(timer)
  await poll('the evidence', () => isHeld(door))
  t.match(jobs(door), [{ format: 'unknown' }])
  t.equal((await talk(door.port, [LABEL])).isClosed, true, 'others print')
})

t.test('one address has so many connections; an idle one gives way', async (t) => {
  const door = await openRaw(t, { connectionsOfOwner: 2 })
  const idle = await open(door.port)
  const idleEnds = ending(idle.socket)
  // A label before it shows that what follows in the same piece was read.
  const fill = async (): Promise<Socket> => {
    const { length } = jobs(door)
    const { socket } = await open(door.port)
    socket.write(`${LABEL}^XA^FDbusy`)
    await poll('it to be read', () => jobs(door).length > length)
    return socket
  }
  const busy = await fill()
  t.equal((await talk(door.port, [LABEL])).isClosed, true, 'the idle one gave way')
  t.equal(await idleEnds, 'reset', 'an end would say that a label on its way was taken')
  const second = await fill()
  t.equal((await talk(door.port, [LABEL])).isClosed, false, 'no room')
  busy.end('^FS^XZ')
  await ending(busy)
  await poll('room', async () => (await talk(door.port, [LABEL])).isClosed)
  second.destroy()
  t.same(door.bench.faults, [])
})

t.test('labels that are too much together come one after the other', async (t) => {
  const door = await openRaw(t, { bytesTogether: 50_000, againMs: 50 })
  const sent = Array.from({ length: 6 }, (_, n) =>
    talk(door.port, [Buffer.from(makeLabel(`label ${n}`, 400_000))]),
  )
  for (const { isClosed } of await Promise.all(sent)) t.equal(isClosed, true)
  t.equal(jobs(door).length, 6)
  t.same(door.bench.faults, [])
})

t.test('what has come when the door closes is taken, or the connection is reset', async (t) => {
  const door = await openRaw(t, { bytesTogether: 1, againMs: LONG_MS, leaveMs: 1 })
  const fullest = await open(door.port)
  fullest.socket.write(`${PLAIN}^XA^FD${'.'.repeat(9_000)}`)
  await poll('it to be read', () => jobs(door).length === 1)
  // These begin a label and are not read on, for the other one holds more.
  const [whole, cut] = [await open(door.port), await open(door.port)]
  for (const { socket } of [whole, cut]) socket.write(`${PLAIN}^XA^FDhalf`)
  await poll('them to be read', () => jobs(door).length === 3)
  const ends = [whole, cut].map(({ socket }) => ending(socket))
  whole.socket.end('^FS^XZ')
  cut.socket.write('.')
  // Another connection is served only behind what came before it.
  await talk(door.port, [PLAIN])
  await door.doors.stop()
  t.same(await Promise.all(ends), ['end', 'reset'])
  t.equal(jobs(door).filter(({ format }) => format === 'zpl').length, 5, 'the whole one too')
  t.same(door.bench.faults, [])
})

t.test('a label that is on its way when another port is given is taken whole', async (t) => {
  const door = await openRaw(t, { leaveMs: LONG_MS })
  const { socket } = await open(door.port)
  socket.write(`${PLAIN}^XA^FO9,9^FDhalf`)
  await poll('it to be read', () => jobs(door).length === 1)
  const ended = ending(socket)
  const other = await findClosedPort()
  const configured = door.configure({
    raw_port: door.port,
    printers: [{ name: 'B', uri: 'file:b', raw_port: other }],
  })
  socket.write('^FS^XZ')
  t.equal(await ended, 'end')
  await configured
  t.match(jobs(door), [{ format: 'zpl' }, { format: 'zpl' }])
  t.equal((await talk(other, [PLAIN])).isClosed, true)
  t.equal((await talk(door.port, [PLAIN])).isClosed, true)
})

t.test('who asks and asks and reads no answer is cut off', async (t) => {
  const door = await openRaw(t, { unreadBytes: 10_000 })
  const socket = connect(door.port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const closed = once(socket, 'close').catch(() => undefined)
  const pour = (): void => {
    while (!socket.destroyed && socket.write('~HS'.repeat(10_000)));
  }
  socket.on('drain', pour)
  pour()
  await closed
  t.equal((await talk(door.port, [LABEL])).isClosed, true, 'others print')
  t.match(jobs(door), [{ format: 'zpl' }])
  t.same(door.bench.faults, [])
})

t.test('where the page has enough junk, the labels between more of it print', async (t) => {
  const door = await openRaw(t, {})
  const junk = 'no label\nPRINT 1\n'
  const { isClosed } = await talk(door.port, [junk.repeat(201), PLAIN, junk])
  t.equal(isClosed, true, 'a reset would have its sender repeat the label')
  t.equal(jobs(door).filter(({ format }) => format === 'unknown').length, 200)
  t.equal(jobs(door).filter(({ format }) => format === 'zpl').length, 1)
})
