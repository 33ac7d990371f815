import t from 'tap'
import { DialogAddresses } from '../../../src/plugins/ipp/addresses.ts'
import type { IppJob } from '../../../src/plugins/ipp/jobs.ts'
import { LostAnswers } from '../../../src/plugins/ipp/operation.ts'
import { listShared, type SharedPrinter } from '../../../src/plugins/ipp/printer.ts'
import {
  JOB_STATES,
  OPERATIONS,
  PRINTER_STATES,
  STATUS,
  toRefusal,
} from '../../../src/plugins/ipp/protocol.ts'
import { copiesOf, isHeld, isObeyed, optionsOf } from '../../../src/plugins/ipp/template.ts'
import type { IppAttributes, IppValue } from '../../../src/printers/ipp/message.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { FAILURES, type FailureCode } from '../../../src/words/failures.ts'
import { NOTHING } from '../../../src/words/say.ts'
import { makePrinter } from '../../core/printers/make-printer.ts'
import { spoken } from '../../words/spoken.ts'

const STATUS_IDLE = { state: 'idle', reasons: ['none'], message: NOTHING, hint: NOTHING } as const
const BENCH = { ...makePrinter('Bench 1'), isDefault: true, isPaused: false, status: STATUS_IDLE }

// As IANA's registry of IPP writes them: clients know nothing but these numbers.
t.test('the numbers of the wire', (t) => {
  const hex = (all: Readonly<Record<string, number>>): string =>
    Object.values(all)
      .map((one) => one.toString(16))
      .join(' ')
  t.equal(hex(OPERATIONS), '2 4 5 6 8 9 a b c d 39 3b 3c')
  t.equal(hex(STATUS), '0 1 400 404 406 408 409 40a 40b 40d 40f 410 411 500 501 503 505')
  t.equal(hex(PRINTER_STATES), '3 4 5')
  t.equal(hex(JOB_STATES), '3 4 5 6 7 8 9')
  t.end()
})

t.test('a client tries again by itself where the box is full or busy, and only there', (t) => {
  const statusOf = (code: FailureCode): number => toRefusal(new PlatenError(code, 'Why.')).status
  for (const [name, { status }] of Object.entries(FAILURES)) {
    const code = statusOf(name as FailureCode)
    t.equal(code === 0x505, status === 503 || status === 507, name)
    t.equal(code === 0x408, status === 413, name)
    t.equal(code === 0x411, status < 500 && status !== 413, name)
  }
  const full = new PlatenError('SPOOL_FULL', 'The disk is full.', { hint: 'Wait.' })
  t.match(spoken(toRefusal(full)), { message: 'The disk is full. Wait.' })
  t.end()
})

function sharedOf(darkness: number | undefined): SharedPrinter {
  const sharer = { secret: new Uint8Array(32), hostName: 'box', addresses: new DialogAddresses() }
  const [shared] = listShared([{ ...BENCH, darkness }], sharer)
  if (shared === undefined) throw new Error('not shared')
  return shared
}

t.test('what of a job is obeyed: the bounds of each attribute', (t) => {
  const dark = sharedOf(50)
  for (const [name, value, wanted] of [
    ...([0, 1, 100, 101].map((one) => ['copies', one, one > 0 && one <= 100]) as []),
    ...([2, 3, 7, 8].map((one) => ['orientation-requested', one, one > 2 && one < 8]) as []),
    ...([-101, -100, 100, 101].map((one) => ['print-darkness', one, Math.abs(one) < 101]) as []),
    ['job-hold-until', 'no-hold', true],
    ['job-hold-until', 'indefinite', true],
    ['job-hold-until', 'night', false],
    ['page-ranges', [1, 1], true],
    ['page-ranges', [0, 1], false],
    ['page-ranges', [3, 2], false],
    ['page-ranges', [1, 2, 3], false],
    ['page-ranges', 1, false],
    ['printer-resolution', [203, 203, 3], true],
    ['printer-resolution', [300, 300, 3], false],
    ['printer-resolution', 203, false],
    ['print-scaling', 'fill', false],
    ['print-scaling', 'fit', true],
    ['sides', 'one-sided', true],
    ['sides', 'two-sided-long-edge', false],
    ['overrides', 'pages', false],
    ['nobody-knows', 1, false],
    ['toString', 1, false],
    ['constructor', 1, false],
    ['finishings', 9, true],
  ] as readonly (readonly [string, IppValue['value'], boolean])[]) {
    t.equal(isObeyed(name, [{ tag: 0, value }], dark), wanted, `${name} ${value}`)
  }
  t.equal(isObeyed('print-darkness', [{ tag: 0, value: 1 }], sharedOf(undefined)), false)
  t.end()
})

t.test('what a job asks for, as options of its labels', (t) => {
  const of = (name: string, ...values: readonly IppValue['value'][]) =>
    new Map([[name, values.map((value) => ({ tag: 0, value }))]])
  const options = (template: IppAttributes, format = 'image/png', darkness = 50) =>
    optionsOf(template, format, sharedOf(darkness))
  const turned = (turn: number) => options(of('orientation-requested', turn))
  t.same([3, 4, 5, 6, 7].map(turned), [
    {},
    { rotate: '270' },
    { rotate: '90' },
    { rotate: '180' },
    {},
  ])
  for (const format of ['image/pwg-raster', 'image/urf']) {
    t.same(options(of('orientation-requested', 4), format), {}, `${format} is turned already`)
    t.same(options(of('print-scaling', 'none'), format), {})
  }
  for (const format of ['image/jpeg', 'image/png', 'application/pdf', 'application/octet-stream']) {
    t.same(options(of('orientation-requested', 4), format), { rotate: '270' }, format)
    t.same(options(of('print-scaling', 'none'), format), { scaling: 'none' }, format)
  }
  t.same(options(of('print-scaling', 'fit')), {})
  t.same(options(of('print-darkness', 0)), {})
  t.same(options(of('print-darkness', 30)), { darkness: 80 })
  t.same(options(of('print-darkness', 60)), { darkness: 100 })
  t.same(options(of('print-darkness', -60)), { darkness: 0 })
  t.same(options(of('page-ranges', [1, 2], [4, 4]), 'application/pdf'), { pages: '1-2,4-4' })
  t.same(options(of('page-ranges', [1, 2]), 'application/octet-stream'), { pages: '1-2' })
  t.same(options(of('page-ranges', [1, 2]), 'image/png'), {})
  t.same([copiesOf(of('copies', 3)), copiesOf(new Map()), copiesOf(of('copies', 'x'))], [3, 1, 1])
  const held = ['indefinite', 'no-hold'].map((word) => isHeld(of('job-hold-until', word)))
  t.same([...held, isHeld(new Map())], [true, false, false])
  t.end()
})

t.test('a lost answer is given once, for ten minutes, and of the last hundred', async (t) => {
  let now = 0
  const lost = new LostAnswers(() => now)
  const taken = (id: number) => Promise.resolve({ id } as IppJob)
  lost.add('a', taken(1))
  t.same([await lost.take('a'), await lost.take('a')], [1, undefined])
  lost.add('a', taken(2))
  now += 599_999
  t.equal(await lost.take('a'), 2)
  lost.add('a', taken(3))
  now += 600_000
  t.equal(await lost.take('a'), undefined)
  lost.add('a', Promise.reject(new Error('no room')))
  t.equal(await lost.take('a'), undefined, 'nothing was taken')
  for (let id = 0; id <= 100; id += 1) lost.add(`${id}`, taken(id))
  const kept = [lost.take('0'), lost.take('1'), lost.take('100')]
  t.same(await Promise.all(kept), [undefined, 1, 100])
})
