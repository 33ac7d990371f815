import t from 'tap'
import { status as tspl } from '../../../src/labels/languages/tspl/index.ts'
import { parseHostStatus } from '../../../src/labels/languages/zpl/index.ts'
import type { Device, FoundPrinter } from '../../../src/printers/device.ts'
import { type UsbPrinter, writeUsbUris } from '../../../src/printers/devices/usb/printer.ts'
import { adopt, showPrinter } from '../../../src/printers/known/finds.ts'
import { MOST_FINDS, tidyFinds, tidyText } from '../../../src/printers/known/identity.ts'
import { presentAnnouncements } from '../../../src/printers/known/mdns.ts'
import { PrinterMemory, remember } from '../../../src/printers/known/memory.ts'
import { makeMemory } from '../../core/printers/make-printer.ts'

const LONG = 'x'.repeat(100_000)
const ODD_SIGNS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/u

/** Texts that a printer, a spooler or a neighbor may send in the place of a name. */
const WORDS = [
  LONG,
  ' '.repeat(100_000),
  'Zebra\u0000\u001b[31m\r\nLP2844',
  '\u202eevil\u2066\u2028\u200f',
  'half \ud83d a character \udc00',
  Buffer.from([0xff, 0xfe, 0x41, 0xc3, 0x28]).toString('utf8'),
  '<img src=x onerror=alert(1)>',
  '__proto__',
]

const plain = (uri: string): FoundPrinter => ({ uri, makeAndModel: '' })

const fail = (error: unknown) => {
  throw error
}

const device: Device = {
  scheme: 'usb',
  example: 'usb://A/B',
  about: 'For the test.',
  check: (uri) => (uri.host === 'refused' ? 'not this one' : undefined),
  list: () => Promise.resolve([]),
  open: () => Promise.reject(new Error('not for this test')),
}

t.test('a stranger’s word becomes one short line', (t) => {
  for (const [index, word] of WORDS.entries()) {
    const plain = tidyText(word)
    t.ok(plain.length <= 180 && plain.isWellFormed(), `word ${index}`)
    t.notMatch(plain, ODD_SIGNS)
  }
  t.equal(tidyText('Zebra\u0000\u001b[31m\r\nLP2844'), 'Zebra [31m LP2844')
  t.equal(tidyText(' Étiquette  №7 '), 'Étiquette №7')
  t.equal(tidyText('😀'.repeat(200)), '😀'.repeat(90))
  t.end()
})

t.test('every text of a find is tidied, and what cannot be opened is left out', (t) => {
  for (const word of WORDS) {
    const found: FoundPrinter = {
      uri: 'usb://A/B?port=1',
      name: word,
      makeAndModel: word,
      deviceId: `MFG:${word};`,
      serial: word,
      behind: `usb://${word}`,
      hindrance: word,
    }
    const [tidy] = tidyFinds([found], device)
    const { name, makeAndModel, serial, hindrance, deviceId = '' } = tidy ?? found
    for (const text of [name ?? '', makeAndModel, serial ?? '', hindrance ?? '']) {
      t.notMatch(text, ODD_SIGNS)
      t.ok(text.length <= 1_000 && text.isWellFormed())
    }
    t.ok(deviceId.length <= 2_048)
    const shown = showPrinter(tidy ?? found, false)
    t.ok(shown.name !== '' && shown.name.length <= 200 && !ODD_SIGNS.test(shown.name))
  }
  const uris = ['no uri', 'usb://refused/x', `usb://A/${LONG}`, 'usb://A/B?port=1']
  const some = tidyFinds(
    uris.map((uri) => ({ uri, makeAndModel: '' })),
    device,
  )
  t.same(
    some.map(({ uri }) => uri),
    ['usb://A/B?port=1'],
  )
  const many = Array.from({ length: 5_000 }, (_, n) => ({ uri: `usb://A/${n}`, makeAndModel: '' }))
  t.equal(tidyFinds(many, device).length, MOST_FINDS)
  t.end()
})

t.test('names that USB allows can be written as an address and kept', (t) => {
  const words = ['倉'.repeat(126), 'half \ud83d', '\u0000\u0001', '..', '/?#%']
  for (const word of words) {
    const printer: UsbPrinter = {
      port: '1-1',
      interfaceNumber: 0,
      bus: '1',
      address: 2,
      vendorId: 1,
      productId: 2,
      manufacturer: word,
      product: word,
      serial: `S1${word}`,
      driver: '',
      lp: undefined,
      deviceId: undefined,
    }
    const [uri = ''] = writeUsbUris([printer])
    const finds = tidyFinds([{ uri, makeAndModel: word, serial: word }], device)
    t.equal(finds.length, 1)
    const store = makeMemory()
    new PrinterMemory(store, fail).keep(finds.map((find) => remember('P', find)))
    t.match(new PrinterMemory(store, fail).printers, [{ name: 'P', uri }])
  }
  t.end()
})

t.test('what one printer says of itself never costs the memory of the others', (t) => {
  const store = makeMemory()
  const good = { name: 'Bench 1', uri: 'usb://Zebra/LP2844?serial=1', makeAndModel: 'LP2844' }
  const before = new PrinterMemory(store, fail)
  before.keep([good, { ...good, name: 'Bench 2', uri: 'usb://b', deviceId: LONG }])
  before.learn(good.uri, { answers: true })
  const stx = (text: string) => `\u0002${text}\u0003\r\n`
  const first = `030,0,0,${'9'.repeat(400)},000,0,0,0,000,0,0,0`
  const status = parseHostStatus(stx(first) + stx('000,0,0,0,0,2,6,0,00000000,1,000') + stx('1,0'))
  t.ok(status?.media)
  before.learn('usb://c', { makeAndModel: LONG, media: status?.media ?? {} })
  before.learn(LONG, { answers: true })
  before.learn('usb://d', { media: { lengthDots: -5, widthDots: 1e300 } })
  const after = new PrinterMemory(store, fail)
  t.same(after.printers, [good])
  t.same(after.learned(good.uri), { answers: true })
  t.ok((after.learned('usb://c')?.makeAndModel ?? '').length <= 90)
  t.notOk(after.learned('usb://c')?.media?.lengthDots)
  t.end()
})

t.test('a number out of all reason in an answer is not a size', async (t) => {
  const talk = () => Promise.resolve(`LENGTH=${'9'.repeat(400)};`)
  const media = (await tspl.measure?.(talk)) ?? {}
  const store = makeMemory()
  new PrinterMemory(store, fail).learn('usb://c', { media })
  t.notOk(new PrinterMemory(store, fail).learned('usb://c')?.media?.lengthDots)
})

t.test('an entry that is not readable does not take the others with it', (t) => {
  const good = { name: 'Bench 1', uri: 'usb://Zebra/LP2844?serial=1', makeAndModel: 'LP2844' }
  const store = makeMemory(
    JSON.stringify({
      printers: [{ ...good, name: LONG }, 7, good, { ...good, name: 'a\nb' }],
      learned: { [good.uri]: { answers: true }, 'usb://b': { media: { lengthDots: null } } },
      dismissed: [7, LONG, 'usb://gone'],
    }),
  )
  const faults: unknown[] = []
  const memory = new PrinterMemory(store, (error) => faults.push(error))
  t.same(memory.printers, [good])
  t.same(memory.learned(good.uri), { answers: true })
  t.same(memory.dismissed, ['usb://gone'])
  t.match(faults, [{ message: /^6 entries/ }])
  t.end()
})

t.test('a flood of strange printers drives no known one out', (t) => {
  const known = Array.from({ length: 200 }, (_, n) => remember(`P${n}`, plain(`ipp://a/${n}`)))
  const found = Array.from({ length: 100 }, (_, n) => plain(`ipp://b/${n}`))
  const after = adopt(found, { known, configured: [], dismissed: [], seen: found })
  t.same(after, known)
  const store = makeMemory()
  const memory = new PrinterMemory(store, fail)
  memory.keep([...known, remember('New', plain('ipp://b/1'))])
  t.same(memory.printers, known)
  memory.join(JSON.stringify({ printers: found.map((one) => remember('X', one)), learned: {} }))
  t.same(memory.printers, known)
  t.end()
})

t.test('of two entries of one name in a memory of another box the first counts', (t) => {
  const memory = new PrinterMemory(makeMemory(), fail)
  const printers = [remember('A', plain('ipp://a')), remember('A', plain('ipp://b'))]
  memory.join(JSON.stringify({ printers, learned: {} }))
  t.same(memory.printers, printers.slice(0, 1))
  t.end()
})

t.test('the network’s words are tidied too', (t) => {
  for (const word of WORDS) {
    const txt = { ty: word, usb_MFG: word, usb_MDL: word, usb_SN: word, product: word, pdl: word }
    const heard = { name: word, type: 'pdl-datastream', port: 9_100, addresses: ['10.0.0.7'], txt }
    const [found] = tidyFinds(presentAnnouncements([heard]))
    t.ok(found && JSON.stringify(found).length < 3_000)
    t.notMatch(`${found?.name}${found?.makeAndModel}`, ODD_SIGNS)
  }
  t.end()
})
