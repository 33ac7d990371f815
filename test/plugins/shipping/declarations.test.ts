import fc from 'fast-check'
import t from 'tap'
import type { Carrier } from '../../../src/carriers/carrier.ts'
import { dhl } from '../../../src/carriers/dhl/index.ts'
import { easypost } from '../../../src/carriers/easypost/index.ts'
import { fedex } from '../../../src/carriers/fedex/index.ts'
import { at, jsonOf, listOf, numberAt, textAt } from '../../../src/carriers/reading.ts'
import { shipengine } from '../../../src/carriers/shipengine/index.ts'
import { shippo } from '../../../src/carriers/shippo/index.ts'
import { ups } from '../../../src/carriers/ups/index.ts'
import { isObject } from '../../../src/settings/field.ts'
import { type Reaction, startCarrier } from '../../carriers/stand-in.ts'

// What a carrier is told to declare, against what the call says, read here by itself: whatever is left out, misspelt, emptied or of
// another kind, a parcel never goes with another declaration.

t.setTimeout(600_000)

type Values = Readonly<Record<string, unknown>>

/** A line as a carrier was told it; what its call has no place for is left out. */
interface Declared {
  readonly description: string
  readonly quantity: number
  readonly value: number
  readonly origin: string
  readonly currency: string
  /** Weight of the whole line, in pounds. */
  readonly pounds?: number
}

/** A carrier as it answers, which of its calls buy, and where its declaration stands. */
interface Seller {
  readonly carrier: Carrier
  readonly account: Values
  answer(method: string, url: string): Reaction
  buys(url: string): boolean
  /** The lines in the body of a call; undefined = it has none. */
  declared(body: unknown): readonly Declared[] | undefined
}

const ZPL = Buffer.from('^XA^FO9,9^FDx^FS^XZ').toString('base64')
const TOKEN: Reaction = [200, { access_token: 'x', token_type: 'Bearer', expires_in: 3_600 }]
const KILOGRAM = 2.204_622_621_8

const SELLERS: readonly Seller[] = [
  {
    carrier: dhl,
    account: { username: 'u', password: 'p', account_number: '123456789', service: 'P' },
    answer: () => [
      201,
      {
        shipmentTrackingNumber: '1103733901',
        documents: [{ imageFormat: 'ZPL', content: ZPL, typeCode: 'label' }],
      },
    ],
    buys: (url) => url.endsWith('/shipments'),
    declared: (body) => {
      const content = at(body, 'content')
      const lines = at(content, 'exportDeclaration', 'lineItems')
      if (lines === undefined) return undefined
      const currency = textAt(content, 'declaredValueCurrency')
      return listOf(lines).map((line) => ({
        description: textAt(line, 'description'),
        quantity: numberAt(line, 'quantity', 'value'),
        value: numberAt(line, 'price'),
        origin: textAt(line, 'manufacturerCountry'),
        pounds: numberAt(line, 'weight', 'netValue'),
        currency,
      }))
    },
  },
  {
    carrier: fedex,
    account: { key: 'token', account_number: '510087100', service: 'FEDEX_INTERNATIONAL_PRIORITY' },
    answer: () => [
      200,
      {
        output: {
          transactionShipments: [
            {
              masterTrackingNumber: '794953535000',
              pieceResponses: [
                {
                  packageDocuments: [{ contentType: 'LABEL', docType: 'ZPLII', encodedLabel: ZPL }],
                },
              ],
            },
          ],
        },
      },
    ],
    buys: (url) => url === '/ship/v1/shipments',
    declared: (body) => {
      const lines = at(body, 'requestedShipment', 'customsClearanceDetail', 'commodities')
      if (lines === undefined) return undefined
      return listOf(lines).map((line) => ({
        description: textAt(line, 'description'),
        quantity: numberAt(line, 'quantity'),
        value: numberAt(line, 'unitPrice', 'amount'),
        origin: textAt(line, 'countryOfManufacture'),
        currency: textAt(line, 'unitPrice', 'currency'),
        pounds: numberAt(line, 'weight', 'value') * KILOGRAM,
      }))
    },
  },
  {
    carrier: ups,
    account: { key: 'token', account_number: 'A1B2C3', service: '65' },
    answer: (_, url) =>
      url.includes('oauth')
        ? TOKEN
        : [
            200,
            {
              ShipmentResponse: {
                ShipmentResults: {
                  ShipmentIdentificationNumber: '1Z0',
                  PackageResults: [
                    {
                      TrackingNumber: '1Z0',
                      ShippingLabel: { ImageFormat: { Code: 'ZPL' }, GraphicImage: ZPL },
                    },
                  ],
                },
              },
            },
          ],
    buys: (url) => url.endsWith('/ship'),
    declared: (body) => {
      const shipment = at(body, 'ShipmentRequest', 'Shipment')
      const form = at(shipment, 'ShipmentServiceOptions', 'InternationalForms')
      if (form === undefined) return undefined
      return listOf(at(form, 'Product')).map((line) => ({
        description: listOf(at(line, 'Description')).join(''),
        quantity: numberAt(line, 'Unit', 'Number'),
        value: numberAt(line, 'Unit', 'Value'),
        origin: textAt(line, 'OriginCountryCode'),
        currency: textAt(form, 'CurrencyCode'),
      }))
    },
  },
  {
    carrier: easypost,
    account: { key: 'EZTKx', test: true, service: 'USPS/Express' },
    answer: (_, url) => {
      const shipment = {
        id: 'shp_1',
        mode: 'test',
        rates: [{ id: 'rate_1', carrier: 'USPS', service: 'Express', rate: '9.99' }],
      }
      if (!url.endsWith('/buy')) return [200, shipment]
      const label = { id: 'pl_1', label_url: '' }
      return [200, { ...shipment, tracking_code: '94', postage_label: label }]
    },
    buys: (url) => url.endsWith('/buy'),
    declared: (body) => {
      const lines = at(body, 'shipment', 'customs_info', 'customs_items')
      if (lines === undefined) return undefined
      return listOf(lines).map((line) => ({
        description: textAt(line, 'description'),
        quantity: numberAt(line, 'quantity'),
        value: numberAt(line, 'value') / numberAt(line, 'quantity'),
        origin: textAt(line, 'origin_country'),
        currency: textAt(line, 'currency'),
        pounds: numberAt(line, 'weight') / 16,
      }))
    },
  },
  {
    carrier: shippo,
    account: { key: 'shippo_test_x', test: true, service: 'usps_express' },
    answer: (_, url) => {
      if (url.endsWith('/transactions')) {
        return [201, { object_id: 'transaction1', status: 'SUCCESS', tracking_number: '94' }]
      }
      const servicelevel = { token: 'usps_express', name: 'Express' }
      const rate = { object_id: 'ec9f0d3adc94', amount: '5.50', servicelevel, provider: 'USPS' }
      return [201, { object_id: 'shipment1', rates: [rate] }]
    },
    buys: (url) => url.endsWith('/transactions'),
    declared: (body) => {
      const lines = at(body, 'customs_declaration', 'items')
      if (lines === undefined) return undefined
      return listOf(lines).map((line) => ({
        description: textAt(line, 'description'),
        quantity: numberAt(line, 'quantity'),
        value: numberAt(line, 'value_amount') / numberAt(line, 'quantity'),
        origin: textAt(line, 'origin_country'),
        currency: textAt(line, 'value_currency'),
        pounds: numberAt(line, 'net_weight'),
      }))
    },
  },
  {
    carrier: shipengine,
    account: { key: 'TEST_x', test: true, service: 'usps', carrier_account: 'se-1' },
    answer: (_, url) => {
      if (url.endsWith('/labels')) {
        const label_download = { href: `data:application/zpl;base64,${ZPL}` }
        return [
          200,
          { label_id: 'se-9', status: 'completed', tracking_number: '94', label_download },
        ]
      }
      const rate = { rate_id: 'se-1', service_code: 'usps', carrier_id: 'se-1' }
      return [200, { rate_response: { rates: [rate] } }]
    },
    buys: (url) => url.endsWith('/labels'),
    declared: (body) => {
      const lines = at(body, 'shipment', 'customs', 'customs_items')
      if (lines === undefined) return undefined
      return listOf(lines).map((line) => ({
        description: textAt(line, 'description'),
        quantity: numberAt(line, 'quantity'),
        value: numberAt(line, 'value'),
        origin: textAt(line, 'country_of_origin'),
        currency: textAt(line, 'value_currency').toUpperCase(),
      }))
    },
  },
]

/** The names of a line here and in the original, which mean the same. */
const NAMES = {
  description: ['description', 'customs_description'],
  quantity: ['quantity', 'customs_quantity'],
  value: ['value', 'customs_value'],
  weight: ['weight', 'customs_weight'],
  origin: ['origin_country', 'customs_origin_country', 'country_of_manufacture'],
} as const

const OURS = {
  description: 'Cotton T-shirt',
  quantity: 2,
  value: 19.9,
  weight: 0.5,
  hs_code: '610910',
  origin_country: 'PT',
}
const ORIGINAL = {
  customs_description: 'Steel mug',
  customs_quantity: '3',
  customs_value: '12.50',
  customs_weight: 0.75,
  customs_origin_country: 'CN',
  country_of_manufacture: 'CN',
  customs_hs_tariff: '732393',
  commodity_code: '732393',
  customs_line_amount: 37.5,
}

/** A call that is right: from the United States in dollars, or from Britain in its own money. */
function rightParams(account: Values, isBritish: boolean): Record<string, unknown> {
  const from = isBritish
    ? {
        ship_city: 'Leeds',
        ship_state: '',
        ship_code: 'LS1 4AP',
        ship_country: 'GB',
        currency: 'GBP',
      }
    : {
        ship_city: 'Reno',
        ship_state: 'NV',
        ship_code: '89501',
        ship_country: 'US',
        currency: 'USD',
      }
  return {
    ...account,
    shipper: 'Shop',
    ship_addr1: '1 Dock Rd',
    ship_phone: '7755550100',
    ...from,
    to_name: 'Erika Muster',
    to_addr1: 'Hauptstr. 1',
    to_addr2: 'Hof',
    to_city: 'Berlin',
    to_code: '10117',
    to_country: 'DE',
    to_phone: '+49305550100',
    packages: [{ weight: 5, length: 10, width: 8, height: 4 }],
    customs: [OURS, ORIGINAL],
    customs_value: 77.3,
  }
}

type Kind = 'dropped' | 'misspelt' | 'emptied' | 'mistyped'

const EMPTY: readonly unknown[] = ['', ' ', null, [], {}]
const ODD: readonly unknown[] = [
  true,
  false,
  -1,
  0,
  'abc',
  '1,5',
  2.5,
  1e9,
  ['x'],
  { a: 1 },
  [[1]],
  'ZZ',
  'NaN',
  '0x10',
]

/** The change of a value. */
interface Change {
  readonly place: number
  readonly kind: Kind
  readonly at: number
  readonly letter: string
}

/** Every place of a call: of params, of its parcel, of each line of customs. */
function placesOf(params: Values): readonly (readonly (string | number)[])[] {
  const own = Object.keys(params).map((name) => [name])
  // A list that was mistyped is a word now, whose letters are no places.
  const entriesOf = (list: string): readonly unknown[] => {
    const entries = params[list]
    return Array.isArray(entries) ? entries : []
  }
  const inner = ['packages', 'customs'].flatMap((list) =>
    entriesOf(list).flatMap((entry, n) => [
      [list, n],
      ...(isObject(entry) ? Object.keys(entry).map((name) => [list, n, name]) : []),
    ]),
  )
  // What is declared counts more than what is not.
  const declared = inner.filter(([list, , name]) => list === 'customs' && name !== undefined)
  return [...own, ...inner, ...declared, ...declared]
}

function change(params: Values, { place, kind, at: n, letter }: Change): Values {
  const places = placesOf(params)
  const path = places[place % places.length] ?? []
  const copy = structuredClone(params) as Record<string, unknown>
  let holder: Record<string | number, unknown> = copy
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>
  const [name = ''] = path.slice(-1)
  const value = holder[name]
  if (kind === 'emptied') holder[name] = EMPTY[n % EMPTY.length]
  if (kind === 'mistyped') holder[name] = ODD[n % ODD.length]
  if (kind !== 'dropped' && kind !== 'misspelt') return copy
  if (Array.isArray(holder)) holder.splice(Number(name), 1)
  else delete holder[name]
  if (kind === 'misspelt' && typeof name === 'string') {
    const where = n % name.length
    holder[name.slice(0, where) + letter + name.slice(where + (n % 2))] = value
  }
  return copy
}

/** Returns what a line says under names that mean the same; undefined = nothing, or two things. */
function sayingOf(line: unknown, names: readonly string[]): string | undefined {
  const said = names.map((name) => textAt(line, name)).filter((text) => text !== '')
  return new Set(said.map((text) => text.toUpperCase())).size === 1 ? said[0] : undefined
}

/** Finds how a declaration differs from the request; undefined = it does not. */
function findFalse(params: Values, declared: readonly Declared[] | undefined): string | undefined {
  const lines = listOf(params['customs'])
  if (declared === undefined) return 'nothing was declared'
  if (declared.length !== lines.length) return `${declared.length} of ${lines.length} lines`
  const currency = textAt(params, 'currency').toUpperCase() || 'USD'
  if (textAt(params, 'currency') === '' && params['ship_country'] !== 'US')
    return 'a made up currency'
  return lines
    .map((line, n) => findFalseLine(line, declared[n], currency))
    .find((why) => why !== undefined)
}

function findFalseLine(line: unknown, told: Declared | undefined, currency: string) {
  const wanted = {
    description: sayingOf(line, NAMES.description),
    quantity: Number(sayingOf(line, NAMES.quantity)),
    value: Number(sayingOf(line, NAMES.value)),
    origin: sayingOf(line, NAMES.origin)?.toUpperCase(),
    currency,
  }
  const isSame = (value: unknown, own: unknown): boolean =>
    typeof value === 'number'
      ? value > 0 && Math.abs(value - Number(own)) < 0.000_001
      : value === own
  const wrong = Object.entries(wanted).find(
    ([name, value]) => !isSame(value, told?.[name as keyof typeof wanted]),
  )
  if (wrong !== undefined) return `${wrong[0]} is not ${wrong[1]}: ${JSON.stringify(told)}`
  const pounds = Number(sayingOf(line, NAMES.weight)) * wanted.quantity
  const isHeavy = told?.pounds === undefined || Math.abs(told.pounds - pounds) < 0.05
  return pounds > 0 && isHeavy ? undefined : `it weighs ${told?.pounds}, wanted ${pounds}`
}

const changes = fc.array(
  fc.record({
    place: fc.nat(10_000),
    kind: fc.constantFrom<Kind>('dropped', 'misspelt', 'emptied', 'mistyped'),
    at: fc.nat(1_000),
    letter: fc.constantFrom(...'aeisxz'),
  }),
  { minLength: 1, maxLength: 3 },
)

for (const seller of SELLERS) {
  const { carrier, account } = seller
  t.test(`${carrier.name}: what is declared is what was asked for`, async (t) => {
    let bodies: { readonly url: string; readonly body: unknown }[] = []
    const rig = await startCarrier(t, carrier, (method, url, _, body) => {
      bodies.push({ url, body: jsonOf(body) })
      return seller.answer(method, url)
    })
    let count = 0
    const buy = async (params: Values) => {
      bodies = []
      count += 1
      const call = {
        carrier: carrier.name,
        action: 'SubmitShipment',
        request_id: `r${count}`,
        params,
      }
      const res = await rig.post(call)
      await res.text()
      const isBought = bodies.some(({ url }) => seller.buys(url))
      const declared = bodies
        .map(({ body }) => seller.declared(body))
        .findLast((one) => one !== undefined)
      return { isBought, declared }
    }
    for (const isBritish of [false, true]) {
      const params = rightParams(account, isBritish)
      const { isBought, declared } = await buy(params)
      t.ok(isBought, 'as it is, it is bought')
      t.equal(findFalse(params, declared), undefined)
    }
    let bought = 0
    await fc.assert(
      fc.asyncProperty(changes, fc.boolean(), async (list, isBritish) => {
        const params = list.reduce<Values>(change, rightParams(account, isBritish))
        const { isBought, declared } = await buy(params)
        if (!isBought) return
        bought += 1
        const why = findFalse(params, declared)
        if (why !== undefined) throw new Error(`${why}: ${JSON.stringify(params)}`)
      }),
      { numRuns: 200, endOnFailure: true },
    )
    t.ok(bought > 0 && bought < 200, `${bought} of 200 were bought`)
  })
}
