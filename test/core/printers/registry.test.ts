import t from 'tap'
import { Printers } from '../../../src/core/printers/registry.ts'
import type { KnownPrinter, PrinterStatus } from '../../../src/core/printers/status.ts'
import { createWinspoolDevice } from '../../../src/printers/devices/winspool/index.ts'
import { createDevices } from '../../../src/printers/index.ts'
import { NOTHING, quoteEnglish } from '../../../src/words/say.ts'
import { spoken } from '../../words/spoken.ts'
import { makePrinter } from './make-printer.ts'

const PAPER_OUT: PrinterStatus = {
  state: 'stopped',
  reasons: ['media-empty'],
  message: quoteEnglish('Out of labels.'),
  hint: quoteEnglish('Put a new roll in.'),
}

function makePrinters(names: readonly string[], defaultName = '', stateFolder = '.'): Printers {
  const printers = names.map((name) => makePrinter(name, { language: undefined }))
  return new Printers({ printers, defaultName, devices: createDevices({ stateFolder }) })
}

t.test('with no printer a label is refused', (t) => {
  for (const name of [undefined, 'Zebra']) {
    t.throws(() => makePrinters([]).resolve(name), { code: 'PRINTER_NONE' })
  }
  t.end()
})

t.test('what to do about a pause depends on the way to the printer', (t) => {
  const printers = new Printers({
    printers: [
      makePrinter('Queue', { uri: 'ipp://localhost/printers/Zebra_GK' }),
      makePrinter('Bench', { uri: 'socket://10.0.0.7' }),
      makePrinter('Broken', { uri: 'nonsense' }),
    ],
    defaultName: '',
    devices: createDevices({ stateFolder: '.' }),
  })
  t.match(spoken(printers.pausedHint('Queue')), /type "cupsenable Zebra_GK", or/)
  t.equal(printers.pausedHint('Bench'), undefined, 'it has a button')
  t.equal(printers.pausedHint('Broken'), undefined)
  t.equal(printers.pausedHint('Nobody'), undefined)
  t.same(createWinspoolDevice().explainPaused?.(new URL('winspool:A')), { advice: 'resumeWindows' })
  t.end()
})

t.test('the only printer is the default', (t) => {
  const printers = makePrinters(['Zebra'])
  t.equal(printers.resolve(undefined).name, 'Zebra')
  t.equal(printers.resolve('').name, 'Zebra')
  t.same(
    printers.list().map(({ isDefault }) => isDefault),
    [true],
  )
  t.end()
})

t.test('the chosen printer is the default', (t) => {
  const printers = makePrinters(['Zebra', 'Desk'], 'Desk')
  t.equal(printers.resolve(undefined).name, 'Desk')
  t.equal(printers.resolve('Zebra').name, 'Zebra')
  t.same(
    printers.list().map(({ name, isDefault }) => [name, isDefault]),
    [
      ['Zebra', false],
      ['Desk', true],
    ],
  )
  t.end()
})

t.test('with several printers and no default a label must name one', (t) => {
  const printers = makePrinters(['Zebra', 'Desk'])
  t.throws(() => printers.resolve(undefined), {
    code: 'PRINTER_AMBIGUOUS',
    message: /"Zebra", "Desk"/,
  })
  t.end()
})

t.test('an unknown name is refused with the names, and never falls back', (t) => {
  const printers = makePrinters(['Zebra', 'Desk'], 'Desk')
  t.throws(() => printers.resolve('zebra'), {
    code: 'PRINTER_UNKNOWN',
    message: 'No printer is named "zebra". These are there: "Zebra", "Desk". Did you mean "Zebra"?',
  })
  t.throws(() => printers.resolve('Lager'), { message: /are there: "Zebra", "Desk"\.$/ })
  t.throws(() => printers.resolve('x\n'.repeat(500)), { message: /^.{0,300}$/ })
  t.end()
})

t.test('a default that is not known is refused too', (t) => {
  const printers = makePrinters(['Zebra'], 'Zebro')
  t.throws(() => printers.resolve(undefined), {
    code: 'PRINTER_UNKNOWN',
    message:
      'The default printer of the settings, "Zebro", is not known. These are there: "Zebra". Did you mean "Zebra"?',
  })
  t.end()
})

t.test('a printer that only a call can find is not ready before one', (t) => {
  const network = { uri: 'socket://10.0.0.7', language: 'zpl' }
  const usb = makePrinter('Cable', { uri: 'usb://Zebra/ZD421', language: 'zpl' })
  const devices = createDevices({ stateFolder: '.' })
  const printers = new Printers({
    printers: [makePrinter('Net', network), usb],
    defaultName: '',
    devices,
  })
  const statusOf = (name: string) => printers.get(name)?.status
  t.match(statusOf('Net'), { state: 'idle', reasons: ['platen-not-asked'] })
  t.match(spoken(statusOf('Cable')), { state: 'idle', reasons: ['none'], message: '' })
  printers.report('Net', PAPER_OUT)
  printers.configure([{ ...makePrinter('Net', network), dpi: 300 }, usb], '')
  t.match(statusOf('Net'), PAPER_OUT)
  printers.configure([makePrinter('Net', { ...network, uri: 'socket://10.0.0.8' }), usb], '')
  t.match(statusOf('Net'), { state: 'idle', reasons: ['platen-not-asked'] })
  t.end()
})

t.test('a report changes the state, and is told only when something is new', (t) => {
  const printers = makePrinters(['Zebra'])
  const told: KnownPrinter[] = []
  const stop = printers.onChange((printer) => told.push(printer))
  t.equal(printers.get('Zebra')?.status.state, 'idle')
  printers.report('Zebra', PAPER_OUT)
  printers.report('Zebra', { ...PAPER_OUT })
  printers.report('Nobody', PAPER_OUT)
  t.same(printers.get('Zebra')?.status, PAPER_OUT)
  t.equal(told.length, 1)
  t.match(told[0], { name: 'Zebra', isDefault: true, status: { reasons: ['media-empty'] } })
  stop()
  printers.report('Zebra', { ...PAPER_OUT, message: NOTHING })
  t.equal(told.length, 1)
  t.end()
})

t.test('a changed configuration is taken over live', (t) => {
  const printers = makePrinters(['Zebra', 'Desk', 'Old'])
  printers.report('Zebra', PAPER_OUT)
  printers.report('Desk', PAPER_OUT)
  const told: string[] = []
  printers.onChange(({ name, status }) => told.push(`${name} ${status.state}`))
  const desk = makePrinter('Desk', { uri: 'socket://10.0.0.7' })
  printers.configure(
    [
      makePrinter('Zebra', { language: undefined }),
      desk,
      makePrinter('New', { language: undefined }),
    ],
    '',
  )
  t.same(told, ['Desk idle', 'New idle', 'Old stopped'])
  t.equal(printers.get('Zebra')?.status.state, 'stopped', 'same device, same state')
  t.equal(printers.get('Old'), undefined)
  printers.configure(printers.list(), 'New')
  t.equal(told.at(-1), 'New idle')
  t.equal(printers.resolve(undefined).name, 'New')
  t.end()
})

t.test('a printer that is taken out is told once more: stopped, offline, no default', (t) => {
  const printers = makePrinters(['Zebra', 'Old'], 'Old')
  const told: KnownPrinter[] = []
  printers.onChange((printer) => told.push(printer))
  printers.configure([makePrinter('Zebra', { language: undefined })], 'Old')
  t.match(told, [
    {
      name: 'Old',
      isDefault: false,
      isPaused: false,
      status: { state: 'stopped', reasons: ['offline'] },
    },
  ])
  t.end()
})

t.test('a printer is opened by its name', async (t) => {
  const printers = makePrinters(['Zebra'], '', t.testdir())
  const signal = AbortSignal.timeout(60_000)
  await using connection = await printers.open('Zebra', signal)
  await connection.send(new Uint8Array(3), signal)
  await t.rejects(printers.open('Zebra', signal), { code: 'PRINTER_BUSY' })
  await t.rejects(printers.open('Desk', signal), { code: 'PRINTER_UNKNOWN' })
})

t.test('a device URI that no device opens is said in words', async (t) => {
  const devices = createDevices({ stateFolder: '.' })
  for (const [uri, message] of [
    ['gopher://x', /begins with "gopher:".*socket:\/\/.* or file:/],
    ['Zebra', /"Zebra" is not a device URI/],
    ['socket://10.0.0.7:99999', /has the port 99999, wanted 1 to 65535; wanted one like/],
    ['socket://10.0.0.7:65536', /has the port 65536, wanted 1 to 65535/],
    ['socket://[1]:65535', /is not a device URI; wanted one like/],
    ['file:../x', /without slashes/],
  ] as const) {
    const printers = new Printers({
      printers: [makePrinter('A', { uri })],
      defaultName: '',
      devices,
    })
    await t.rejects(printers.open('A', AbortSignal.timeout(60_000)), {
      code: 'PRINTER_OFFLINE',
      message,
    })
  }
})
