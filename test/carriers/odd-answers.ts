import { createHash } from 'node:crypto'
import { type Action, BLANKS } from '../../src/carriers/answers.ts'
import type { CarrierOrder, HttpReply } from '../../src/carriers/carrier.ts'
import { CONTRACTS, type Contract, OWN_CONTRACTS, orderOf } from '../contracts/carriers.ts'
import { allSaved, answer } from './parser.ts'

const STATUSES = [200, 201, 202, 207, 299, 400, 401, 402, 403, 404, 409, 410, 422, 429, 500, 503]
/** Most changes of one answer; the largest answers have thousands of values alike. */
const CHANGES_MOST = 40
/** Folders of answers/. */
const SAVED: Readonly<Record<string, string>> = {
  'UPS-REST': 'ups',
  'USPS-REST': 'usps',
  EasyPost: 'easypost',
  ShipEngine: 'shipengine',
  Shippo: 'shippo',
}
const WORDS = [
  '',
  'address',
  'postal code',
  'weight',
  'service',
  'account',
  'not found',
  'void',
  'city',
  'is required',
  'invalid',
  'token',
  'rate',
  'insufficient funds',
  'duplicate',
  'phone',
  'state_error',
  'validation',
  'authentication',
  'not available',
  'unauthorized',
]

const FIELDS = [
  ...['name', 'addr1', 'addr2', 'city', 'state', 'code', 'phone', 'email', 'company'].flatMap(
    (field) => [`ship_${field}`, `to_${field}`],
  ),
  'shipper',
  'service',
  'tracking_number',
  'shipment_id',
  'rate_id',
  'carrier_name',
  'carrier_account',
  'packaging_type',
  'pickup_type',
  'customer_classification',
]
const PARCEL = { weight: 2.5, length: 9.25, width: 6, height: 4 }
const CUSTOMS = { description: 'Mug', value: 4.5, weight: 0.5 }
const withParcels = (...parcels: readonly object[]) => ({
  packages: parcels.map((one) => ({ ...PARCEL, ...one })),
})

/** Orders with unusual parts: each field blank or odd, units, sizes, insurance, signatures, customs. */
const ORDERS: readonly object[] = [
  ...FIELDS.flatMap((field) => [{ [field]: '' }, { [field]: 'Odd 1' }]),
  ...['', '12345-6789', '1234567890', 'v6b1a1'].map((to_code) => ({ to_code })),
  ...['5155550100x9', '+49 170 1234567890'].map((to_phone) => ({ to_phone })),
  { packages: undefined },
  { packages: undefined, weight: 1 },
  { weight_unit: 'KG' },
  { length_unit: 'CM' },
  { weight_unit: 'OZ', length_unit: 'CM' },
  ...[0.01, 0.999, 1, 70, 70.01, 150, 151].map((weight) => withParcels({ weight })),
  ...[0, 0.001, 108, 300].map((length) => withParcels({ length })),
  withParcels({}, {}),
  withParcels({ weight: 1 }, { weight: 99, width: 0 }, {}),
  ...[0.01, 100, 500, 500.01, 5_000, 50_000].map((value) => withParcels({ insured_value: value })),
  withParcels({ insured_value: 5, insured_currency: 'EUR' }),
  ...['DIRECT', 'ADULT', 'NO_SIGNATURE_REQUIRED'].map((type) =>
    withParcels({ signature_type: type }),
  ),
  ...[true, false].map((residential) => ({ residential })),
  ...['CA', 'DE', 'PR'].flatMap((to_country) => [
    { to_country },
    { to_country, customs: [CUSTOMS, { ...CUSTOMS, quantity: 3, origin_country: 'CN' }] },
  ]),
  { ship_country: 'CA' },
  { currency: 'EUR' },
  { reference3: 'C' },
  { reference: 'R' },
]
const LABELS = (['ZPL', 'EPL', 'PNG', 'PDF'] as const).flatMap((format) =>
  [203, 300, 600].map((dpi) => ({ format, dpi, isPrinted: dpi === 300 })),
)

/** A digest of what every carrier is sent for odd orders, or why it is not, for each action. */
export function digestOddOrders(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...CONTRACTS, ...OWN_CONTRACTS].flatMap((contract) => {
      const { carrier, shipments } = contract
      const actions = Object.keys(BLANKS).filter((one) => one in carrier.actions) as Action[]
      return actions.map((action) => {
        const hash = createHash('sha256')
        const ask = (params: object, more: object = {}): void => {
          try {
            const order = { ...orderOf(contract, { ...params }), ...more } as CarrierOrder
            hash.update(JSON.stringify(carrier.actions[action]?.request(order) ?? null))
            hash.update(JSON.stringify(carrier.refuse?.(order) ?? null))
          } catch (error) {
            hash.update((error as Error).message)
          }
        }
        for (const shipment of shipments) {
          ask(shipment, { isTest: false })
          for (const label of LABELS) ask(shipment, { label })
          for (const odd of ORDERS) ask({ ...shipment, ...odd })
        }
        return [`${carrier.name}: ${action}`, hash.digest('hex').slice(0, 16)]
      })
    }),
  )
}

/** Lists carriers' forms of an error, with these words in each place. */
function refusalsWith(words: string): readonly unknown[] {
  const parts = { code: words, message: words, description: words, detail: words, field: words }
  const entry = { ...parts, error_code: words, error_type: words, source: words, text: words }
  return [
    { detail: words },
    { message: words, title: words, status: 400, additionalDetails: [words] },
    { errors: [entry] },
    { errors: [{ ...entry, parameterList: [{ key: words, value: words }] }] },
    { error: { ...parts, errors: [{ ...parts, source: { parameter: words, example: words } }] } },
    { messages: [{ ...entry, carrier_name: words, details: { words } }] },
    { response: { errors: [entry] } },
    { [words || 'field']: [words] },
  ]
}

/** The same answer with each of its values, or so many of them at most, left out or another one, in turn. */
export function* changesOf(body: unknown, most = CHANGES_MOST): Generator<string> {
  const places: (readonly [parent: Record<string, unknown>, key: string])[] = []
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, one] of Object.entries(value).slice(0, 40)) {
      // A label is but long.
      const parent = value as Record<string, unknown>
      if (typeof one === 'string' && one.length > 300) parent[key] = one.slice(0, 40)
      places.push([parent, key])
      walk(one)
    }
  }
  walk(body)
  yield JSON.stringify(body)
  const every = Math.ceil(places.length / most) || 1
  for (const [parent, key] of places.filter((_, n) => n % every === 0)) {
    const before = parent[key]
    for (const other of [null, 'Odd-1']) {
      parent[key] = other
      yield JSON.stringify(body)
    }
    parent[key] = before
  }
}

/** A digest of what every carrier's answers mean when they are not as they should be, for each action. */
export function digestOddAnswers(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...CONTRACTS, ...OWN_CONTRACTS].flatMap((contract) => {
      const actions = Object.keys(BLANKS).filter((one) => one in contract.carrier.actions)
      const replies = oddRepliesOf(contract)
      return actions.map((action) => [
        `${contract.carrier.name}: ${action}`,
        digest(contract, action as Action, replies),
      ])
    }),
  )
}

function oddRepliesOf({ carrier }: Contract): readonly HttpReply[] {
  const folder = SAVED[carrier.name]
  const saved = folder === undefined ? [] : allSaved(folder)
  const parsed = saved.flatMap((reply) => {
    try {
      return [{ reply, body: JSON.parse(reply.text) as unknown }]
    } catch {
      return []
    }
  })
  return [
    ...STATUSES.flatMap((status) => [
      ...saved.map((reply) => ({ ...reply, status })),
      ...[{}, [], null, 'no JSON object'].map((body) => answer(body, status)),
      { ...answer({}, status), text: '<html>' },
      ...refusalsWith('odd').map((body) => answer(body, status)),
    ]),
    ...WORDS.flatMap(refusalsWith).flatMap((body) => [answer(body, 400), answer(body)]),
    ...parsed.flatMap(({ reply, body }) =>
      [...changesOf(body)].map((text): HttpReply => ({ ...reply, text })),
    ),
  ]
}

function digest(contract: Contract, action: Action, replies: readonly HttpReply[]): string {
  const plan = contract.carrier.actions[action]
  const order = orderOf(contract, contract.shipments.at(action === 'SubmitShipment' ? -1 : 0) ?? {})
  const hash = createHash('sha256')
  for (const reply of replies) {
    hash.update(JSON.stringify(plan?.parse(reply, order, {}) ?? null))
    hash.update(JSON.stringify(plan?.parseRecovery?.(reply, order, {}) ?? null))
  }
  return hash.digest('hex').slice(0, 16)
}
