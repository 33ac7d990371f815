import { symlinkSync, unlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Connection, Device } from '../../../../src/printers/device.ts'
import { createSerialDevice } from '../../../../src/printers/devices/serial/index.ts'
import { openNativePort } from '../../../../src/printers/devices/serial/ports.ts'
import { conforms, makeLabel, type Rig } from '../../../conformance/device.ts'
import { Pty } from '../../../devices/pty.ts'

const limit = () => AbortSignal.timeout(60_000)
const MARK = Buffer.from('--- the stand-in printer counts labels by this line ---')
const XOFF = '\x13'
const XON = '\x11'

function makePty(t: Test): Pty {
  const pty = new Pty()
  t.teardown(() => pty.unplug())
  return pty
}

function makeDevice(t: Test) {
  const device = createSerialDevice()
  t.teardown(() => device[Symbol.asyncDispose]())
  return device
}

/** A serial line does not show where a job ends, so the rig writes a mark behind each. */
function makeRig(t: Test): Promise<Rig> {
  const pty = makePty(t)
  const device = makeDevice(t)
  const uri = new URL(`serial:${pty.path}?baud=4000000`)
  let isStalled = false
  const mark = (connection: Connection): Connection => ({
    send: (bytes, signal) => connection.send(bytes, signal),
    receive: (ms, signal) => connection.receive(ms, signal),
    confirm: async (signal) => (await connection.confirm?.(signal)) ?? false,
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      if (isStalled) return
      await using _closed = await device.open(uri, limit()) // what is on its way while a port closes is dropped
      pty.mark(MARK)
    },
  })
  const marked: Device = {
    ...device,
    open: async (uri, signal) => mark(await device.open(uri, signal)),
  }
  return Promise.resolve({
    device: marked,
    uri,
    nowhere: new URL('serial:/dev/pts/999999'),
    async received(count) {
      await pty.until(({ received }) => split(received).length > count)
      return split(pty.received).slice(0, -1)
    },
    stall() {
      isStalled = true
      pty.stall()
    },
    resume() {
      isStalled = false
      pty.resume()
    },
    begun: () => pty.until(({ length }) => length > 0),
    unplug() {
      isStalled = true // there is nothing left to mark
      pty.unplug()
    },
  })
}

function split(bytes: Buffer): Uint8Array[] {
  const at = bytes.indexOf(MARK)
  return at === -1 ? [bytes] : [bytes.subarray(0, at), ...split(bytes.subarray(at + MARK.length))]
}

t.test('a serial printer is a device', (t) => conforms(t, makeRig))

t.test('a printer stops the line with XOFF and starts it with XON', async (t) => {
  const pty = makePty(t)
  await using connection = await makeDevice(t).open(new URL(`serial:${pty.path}`), limit())
  pty.say(`${XOFF}ready`)
  await hear(connection, 'ready') // the driver has obeyed what came before these words
  const label = makeLabel(2_000)
  let isSent = false
  const sent = connection.send(label, limit()).then(() => {
    isSent = true
  })
  pty.say('paper out')
  await hear(connection, 'paper out')
  await connection.receive(100, limit())
  t.equal(pty.length, 0)
  t.notOk(isSent)
  pty.say(XON)
  await sent
  await pty.until(({ length }) => length === label.length)
  t.ok(pty.received.equals(label))
})

t.test('without flow control XOFF is a byte like any other', async (t) => {
  const pty = makePty(t)
  const uri = new URL(`serial:${pty.path}?flow=none`)
  await using connection = await makeDevice(t).open(uri, limit())
  pty.say(`${XOFF}!`)
  await hear(connection, `${XOFF}!`)
  await connection.send(makeLabel(500), limit())
  await pty.until(({ length }) => length === 500)
})

t.test(
  'a label to a stopped line can be given up, and the count is what surely left',
  async (t) => {
    const pty = makePty(t)
    const device = makeDevice(t)
    const uri = new URL(`serial:${pty.path}`)
    {
      await using connection = await device.open(uri, limit())
      await connection.send(makeLabel(100), limit())
      await pty.until(({ length }) => length === 100)
      pty.say(`${XOFF}.`)
      await hear(connection, '.')
      const stop = new AbortController()
      const sent = connection.send(makeLabel(10_000), stop.signal)
      stop.abort('a person said so')
      await t.rejects(sent, { code: 'PRINTER_LOST', accepted: 0, cause: 'a person said so' })
    }
    await using next = await device.open(uri, limit())
    pty.say(XON) // only now: what is on its way while a port closes is dropped
    await next.send(Buffer.from('next'), limit())
    await pty.until(({ length }) => length >= 104)
    t.equal(pty.received.subarray(100).toString(), 'next')
  },
)

t.test('any number of stopped printers holds nobody up', async (t) => {
  const device = makeDevice(t)
  const stop = new AbortController()
  const open = async (pty: Pty) => await device.open(new URL(`serial:${pty.path}`), limit())
  const waiting: Promise<void>[] = []
  for (let count = 0; count < 6; count += 1) {
    const pty = makePty(t) // six, for file access and name lookups share four threads
    const connection = await open(pty)
    pty.say(`${XOFF}.`)
    await hear(connection, '.')
    waiting.push(connection.send(makeLabel(1_000), stop.signal))
  }
  const pty = makePty(t)
  await using connection = await open(pty)
  await connection.send(makeLabel(1_000), limit())
  await pty.until(({ length }) => length === 1_000)
  t.ok((await readFile('/proc/version')).length > 0)
  stop.abort()
  const ends = await Promise.allSettled(waiting)
  t.ok(ends.every(({ status }) => status === 'rejected'))
})

t.test('one port under two names is one port', async (t) => {
  const pty = makePty(t)
  const link = join(t.testdir(), 'by-id')
  symlinkSync(pty.path, link)
  const device = createSerialDevice({ devFolder: join(link, '..') })
  const plain = makeDevice(t)
  t.teardown(() => device[Symbol.asyncDispose]())
  await using _first = await device.open(new URL(`serial:${link}`), limit())
  await t.rejects(device.open(new URL(`serial:${link}?baud=19200`), limit()), {
    code: 'PRINTER_BUSY',
    message: /printing another label/,
  })
  await t.rejects(plain.open(new URL(`serial:${pty.path}`), limit()), {
    code: 'PRINTER_BUSY',
    message: /Another program/,
  })
})

t.test('an adapter that comes back under its name is opened again', async (t) => {
  const folder = t.testdir()
  const link = join(folder, 'usb-FTDI-port0')
  const uri = new URL(`serial:${link}`)
  const device = createSerialDevice({ devFolder: folder })
  t.teardown(() => device[Symbol.asyncDispose]())
  const [before, after] = [makePty(t), makePty(t)]
  symlinkSync(before.path, link)
  {
    await using connection = await device.open(uri, limit())
    await connection.send(Buffer.from('one'), limit())
    await before.until(({ length }) => length === 3)
    before.unplug()
    const lost = { code: 'PRINTER_LOST', message: /went away after its last bytes/ }
    await t.rejects(Promise.resolve(connection.confirm?.(limit())), lost)
    await t.rejects(connection.send(Buffer.from('two'), limit()), {
      code: 'PRINTER_LOST',
      accepted: 0,
    })
  }
  unlinkSync(link)
  await t.rejects(device.open(uri, limit()), { code: 'PRINTER_OFFLINE', message: /plugged in/ })
  symlinkSync(after.path, link)
  await using connection = await device.open(uri, limit())
  await connection.send(Buffer.from('three'), limit())
  await after.until(({ received }) => received.toString() === 'three')
})

t.test('other settings open the port again, the same ones do not', async (t) => {
  const pty = makePty(t)
  const opened: number[] = []
  const device = createSerialDevice({
    openPort(options) {
      opened.push(options.baudRate)
      return openNativePort(options)
    },
  })
  t.teardown(() => device[Symbol.asyncDispose]())
  let sent = 0
  for (const baud of [9_600, 9_600, 19_200]) {
    await using connection = await device.open(new URL(`serial:${pty.path}?baud=${baud}`), limit())
    await connection.send(Buffer.from([1]), limit())
    sent += 1
    await pty.until(({ length }) => length === sent)
  }
  t.same(opened, [9_600, 19_200])
})

t.test('what is not a serial port is said in words', async (t) => {
  const folder = t.testdir({ file: '' })
  const device = createSerialDevice({ devFolder: folder })
  await t.rejects(device.open(new URL(`serial:${folder}/file`), limit()), {
    code: 'PRINTER_OFFLINE',
    message: /is not a serial port/,
  })
  await t.rejects(device.open(new URL('serial:/etc/passwd'), limit()), {
    code: 'PRINTER_OFFLINE',
    message: /below/,
  })
})

t.test('a label that is given up while its port opens leaves the port free', async (t) => {
  const pty = makePty(t)
  const stop = new AbortController()
  const device = createSerialDevice({
    openPort(options) {
      stop.abort('enough')
      return openNativePort(options)
    },
  })
  t.teardown(() => device[Symbol.asyncDispose]())
  const uri = new URL(`serial:${pty.path}`)
  await t.rejects(device.open(uri, stop.signal), { code: 'PRINTER_OFFLINE', cause: 'enough' })
  await using _next = await device.open(uri, limit())
})

t.test('confirm and receive end early when the print server stops', async (t) => {
  const pty = makePty(t)
  const uri = new URL(`serial:${pty.path}?baud=300`)
  await using connection = await makeDevice(t).open(uri, limit())
  const stop = new AbortController()
  const both = [connection.confirm?.(stop.signal), connection.receive(60_000, stop.signal)]
  stop.abort()
  const [confirmed, heard] = await Promise.all(both)
  t.equal(confirmed, false)
  t.same(heard, Buffer.alloc(0))
})

/** Resolves when the printer's words have come in. */
async function hear(connection: Connection, words: string): Promise<void> {
  const end = limit()
  let heard = ''
  while (heard !== words) {
    end.throwIfAborted()
    heard += Buffer.from(await connection.receive(5, end)).toString('latin1')
  }
}
