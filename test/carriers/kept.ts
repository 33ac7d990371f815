import { readdirSync } from 'node:fs'
import { type Action, BLANKS } from '../../src/carriers/answers.ts'
import type { CarrierOrder, HttpCall } from '../../src/carriers/carrier.ts'
import { CONTRACTS, type Contract, callsOf, OWN_CONTRACTS, orderOf } from '../contracts/carriers.ts'
import { saved } from './parser.ts'

/** Folders of answers/, by the carrier that they come from. */
const SAVED: Readonly<Record<string, string>> = {
  'UPS-REST': 'ups',
  'USPS-REST': 'usps',
  EasyPost: 'easypost',
  ShipEngine: 'shipengine',
  Shippo: 'shippo',
}

/** The actions of answers, by the beginning of their names; the others answer a purchase. */
const ACTIONS: readonly (readonly [RegExp, Action])[] = [
  [/^(?:rate|estimate|shipment|carriers)/, 'GetAllRates'],
  [/^(?:address|city)/, 'AddressValidate'],
  [/^(?:void|refund)/, 'VoidShipment'],
  [/^track/, 'Track'],
]

/** Answers to calls that we do not make. */
const UNASKED = /^(?:rates|timing|token)/

/** Values longer than every carrier's bounds. */
const LONG = {
  shipper: 'Ä'.repeat(80),
  to_name: 'n'.repeat(90),
  to_company: 'c'.repeat(90),
  to_phone: '5'.repeat(40),
  reference1: 'r'.repeat(180),
  reference2: 's'.repeat(180),
}

/** Refused on a label by carriers that would cut it, and rated all the same. */
export const LONG_LINES = {
  ship_addr1: 'a'.repeat(120),
  ship_addr2: 'b'.repeat(120),
  to_addr2: 'd'.repeat(120),
  to_city: 'e'.repeat(120),
}

/** Each carrier's file of what it is sent, and what its saved answers mean to us. */
export function listKept(): ReadonlyMap<string, object> {
  return new Map(
    [...CONTRACTS, ...OWN_CONTRACTS].map((contract) => {
      const kept = { requests: requestsOf(contract), outcomes: outcomesOf(contract) }
      return [`${contract.carrier.name}.json`, kept]
    }),
  )
}

/** Lists requests as `METHOD path`, headers and body. */
function requestsOf(contract: Contract): object {
  const { carrier, account, shipments } = contract
  const actions = Object.keys(BLANKS).filter((one) => one in carrier.actions) as Action[]
  const token = carrier.token?.request(account)
  const long = orderOf(contract, { ...shipments[0], ...LONG })
  const orders: readonly (readonly [string, CarrierOrder])[] = [
    ...shipments.map((params, nr) => [`${nr + 1}`, orderOf(contract, params)] as const),
    ['with one reference', orderOf(contract, { ...shipments[0], reference: 'A-1' })],
    ['long', { ...long, requestId: 'i'.repeat(180) }],
  ]
  const lines = orderOf(contract, { ...shipments[0], ...LONG_LINES })
  return {
    ...(token && { token: [show(token)] }),
    'GetAllRates long lines': callsOf(contract, 'GetAllRates', lines).map(show),
    ...Object.fromEntries(
      actions.flatMap((action) =>
        orders.map(([name, order]) => [
          `${action} ${name}`,
          callsOf(contract, action, order).map(show),
        ]),
      ),
    ),
  }
}

function show({ method, path, headers, body, spends }: HttpCall): readonly unknown[] {
  const isJson = headers['Content-Type'] === 'application/json' && body !== undefined
  const shown: unknown = isJson ? JSON.parse(body) : body
  const line = `${method} ${path}${spends === true ? ' spends' : ''}`
  return [line, headers, ...(shown === undefined ? [] : [shown])]
}

function outcomesOf(contract: Contract): object {
  const { carrier, shipments } = contract
  const folder = SAVED[carrier.name]
  if (folder === undefined) return {}
  const names = readdirSync(new URL(`answers/${folder}`, import.meta.url))
    .map((file) => file.replace('.json', ''))
    .filter((name) => !UNASKED.test(name))
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const action = ACTIONS.find(([pattern]) => pattern.test(name))?.[1] ?? 'SubmitShipment'
      // The last one has a rate to buy where the carrier has rates to choose from.
      const params = shipments.at(action === 'SubmitShipment' ? -1 : 0) ?? {}
      const order = orderOf(contract, params)
      const outcome = carrier.actions[action]?.parse(saved(`${folder}/${name}`), order, {})
      // As JSON has it: without what is undefined.
      return [`${name}: ${action}`, JSON.parse(JSON.stringify(outcome ?? null))]
    }),
  )
}
