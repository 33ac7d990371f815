import t from 'tap'
import { createUsbDevice } from '../../../src/printers/usb.ts'
import { UsbPrinter } from '../usb-printer.ts'

t.test('first light', async (t) => {
  const printer = await UsbPrinter.make(t, { name: 'zebra', port: 0, serial: 'ZBR0001' })
  await printer.plug()
  t.comment(JSON.stringify(await createUsbDevice().list(AbortSignal.timeout(5000))))
})
