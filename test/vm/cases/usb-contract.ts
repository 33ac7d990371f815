import t, { type Test } from 'tap'
import { createUsbDevice } from '../../../src/printers/devices/usb/index.ts'
import { conforms, type Rig } from '../../conformance/device.ts'
import { countJobs } from '../count-jobs.ts'
import { UsbPrinter } from '../usb-printer.ts'

const LARGE = 2_000_000 // a hundred times what kernel and printer take without reading on

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
