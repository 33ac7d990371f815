import t from 'tap'
import type { PrinterDetails } from '../../../src/labels/languages/status.ts'
import {
  isMemory,
  MOST_REMEMBERED,
  PrinterMemory,
  type RememberedPrinter,
} from '../../../src/printers/known/memory.ts'
import { makeMemory } from '../../core/printers/make-printer.ts'

const URI = 'usb://Zebra/LP2844'
const one = (n: number, more: Partial<RememberedPrinter> = {}): RememberedPrinter => ({
  name: `Printer ${n}`,
  uri: `${URI}?serial=${n}`,
  makeAndModel: 'Zebra LP2844',
  ...more,
})

function open(text?: string) {
  const store = makeMemory(text)
  const faults: unknown[] = []
  return { store, faults, memory: new PrinterMemory(store, (error) => faults.push(error)) }
}

t.test('what a printer said is new once, and lengths of one roll are one', (t) => {
  const { memory, store } = open()
  const learn = (said: PrinterDetails) => memory.learn(URI, said)
  t.equal(learn({}), false)
  t.equal(store.text, undefined, 'nothing is written for nothing')
  t.same([learn({ dpi: 203 }), learn({ dpi: 203 }), learn({ dpi: 300 })], [true, false, true])
  const length = (lengthDots: number) => learn({ media: { lengthDots } })
  t.same([length(1_218), length(1_234), length(1_202)], [true, false, false])
  t.same([length(1_235), length(1_219), length(1_218)], [true, false, true])
  t.equal(learn({ media: { tracking: 'gap' } }), true)
  t.match(memory.learned(URI), { dpi: 300, media: { lengthDots: 1_218, tracking: 'gap' } })
  for (const dots of [-1, 100_001, 1.5]) learn({ media: { widthDots: dots } })
  t.equal(memory.learned(URI)?.media?.widthDots, undefined, 'out of all reason')
  t.equal(learn({ media: { widthDots: 100_000 } }), true)
  t.equal(memory.learn('x'.repeat(5_000), { dpi: 203 }), false, 'no address')
  t.end()
})

t.test('the memory is bounded: those learned of last are kept', (t) => {
  const { memory } = open()
  for (let n = 0; n <= MOST_REMEMBERED; n += 1) memory.learn(`${URI}?serial=${n}`, { dpi: 203 })
  t.equal(memory.learned(`${URI}?serial=0`), undefined)
  t.same(memory.learned(`${URI}?serial=1`), { dpi: 203 })
  const many = Array.from({ length: MOST_REMEMBERED + 1 }, (_, n) => one(n))
  memory.keep(
    many,
    many.map(({ uri }) => uri),
  )
  t.equal(memory.printers.length, 200)
  t.equal(memory.printers[0]?.name, 'Printer 0')
  t.equal(memory.dismissed.length, 200)
  t.equal(memory.dismissed[0], `${URI}?serial=1`)
  t.end()
})

t.test('the parts of a damaged memory are read one by one', (t) => {
  const whole = {
    printers: [
      one(1),
      one(2, { name: '..' }),
      one(3, { vendorId: 0x10000 }),
      one(4, { vendorId: 0xffff }),
    ],
    learned: { [URI]: { dpi: 2_400 }, other: { dpi: 2_401 } },
    dismissed: [URI, 7],
    first: { name: 'Printer 1', uri: URI },
  }
  const { memory, faults } = open(JSON.stringify(whole))
  t.same(
    memory.printers.map(({ name }) => name),
    ['Printer 1', 'Printer 4'],
  )
  t.same([memory.learned(URI), memory.learned('other')], [{ dpi: 2_400 }, undefined])
  t.same([memory.dismissed, memory.first], [[URI], whole.first])
  t.match(String(faults), /4 entries/)
  t.equal(open(JSON.stringify({ printers: [one(1)], learned: {} })).faults.length, 0)
  t.same([isMemory(memory.text()), isMemory('{}'), isMemory('x')], [true, false, false])
  t.equal(open('x').faults.length, 1)
  t.end()
})

t.test('what is lost of a memory is recalled, under its old name', (t) => {
  const [first, second, other] = [one(1), one(2), one(3)]
  const recall = (kept: object | string) => {
    const text = typeof kept === 'string' ? kept : JSON.stringify(kept)
    const gone = { name: '..', uri: 'usb://A/B' }
    const all = [gone, second, first, { ...other, uri: first.uri }]
    const memory = new PrinterMemory(
      makeMemory(text),
      () => undefined,
      () => all,
    )
    return memory.printers.map(({ name, uri }) => `${name} ${uri.at(-1)}`)
  }
  const whole = ['Printer 2 2', 'Printer 1 1']
  for (const text of ['', '{"printers":[', '{}']) t.same(recall(text), whole, text)
  const learned = {}
  t.same(recall({ printers: [first], learned }), ['Printer 1 1'], 'nothing where it is whole')
  t.same(recall({ printers: [first, 7], learned }), ['Printer 1 1', 'Printer 2 2'])
  const dismissed = [second.uri]
  t.same(recall({ printers: [7], learned, dismissed }), ['Printer 1 1'], 'a person removed it')
  t.end()
})

t.test('what another box knew is added', (t) => {
  const { memory, store } = open()
  memory.keep([one(1), one(2)])
  memory.keepFirst({ name: 'Printer 1', uri: URI })
  const before = store.text
  store.text = ''
  memory.keepFirst({ name: 'Printer 1', uri: URI })
  t.equal(store.text, '', 'the same is not written again')
  const other = {
    printers: [one(1, { uri: 'file:x' }), one(5, { uri: one(2).uri }), one(3)],
    learned: {},
  }
  memory.join(JSON.stringify(other))
  t.same(
    memory.printers.map(({ name }) => name),
    ['Printer 1 2', 'Printer 5', 'Printer 1', 'Printer 3'],
    'a name stays with its printer, which may come later',
  )
  t.same(memory.first, { name: 'Printer 1', uri: URI })
  t.ok(before)
  t.end()
})

t.test('printers that another box knew get its names', (t) => {
  const { memory } = open()
  memory.keep([one(1), one(2), one(3)])
  const names = () => memory.printers.map(({ name, uri }) => `${name} ${uri.at(-1)}`)
  const other = (...printers: readonly RememberedPrinter[]) =>
    JSON.stringify({ printers, learned: {} })
  const swapped = other(one(1, { name: 'Printer 2' }), one(2, { name: 'Printer 1' }))
  t.same(memory.namesLostTo(swapped), ['Printer 1', 'Printer 2'])
  memory.join(swapped)
  t.same(names(), ['Printer 2 1', 'Printer 1 2', 'Printer 3 3'])
  t.same(memory.namesLostTo(swapped), [])
  memory.join(other(one(1, { name: 'Printer 3' })))
  t.same(names(), ['Printer 3 1', 'Printer 1 2', 'Printer 3 2 3'])
  t.end()
})

t.test('a name of another box is not given to a printer that is none of its printers', (t) => {
  const { memory } = open()
  const usb = (serial: string) => ({ vendorId: 1, productId: 2, ...(serial && { serial }) })
  const at = (which: string) => `usb://Zebra/GK420d?${which}`
  const trial = one(1, { name: 'GK420d', uri: at('serial=9'), ...usb('9') })
  const moved = one(2, { name: 'GK420d 2', uri: at('port=2-1'), ...usb('') })
  memory.keep([trial, moved])
  const other = (...printers: readonly RememberedPrinter[]) =>
    JSON.stringify({ printers, learned: {} })
  const late = one(1, { name: 'GK420d', uri: at('serial=1'), ...usb('1') })
  t.same(memory.namesLostTo(other(late)), ['GK420d'])
  memory.join(other(late))
  const names = () => memory.printers.map(({ name, uri }) => `${name} ${uri.slice(19)}`)
  t.same(names(), ['GK420d 3 serial=9', 'GK420d 2 port=2-1', 'GK420d serial=1'], 'it may come yet')
  memory.keep([moved])
  memory.join(other(one(1, { name: 'Bench', uri: at('port=1-1'), ...usb('') })))
  t.same(names(), ['Bench port=2-1'], 'the only one without a number is that of before')
  memory.keep([moved, one(3, { name: 'GK420d 3', uri: at('port=2-2'), ...usb('') })])
  memory.join(other(one(1, { name: 'GK420d 3', uri: at('port=1-1'), ...usb('') })))
  t.same(names(), ['GK420d 2 port=2-1', 'GK420d 3 2 port=2-2', 'GK420d 3 port=1-1'])
  t.end()
})

t.test('what a person had removed from another box is not known here', (t) => {
  const { memory } = open()
  memory.keep([one(1), one(2), one(3)])
  const other = { printers: [one(3)], learned: {}, dismissed: [one(2).uri, one(3).uri] }
  t.same(memory.namesLostTo(JSON.stringify(other)), ['Printer 2'])
  memory.join(JSON.stringify(other))
  t.same(
    memory.printers.map(({ name }) => name),
    ['Printer 1', 'Printer 3'],
  )
  t.same(memory.dismissed, other.dismissed)
  t.end()
})
