import t from 'tap'
import { createSerialDevice } from '../../../../src/printers/devices/serial/index.ts'
import { SerialInbox, type WindowsPort } from '../../../../src/printers/devices/serial/line.ts'
import type { PortOptions } from '../../../../src/printers/devices/serial/ports.ts'

const limit = () => AbortSignal.timeout(60_000)

/** Replaces @serialport/bindings-cpp on Windows, with a printer that takes data while `isOn`. */
class ComPort implements WindowsPort {
  readonly calls: string[] = []
  readonly written: Buffer[] = []
  readonly #words = Promise.withResolvers<{ bytesRead: number }>()
  #stopWrite: ((error: Error) => void) | undefined
  #said = 0
  isOn = true

  write(bytes: Buffer): Promise<void> {
    this.written.push(bytes)
    if (this.isOn) return Promise.resolve()
    return new Promise((_resolve, reject) => {
      this.#stopWrite = reject
    })
  }

  read(buffer: Buffer): Promise<{ bytesRead: number }> {
    this.#said += 1
    if (this.#said > 1) return this.#words.promise
    return Promise.resolve({ bytesRead: buffer.write('hello') })
  }

  set(signals: object): Promise<void> {
    this.calls.push(`set ${JSON.stringify(signals)}`)
    return Promise.resolve()
  }

  flush(): Promise<void> {
    this.calls.push('flush')
    this.#stopWrite?.(new Error('Writing to COM port (GetOverlappedResult): Operation aborted'))
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.calls.push('close')
    this.unplug()
    return Promise.resolve()
  }

  unplug(): void {
    this.#words.reject(new Error('Reading from COM port: Access denied'))
  }
}

function makeDevice(port: WindowsPort) {
  const asked: PortOptions[] = []
  const device = createSerialDevice({
    platform: 'win32',
    openPort(options) {
      asked.push(options)
      return Promise.resolve(port)
    },
  })
  return { device, asked }
}

t.test('a port of Windows gets its signals raised and the label in pieces', async (t) => {
  const port = new ComPort()
  const { device, asked } = makeDevice(port)
  t.equal(device.check(new URL(device.example)), undefined)
  {
    await using connection = await device.open(new URL('serial:com3'), limit())
    await connection.send(Buffer.alloc(1_000, 'x'), limit())
    await t.rejects(device.open(new URL('serial:COM3'), limit()), { code: 'PRINTER_BUSY' })
  }
  t.match(asked, [{ path: 'com3', baudRate: 9_600, hupcl: true, xon: true, xoff: false }])
  t.same(
    port.written.map(({ length }) => length),
    [480, 480, 40],
  )
  t.match(port.calls, [/^set .*"dtr":true,"rts":true/])
  await device[Symbol.asyncDispose]()
  t.same(port.calls.slice(1), ['close'])
})

t.test('with rtscts the driver holds the signals itself', async (t) => {
  const port = new ComPort()
  const { device } = makeDevice(port)
  await using _connection = await device.open(new URL('serial:COM3?flow=rtscts'), limit())
  t.same(port.calls, [])
})

t.test('a stopped line can be given up', async (t) => {
  const port = new ComPort()
  port.isOn = false
  const { device } = makeDevice(port)
  await using connection = await device.open(new URL('serial:COM3'), limit())
  const stop = new AbortController()
  const sent = connection.send(Buffer.alloc(10), stop.signal)
  stop.abort('enough')
  await t.rejects(sent, { code: 'PRINTER_LOST', accepted: 0, cause: 'enough' })
  await t.rejects(connection.send(Buffer.alloc(10), limit()), { code: 'PRINTER_LOST' })
  await device[Symbol.asyncDispose]()
  t.same(port.calls.slice(1), ['flush', 'close'])
})

t.test('an unplugged adapter ends the line', async (t) => {
  const port = new ComPort()
  const { device } = makeDevice(port)
  await using connection = await device.open(new URL('serial:COM3'), limit())
  port.unplug()
  await t.rejects(Promise.resolve(connection.confirm?.(limit())), { code: 'PRINTER_LOST' })
  await t.rejects(connection.send(Buffer.alloc(10), limit()), { code: 'PRINTER_LOST' })
})

t.test('a write that fails loses the label', async (t) => {
  const port = new ComPort()
  port.write = () => Promise.reject(new Error('Writing to COM port: Access denied'))
  const { device } = makeDevice(port)
  await using connection = await device.open(new URL('serial:COM3'), limit())
  await t.rejects(connection.send(Buffer.alloc(10), limit()), {
    code: 'PRINTER_LOST',
    message: /went away after at least 0 of 10 bytes/,
    cause: { message: /Access denied/ },
  })
})

t.test('what a printer says is kept until somebody asks, within bounds', (t) => {
  const inbox = new SerialInbox()
  for (let turn = 0; turn < 20; turn += 1) inbox.add(Buffer.alloc(4_096, turn))
  t.equal(inbox.take().length, 65_536)
  t.equal(inbox.take().length, 0)
  inbox.add(Buffer.from('again'))
  t.equal(Buffer.from(inbox.take()).toString(), 'again')
  t.end()
})
