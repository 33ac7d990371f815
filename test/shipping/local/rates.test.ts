import t from 'tap'
import { FIRST_RATES, offer, parseRates } from '../../../src/shipping/local/rates.ts'
import { readShipment } from '../../../src/shipping/params.ts'

const HEAD = 'service_code,description,from,to,up_to_lb,price,fuel_percent,days'

function rowsOf(...lines: readonly string[]) {
  const rows = parseRates([HEAD, ...lines].join('\r\n'))
  if (typeof rows === 'string') throw new Error(rows)
  return rows
}

function shipmentOf(params: Readonly<Record<string, unknown>>) {
  const read = readShipment({ ship_code: '89501', to_code: '50010', weight: 3, ...params })
  if ('errors' in read) throw new Error(read.errors[0]?.description)
  return read.shipment
}

t.test('the first table serves everybody', (t) => {
  const rows = parseRates(FIRST_RATES)
  t.ok(typeof rows !== 'string' && rows.length > 0)
  t.end()
})

t.test('the longest beginning counts, then the smallest weight', (t) => {
  const rows = rowsOf(
    'VAN,Van,*,*,10,9.00,0,3',
    'VAN,Van,*,5,10,8.00,0,2',
    'VAN,Van,89,500,10,7.00,0,1',
    'VAN,Van,89,500,4,6.00,0,1',
    '# a note',
    '',
    'FAR,"Far, ""very""",*,CA:V6,70,20.00,0,5',
  )
  const prices = (params: Readonly<Record<string, unknown>>) =>
    offer(rows, shipmentOf(params)).map(({ service, cents }) => `${service} ${cents}`)
  t.same(prices({}), ['VAN 600'])
  t.same(prices({ weight: 5 }), ['VAN 700'])
  t.same(prices({ weight: 5, ship_code: '10001' }), ['VAN 800'])
  t.same(prices({ to_code: '10001' }), ['VAN 900'])
  t.same(prices({ to_code: 'v6b 1a1', to_country: 'CA', weight: 20 }), ['FAR 2000'])
  t.same(prices({ weight: 11 }), [])
  t.same(prices({ weight: 11, weight_unit: 'KG' }), [])
  t.same(prices({ packages: [{ weight: 2 }, { weight: 3 }] }), ['VAN 700'], 'all parcels together')
  t.equal(rows.find(({ service }) => service === 'FAR')?.description, 'Far, "very"')
  t.end()
})

t.test('fuel is added in whole cents', (t) => {
  const [one] = offer(rowsOf('VAN,Van,*,*,10,6.90,4.5,1'), shipmentOf({}))
  t.match(one, { cents: 721, fuelCents: 31 })
  t.end()
})

t.test('a fault is told with its line and column', (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['VAN,Van,*,*,10,free,0,1', /^Line 2 .* price: got "free"/],
    ['VAN,Van,*,*,-1,1.00,0,1', /^Line 2 .* up_to_lb: got "-1"/],
    ['VAN,Van,*,*,10,1.00,x,1', /fuel_percent: got "x"/],
    ['VAN,Van,*,*,10,1.00,0,1.5', /days: got "1.5"/],
    ['^XA,Van,*,*,10,1.00,0,1', /service_code: got "\^XA"/],
  ]
  for (const [line, sentence] of cases) t.match(parseRates(`${HEAD}\n${line}`), sentence, line)
  t.match(parseRates('service_code,price\n'), /^Line 1 .* no column description/)
  t.match(parseRates('x'.repeat(300_000)), /more than 262144 characters/)
  t.end()
})
