import fc from 'fast-check'
import t from 'tap'
import {
  MOST_MONEY,
  readMoney,
  writeMoney,
} from '../../../../src/labels/documents/pack-list/check.ts'

t.test('amounts are read as they are written and shown with two decimals', (t) => {
  const shown: readonly (readonly [unknown, string])[] = [
    [0, '0.00'],
    [12.5, '12.50'],
    ['12.5', '12.50'],
    [' 7 ', '7.00'],
    ['.5', '0.50'],
    ['+3.', '3.00'],
    [-4.999, '-5.00'],
    [-0.001, '0.00'],
    [1.005, '1.01'],
    [0.1 + 0.2, '0.30'],
    [1e-7, '0.00'],
    ['0.005', '0.01'],
    [MOST_MONEY, '1000000000.00'],
  ]
  for (const [value, text] of shown) {
    const money = readMoney(value)
    t.equal(money === undefined ? '' : writeMoney(money), text, String(value))
  }
  t.end()
})

t.test('what is not a number is left out', (t) => {
  const wrong = [
    '',
    ' ',
    'x',
    '1,5',
    '1.2.3',
    '1e3',
    '0x10',
    '-',
    '.',
    '$5',
    Number.NaN,
    1 / 0,
    2e9,
    true,
    null,
    {},
  ]
  for (const value of wrong) t.equal(readMoney(value), undefined, String(value))
  t.end()
})

t.test('sums do not drift', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10_000_000 }),
      fc.integer({ min: 1, max: 1000 }),
      (cents, times) => {
        const money = readMoney(cents / 100) ?? -1n
        return writeMoney(money * BigInt(times)) === ((cents * times) / 100).toFixed(2)
      },
    ),
  )
  t.end()
})
