import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Device } from '../../../../src/printers/device.ts'
import { createUsbDevice } from '../../../../src/printers/devices/usb/index.ts'
import { LpLine } from '../../../../src/printers/devices/usb/lp-line.ts'
import { conforms, makeLabel, type Rig } from '../../../conformance/device.ts'
import { Pty } from '../../../devices/pty.ts'
import { UsbBench } from '../../../devices/usb-bench.ts'

const limit = () => AbortSignal.timeout(60_000)
const ENTRY = new URL('../../../../src/printers/devices/usb/lp-child.ts', import.meta.url)
function makeDesk(t: Test) {
  const bench = new UsbBench(t.testdir({}))
  const printer = bench.plug()
  const file = join(bench.dev, 'usb/lp0')
  // Bytes both ways, and a write is refused while nobody reads: a terminal in raw mode does what the kernel's file does.
  const pty = new Pty()
  t.teardown(() => pty.unplug())
  execFileSync('stty', ['-F', pty.path, 'raw', '-echo'])
  symlinkSync(pty.path, file)
  const { sysfs, dev } = bench
  const load = () => Promise.reject(new Error('Cannot find native binding'))
  const device = createUsbDevice({ sysfs, dev, load, platform: 'linux', lpChild: ENTRY })
  t.teardown(() => device.close?.())
  return { bench, printer, file, pty, device, uri: new URL('usb://Zebra/GK420d?serial=28J0821') }
}

/** A device whose jobs are told apart by what was sent: the file knows no ends of jobs. */
function countJobs(device: Device): { readonly device: Device; readonly sizes: number[] } {
  const sizes: number[] = []
  const open: Device['open'] = async (uri, signal) => {
    const connection = await device.open(uri, signal)
    const send = connection.send.bind(connection)
    const job = sizes.push(0) - 1
    connection.send = async (bytes, signal) => {
      await send(bytes, signal)
      sizes[job] = (sizes[job] ?? 0) + bytes.length
    }
    return connection
  }
  return { device: { ...device, open }, sizes }
}

t.test('a printer behind the driver of the kernel is a device', (t) => {
  const makeRig = (t: Test): Promise<Rig> => {
    const { pty, uri, ...desk } = makeDesk(t)
    const { device, sizes } = countJobs(desk.device)
    return Promise.resolve({
      device,
      uri,
      nowhere: new URL('usb://Zebra/GK420d?serial=none'),
      received: async () => {
        const total = sizes.reduce((sum, size) => sum + size, 0)
        await pty.until(() => pty.length >= total)
        return sizes.map((size, index) => {
          const before = sizes.slice(0, index).reduce((sum, each) => sum + each, 0)
          return pty.received.subarray(before, before + size)
        })
      },
      stall: () => pty.stall(),
      resume: () => pty.resume(),
    })
  }
  return conforms(t, makeRig, {
    confirm: 'the file of the kernel tells nothing',
    unplug: "the child inherits the stand-in's end of the terminal; the guest pulls a real printer",
  })
})

t.test('what the printer says is heard, and its port tells nothing', async (t) => {
  const { file, pty } = makeDesk(t)
  const line = await LpLine.open(ENTRY, file)
  t.teardown(() => line.abandon())
  const heard = line.read(20_000)
  pty.say('030,0,0')
  t.equal(Buffer.from(await heard).toString(), '030,0,0')
  t.equal((await line.read(5)).length, 0)
  t.equal(await line.readPortStatus(), undefined)
  await line.clearHalt()
  await line.endJob()
})

t.test('a child that ends loses what was under way, and the line is broken', async (t) => {
  const { file, pty } = makeDesk(t)
  pty.stall()
  const line = await LpLine.open(ENTRY, file)
  const written = line.write(makeLabel(200_000))
  await line.dropJob()
  await t.rejects(written, { message: /EIO/ })
  t.equal(line.isBroken, true)
  await t.rejects(line.write(makeLabel(1)), { message: /ENODEV/ })
  await line.giveBack()
})

t.test('a write that fails is told with its reason, less the byte in doubt', async (t) => {
  const { file, device, printer, uri } = makeDesk(t)
  rmSync(file)
  symlinkSync('/dev/full', file) // refuses every byte
  await using connection = await device.open(uri, limit())
  await t.rejects(connection.send(makeLabel(9), limit()), {
    code: 'PRINTER_LOST',
    accepted: 0,
    cause: { message: /ENOSPC/ },
  })
  t.equal(printer.driver, 'usblp', 'the kernel keeps it')
})

t.test('a file that cannot be opened is a printer that cannot', async (t) => {
  const { bench } = makeDesk(t)
  await t.rejects(LpLine.open(ENTRY, join(bench.dev, 'usb/none')), { message: /ENOENT/ })
  writeFileSync(join(bench.dev, 'no-program.ts'), 'process.exit(3)')
  const broken = new URL(`file://${join(bench.dev, 'no-program.ts')}`)
  await t.rejects(LpLine.open(broken, '/dev/null'), { message: /has ended/ })
})

t.test('with the right on the file alone nothing hinders', async (t) => {
  const { bench, printer, device } = makeDesk(t)
  bench.dropNode(printer)
  t.equal((await device.list(limit()))[0]?.hindrance, undefined)
  const { sysfs, dev, load } = bench
  const without = createUsbDevice({ sysfs, dev, load, platform: 'linux' })
  t.match((await without.list(limit()))[0]?.hindrance, /no right to use it/)
})
