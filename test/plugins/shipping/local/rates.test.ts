import t from 'tap'
import { readShipment } from '../../../../src/carriers/params.ts'
import { FIRST_RATES, offer, parseRates } from '../../../../src/plugins/shipping/local/rates.ts'

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

t.test('a country in front makes no beginning longer', (t) => {
  const rows = rowsOf(
    'VAN,Van,*,*,10,9.00,0,3',
    'VAN,Van,*,US:*,10,8.00,0,3',
    'VAN,Van,*,500,10,7.00,0,1',
    'VAN,Van,*,US:5,10,6.00,0,2',
  )
  const centsOf = (to_code: string, to_country = 'US') =>
    offer(rows, shipmentOf({ to_code, to_country }))[0]?.cents
  t.same([centsOf('50010'), centsOf('51000'), centsOf('60601')], [700, 600, 800])
  t.equal(centsOf('V6B 1A1', 'CA'), 900)
  t.end()
})

t.test('parcels that weigh as much as a line takes together are served by it', (t) => {
  const rows = rowsOf('VAN,Van,*,*,5,6.90,0,1', 'VAN,Van,*,*,20,9.90,0,1')
  // In floats they are 5.000000000000001.
  const packages = [0.2, 4.4, 0.4].map((weight) => ({ weight }))
  t.equal(offer(rows, shipmentOf({ packages }))[0]?.cents, 690)
  t.equal(offer(rows, shipmentOf({ packages: [{ weight: 5.001 }] }))[0]?.cents, 990)
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
  t.match(parseRates(`${HEAD}\n#\n\nVAN,Van,*,*,10,x,0,1`), /^Line 4 /)
  t.match(parseRates('service_code,price\n'), /^Line 1 .* no column description/)
  t.match(parseRates('x'.repeat(300_000)), /more than 262144 characters/)
  t.end()
})

t.test('each column to the last value that it takes', (t) => {
  const good = {
    service_code: 'VAN',
    description: 'Van',
    from: '*',
    to: '*',
    up_to_lb: '10',
    price: '1.00',
    fuel_percent: '0',
    days: '1',
  }
  const parse = (more: Readonly<Record<string, string>>) => {
    const row: Readonly<Record<string, string>> = { ...good, ...more }
    return parseRates(
      `${HEAD}\n${HEAD.split(',')
        .map((name) => row[name])
        .join(',')}`,
    )
  }
  const cases: readonly (readonly [string, string, object | RegExp])[] = [
    ['service_code', 'a'.repeat(40), { service: 'a'.repeat(40) }],
    ['service_code', 'a'.repeat(41), /service_code: got "a{40}", wanted/],
    ['service_code', '', /service_code: got ""/],
    ['description', '', { description: 'VAN' }],
    ['price', '0', { cents: 0 }],
    ['price', '0.01', { cents: 1 }],
    ['price', '-0.01', /price: got/],
    ['price', '', /price: got ""/],
    ['up_to_lb', '0.1', { upTo: 0.1 }],
    ['up_to_lb', '0', /up_to_lb: got "0", wanted pounds/],
    ['up_to_lb', '', /up_to_lb: got ""/],
    ['up_to_lb', '999999', { upTo: 999_999 }],
    ['up_to_lb', '1000000', /up_to_lb: got "1000000"/],
    ['fuel_percent', '', { fuelPercent: 0 }],
    ['fuel_percent', '12.5', { fuelPercent: 12.5 }],
    ['fuel_percent', '-1', /fuel_percent: got "-1", wanted a percentage/],
    ['days', '', { days: 0 }],
    ['days', '3', { days: 3 }],
    ['days', '-3', /days: got "-3", wanted whole days/],
    ['days', 'x'.repeat(50), /days: got "x{40}", wanted/],
  ]
  for (const [name, value, wanted] of cases) {
    const rows = parse({ [name]: value })
    if (wanted instanceof RegExp) t.match(rows, wanted, `${name} ${value}`)
    else t.match(rows, [wanted], `${name} ${value}`)
  }
  const many = (count: number) =>
    parseRates([HEAD, ...Array(count).fill('V,V,*,*,1,1,0,1')].join('\n'))
  t.equal(many(5_000).length, 5_000)
  t.equal(many(5_001), 'The rate table has more than 5000 lines.')
  const head = `${HEAD}\n#`
  t.same(parseRates(head.padEnd(262_144, '#')), [], 'as many characters as it may have')
  t.match(parseRates(head.padEnd(262_145, '#')), /more than 262144 characters/)
  t.end()
})

t.test('columns may stand in any order, and the first of them be empty', (t) => {
  const head = 'from,to,service_code,up_to_lb,price,days,fuel_percent,description'
  const rows = parseRates([head, ',*,VAN,20,9.90,1,4.5,Own van', '89,,BIKE,5,8.50,,,'].join('\n'))
  if (typeof rows === 'string') throw new Error(rows)
  t.match(rows, [
    { service: 'VAN', from: ['*'], to: ['*'], upTo: 20, cents: 990, days: 1 },
    { service: 'BIKE', from: ['89'], to: ['*'], upTo: 5, cents: 850, description: 'BIKE' },
  ])
  t.end()
})
