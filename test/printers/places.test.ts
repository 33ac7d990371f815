import t from 'tap'
import type { Device } from '../../src/printers/device.ts'
import { createSocketDevice } from '../../src/printers/devices/socket/index.ts'
import { findNearest, isSameKind, isSamePlace } from '../../src/printers/places.ts'
import { inEnglish } from '../../src/words/say.ts'
import { Bench, printer, QUICK } from '../core/bench.ts'
import { AnsweringPrinter } from '../devices/answering-printer.ts'
import { TcpSink } from '../devices/tcp-sink.ts'

const MINUTE = 60_000

t.test('two entries of one printer print in turn, and neither calls it in use', async (t) => {
  const sink = await TcpSink.openFor(t)
  const [a, b] = [printer('A', sink.uri), printer('B', `${sink.uri}/`)]
  const bench = new Bench(t, { printers: [a, b], timing: { ...QUICK, stallMs: MINUTE } })
  const codes = new Set<string>()
  bench.spool.onChange((job) => codes.add(job.code))
  bench.scheduler.start()
  const ids = Array.from({ length: 10 }, (_, i) =>
    ['A', 'B'].map((name) => bench.print([i], { printer: name })[0]),
  ).flat()
  for (const id of ids) await bench.until(id, 'completed')
  t.same(
    [...codes].filter((code) => code !== ''),
    [],
    'no label was told that it has to wait',
  )
  t.equal(sink.connections.filter(({ bytes }) => bytes.length > 0).length, 20)
})

t.test('who waits for the other entry is told when it takes too long', async (t) => {
  const sink = await TcpSink.openFor(t)
  const bench = new Bench(t, { printers: [printer('A', sink.uri), printer('B', sink.uri)] })
  const limit = AbortSignal.timeout(MINUTE)
  const first = await bench.printers.open('A', limit)
  await t.rejects(bench.printers.open('B', AbortSignal.timeout(20)), {
    code: 'PRINTER_BUSY',
    message: 'A leads to the same printer, and a label is being printed there.',
  })
  await t.rejects(bench.printers.open('A', limit), { code: 'PRINTER_BUSY' }, 'its own second call')
  const second = bench.printers.open('B', limit)
  await first[Symbol.asyncDispose]()
  await (await second)[Symbol.asyncDispose]()
  const third = await bench.printers.open('A', limit)
  await third[Symbol.asyncDispose]()
})

t.test(
  'questions by two names of one printer wait for each other and for its labels',
  async (t) => {
    const device = await AnsweringPrinter.open('zpl')
    t.teardown(() => device.close())
    const quick: Device = {
      ...createSocketDevice({ confirmMs: 60_000, settleMs: 5 }),
      asking: { isTwoWay: true, idleSeconds: 0.02 },
    }
    const bench = new Bench(t, {
      printers: [printer('A', device.uri), printer('B', `${device.uri}/`)],
      devices: [quick],
      asks: { answerMs: MINUTE },
      timing: { ...QUICK, stallMs: MINUTE, blockedAskMs: 10, confirmAskMs: 5 },
    })
    const said = new Set<string>()
    bench.spool.onChange(({ message }) => said.add(inEnglish(message)))
    bench.printers.onChange(({ status }) => said.add(inEnglish(status.message)))
    bench.scheduler.start()
    for (const name of ['A', 'B']) bench.scheduler.wake(name)
    for (const name of ['A', 'B']) {
      await bench.untilPrinter(name, ({ reasons }) => reasons.includes('none'))
    }
    await device.until(({ asked }) => asked.length > 6)
    const ids = Array.from({ length: 5 }, (_, i) =>
      ['A', 'B'].map((name) => bench.print([i], { printer: name })[0]),
    ).flat()
    for (const id of ids) {
      t.match(await bench.until(id, 'completed'), { delivery: 'confirmed' })
    }
    t.equal(device.labels.length, 10, 'no question came with a label')
    t.same(
      [...said].filter((message) => message !== '' && !message.startsWith('It is not known yet')),
      [],
      'nobody was told that the printer is in use',
    )
  },
)

t.test('a slip of the finger finds the name that was meant', (t) => {
  const names = ['port', 'secure_port', 'printer', 'printers', 'password']
  t.equal(findNearest('prot', names), 'port')
  t.equal(findNearest('Printer', names), 'printer')
  t.equal(findNearest('pasword', names), 'password')
  t.equal(findNearest('securePort', names), 'secure_port')
  t.equal(findNearest('color', names), undefined)
  // One edit of a third of a name is a slip, two are another word: each kind of edit counts as one.
  const isNear = (wanted: string): boolean => findNearest(wanted, ['port']) === 'port'
  for (const slip of [
    'port',
    'por',
    'ort',
    'portx',
    'xport',
    'poxrt',
    'pxrt',
    'porx',
    'opr',
    'prot',
    'potr',
  ])
    t.equal(isNear(slip), slip !== 'opr', slip)
  for (const other of [
    'po',
    'rt',
    'pt',
    'portxx',
    'xportx',
    'pxxt',
    'xxrt',
    'poxx',
    'prox',
    'xrot',
    'optr',
  ])
    t.notOk(isNear(other), other)
  t.equal(findNearest('abcdxx', ['abcdef']), 'abcdef', 'two of six letters')
  t.equal(findNearest('abcxxx', ['abcdef']), undefined)
  t.equal(findNearest('bench 2', ['bench 1', 'Bench 2']), 'Bench 2', 'the nearest of them')
  t.equal(findNearest('', names), undefined)
  t.equal(findNearest('x', []), undefined)
  t.equal(findNearest('p'.repeat(100_000), names), undefined)
  t.end()
})

t.test('tells which device URIs lead to one printer', (t) => {
  const cases = [
    ['usb://Zebra/LP2844?serial=1', 'usb://Zebra/LP2844?serial=1', true],
    ['usb://Zebra/LP2844?serial=1', 'usb://Zebra/LP2844?serial=2', false],
    [
      'usb://Zebra%20Technologies/ZTC%20GC420d%20(EPL)?serial=9',
      'usb://Zebra/GC420d?serial=9',
      true,
    ],
    ['usb://Zebra/LP2844?port=1-1', 'usb://Zebra/LP2844?port=1-1', true],
    ['usb://Zebra/LP2844?port=1-1', 'usb://Zebra/LP2844?port=1-2', false],
    ['usb://A/B?serial=0&port=1-1', 'usb://A/B?serial=0&port=1-2', false],
    ['usb://A/B?serial=0&port=1-1', 'usb://A/B?serial=0', true],
    ['usb://A/B?serial=7', 'usb://A/B?port=1-1', false],
    ['usb://Zebra/LP2844', 'usb://Zebra/LP2844', true],
    ['usb://Zebra/LP2844?port=1-1', 'usb://Zebra/ZD220?port=1-1', false],
    ['serial:/dev/ttyUSB0?baud=9600', 'serial:/dev/ttyUSB0', true],
    ['serial:/dev/ttyUSB0', 'serial:/dev/ttyUSB1', false],
    ['socket://10.0.0.7', 'socket://10.0.0.8', false],
    ['socket://Bench-1.local:9100/', 'socket://bench-1.local', true],
    ['socket://10.0.0.7:9101', 'socket://10.0.0.7', false],
    ['ipp://localhost/printers/A', 'usb://A/B', false],
    ['nonsense', 'usb://A/B', false],
    ['usb://A/B', 'serial:/dev/ttyUSB0', false],
    ['usb://', 'serial:/dev/ttyUSB0', false],
    ['usb://a b/', 'usb://A/B', false], // no URL at all
    ['serial:/dev/ttyUSB0?a', 'winspool:A', false],
  ] as const
  for (const [one, other, isSame] of cases) {
    t.equal(isSamePlace(one, other), isSame, `${one} ${other}`)
    t.equal(isSamePlace(other, one), isSame, `${other} ${one}`)
  }
  t.end()
})

t.test('tells which printers are of one kind', (t) => {
  const cases = [
    ['usb://Zebra/LP2844?port=1-1', 'usb://Zebra/LP2844?serial=7', true],
    ['usb://Zebra/LP2844?port=1-1', 'usb://Zebra/LP2844-Z?port=1-2', false],
    ['usb://Zebra/LP2844?port=1-1', 'ipp://localhost/printers/LP2844', false],
    ['serial:/dev/ttyUSB0', 'serial:/dev/ttyUSB0', false],
    ['usb://a/?port=1', 'nonsense', false],
    ['usb://a/?port=1', 'usb://a/?port=2', false],
  ] as const
  for (const [one, other, is] of cases) t.equal(isSameKind(one, other), is, `${one} ${other}`)
  t.end()
})
