import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import t from 'tap'
import { createUsbDevice } from '../../../src/printers/devices/usb/index.ts'
import { PrinterFault } from '../../../src/printers/fault.ts'
import { makeLabel } from '../../conformance/device.ts'
import { until } from '../../until.ts'
import { clone, zebra } from '../models.ts'
import { UsbPrinter } from '../usb-printer.ts'

const CHUNK = 16_384
const ZEBRA = new URL('usb://Zebra%20Technologies/ZTC%20GK420d?serial=29J101500123')
const CLONE = new URL('usb://Printer/Thermal%20Printer?serial=ROLLO77')
const limit = () => AbortSignal.timeout(180_000)

/** The driver of the printer in the first port. */
const driver = () => {
  try {
    return readlinkSync('/sys/bus/usb/devices/1-1/1-1:1.0/driver').split('/').at(-1)
  } catch {
    return undefined // none
  }
}

async function failure(promise: Promise<unknown>): Promise<PrinterFault> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof PrinterFault) return error
  throw new Error(`did not fail as it should: ${String(error)}`)
}

await t.test('a USB printer in trouble', async (t) => {
  const printer = await UsbPrinter.make(t, { ...zebra, name: 'trouble', port: 0 })

  for (const { taken, question = '' } of [
    { taken: 0 },
    { taken: 512 },
    { taken: 20_480 },
    { taken: 20_480, question: '~HS' },
  ]) {
    const title = `that went away after ${question} ${taken} bytes is said to have got no more`
    await t.test(title, async (t) => {
      const device = createUsbDevice()
      t.teardown(() => device.close?.())
      await printer.forget()
      await printer.accept(taken)
      await printer.plug()
      await using connection = await device.open(ZEBRA, limit())
      if (question !== '') await connection.send(Buffer.from(question), limit())
      const sent = failure(connection.send(makeLabel(100_000), limit()))
      if (taken === 0) await connection.receive(200, limit())
      await printer.untilTaken(question.length + taken)
      await printer.unplug()
      const { code, accepted = 0 } = await sent
      const got = (await printer.received()).length - question.length
      t.equal(got, taken)
      t.ok(accepted <= got, `at least ${accepted} of ${got}`)
      t.ok(got - accepted <= CHUNK)
      t.match(code, taken === 0 ? /^PRINTER_(LOST|OFFLINE)$/ : /^PRINTER_LOST$/)
    })
  }

  await t.test('tells its port status while it takes no data', async (t) => {
    const device = createUsbDevice()
    t.teardown(() => device.close?.())
    await printer.accept(512)
    await printer.plug()
    const stop = new AbortController()
    await using connection = await device.open(ZEBRA, limit())
    const sent = failure(connection.send(makeLabel(100_000), stop.signal))
    await printer.untilTaken(512)
    for (const [byte, reasons] of [
      [0x18, []],
      [0x38, ['media-empty']],
      [0x98, ['cover-open']],
      [0x10, ['other']],
    ] as const) {
      await printer.setPortStatus(byte)
      t.same(await connection.status?.(limit()), reasons)
    }
    await printer.setPortStatus('stall')
    t.same(await connection.status?.(limit()), [], 'one that does not know the question')
    stop.abort('enough')
    t.equal((await sent).cause, 'enough')
    await printer.setPortStatus(0x18)
    await printer.unplug()
  })

  await t.test('whose pipe halted before the label gets all of it', async (t) => {
    const device = createUsbDevice()
    t.teardown(() => device.close?.())
    await printer.accept(0)
    await printer.plug()
    await printer.forget()
    await using connection = await device.open(ZEBRA, limit())
    await printer.halt()
    await printer.accept('all')
    const label = makeLabel(50_000)
    await connection.send(label, limit())
    await printer.untilTaken(label.length)
    t.ok((await printer.received()).equals(label))
    await printer.unplug()
  })

  await t.test('that another program holds is left to it', async (t) => {
    await printer.plug()
    await until('the driver', () => Promise.resolve(driver()))
    const grab = `const { usb } = await import('usb'); const d = await usb.findDeviceBySerial('29J101500123')
      await d.open(); await d.detachKernelDriver(0).catch(() => {}); await d.claimInterface(0); console.log('held'); setInterval(() => {}, 1000)`
    const other = spawn(process.execPath, ['--input-type=module', '-e', grab])
    await once(other.stdout, 'data')
    const device = createUsbDevice()
    t.teardown(() => device.close?.())
    await t.rejects(device.open(ZEBRA, limit()), {
      code: 'PRINTER_BUSY',
      message: /in use by another program/,
    })
    const [found] = await device.list(limit())
    t.match(found?.hindrance, /in use by another program/)
    t.equal(driver(), 'usbfs')
    other.kill('SIGKILL')
    await once(other, 'exit')
    await using _connection = await device.open(ZEBRA, limit())
  })

  await t.test(
    'is held from job to job; the kernel gets back only what loses no labels',
    async (t) => {
      const device = createUsbDevice()
      for (const _job of [1, 2]) {
        await using connection = await device.open(ZEBRA, limit())
        await connection.send(makeLabel(100), limit())
        t.equal(driver(), 'usbfs')
      }
      t.equal(driver(), 'usbfs')
      await device.close?.()
      t.not(driver(), 'usblp', "Zebra's lose labels then")
      await printer.unplug()
      await printer.remove()

      const other = await UsbPrinter.make(t, { ...clone, name: 'returned', port: 0 })
      await other.plug()
      await until('the driver', () => Promise.resolve(driver()))
      const second = createUsbDevice()
      const [found] = await second.list(limit())
      t.match(found, { deviceId: 'MFG:Printer;MDL:Thermal Printer;CMD:XPP,XL;' })
      await (await second.open(CLONE, limit()))[Symbol.asyncDispose]()
      t.equal(driver(), 'usbfs')
      await second.close?.()
      await until('the driver', () => Promise.resolve(driver() === 'usblp' || undefined))
    },
  )
})
