import t, { type Test } from 'tap'
import { Printers } from '../../../../src/core/printers/registry.ts'
import type { Connection, Device } from '../../../../src/printers/device.ts'
import { createUsbDevice } from '../../../../src/printers/devices/usb/index.ts'
import type { KnownUsb } from '../../../../src/printers/devices/usb/printer.ts'
import { Discovery } from '../../../../src/printers/known/discovery.ts'
import { conforms, makeLabel, type Rig } from '../../../conformance/device.ts'
import { makeMemory } from '../../../core/printers/make-printer.ts'
import { UsbBench } from '../../../devices/usb-bench.ts'
import type { UsbStandIn, UsbTraits } from '../../../devices/usb-stand-in.ts'

const limit = () => AbortSignal.timeout(60_000)

interface Desk {
  readonly bench: UsbBench
  readonly printer: UsbStandIn
  readonly device: Device
  readonly uri: URL
  open(): Promise<Connection>
}

function makeDesk(t: Test, traits: Partial<UsbTraits> = {}): Desk {
  const bench = new UsbBench(t.testdir({}))
  const printer = bench.plug(traits)
  const { sysfs, dev, load } = bench
  const device = createUsbDevice({ sysfs, dev, load, platform: 'linux', pollMs: 20 })
  t.teardown(() => device.close?.())
  const uri = new URL('usb://Zebra/GK420d?serial=28J0821')
  return { bench, printer, device, uri, open: () => device.open(uri, limit()) }
}

/** Resolves when `isSo`; fails after a while. */
async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 60_000
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`still not: ${isSo}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

const NO_CONFIRM = 'the printer class cannot confirm; its languages can'

t.test('a USB printer is a device', (t) => {
  const makeRig = (t: Test) => {
    const { bench, printer, device, uri } = makeDesk(t)
    const jobs: Uint8Array[] = []
    // The cable knows no ends of jobs: the stand-in is emptied when one begins.
    const open: Device['open'] = async (uri, signal) => {
      const connection = await device.open(uri, signal)
      printer.forget()
      const end = connection[Symbol.asyncDispose].bind(connection)
      let isOpen = true
      connection[Symbol.asyncDispose] = async () => {
        await end()
        if (isOpen) jobs.push(printer.received)
        isOpen = false
      }
      return connection
    }
    const rig: Rig = {
      device: { ...device, open },
      uri,
      nowhere: new URL('usb://Zebra/GK420d?serial=none'),
      received: () => Promise.resolve(jobs),
      stall: () => printer.accept(0),
      resume: () => printer.accept(),
      begun: async () => {
        await until(() => printer.received.length > 0)
        printer.accept(0)
      },
      unplug: () => bench.unplug(printer),
    }
    return Promise.resolve(rig)
  }
  return conforms(t, makeRig, { confirm: NO_CONFIRM })
})

t.test('a printer is claimed once and held from job to job', async (t) => {
  const { printer, device, open } = makeDesk(t)
  for (const size of [10, 20]) {
    await using connection = await open()
    await connection.send(makeLabel(size), limit())
    t.equal(printer.driver, 'usbfs')
  }
  t.equal(printer.driver, 'usbfs', 'between jobs too')
  t.equal(printer.busResets, 0)
  const [found] = await device.list(limit())
  t.equal(found?.hindrance, undefined, 'that we hold it is not a hindrance')
  t.equal(found?.deviceId, 'MFG:Zebra Technologies ;CMD:ZPL;MDL:ZTC GK420d;CLS:PRINTER;')
})

t.test('at the end a printer goes back to the kernel, a Zebra does not', async (t) => {
  for (const [vendorId, driver] of [
    [0x0a5f, ''],
    [0x1203, 'usblp'],
  ] as const) {
    const { printer, device, open } = makeDesk(t, { vendorId })
    await (await open())[Symbol.asyncDispose]()
    await device.close?.()
    t.equal(printer.driver, driver)
  }
})

t.test('a printer that no driver had is not given to one', async (t) => {
  const { printer, device, open } = makeDesk(t, { vendorId: 0x1203 })
  printer.driver = ''
  await (await open())[Symbol.asyncDispose]()
  await device.close?.()
  t.equal(printer.driver, '')
})

t.test('a label begins with one packet and goes on in chunks', async (t) => {
  for (const [packetBytes, chunkBytes] of [
    [512, 16_384],
    [64, 4_096],
  ] as const) {
    const { printer, open } = makeDesk(t, { packetBytes })
    await using connection = await open()
    t.equal(connection.chunkBytes, chunkBytes)
    await connection.send(makeLabel(20_000), limit())
    await connection.send(makeLabel(100), limit())
    t.match(printer.sizes, [packetBytes, chunkBytes])
    t.equal(printer.sizes.at(-1), 100)
    t.ok(Buffer.from(printer.received.subarray(0, 20_000)).equals(makeLabel(20_000)))
  }
})

t.test('a job that fills its last packet ends with an empty one', async (t) => {
  const { printer, open } = makeDesk(t)
  for (const [size, sizes] of [
    [1_024, [512, 512, 0]],
    [1_000, [512, 488]],
  ] as const) {
    printer.forget()
    const connection = await open()
    await connection.send(makeLabel(size), limit())
    await connection[Symbol.asyncDispose]()
    t.same(printer.sizes, sizes)
  }
})

t.test('the port status becomes reasons, also while the printer takes no data', async (t) => {
  const { printer, open } = makeDesk(t)
  await using connection = await open()
  t.same(await connection.status?.(limit()), [], 'all is well, or it does not tell')
  printer.accept(1_000)
  const sent = connection.send(makeLabel(5_000), limit())
  printer.portStatus = 0x38
  t.same(await connection.status?.(limit()), ['media-empty'])
  printer.portStatus = 0xd0
  t.same(await connection.status?.(limit()), ['media-jam', 'cover-open'])
  printer.portStatus = 0x10
  t.same(await connection.status?.(limit()), ['other'])
  t.same(await connection.status?.(AbortSignal.abort()), [])
  printer.accept()
  await sent
})

t.test('an answer is heard whole, and nothing is read unasked', async (t) => {
  const { printer, open } = makeDesk(t)
  printer.replies.push(Buffer.from('030,0,0,'), Buffer.from('1245,000'))
  await using connection = await open()
  t.equal(printer.replies.length, 2)
  const begun = performance.now()
  const answer = await connection.receive(180_000, AbortSignal.timeout(240_000))
  t.equal(Buffer.from(answer).toString(), '030,0,0,1245,000')
  t.ok(performance.now() - begun < 120_000, 'it does not wait for more')
  t.equal((await connection.receive(50, AbortSignal.abort())).length, 0)
  printer.replies.push(...Array.from({ length: 9 }, () => makeLabel(512)))
  t.equal((await connection.receive(1, limit())).length, 9 * 512, 'old words are taken in full')
  printer.replies.push(...Array.from({ length: 200 }, () => makeLabel(512)))
  t.ok((await connection.receive(20_000, limit())).length < 70_000, 'a flood is cut off')
})

t.test('a one-way printer says nothing', async (t) => {
  const { open } = makeDesk(t, { isOneWay: true, interfaces: [{ number: 0, protocol: 1 }] })
  await using connection = await open()
  t.equal((await connection.receive(30, limit())).length, 0)
  await connection.send(makeLabel(600), limit())
})

t.test(
  'a label that was stopped resets the printer, and the next job opens it again',
  async (t) => {
    const { printer, open } = makeDesk(t)
    {
      await using connection = await open()
      printer.accept(2_000)
      const stop = new AbortController()
      const sent = connection.send(makeLabel(40_000), stop.signal)
      await until(() => printer.received.length === 2_000)
      stop.abort('a person said so')
      await t.rejects(sent, { code: 'PRINTER_LOST', accepted: 512, cause: 'a person said so' })
      await connection.cancel?.(limit())
      t.same(await connection.status?.(limit()), [])
    }
    t.equal(printer.busResets, 1)
    printer.accept()
    printer.forget()
    await using connection = await open()
    await connection.send(makeLabel(40_000), limit())
    t.equal(printer.received.length, 40_000)
  },
)

t.test('a label that was taken whole is dropped by a soft reset', async (t) => {
  const { printer, open } = makeDesk(t)
  await using connection = await open()
  await connection.send(makeLabel(1_024), limit())
  await connection.cancel?.(limit())
  t.equal(printer.softResets, 1)
  t.equal(printer.busResets, 0)
})

t.test('a halted printer is cleared once and gets the label', async (t) => {
  const { printer, open } = makeDesk(t)
  await using connection = await open()
  printer.halts = 1
  await connection.send(makeLabel(5_000), limit())
  t.equal(printer.received.length, 5_000)
})

t.test('a first packet that was refused leaves the label whole: it waits', async (t) => {
  const cases = [
    ['halted for good', 'PRINTER_OFFLINE', ({ printer }: Desk) => (printer.halts = 9)],
    ['switched off', 'PRINTER_OFFLINE', ({ bench, printer }: Desk) => bench.unplug(printer)],
    ['taken away', 'PRINTER_BUSY', ({ printer }: Desk) => (printer.driver = 'usblp')],
  ] as const
  for (const [title, code, happen] of cases) {
    const desk = makeDesk(t)
    await using connection = await desk.open()
    happen(desk)
    await t.rejects(connection.send(makeLabel(5_000), limit()), { code }, title)
    await t.rejects(connection.send(makeLabel(5_000), limit()), { code: 'PRINTER_LOST' })
  }
})

t.test('a first packet that broke off may have been taken: the label is lost', async (t) => {
  const { bench, printer, open } = makeDesk(t)
  await using connection = await open()
  printer.accept(0)
  const sent = connection.send(makeLabel(5_000), limit())
  await until(() => printer.isBusy)
  bench.unplug(printer)
  await t.rejects(sent, { code: 'PRINTER_LOST', accepted: 0 })
  t.equal((await connection.receive(1_000, limit())).length, 0, 'and it says nothing more')
})

t.test('after the first packet every fault loses the label', async (t) => {
  for (const happen of [
    (printer: UsbStandIn) => printer.cut(new Error('transferOut error: Stall')),
    (printer: UsbStandIn) => printer.cut(new Error('transferOut error: Disconnected')),
    (printer: UsbStandIn) => printer.cut(new Error('transferOut error: Unknown(16)')),
  ]) {
    const { printer, open } = makeDesk(t)
    await using connection = await open()
    printer.accept(512)
    const sent = connection.send(makeLabel(5_000), limit())
    await until(() => printer.received.length === 512 && printer.isBusy)
    happen(printer)
    await t.rejects(sent, { code: 'PRINTER_LOST', accepted: 512, message: /at least 512 of 5000/ })
  }
})

t.test('a printer that is plugged in again prints on', async (t) => {
  const { bench, printer, device, open } = makeDesk(t)
  await (await open())[Symbol.asyncDispose]()
  const [before] = await device.list(limit())
  bench.unplug(printer)
  await t.rejects(open(), { code: 'PRINTER_OFFLINE', message: /No USB printer with serial number/ })
  bench.replug(printer)
  const [after] = await device.list(limit())
  t.equal(after?.uri, before?.uri)
  t.not(after?.session, before?.session)
  await using connection = await open()
  await connection.send(makeLabel(10), limit())
  t.equal(printer.received.length, 10)
})

t.test('a printer that was replugged unseen is opened again', async (t) => {
  const { bench, printer, open } = makeDesk(t)
  await (await open())[Symbol.asyncDispose]()
  bench.unplug(printer)
  bench.replug(printer)
  await using connection = await open()
  await connection.send(makeLabel(10), limit())
  t.equal(printer.received.length, 10)
})

t.test('a claim that the kernel took back is made again', async (t) => {
  const { printer, open } = makeDesk(t)
  await (await open())[Symbol.asyncDispose]()
  printer.driver = 'usblp'
  await using connection = await open()
  await connection.send(makeLabel(10), limit())
  t.equal(printer.driver, 'usbfs')
})

t.test('a printer that another program holds is never taken from it', async (t) => {
  const { printer, device, open } = makeDesk(t)
  for (const [driver, who] of [
    ['usbfs', /in use by another program/],
    ['usb-storage', /in use by the driver usb-storage/],
  ] as const) {
    printer.driver = driver
    t.match((await device.list(limit()))[0]?.hindrance, who)
    await t.rejects(open(), { code: 'PRINTER_BUSY', message: who })
    t.equal(printer.driver, driver)
  }
})

t.test('a claim that failed leaves the printer as it was', async (t) => {
  const { printer, open } = makeDesk(t)
  printer.isSnatched = true
  await t.rejects(open(), { code: 'PRINTER_BUSY', message: /in use by another program/ })
  t.equal(printer.driver, 'usblp')
  printer.isSnatched = false
  await using _connection = await open()
})

t.test('a printer whose descriptors name no pipe is not claimed', async (t) => {
  const { printer, open } = makeDesk(t)
  printer.hasNoPipes = true
  await t.rejects(open(), {
    code: 'PRINTER_OFFLINE',
    message: /interface 0 has no pipe for labels/,
  })
  t.equal(printer.driver, 'usblp')
})

t.test('the real package can be loaded and asked', async (t) => {
  const device = createUsbDevice({ platform: 'freebsd' })
  t.ok(Array.isArray(await device.list(limit())))
  device.watch?.(() => t.fail('only Linux is watched'), AbortSignal.timeout(10))
})

t.test('without rights the sentence names the rule, the group and what to type', async (t) => {
  const { bench, printer, device, open } = makeDesk(t)
  t.equal((await device.list(limit()))[0]?.hindrance, undefined)
  bench.dropNode(printer)
  const wanted = /70-platen\.rules.*udevadm control --reload.*usermod -aG lp/
  t.match((await device.list(limit()))[0]?.hindrance, wanted)
  printer.openError = 'open error: permission denied (errno 13)'
  await t.rejects(open(), { code: 'PRINTER_OFFLINE', message: wanted })
  printer.openError = undefined
  await using _connection = await open()
})

t.test('a package that cannot be loaded is said', async (t) => {
  const { sysfs, dev } = makeDesk(t).bench
  const load = () => Promise.reject(new Error('Cannot find native binding'))
  const device = createUsbDevice({ sysfs, dev, load, platform: 'linux' })
  await t.rejects(device.open(new URL('usb://Zebra/GK420d?serial=28J0821'), limit()), {
    code: 'PRINTER_OFFLINE',
    message: /GK420d \(USB port 1-1\.2\) cannot be opened \(Cannot find native binding\)/,
  })
})

t.test('a printer without a device id is named after its descriptors', async (t) => {
  const { device, open } = makeDesk(t, { hasDeviceId: false, deviceId: '' })
  await (await open())[Symbol.asyncDispose]()
  const [found] = await device.list(limit())
  t.match(found, { makeAndModel: 'Zebra Technologies ZTC GK420d', vendorId: 0x0a5f })
  t.equal(found?.deviceId, undefined)
})

t.test('an open that was given up is finished in the background', async (t) => {
  const { bench, printer } = makeDesk(t)
  const [begun, loaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const load = async () => {
    begun.resolve()
    await loaded.promise
    return await bench.load()
  }
  const device = createUsbDevice({ sysfs: bench.sysfs, dev: bench.dev, load, platform: 'linux' })
  const uri = new URL('usb://Zebra/GK420d?serial=28J0821')
  const stop = new AbortController()
  const opened = device.open(uri, stop.signal)
  await begun.promise
  stop.abort('enough')
  await t.rejects(opened, { code: 'PRINTER_OFFLINE', cause: 'enough' })
  const late = new AbortController()
  setTimeout(() => late.abort(), 50) // AbortSignal.timeout() lets the process end meanwhile
  const shared = device.open(uri, late.signal)
  await t.rejects(shared, { code: 'PRINTER_OFFLINE' }, 'a second one waits for the same')
  loaded.resolve()
  await using _connection = await device.open(uri, limit())
  t.equal(printer.driver, 'usbfs')
})

t.test('two of a kind are told apart, whatever the page does meanwhile', async (t) => {
  const { bench, printer, device } = makeDesk(t)
  const twin = bench.plug({ port: '1-1.3' })
  const uris = (await device.list(limit())).map(({ uri }) => uri)
  t.same(uris, [
    'usb://Zebra%20Technologies/ZTC%20GK420d?port=1-1.2',
    'usb://Zebra%20Technologies/ZTC%20GK420d?port=1-1.3',
  ])
  await using first = await device.open(new URL(uris[0] ?? ''), limit())
  await using second = await device.open(new URL(uris[1] ?? ''), limit())
  await first.send(makeLabel(10), limit())
  await second.send(makeLabel(20), limit())
  t.same([printer.received.length, twin.received.length], [10, 20])
  const unclear = device.open(new URL('usb://Zebra/GK420d?serial=28J0821'), limit())
  await t.rejects(unclear, {
    code: 'PRINTER_OFFLINE',
    message: /Several USB printers.*port=1-1\.2/,
  })
})

t.test('of two with one serial number the other keeps its name while one is off', async (t) => {
  const { bench, printer } = makeDesk(t)
  const { sysfs, dev, load } = bench
  const known = (): readonly KnownUsb[] =>
    printers.list().map(({ uri, isFound = false }) => {
      return { uri, isFound, serial: discovery.serialOf(uri) }
    })
  const device = createUsbDevice({ sysfs, dev, load, platform: 'linux', known })
  t.teardown(() => device.close?.())
  const printers: Printers = new Printers({ printers: [], defaultName: '', devices: [device] })
  const discovery: Discovery = new Discovery({
    devices: [device],
    printers,
    store: makeMemory(),
    configured: () => [],
    defaultName: () => '',
    fault: (error) => t.error(error),
  })
  const states = async () => {
    await discovery.search(limit())
    return printers.list().map(({ name, status }) => `${name}: ${status.state}`)
  }
  t.same(await states(), ['Zebra GK420d: idle'])
  const twin = bench.plug({ port: '1-1.3' })
  await states()
  const apart = ['Zebra GK420d: stopped', 'Zebra GK420d 2: idle', 'Zebra GK420d 3: idle']
  t.same(await states(), apart)
  bench.unplug(printer)
  const alone = ['Zebra GK420d: stopped', 'Zebra GK420d 2: stopped', 'Zebra GK420d 3: idle']
  t.same(await states(), alone)
  await t.rejects(printers.open('Zebra GK420d', limit()), { message: /choose one by its port/ })
  await using connection = await printers.open('Zebra GK420d 3', limit())
  await connection.send(makeLabel(10), limit())
  t.equal(twin.received.length, 10)
  bench.replug(printer)
  t.same(await states(), apart)
})

t.test('a printer with two interfaces has two addresses', async (t) => {
  const { device } = makeDesk(t, { interfaces: [{ number: 0 }, { number: 2 }] })
  t.same(
    (await device.list(limit())).map(({ uri }) => uri),
    [
      'usb://Zebra%20Technologies/ZTC%20GK420d?serial=28J0821&interface=0',
      'usb://Zebra%20Technologies/ZTC%20GK420d?serial=28J0821&interface=2',
    ],
  )
})

t.test('printers that come and go are told', async (t) => {
  const { bench, printer, device } = makeDesk(t)
  const stop = new AbortController()
  let news = 0
  device.watch?.(() => (news += 1), stop.signal)
  await until(() => {
    if (printer.isPlugged) bench.unplug(printer)
    else bench.replug(printer)
    return news > 1
  })
  stop.abort()
  t.pass()
})

t.test('a held printer that is pulled out is let go', async (t) => {
  const { bench, printer, device, open } = makeDesk(t)
  await (await open())[Symbol.asyncDispose]()
  bench.unplug(printer)
  t.same(await device.list(limit()), [])
  await device.close?.()
})

t.test('without sysfs the package finds the printers', async (t) => {
  const { bench, printer } = makeDesk(t, { serial: '', manufacturer: '', product: '' })
  bench.plug({ port: '1-4', serial: 'S 1' })
  bench.plug({ port: '1-5', interfaces: [{ number: 0, class: 8 }] })
  bench.plug({ port: '1-6' }).openError = 'open error: permission denied (errno 13)'
  printer.driver = ''
  const device = createUsbDevice({ platform: 'darwin', load: bench.load })
  const uris = (await device.list(limit())).map(({ uri }) => uri)
  t.same(uris, [
    'usb://0a5f/0081?port=001-1.2',
    'usb://Zebra%20Technologies/ZTC%20GK420d?serial=S%201',
  ])
  t.same((await device.list(limit())).length, 2, 'and again, without asking them')
  await using connection = await device.open(new URL(uris[0] ?? ''), limit())
  await connection.send(makeLabel(10), limit())
  t.equal(printer.received.length, 10)
})

t.test('where the package does not load there are no printers', async (t) => {
  const load = () => Promise.reject(new Error('no binding'))
  const device = createUsbDevice({ platform: 'win32', load })
  t.same(await device.list(limit()), [])
  const opened = device.open(new URL('usb://Zebra/GK420d?serial=1'), limit())
  await t.rejects(opened, { code: 'PRINTER_OFFLINE', message: /cannot be listed.*no binding/ })
})

t.test(
  'on a computer without USB there are no printers, and the package stays unloaded',
  async (t) => {
    const load = () => Promise.reject(new Error('loaded'))
    const sysfs = '/nowhere/at/all'
    const device = createUsbDevice({ sysfs, dev: '/nowhere', load, platform: 'linux' })
    device.watch?.(() => t.fail('nothing can change'), AbortSignal.timeout(50))
    t.same(await device.list(limit()), [])
    const opened = device.open(new URL('usb://Zebra/GK420d?serial=1'), limit())
    await t.rejects(opened, { code: 'PRINTER_OFFLINE', message: /No USB printer/ })
  },
)
