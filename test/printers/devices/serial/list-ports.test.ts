import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import {
  createSerialDevice,
  listLinuxPorts,
  listMacPorts,
  readWindowsPorts,
} from '../../../../src/printers/devices/serial/index.ts'

const limit = () => AbortSignal.timeout(60_000)

/** The folders of a computer with an FTDI adapter, one without a serial number, and a built-in port. */
function makeFolders(t: Test) {
  const link = (target: string) => t.fixture('symlink', target)
  const folder = t.testdir({
    dev: {
      ttyS0: '',
      ttyUSB0: '',
      ttyUSB1: '',
      ttyUSB2: '',
      serial: {
        'by-id': {
          'usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0': link('../../ttyUSB0'),
          'usb-1a86_USB#Serial-if00-port0': link('../../ttyUSB2'),
          'usb-gone-if00-port0': link('../../ttyUSB9'),
        },
        'by-path': {
          'pci-0000:00:14.0-usb-0:2:1.0-port0': link('../../ttyUSB0'),
          'pci-0000:00:14.0-usb-0:3.1:1.0-port0': link('../../ttyUSB1'),
          'pci-0000:00:14.0-usbv2-0:3.1:1.0-port0': link('../../ttyUSB1'),
          'pci-0000:00:14.0-usb-0:3.2:1.0-port0': link('../../ttyUSB2'),
        },
      },
    },
    sys: {
      class: {
        tty: {
          ttyUSB0: { device: link('../../../devices/usb1/1-2/1-2:1.0/ttyUSB0') },
          ttyUSB1: { device: link('../../../devices/usb1/1-3.1/1-3.1:1.0/ttyUSB1') },
        },
      },
      devices: {
        usb1: {
          '1-2': {
            idVendor: '0403\n',
            idProduct: '6001\n',
            serial: 'A50285BI\n',
            manufacturer: 'FTDI\n',
            product: 'FT232R USB UART\n',
            '1-2:1.0': { ttyUSB0: {} },
          },
          '1-3.1': { idVendor: '1a86\n', idProduct: '7523\n', '1-3.1:1.0': { ttyUSB1: {} } },
        },
      },
    },
  })
  return { devFolder: join(folder, 'dev'), sysFolder: join(folder, 'sys') }
}

t.test('adapters are named by their number, or by their socket when they have none', async (t) => {
  const folders = makeFolders(t)
  const { devFolder } = folders
  t.same(await createSerialDevice({ platform: 'linux', ...folders }).list(limit()), [
    {
      uri: `serial:${devFolder}/serial/by-id/usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0`,
      makeAndModel: 'Serial port FTDI FT232R USB UART',
      vendorId: 0x0403,
      productId: 0x6001,
      serial: 'A50285BI',
    },
    {
      uri: `serial:${devFolder}/serial/by-path/pci-0000:00:14.0-usb-0:3.1:1.0-port0`,
      makeAndModel: 'Serial port pci-0000:00:14.0-usb-0:3.1:1.0-port0',
      vendorId: 0x1a86,
      productId: 0x7523,
    },
    {
      uri: `serial:${devFolder}/serial/by-path/pci-0000:00:14.0-usb-0:3.2:1.0-port0`,
      makeAndModel: 'Serial port pci-0000:00:14.0-usb-0:3.2:1.0-port0',
    },
  ])
})

const socket = (port: number) => `pci-0000:00:14.0-usb-0:${port}:1.0-port0`
const SHARED = 'usb-Silicon_Labs_CP2102_0001-if00-port0'

/** Two adapters with one port and one with two, all with the same number. */
function makeTwins(t: Test) {
  const link = (target: string) => t.fixture('symlink', target)
  const twin = { idVendor: '10c4\n', idProduct: 'ea60\n', serial: '0001\n' }
  const ofTwo = { idVendor: '10c4\n', idProduct: 'ea70\n', serial: '0001\n' }
  const folder = t.testdir({
    dev: {
      ttyUSB0: '',
      ttyUSB1: '',
      ttyUSB2: '',
      ttyUSB3: '',
      serial: {
        'by-id': {
          // udev has one link for both, to the one that it came to last.
          [SHARED]: link('../../ttyUSB1'),
          'usb-Silicon_Labs_CP2105_0001-if00-port0': link('../../ttyUSB2'),
          'usb-Silicon_Labs_CP2105_0001-if01-port0': link('../../ttyUSB3'),
        },
        'by-path': {
          [socket(1)]: link('../../ttyUSB0'),
          [socket(2)]: link('../../ttyUSB1'),
          [socket(3)]: link('../../ttyUSB2'),
          'pci-0000:00:14.0-usb-0:3:1.1-port0': link('../../ttyUSB3'),
        },
      },
    },
    sys: {
      class: {
        tty: {
          ttyUSB0: { device: link('../../../devices/1-1/1-1:1.0/ttyUSB0') },
          ttyUSB1: { device: link('../../../devices/1-2/1-2:1.0/ttyUSB1') },
          ttyUSB2: { device: link('../../../devices/1-3/1-3:1.0/ttyUSB2') },
          ttyUSB3: { device: link('../../../devices/1-3/1-3:1.1/ttyUSB3') },
        },
      },
      devices: {
        '1-1': { ...twin, '1-1:1.0': { ttyUSB0: {} } },
        '1-2': { ...twin, '1-2:1.0': { ttyUSB1: {} } },
        '1-3': { ...ofTwo, '1-3:1.0': { ttyUSB2: {} }, '1-3:1.1': { ttyUSB3: {} } },
      },
    },
  })
  return { devFolder: join(folder, 'dev'), sysFolder: join(folder, 'sys') }
}

t.test('adapters that share their number are named by their sockets', async (t) => {
  const folders = makeTwins(t)
  const { devFolder } = folders
  const found = await listLinuxPorts(folders)
  t.same(
    found.map(({ uri }) => uri.replace(`serial:${devFolder}/serial/`, '')),
    [
      'by-id/usb-Silicon_Labs_CP2105_0001-if00-port0',
      'by-id/usb-Silicon_Labs_CP2105_0001-if01-port0',
      `by-path/${socket(1)}`,
      `by-path/${socket(2)}`,
    ],
  )
})

t.test('a name that adapters share is not opened: it may lead to another bench', async (t) => {
  const folders = makeTwins(t)
  const openPort = () => Promise.reject(new Error('opened'))
  const device = createSerialDevice({ platform: 'linux', ...folders, openPort })
  const open = (link: string) =>
    device.open(new URL(`serial:${folders.devFolder}/serial/${link}`), limit())
  await t.rejects(open(`by-id/${SHARED}`), {
    code: 'PRINTER_OFFLINE',
    message: new RegExp(`USB port, .*/by-path/${socket(2)} or .*/by-path/${socket(1)}\\.$`),
    advice: 'correctPort',
  })
  for (const link of [`by-path/${socket(1)}`, 'by-id/usb-Silicon_Labs_CP2105_0001-if01-port0'])
    await t.rejects(open(link), { message: /opened/ }, link)
})

t.test('... nor while the first of them is off, but where it led when it was alone', async (t) => {
  const folders = makeTwins(t)
  const [id, path] = ['by-id', 'by-path'].map((name) => join(folders.devFolder, 'serial', name))
  const relink = (link: string, tty: string) => {
    rmSync(link, { force: true })
    symlinkSync(`../../${tty}`, link)
  }
  const [first, second] = [join(`${path}`, socket(1)), join(`${path}`, socket(2))]
  const openPort = () => Promise.reject(new Error('opened'))
  const device = createSerialDevice({ platform: 'linux', ...folders, openPort })
  const open = () => device.open(new URL(`serial:${id}/${SHARED}`), limit())
  rmSync(second)
  relink(`${id}/${SHARED}`, 'ttyUSB0')
  await t.rejects(open(), { message: /opened/ }, 'the first one alone')
  relink(second, 'ttyUSB1')
  relink(`${id}/${SHARED}`, 'ttyUSB1')
  await t.rejects(open(), { message: /share the name/ }, 'both')
  rmSync(first)
  await t.rejects(open(), { message: /share the name/ }, 'the second one alone')
  rmSync(second)
  relink(first, 'ttyUSB0')
  relink(`${id}/${SHARED}`, 'ttyUSB0')
  await t.rejects(open(), { message: /opened/ }, 'the first one again')
})

t.test('every listed URI can be opened as it is', async (t) => {
  const folders = makeFolders(t)
  const device = createSerialDevice({ platform: 'linux', ...folders })
  for (const { uri } of await device.list(limit())) {
    t.equal(device.check(new URL(uri), uri), undefined, uri)
  }
})

t.test('a port that may not be used says which group is missing', async (t) => {
  const found = await listLinuxPorts({ ...makeFolders(t), mayUse: () => Promise.resolve(false) })
  t.match(found[0]?.hindrance, /may not use .*ttyUSB0.*dialout/)
})

t.test('a computer without adapters lists nothing', async (t) => {
  const folder = t.testdir({})
  const places = { devFolder: join(folder, 'dev'), sysFolder: join(folder, 'sys') }
  t.same(await createSerialDevice({ platform: 'linux', ...places }).list(limit()), [])
  t.same(await listMacPorts(places.devFolder), [])
})

t.test('a Mac lists the calling side of its adapters', async (t) => {
  const devFolder = t.testdir({
    'cu.usbserial-A50285BI': '',
    'tty.usbserial-A50285BI': '',
    'cu.Bluetooth-Incoming-Port': '',
    'cu.usbmodem1101': '',
  })
  t.same(await createSerialDevice({ platform: 'darwin', devFolder }).list(limit()), [
    { uri: `serial:${devFolder}/cu.usbmodem1101`, makeAndModel: 'Serial port usbmodem1101' },
    {
      uri: `serial:${devFolder}/cu.usbserial-A50285BI`,
      makeAndModel: 'Serial port usbserial-A50285BI',
    },
  ])
})

t.test('the answer of the Windows registry is read', async (t) => {
  const answer = [
    '',
    'HKEY_LOCAL_MACHINE\\HARDWARE\\DEVICEMAP\\SERIALCOMM',
    '    \\Device\\Serial0    REG_SZ    COM1',
    '    \\Device\\VCP0    REG_SZ    COM12',
    '    \\Device\\odd    REG_SZ    LPT1',
    '',
  ].join('\r\n')
  t.same(
    readWindowsPorts(answer).map(({ uri }) => uri),
    ['serial:COM1', 'serial:COM12'],
  )
  // Where there is no registry there are no ports.
  const device = createSerialDevice({ platform: 'win32' })
  t.same(await device.list(limit()), [])
  t.same(await device.list(AbortSignal.abort()), [])
})
