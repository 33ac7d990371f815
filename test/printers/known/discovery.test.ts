import { EventEmitter } from 'node:events'
import t, { type Test } from 'tap'
import type { Media } from '#labels'
import type { PrinterSettings } from '#printers'
import { Printers } from '../../../src/core/printers/registry.ts'
import type { Device, FoundPrinter } from '../../../src/printers/device.ts'
import { Discovery, type DiscoveryParts } from '../../../src/printers/known/discovery.ts'
import { demoPrinter, withDemo } from '../../../src/printers/known/finds.ts'
import { makeMemory, makePrinter } from '../../core/printers/make-printer.ts'
import { spoken } from '../../words/spoken.ts'

const LP2844 = { vendorId: 0x0a5f, productId: 0x0009, deviceId: 'MFG:Zebra ;CMD:None;MDL:LP2844 ;' }

/** A Zebra without a serial number in a USB port. */
function lp2844(port: string, session = '1'): FoundPrinter {
  const uri = `usb://Zebra/LP2844?port=${port}`
  return { uri, makeAndModel: 'Zebra LP2844', ...LP2844, session }
}

/** A way to printers whose cables the test pulls and plugs. */
class Bus implements Device {
  readonly scheme: string
  readonly example = 'usb://A/B'
  readonly about = 'For tests.'
  readonly guesses?: true
  readonly findsQueues?: true
  readonly #events = new EventEmitter()
  #found: readonly FoundPrinter[] = []
  looks = 0
  broken = false

  constructor(scheme: string, guesses = false) {
    this.scheme = scheme
    if (guesses) this.guesses = true
    if (scheme === 'ipp') this.findsQueues = true
  }

  check(): undefined {
    return undefined
  }

  list(): Promise<readonly FoundPrinter[]> {
    this.looks += 1
    return this.broken ? Promise.reject(new Error('no bus')) : Promise.resolve(this.#found)
  }

  open(): Promise<never> {
    return Promise.reject(new Error('not for this test'))
  }

  watch(changed: () => void, signal: AbortSignal): void {
    this.#events.on('change', changed)
    signal.addEventListener('abort', () => this.#events.off('change', changed))
  }

  /** Plugs printers in from now on. */
  plug(...found: readonly FoundPrinter[]): void {
    this.#found = found
    this.#events.emit('change')
  }
}

interface Scene extends Partial<DiscoveryParts> {
  readonly settings?: readonly PrinterSettings[]
}

/** Discovery over buses of the test; what it tells is written down. */
function discover(t: Test, buses: readonly Bus[], scene: Scene = {}) {
  const printers = new Printers({ printers: [], defaultName: '', devices: buses })
  const told: string[] = []
  const faults: unknown[] = []
  const store = scene.store ?? makeMemory()
  let settings = scene.settings ?? []
  const discovery = new Discovery({
    devices: buses,
    printers,
    store,
    configured: () => settings,
    defaultName: () => '',
    onArrival: (name) => told.push(`here ${name}`),
    onRestart: (name) => told.push(`restarted ${name}`),
    fault: (error) => faults.push(error),
    ...scene,
  })
  const ending = new AbortController()
  t.teardown(() => ending.abort())
  const until = async (wanted: () => boolean): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = printers.onChange(() => wanted() && resolve())
    if (!wanted()) await promise
    end()
  }
  return {
    discovery,
    printers,
    told,
    faults,
    store,
    until,
    ending,
    names: () => printers.list().map(({ name }) => name),
    configure(changed: readonly PrinterSettings[]) {
      settings = changed
      discovery.refresh()
    },
    look: () => discovery.search(ending.signal),
  }
}

t.test('a printer that is plugged in is known at once, by its model’s name', async (t) => {
  const usb = new Bus('usb')
  const { discovery, printers, until, told, ending } = discover(t, [usb])
  discovery.start(ending.signal)
  usb.plug(lp2844('1-1'))
  await until(() => printers.list().length === 1)
  t.match(printers.get('Zebra LP2844'), {
    uri: 'usb://Zebra/LP2844?port=1-1',
    makeAndModel: 'Zebra LP2844',
    language: 'epl',
    dpi: 203,
    isDefault: true,
    isFound: true,
    status: { state: 'idle' },
  })
  t.same(told, ['here Zebra LP2844'])
})

t.test('a printer that is away stays known, and says so', async (t) => {
  const usb = new Bus('usb')
  const { discovery, printers, until, told, ending } = discover(t, [usb])
  usb.plug(lp2844('1-1'))
  discovery.start(ending.signal)
  await until(() => printers.list().length === 1)
  usb.plug()
  await until(() => printers.get('Zebra LP2844')?.status.state === 'stopped')
  t.match(spoken(printers.get('Zebra LP2844')?.status), {
    reasons: ['offline'],
    message: /not connected or switched off/,
    hint: /cable/,
  })
  usb.plug(lp2844('1-1', '2'))
  await until(() => printers.get('Zebra LP2844')?.status.state === 'idle')
  t.same(told, ['here Zebra LP2844', 'here Zebra LP2844', 'restarted Zebra LP2844'])
})

t.test('two of one model are told apart, and keep their names over restarts', async (t) => {
  const usb = new Bus('usb')
  const store = makeMemory()
  usb.plug(lp2844('1-1'), lp2844('1-2'))
  const first = discover(t, [usb], { store })
  await first.look()
  const uris = (printers: Printers) => printers.list().map(({ name, uri }) => [name, uri])
  const both = [
    ['Zebra LP2844', 'usb://Zebra/LP2844?port=1-1'],
    ['Zebra LP2844 2', 'usb://Zebra/LP2844?port=1-2'],
  ]
  t.same(uris(first.printers), both)
  usb.plug(lp2844('1-2'), lp2844('1-1'))
  const again = discover(t, [usb], { store: makeMemory(store.text) })
  t.same(uris(again.printers), both, 'known before the first look')
  await again.look()
  t.same(uris(again.printers), both)
  t.equal(again.printers.get('Zebra LP2844')?.isDefault, false)
})

t.test('the only one of a model may be put into another port', async (t) => {
  const usb = new Bus('usb')
  usb.plug(lp2844('1-1'))
  const { look, names, printers } = discover(t, [usb])
  await look()
  usb.plug(lp2844('1-3'))
  await look()
  t.same(names(), ['Zebra LP2844'])
  t.equal(printers.get('Zebra LP2844')?.uri, 'usb://Zebra/LP2844?port=1-3')
  usb.plug(lp2844('1-3'), lp2844('1-4'))
  await look()
  usb.plug(lp2844('1-5'))
  await look()
  t.same(names(), ['Zebra LP2844', 'Zebra LP2844 2', 'Zebra LP2844 3'], 'nobody can tell which')
})

t.test('another maker’s printer with the same USB ids is another printer', async (t) => {
  const usb = new Bus('usb')
  const ids = { vendorId: 0x0fe6, productId: 0x811e }
  usb.plug({ uri: 'usb://Munbyn/RW403B?port=1-1', makeAndModel: 'Munbyn RW403B', ...ids })
  const { look, names } = discover(t, [usb])
  await look()
  usb.plug({ uri: 'usb://HPRT/SL42?port=1-2', makeAndModel: 'HPRT SL42', ...ids })
  await look()
  t.same(names(), ['Munbyn RW403B', 'HPRT SL42'])
})

t.test('what a printer said does not hold for one of another language at its address', (t) => {
  const uri = 'socket://10.0.0.7:9100'
  const settings = (language: string) => [
    { ...makePrinter('A', { uri, language }), dpi: undefined },
  ]
  const { discovery, printers, configure } = discover(t, [], { settings: settings('zpl') })
  discovery.learn(uri, { language: 'zpl', makeAndModel: 'Zebra ZD421', dpi: 300, z64: true })
  t.match(printers.get('A'), { makeAndModel: 'Zebra ZD421', dpi: 300 })
  configure(settings('tspl'))
  t.match(printers.get('A'), { makeAndModel: '', dpi: 203 })
  discovery.learn(uri, { language: 'tspl', answers: true })
  t.match(printers.get('A'), { makeAndModel: '', dpi: 203, answers: true })
  t.end()
})

t.test('a printer that was removed never gets the labels of another one that is off', async (t) => {
  const usb = new Bus('usb')
  usb.plug(lp2844('1-1'), lp2844('1-2'))
  const { look, names, printers, discovery, store } = discover(t, [usb])
  await look()
  discovery.dismiss('usb://Zebra/LP2844?port=1-2')
  usb.plug(lp2844('1-2'))
  await look()
  t.same(names(), ['Zebra LP2844'])
  const away = { uri: 'usb://Zebra/LP2844?port=1-1', status: { state: 'stopped' } }
  t.match(printers.get('Zebra LP2844'), away)
  const again = discover(t, [usb], { store })
  await again.look()
  t.match(again.printers.get('Zebra LP2844'), away, 'after a restart too')
})

t.test('a printer of the settings that is off was not put where another one is', async (t) => {
  const usb = new Bus('usb')
  const settings = [{ ...makePrinter('Bench', { uri: lp2844('1-1').uri }), dpi: undefined }]
  const { look, names, printers } = discover(t, [usb], { settings })
  usb.plug(lp2844('1-1'), lp2844('1-2'))
  await look()
  t.same(names(), ['Bench', 'Zebra LP2844 2'])
  usb.plug(lp2844('1-2'))
  await look()
  t.match(spoken(printers.get('Bench')?.status.message), /is not connected or switched off/)
})

t.test('a printer of the settings that was put into another port says where it is', async (t) => {
  const usb = new Bus('usb')
  const { uri } = lp2844('1-1')
  const settings = [{ ...makePrinter('Bench', { uri }), dpi: undefined }]
  const { printers, look } = discover(t, [usb], { settings })
  usb.plug(lp2844('1-1'))
  await look()
  t.match(printers.get('Bench')?.status, { state: 'idle' })
  usb.plug(lp2844('1-2'))
  await look()
  t.match(spoken(printers.get('Bench')?.status), {
    state: 'stopped',
    reasons: ['offline'],
    message:
      /^Bench is not at its address .* is now usb:\/\/Zebra\/LP2844\?port=1-2\. Its labels are kept\.$/,
    hint: /change the address in the settings/,
  })
  usb.plug(lp2844('1-2'), lp2844('1-3'))
  await look()
  t.match(
    spoken(printers.get('Bench')?.status.message),
    /is not connected or switched off/,
    'which of them?',
  )
  usb.plug(lp2844('1-1'))
  await look()
  t.match(spoken(printers.get('Bench')?.status), { state: 'idle', message: '' })
})

t.test('the configuration keeps its name and counts more than what was found', async (t) => {
  const usb = new Bus('usb')
  usb.plug(lp2844('1-1'))
  const settings = [
    { ...makePrinter('Bench 1', { uri: 'usb://Zebra/LP2844?port=1-1' }), dpi: undefined },
  ]
  const { look, names, printers, configure } = discover(t, [usb], { settings })
  await look()
  t.same(names(), ['Bench 1'])
  t.match(printers.get('Bench 1'), { language: 'zpl', dpi: 203, makeAndModel: 'Zebra LP2844' })
  t.not(printers.get('Bench 1')?.isFound, true)
  configure([])
  t.same(names(), ['Zebra LP2844'])
  t.match(printers.get('Zebra LP2844'), { language: 'epl' })
})

t.test('a name that the configuration takes is given up by what was found', async (t) => {
  const usb = new Bus('usb')
  usb.plug(lp2844('1-1'))
  const { look, names, configure } = discover(t, [usb])
  await look()
  const other = makePrinter('Zebra LP2844', { uri: 'usb://Zebra/LP2844?serial=5' })
  configure([other])
  t.same(names(), ['Zebra LP2844', 'Zebra LP2844 2'])
})

t.test('a printer and its queue are shown once', async (t) => {
  const usb = new Bus('usb')
  const cups = new Bus('ipp')
  const queue = {
    uri: 'ipp://localhost/printers/Labels',
    name: 'Labels',
    makeAndModel: 'Zebra EPL2 Label Printer',
    behind: 'usb://Zebra/LP2844?serial=42',
  }
  const direct = { ...lp2844('1-1'), uri: 'usb://Zebra/LP2844?serial=42', serial: '42' }
  cups.plug(queue, {
    ...queue,
    uri: 'ipp://localhost/printers/Other',
    name: 'Other',
    behind: 'x:y',
  })
  usb.plug(direct)
  const both = discover(t, [usb, cups])
  await both.look()
  t.same(both.names(), ['Zebra LP2844', 'Other'])
  t.same(both.discovery.found(), [])
  usb.plug()
  const late = discover(t, [usb, cups])
  await late.look()
  t.same(late.names(), ['Labels', 'Other'])
  usb.plug(direct)
  await late.look()
  t.same(late.names(), ['Labels', 'Other'], 'whoever was known first')
})

t.test('a printer whose queue the settings name is not known a second time', async (t) => {
  const usb = new Bus('usb')
  const cups = new Bus('ipp')
  const behind = 'usb://Zebra/LP2844?serial=42'
  const labels = { uri: 'ipp://localhost/printers/Labels', makeAndModel: '' }
  cups.plug(
    { ...labels, uri: 'ipp://localhost/printers/Raw', name: 'Raw', behind: 'usb://Zebra/GK420d' },
    { ...labels, name: 'Labels', behind },
  )
  usb.plug({ ...lp2844('1-1'), uri: behind, serial: '42' })
  const settings = [makePrinter('Bench 1', { uri: labels.uri })]
  const { look, names, discovery } = discover(t, [usb, cups], { settings })
  await look()
  t.same(names(), ['Bench 1', 'Raw'])
  t.match(discovery.found(), [{ uri: behind }], 'a person may still choose it')
  usb.plug(lp2844('1-2'))
  await look()
  t.same(names(), ['Bench 1', 'Raw', 'Zebra LP2844'], 'another one is')

  cups.broken = true
  const alone = discover(t, [usb, cups], { settings })
  await alone.look()
  t.same(alone.names(), ['Bench 1', 'Zebra LP2844'], 'a spooler that fails hides no printer')
})

t.test('what may not be a printer, and what prints no labels, waits for a person', async (t) => {
  const serial = new Bus('serial', true)
  const usb = new Bus('usb')
  serial.plug({ uri: 'serial:/dev/serial/by-id/x', makeAndModel: 'FTDI adapter' })
  usb.plug({ uri: 'usb://HP/4', makeAndModel: 'HP', deviceId: 'MFG:HP;MDL:LaserJet;CMD:PCL,PJL;' })
  const network = { uri: 'socket://10.0.0.9:9100', makeAndModel: 'ZTC ZD421-203dpi ZPL' }
  const { look, names } = discover(t, [usb, serial], {
    searchNetwork: () => Promise.resolve([network]),
  })
  const found = await look()
  t.same(names(), [])
  t.match(found, [
    { uri: 'usb://HP/4', isOther: true, isGuess: false },
    { uri: 'serial:/dev/serial/by-id/x', isGuess: true, language: undefined },
    { uri: 'socket://10.0.0.9:9100', language: 'zpl', isGuess: false },
  ])
})

t.test('of the queues of a desktop those of label printers are known by themselves', async (t) => {
  const queues = new Bus('ipp')
  const drivers: Readonly<Record<string, string>> = {
    Laser: 'HP LaserJet 4000 Series Postscript',
    Inkjet: 'HP OfficeJet Pro 9010 series, driverless, cups-filters 1.28',
    PDF: 'Microsoft Print To PDF',
    Fax: 'Microsoft Shared Fax Driver',
    Raw: '', // without a driver: somebody means to send commands
    Bench: 'ZDesigner GK420d',
    Text: 'Generic / Text Only',
    Rollo: 'Rollo Printer',
    TSC: 'TSC TE200',
  }
  const found = Object.entries(drivers).map(([name, makeAndModel]) => {
    return { uri: `ipp://localhost/printers/${name}`, name, makeAndModel }
  })
  queues.plug(...found)
  const { look, names } = discover(t, [queues])
  const others = await look()
  t.same(names(), ['Raw', 'Bench', 'Text', 'Rollo', 'TSC'])
  t.same(
    others.map(({ name }) => name),
    ['Laser', 'Inkjet', 'PDF', 'Fax'],
    'the others wait for a person',
  )
})

t.test('a printer that a person removed is known again only when a person says so', async (t) => {
  const usb = new Bus('usb')
  usb.plug(lp2844('1-1'))
  const { look, names, discovery, store } = discover(t, [usb])
  await look()
  discovery.dismiss('usb://Zebra/LP2844?port=1-1')
  await look()
  t.same(names(), [])
  t.match(discovery.found(), [{ name: 'Zebra LP2844', language: 'epl' }])
  const again = discover(t, [usb], { store })
  await again.look()
  t.same(again.names(), [], 'after a restart too')
  again.discovery.welcome('usb://Zebra/LP2844?port=1-1')
  await again.look()
  t.same(again.names(), ['Zebra LP2844'])
  again.discovery.dismiss('usb://Nobody/Knows')
  t.same(again.names(), ['Zebra LP2844'])
})

t.test('a printer that cannot be used as things are says what to do', async (t) => {
  const usb = new Bus('usb')
  const hindrance = 'Put the udev rule in place.'
  usb.plug({ ...lp2844('1-1'), hindrance })
  const { look, printers, told } = discover(t, [usb])
  await look()
  t.match(spoken(printers.get('Zebra LP2844')?.status), { state: 'stopped', message: hindrance })
  usb.plug(lp2844('1-1'))
  await look()
  t.equal(printers.get('Zebra LP2844')?.status.state, 'idle')
  t.same(told, ['here Zebra LP2844', 'here Zebra LP2844'])
})

t.test('an unknown language is asked for', async (t) => {
  const usb = new Bus('usb')
  usb.plug({ uri: 'usb://VEVOR/Y428BT?port=1-1', makeAndModel: 'VEVOR Y428BT' })
  const { look, printers } = discover(t, [usb])
  await look()
  t.match(spoken(printers.list()), [
    {
      language: undefined,
      status: { state: 'idle', message: /What language does VEVOR Y428BT speak/ },
    },
  ])
})

t.test('an unknown language is asked for until a person said it, over restarts too', async (t) => {
  const usb = new Bus('usb')
  const uri = 'usb://VEVOR/Y428BT?port=1-1'
  usb.plug({ uri, makeAndModel: 'VEVOR Y428BT' })
  const kept = makeMemory()
  const first = discover(t, [usb], { store: kept })
  await first.look()
  const again = discover(t, [usb], { store: kept })
  const status = (printers: Printers) => printers.get('VEVOR Y428BT')?.status
  t.match(spoken(status(again.printers)?.message), /What language/, 'before the first look')
  await again.look()
  t.match(spoken(status(again.printers)?.message), /What language/)
  // What the page's button writes into the settings.
  const answered = [{ ...makePrinter('VEVOR Y428BT', { uri, language: 'tspl' }), dpi: undefined }]
  again.configure(answered)
  t.match(spoken(status(again.printers)), { state: 'idle', message: '' })
  const third = discover(t, [usb], { store: kept, settings: answered })
  await third.look()
  t.match(spoken(status(third.printers)), { state: 'idle', message: '' }, 'asked once')
  t.same(third.names(), ['VEVOR Y428BT'])
})

t.test('two of one model keep their names whichever cable comes back first', async (t) => {
  const usb = new Bus('usb')
  const { look, printers } = discover(t, [usb])
  usb.plug(lp2844('1-1'), lp2844('1-2'))
  await look()
  const places = () => printers.list().map(({ name, uri }) => `${name} ${uri.slice(-3)}`)
  const both = places()
  for (const plugged of [[], ['1-2'], ['1-2', '1-1'], ['1-1'], ['1-1', '1-2']]) {
    usb.plug(...plugged.map((port) => lp2844(port, String(plugged.length))))
    await look()
    t.same(places(), both, plugged.join())
  }
})

t.test(
  'what a printer said of itself is kept, and a stock measured a little again is not news',
  async (t) => {
    const usb = new Bus('usb')
    usb.plug(lp2844('1-1'))
    const { look, discovery, printers, store } = discover(t, [usb])
    await look()
    const { uri = '' } = printers.get('Zebra LP2844') ?? {}
    discovery.learn(uri, { dpi: 300, media: { lengthDots: 1225 } })
    discovery.learn(uri, { answers: true, media: { widthDots: 800, lengthDots: 1220 } })
    t.match(printers.get('Zebra LP2844'), {
      dpi: 300,
      answers: true,
      media: { lengthDots: 1225, widthDots: 800 },
    })
    const text = store.load()
    discovery.learn(uri, { media: { lengthDots: 1241 } })
    t.equal(store.load(), text)
    discovery.learn(uri, { media: { lengthDots: 1242 } })
    t.equal(printers.get('Zebra LP2844')?.media?.lengthDots, 1242, 'another roll is')
  },
)

t.test(
  'a damaged memory starts again, and a disk that takes nothing disturbs nobody',
  async (t) => {
    const usb = new Bus('usb')
    usb.plug(lp2844('1-1'))
    for (const text of ['{"printers"', '{"printers":[{"name":7}],"learned":{}}', '[]']) {
      const { look, names, faults } = discover(t, [usb], { store: makeMemory(text) })
      t.equal(faults.length, 1)
      await look()
      t.same(names(), ['Zebra LP2844'])
    }
    const store = {
      load: () => undefined,
      save: () => {
        throw new Error('no space')
      },
    }
    const { look, names, faults } = discover(t, [usb], { store })
    await look()
    t.same(names(), ['Zebra LP2844'])
    t.match(faults, [{ message: 'no space' }])
  },
)

t.test('a look that fails tells nothing, and a change during a look means another', async (t) => {
  const usb = new Bus('usb')
  const { discovery, names, faults, ending, until, look } = discover(t, [usb], { pollMs: 20 })
  usb.broken = true
  await look()
  t.match(faults, [{ message: 'no bus' }])
  usb.broken = false
  discovery.start(ending.signal)
  usb.plug()
  usb.plug(lp2844('1-1'))
  await until(() => names().length === 1)
  const before = usb.looks
  while (usb.looks <= before) await new Promise((resolve) => setImmediate(resolve))
  t.same(names(), ['Zebra LP2844'])
})

t.test('a printer with another roll than the settings say tells so', async (t) => {
  const usb = new Bus('usb')
  usb.plug(lp2844('1-1'))
  const settings = [
    { ...makePrinter('Bench 1', { uri: 'usb://Zebra/LP2844?port=1-1', labelHeight: 6 }), dpi: 203 },
  ]
  const { look, discovery, printers } = discover(t, [usb], { settings })
  await look()
  const learn = (media: Media) => {
    discovery.learn('usb://Zebra/LP2844?port=1-1', { media })
    return printers.get('Bench 1')?.status.message
  }
  t.equal(spoken(learn({ lengthDots: 1240 })), '')
  t.equal(
    spoken(learn({ lengthDots: 406 })),
    'Bench 1 has labels of 2 inches, and the settings say 6 inches.',
  )
  t.equal(spoken(learn({ tracking: 'continuous' })), '')
})

const zebra = makePrinter('Zebra', { uri: 'socket://10.0.0.1' })
const desk = makePrinter('Desk', { uri: 'socket://10.0.0.2' })
const back = makePrinter('Back', { uri: 'socket://10.0.0.3' })

/** The name of the default; '' = a label has to name its printer. */
const defaultOf = (printers: Printers): string =>
  printers.list().find(({ isDefault }) => isDefault)?.name ?? ''

t.test('the first printer stays the default when others come, after a restart too', (t) => {
  const { configure, printers, store } = discover(t, [], { settings: [zebra] })
  configure([desk, zebra])
  t.equal(defaultOf(printers), 'Zebra')
  t.equal(printers.resolve(undefined).name, 'Zebra')
  const again = discover(t, [], { settings: [desk, zebra], store })
  t.equal(defaultOf(again.printers), 'Zebra')
  again.configure([desk, { ...zebra, name: 'Shop' }])
  t.equal(defaultOf(again.printers), 'Shop', 'under another name')
  again.configure([desk, { ...zebra, name: 'Shop', uri: 'socket://10.0.0.9' }])
  t.equal(defaultOf(again.printers), 'Shop', 'at another place')
  t.end()
})

t.test('when the first printer is removed none is the default, until one is left', (t) => {
  const { configure, printers } = discover(t, [], { settings: [zebra] })
  configure([zebra, desk, back])
  configure([desk, back])
  t.throws(() => printers.resolve(undefined), { code: 'PRINTER_AMBIGUOUS', message: /"Desk"/ })
  configure([zebra, desk, back])
  t.equal(defaultOf(printers), '', 'it is one of several when it comes back')
  configure([back])
  configure([desk, back])
  t.equal(defaultOf(printers), 'Back')
  t.end()
})

t.test('who chose a default and takes it back has several printers and no default', (t) => {
  let chosen = ''
  const scene = { settings: [zebra], defaultName: () => chosen }
  const { configure, printers } = discover(t, [], scene)
  configure([zebra, desk])
  chosen = 'Desk'
  configure([zebra, desk])
  t.equal(defaultOf(printers), 'Desk')
  chosen = ''
  configure([zebra, desk])
  t.equal(defaultOf(printers), '')
  t.end()
})

t.test('several that are found at the first look have no first', async (t) => {
  const buses = [new Bus('usb'), new Bus('serial')] as const
  const { look, names, printers } = discover(t, buses)
  buses[0].plug(lp2844('1-1'))
  buses[1].plug({ uri: 'serial:/dev/ttyS0', makeAndModel: 'Zebra GK420d' })
  await look()
  t.equal(names().length, 2)
  t.equal(defaultOf(printers), '')
})

t.test('a printer that is found later takes nothing from the one that was found', async (t) => {
  const usb = new Bus('usb')
  const { look, names, printers } = discover(t, [usb])
  usb.plug(lp2844('1-1'))
  await look()
  usb.plug(lp2844('1-1'), { uri: 'usb://Zebra/GK420d?serial=7', makeAndModel: 'Zebra GK420d' })
  await look()
  t.same(names(), ['Zebra LP2844', 'Zebra GK420d'])
  t.equal(defaultOf(printers), 'Zebra LP2844')
})

t.test('the printer of the demo keeps no label from a real one', (t) => {
  const { configure, printers } = discover(t, [], { settings: [demoPrinter] })
  t.equal(defaultOf(printers), 'Demo printer')
  configure([demoPrinter, zebra])
  t.equal(defaultOf(printers), '')
  t.end()
})

t.test('the printer of the demo takes no real one its name', (t) => {
  const real = { ...zebra, name: demoPrinter.name }
  const { names, printers } = discover(t, [], { settings: withDemo([real], true) })
  t.equal(printers.get(real.name)?.uri, real.uri, 'its labels vanish into no file')
  t.same(names(), ['Demo printer', 'Demo printer 2'])
  t.end()
})

t.test('a backup brings its first printer along, and a damaged one is none', (t) => {
  const old = discover(t, [], { settings: [zebra] })
  old.configure([zebra, desk])
  const fresh = discover(t, [], { settings: [zebra, desk] })
  t.equal(defaultOf(fresh.printers), '')
  fresh.discovery.join(old.discovery.memory())
  t.equal(defaultOf(fresh.printers), 'Zebra')
  const store = makeMemory('{"printers":[],"learned":{},"first":{"name":"Zebra","uri":7}}')
  const damaged = discover(t, [], { settings: [zebra, desk], store })
  t.equal(defaultOf(damaged.printers), '')
  t.same(damaged.faults, [])
  t.end()
})
