import t, { type Test } from 'tap'
import type { Connection, Device } from '../../../src/printers/device.ts'
import { createUsbDevice } from '../../../src/printers/usb.ts'
import { conforms, type Rig } from '../../conformance/device.ts'
import { UsbPrinter } from '../usb-printer.ts'

const LARGE = 2_000_000 // a hundred times what kernel and printer take without reading on

/** A USB printer does not see where a label ends: what it has got is counted when the connection is put away. */
function countJobs(device: Device, printer: UsbPrinter, jobs: Uint8Array[]): Device {
  const count = (connection: Connection): Connection => {
    let sent = 0
    return {
      async send(bytes, signal) {
        await connection.send(bytes, signal)
        sent += bytes.length
      },
      receive: (ms, signal) => connection.receive(ms, signal),
      confirm: async (signal) => (await connection.confirm?.(signal)) ?? false,
      async [Symbol.asyncDispose]() {
        await connection[Symbol.asyncDispose]()
        await printer.untilTaken(sent)
        jobs.push(await printer.received())
        await printer.forget()
      },
    }
  }
  return { ...device, open: async (uri, signal) => count(await device.open(uri, signal)) }
}

await t.test('the usb device on a printer that the kernel enumerated', async (t) => {
  const printer = await UsbPrinter.make(t, { name: 'contract', port: 0, serial: 'ZBR0001' })
  const device = createUsbDevice()
  t.teardown(() => device.close?.())
  const makeRig = async (_t: Test): Promise<Rig> => {
    if (!printer.isPlugged) await printer.plug()
    await printer.accept('all')
    await printer.forget()
    const jobs: Uint8Array[] = []
    return {
      device: countJobs(device, printer, jobs),
      uri: new URL('usb://Zebra%20Technologies/ZTC%20GK420d?serial=ZBR0001'),
      nowhere: new URL('usb://Zebra%20Technologies/ZTC%20GK420d?serial=NOBODY'),
      largeBytes: LARGE,
      received: (count) => Promise.resolve(jobs.slice(0, count)),
      stall: () => void printer.accept(0),
      resume: () => void printer.accept('all'),
      begun: () => printer.untilTaken(1),
      unplug: () => void printer.unplug(),
    }
  }
  await conforms(t, makeRig)
})
