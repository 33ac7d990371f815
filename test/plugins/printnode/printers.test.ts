import { createHash } from 'node:crypto'
import t from 'tap'
import type { PrinterReason } from '#labels'
import type { KnownPrinter } from '../../../src/core/printers/status.ts'
import {
  describePrinterOf,
  EVERY,
  isIn,
  listPrinters,
  pickPrinter,
  printerId,
  readSet,
} from '../../../src/plugins/printnode/printers.ts'
import { describeWebhooks } from '../../../src/plugins/printnode/webhook.ts'
import { NOTHING } from '../../../src/words/say.ts'
import { makePrinter } from '../../core/printers/make-printer.ts'

const BOX = { hostName: 'bench-3', ip: '10.0.0.7', version: '1.2.3', host: '', port: '80' }

function printer(
  name: string,
  more: Partial<KnownPrinter> = {},
  reasons: readonly PrinterReason[] = ['none'],
): KnownPrinter {
  return {
    ...makePrinter(name),
    isDefault: false,
    isPaused: false,
    status: { state: 'idle', reasons, message: NOTHING, hint: NOTHING },
    ...more,
  }
}

t.test('an id is 31 bits of the name, the same on every box and for good', (t) => {
  const hex = createHash('sha256').update('Bench 1').digest('hex').slice(0, 8)
  t.equal(printerId('Bench 1'), Math.floor(Number.parseInt(hex, 16) / 2))
  for (let count = 0; count < 1_000; count += 1) {
    const id = printerId(`Bench ${count}`)
    t.ok(id >= 0 && id < 2 ** 31, `${id}`)
  }
  t.end()
})

t.test('a set of ids', (t) => {
  const set = readSet('1,5-9')
  t.same(
    [0, 1, 2, 4, 5, 9, 10].map((id) => isIn(set, id)),
    [false, true, false, false, true, true, false],
  )
  t.same(readSet('1%2C5-9'), set)
  t.equal(readSet(undefined), EVERY)
  t.ok(isIn(EVERY, 0) && isIn(EVERY, 2 ** 31))
  t.equal(readSet(Array(100).fill('1').join(',')).length, 100)
  t.throws(() => readSet(Array(101).fill('1').join(',')), { code: 'TOO_MANY_FIELDS' })
  for (const wrong of ['', 'x', '1,', '-5', '1-', '1-2-3', '1 ', '1e3', '9'.repeat(16)])
    t.throws(() => readSet(wrong), { code: 'FIELD_INVALID' }, wrong)
  t.end()
})

t.test('a printer is described by its kind, or by its name where nobody knows it', (t) => {
  const known = printer('Bench 1', { makeAndModel: 'Zebra ZD421', isDefault: true, dpi: 300 })
  const all = [known, printer('Bench 2', { labelWidth: 2, labelHeight: 1 }, ['offline'])]
  const shown = listPrinters(all, EVERY, BOX)
  t.match(shown, [
    {
      id: printerId('Bench 1'),
      name: 'Bench 1',
      description: 'Zebra ZD421',
      default: true,
      capabilities: { dpis: ['300x300'], papers: { '4x6': [1016, 1524] }, color: false },
      state: 'online',
      computer: { id: 1, name: 'bench-3', inet: '10.0.0.7' },
    },
    {
      name: 'Bench 2',
      description: 'Bench 2',
      default: false,
      state: 'offline',
      capabilities: {
        papers: { '2x1': [508, 254] },
        extent: [
          [508, 254],
          [508, 254],
        ],
      },
    },
  ])
  const id = printerId('Bench 2')
  t.match(listPrinters(all, [[id, id]], BOX), [{ name: 'Bench 2' }])
  t.same(describePrinterOf('Bench 1', known, BOX), shown[0])
  t.match(describePrinterOf('Bench 9', undefined, BOX), {
    id: printerId('Bench 9'),
    description: 'Bench 9',
    default: false,
    capabilities: null,
    state: 'deleted',
  })
  t.end()
})

t.test('an id that no printer has, or two, picks none', (t) => {
  const all = [printer('Bench 1'), printer('Bench 2')]
  t.equal(pickPrinter(all, printerId('Bench 2')), all[1])
  t.throws(() => pickPrinter(all, 7), {
    code: 'PRINTER_UNKNOWN',
    message: 'No printer has the id 7.',
  })
  const twins = [printer('Bench 1'), printer('Bench 1')]
  t.throws(() => pickPrinter(twins, printerId('Bench 1')), { code: 'PRINTER_AMBIGUOUS' })
  t.end()
})

t.test('the webhook is shown, and changed by nobody who prints', (t) => {
  const ask = (method: string, url?: string) => describeWebhooks({ method, path: '/webhook' }, url)
  const shown = [{ webhookId: 1, url: 'https://shop.example/', messages: ['print job state'] }]
  for (const method of ['GET', 'HEAD']) t.same(ask(method, 'https://shop.example/'), shown)
  t.same(ask('GET'), [])
  for (const method of ['POST', 'PATCH', 'DELETE'])
    t.throws(() => ask(method, 'https://shop.example/'), { code: 'METHOD_REFUSED' })
  t.end()
})
