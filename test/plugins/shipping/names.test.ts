import fc from 'fast-check'
import t from 'tap'
import type { Action } from '../../../src/carriers/answers.ts'
import { CUSTOMS_PARAMS, PACKAGE_PARAMS, useOf } from '../../../src/carriers/fields.ts'
import { CARRIERS } from '../../../src/carriers/list.ts'
import { PARAMS } from '../../../src/plugins/shipping/call-fields.ts'
import { LOCAL_TAKES } from '../../../src/plugins/shipping/local/index.ts'
import { editsBetween, findTestMark, tellNames } from '../../../src/plugins/shipping/names.ts'
import { TWO_PARCELS } from './http/calls.ts'

type Params = Readonly<Record<string, unknown>>

const TAKERS = [
  { name: 'local', takes: LOCAL_TAKES },
  ...(await Promise.all(CARRIERS.map(({ load }) => load()))),
]

function tell(
  params: Params,
  name = 'FedEx-REST',
  action: Action = 'SubmitShipment',
): { readonly refused: readonly string[]; readonly notes: readonly string[] } {
  const carrier = TAKERS.find((one) => one.name === name)
  if (carrier === undefined) throw new Error(`no carrier ${name}`)
  const { refusals, notes } = tellNames(params, carrier, action)
  return { refused: refusals.map(({ field }) => field), notes }
}

t.test('what is asked for by known names is not spoken of', (t) => {
  t.same(tell(TWO_PARCELS), { refused: [], notes: [] })
  const line = { customs_description: 'Mug', customs_quantity: 1, country_of_manufacture: 'US' }
  t.same(tell({ ...TWO_PARCELS, customs: [line], print: { printer: 'x' } }).refused, [])
  t.end()
})

t.test('what could change a purchase is refused by name, on every level', (t) => {
  const grave = [
    'to_adr2',
    'toAddr2',
    'TO_ADDR2',
    'to-addr2',
    'ship_addr4',
    'to_address3',
    'to_street2',
    'signature_tpye',
    'signature',
    'adult_signature',
    'delivery_confirmation',
    'insurance',
    'declared_value',
    'is_retrun',
    'return_label',
    'return_service',
    'third_party_account',
    'bill_to_account',
    'payment_type',
    'payor',
    'duties_payment_type',
    'duties_payer',
    'ddp',
    'cod',
    'cod_amount',
    'collect_on_delivery',
    'hazmat',
    'dangerous_goods',
    'lithium_battery',
    'batteries',
    'dry_ice',
    'alcohol',
    'saturday_delivery',
    'saturdayDelivery',
    'SaturdayDelivery',
    'sunday',
    'ship_date',
    'shipDate',
    'shipping_date',
    'pickup_date',
    'deliver_by',
    'hold_at_location',
    'hold_for_pickup',
    'access_point_id',
    'locker_id',
    'service_code',
    'carrier_code',
    'addons',
    'options',
    'currency_code',
    'to_tax_idd',
    'vat',
    'eori_number',
    'ioss',
    'customs_signer',
    'weight_units',
    'servce',
    'packagse',
    'residental',
    'reference11',
    'tests',
    'printer',
  ]
  for (const name of grave) {
    t.same(tell({ ...TWO_PARCELS, [name]: 'x' }).refused, [name], name)
    const shown = tell({ ...TWO_PARCELS, [name]: 'x' }, 'local', 'GetAllRates')
    t.same(shown.refused, [], 'a price is told all the same')
    t.ok(shown.notes[0]?.includes(name))
  }
  const inner = {
    packages: [{ weight: 1, insured_vaule: 500, hazmat: { class: 9 }, to_addr2: 'x' }],
    customs: [{ description: 'Mug', valeu: 3, unit_price: 3, made_in: 'DE', hts: '6912' }],
    print: { copeis: 2 },
  }
  t.same(tell(inner).refused, [
    'packages[0].insured_vaule',
    'packages[0].hazmat',
    'packages[0].to_addr2',
    'customs[0].valeu',
    'customs[0].unit_price',
    'customs[0].made_in',
    'customs[0].hts',
    'print.copeis',
  ])
  t.end()
})

t.test('all other names are noted, with the nearest known one', (t) => {
  const harmless = [
    'order_id',
    'customer_context',
    'shop',
    'sku',
    'x',
    'warehouse',
    'note',
    'description',
    'design',
    'updated_at',
  ]
  for (const name of harmless) {
    const { refused, notes } = tell({ ...TWO_PARCELS, [name]: 'x' })
    t.same(refused, [], name)
    t.equal(notes.length, 1)
    t.ok(notes[0]?.includes(name), name)
  }
  t.same(tell({ parcel_weight: 'x' }).notes, [
    'parcel_weight is unknown and was not used; the nearest known name is weight.',
  ])
  t.match(tell({ customs: [{ sku: 'A' }] }).notes, [/^customs\[0\]\.sku is unknown/])
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`zz${n}zzzzzz`, 1]))
  t.equal(tell(many).notes.length, 50)
  t.equal(tell({ ['q'.repeat(100_000)]: 1 }).notes.join('').length < 200, true)
  t.end()
})

t.test('nothing is there under a name that is blank, and a wish that is denied is none', (t) => {
  for (const blank of ['', ' ', null, undefined, [], {}]) {
    t.same(tell({ ...TWO_PARCELS, hazmat: blank, to_adr2: blank }), { refused: [], notes: [] })
  }
  for (const no of [false, 0, '0', 'no', 'false', 'N']) {
    t.same(tell({ saturday_delivery: no }).refused, [])
    t.equal(tell({ saturday_delivery: no }).notes.length, 1)
  }
  t.end()
})

t.test('a carrier takes fields that there are, and that not every carrier takes', (t) => {
  const tables = [PARAMS, PACKAGE_PARAMS, CUSTOMS_PARAMS]
  const none = new Set<string>()
  for (const { name, takes } of TAKERS) {
    const odd = [...takes].filter(
      (one) => !tables.some((table) => table[one] && useOf(one, table[one], none) !== 'used'),
    )
    t.same(odd, [], name)
  }
  t.end()
})

t.test('what a carrier cannot do is refused there, unless it asks for nothing', (t) => {
  const of = (params: Params, carrier: string) => tell(params, carrier).refused
  t.same(of({ to_addr3: 'x' }, 'USPS-REST'), ['to_addr3'])
  t.same(of({ to_addr3: 'x' }, 'UPS-REST'), [])
  t.same(of({ packages: [{ insured_value: 5 }] }, 'local'), ['packages[0].insured_value'])
  t.same(of({ packages: [{ insured_value: 0 }] }, 'local'), [])
  t.same(of({ packaging_type: '01' }, 'EasyPost'), ['packaging_type'])
  t.same(of({ packaging_type: 'your_packaging' }, 'EasyPost'), [])
  t.same(of({ to_tax_id: 'x' }, 'Shippo'), ['to_tax_id'])
  t.match(tell({ pickup_type: '01' }, 'DHL').notes, [/^pickup_type is not used: DHL/])
  t.match(tell({ reference1: 'a', reference2: 'b' }, 'UPS-REST').notes, [/^reference2 is not used/])
  t.match(tell({ weight: 3, packages: [{ weight: 1 }] }).notes, [/^weight is not used/])
  t.end()
})

t.test(
  'any mistype of one letter, of any name of four letters or more, is never taken in silence',
  (t) => {
    const levels = [
      { table: PARAMS, wrap: (own: Params) => own },
      { table: PACKAGE_PARAMS, wrap: (own: Params) => ({ packages: [own] }) },
      { table: CUSTOMS_PARAMS, wrap: (own: Params) => ({ customs: [own] }) },
    ]
    const names = levels.flatMap(({ table, wrap }) =>
      Object.entries(table).flatMap(([name, { aliases = [] }]) =>
        [name, ...aliases].map((one) => ({ name: one, wrap, table })),
      ),
    )
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz_')
    const kind = fc.constantFrom('left out', 'doubled', 'changed', 'swapped')
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.nat(),
        letter,
        kind,
        fc.constantFrom(...TAKERS.map(({ name: one }) => one)),
        ({ name, wrap, table }, at, other, how, carrier) => {
          const n = at % name.length
          const [before, own, after] = [name.slice(0, n), name[n] ?? '', name.slice(n + 1)]
          const wrong = {
            'left out': before + after,
            doubled: before + own + own + after,
            changed: before + other + after,
            swapped: before + after.slice(0, 1) + own + after.slice(1),
          }[how]
          const isKnown = Object.entries(table).some(([one, { aliases = [] }]) =>
            [one, ...aliases].includes(wrong),
          )
          fc.pre(!isKnown && wrong.length >= 4 && !wrong.startsWith('__'))
          const { refused } = tell(wrap({ [wrong]: 'x1' }), carrier)
          return refused.length === 1 && (refused[0] ?? '').endsWith(wrong)
        },
      ),
      { numRuns: 1_000 },
    )
    t.end()
  },
)

t.test('a mark of a test is seen wherever it stands', (t) => {
  for (const name of [
    'Test',
    'TEST',
    'test_mode',
    'testMode',
    'is_test',
    'isTest',
    'sandbox',
    'use_sandbox',
    'testing',
    'dry_run',
    'dryRun',
    'demo',
    'simulate',
    'staging',
    'sandbox_mode',
    'test-mode',
    'TestMode',
    'run_test',
    'usetest',
    'mock',
  ]) {
    for (const yes of [true, 1, '1', 'true', 'yes', 'T']) {
      t.same(findTestMark({ [name]: yes }), { name, path: '' }, name)
    }
    t.same(findTestMark({ packages: [{ [name]: true }] }), { name, path: 'packages[0].' })
    t.same(findTestMark({ print: { [name]: true } }), { name, path: 'print.' })
    for (const no of [false, 0, '0', 'false', '', null])
      t.equal(findTestMark({ [name]: no }), undefined)
  }
  for (const params of [
    { live: false },
    { production: 0 },
    { mode: 'test' },
    { environment: 'sandbox' },
    { env: 'staging' },
    { live_mode: 'no' },
  ]) {
    t.ok(findTestMark(params), JSON.stringify(params))
  }
  for (const params of [
    { test: true },
    { latest: 1 },
    { contest: 1 },
    { mode: 'air' },
    { live: true },
    { environment: 'production' },
    { attestation: 'x' },
    { protest: 1 },
  ]) {
    t.equal(findTestMark(params), undefined, JSON.stringify(params))
  }
  t.end()
})

t.test('the letters between two names', (t) => {
  for (const [a, b, edits] of [
    ['', '', 0],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['abc', 'ab', 1],
    ['abc', 'abcd', 1],
    ['abc', 'xbc', 1],
    ['abc', '', 3],
    ['ca', 'abc', 3],
    ['tpye', 'type', 1],
  ] as const) {
    t.equal(editsBetween(a, b), edits, `${a} ${b}`)
    t.equal(editsBetween(b, a), edits)
  }
  t.end()
})
