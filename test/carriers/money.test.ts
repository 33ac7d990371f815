import t from 'tap'
import { readCents, toAmount, toDecimal } from '../../src/carriers/shipment.ts'

t.test('amounts are read from their decimal text', (t) => {
  const cases: readonly (readonly [unknown, number | undefined])[] = [
    ['9.99', 999],
    ['10.05', 1_005],
    ['10.5', 1_050],
    ['7', 700],
    ['7.', 700],
    ['0.005', 1],
    ['0.0049', 0],
    ['-3.10', -310],
    ['-0.001', 0],
    [' 4.20 ', 420],
    [0.1, 10],
    [1.005, 101],
    [25, 2_500],
    ['', undefined],
    ['1,50', undefined],
    ['1e3', undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [null, undefined],
    [{}, undefined],
  ]
  for (const [amount, cents] of cases) t.equal(readCents(amount), cents, JSON.stringify(amount))
  t.end()
})

t.test('a sum of cents is exact where a sum of floats is not', (t) => {
  const sum = ['0.10', '0.20', '69.70'].reduce((all, one) => all + (readCents(one) ?? 0), 0)
  t.equal(toAmount(sum), 70)
  t.equal(JSON.stringify(toAmount(721)), '7.21')
  t.equal(toDecimal(720), '7.20')
  t.end()
})
