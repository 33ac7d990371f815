import t from 'tap'
import { type Connection, type Device, PrinterFault } from '#printers'
import { Printers } from '../../../src/core/printers/registry.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { makePrinter } from './make-printer.ts'

const signal = AbortSignal.timeout(5_000)

function makePrinters(open: () => Promise<Connection>): Printers {
  const device: Device = {
    scheme: 'odd',
    example: 'odd:a',
    about: '',
    check: () => undefined,
    list: () => Promise.resolve([]),
    open,
    isRemote: true,
  }
  const printers = [makePrinter('A', { uri: 'odd:a' })]
  return new Printers({ printers, defaultName: '', devices: [device] })
}

t.test('what a device says when it is opened is a failure of ours, with its cause', async (t) => {
  const cause = new Error('no route')
  const fault = new PrinterFault('PRINTER_OFFLINE', 'It is off.', { cause, advice: 'startCups' })
  const printers = makePrinters(() => Promise.reject(fault))
  const error = await printers.open('A', signal).catch((error: unknown) => error)
  t.type(error, PlatenError)
  t.match(error, { code: 'PRINTER_OFFLINE', message: 'It is off.', hint: /^Start CUPS/, cause })
  t.equal(await printers.answers('odd:a', signal), false)
})

t.test('so is what its connection says, with the bytes that were taken', async (t) => {
  const lost = (): Promise<never> =>
    Promise.reject(new PrinterFault('PRINTER_LOST', 'It broke.', { accepted: 7 }))
  let closed = 0
  const printers = makePrinters(() =>
    Promise.resolve({
      chunkBytes: 9,
      mayPrint: false,
      send: lost,
      receive: lost,
      status: lost,
      finish: lost,
      confirm: lost,
      cancel: lost,
      [Symbol.asyncDispose]: () => {
        closed += 1
        return Promise.resolve()
      },
    }),
  )
  const connection = await printers.open('A', signal)
  t.match(connection, { chunkBytes: 9, mayPrint: false })
  t.equal(connection.keepPicture, undefined)
  const works = [
    connection.send(new Uint8Array(), signal),
    connection.receive(1, signal),
    connection.status?.(signal),
    connection.finish?.(() => undefined, signal),
    connection.confirm?.(signal),
    connection.cancel?.(signal),
  ]
  for (const work of works) {
    const error = await Promise.resolve(work).catch((error: unknown) => error)
    t.type(error, PlatenError)
    t.match(error, { code: 'PRINTER_LOST', message: 'It broke.', accepted: 7 })
  }
  await connection[Symbol.asyncDispose]()
  t.equal(closed, 1)
})
