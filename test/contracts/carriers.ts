import type { Action } from '../../src/carriers/answers.ts'
import type {
  Account,
  Carrier,
  CarrierFacts,
  CarrierOrder,
  HttpCall,
} from '../../src/carriers/carrier.ts'
import { dhl } from '../../src/carriers/dhl/index.ts'
import { easypost } from '../../src/carriers/easypost/index.ts'
import { fedex } from '../../src/carriers/fedex/index.ts'
import { karrio } from '../../src/carriers/karrio/index.ts'
import { readShipment } from '../../src/carriers/params.ts'
import { shipengine, shipstation } from '../../src/carriers/shipengine/index.ts'
import { shippo } from '../../src/carriers/shippo/index.ts'
import { ups } from '../../src/carriers/ups/index.ts'
import { usps } from '../../src/carriers/usps/index.ts'
import { ADDRESSES } from '../plugins/shipping/http/calls.ts'

// Labels have the day where the box stands.
process.env['TZ'] = 'UTC'

type Params = Readonly<Record<string, unknown>>

/** A carrier, what its calls are judged by, and the shipments that fill what they may hold. */
export interface Contract {
  readonly carrier: Carrier
  readonly account: Account
  /** Files by the beginning of the paths that they describe, which they leave out unless `isWhole`. */
  readonly specs: readonly (readonly [prefix: string, file: string, isWhole?: true])[]
  readonly shipments: readonly Params[]
  /** Names that its description leaves open. */
  readonly free?: readonly string[]
  /** Good answers on the way, so that the calls after them are seen too. */
  readonly replies?: readonly unknown[]
}

const PARCEL = { weight: 2.5, length: 9.25, width: 6, height: 4 }
const PHONES = { ship_phone: '7755550100', to_phone: '5155550100' }
const LINE = {
  description: 'Mug',
  quantity: 2,
  value: 4.5,
  weight: 0.5,
  hs_code: '691200',
  origin_country: 'US',
}
const ABROAD = {
  to_country: 'CA',
  to_code: 'V6B 1A1',
  to_state: 'BC',
  to_city: 'Vancouver',
  customs: [LINE],
}
/** Identities of both parties for customs and tax offices, and data of the invoice. */
const PAPERS = {
  ship_country: 'US',
  ship_addr2: 'Hall 2',
  ship_addr3: 'Gate 7',
  to_addr2: 'Apt 3',
  to_addr3: 'Floor 3',
  ship_tax_id: 'GB123456789000',
  ship_tax_id_type: 'EORI',
  to_tax_id: 'DE123456789',
  to_tax_id_type: 'VAT',
  invoice_number: 'INV-1',
  contents_type: 'GIFT',
  currency: 'USD',
}
const FULL = {
  residential: true,
  to_company: 'Mugs Inc',
  to_email: 'a@example.com',
  to_addr2: 'Apt 3',
  reference1: 'A-1',
  reference2: 'B-2',
  packages: [{ ...PARCEL, insured_value: '49.90', signature_type: 'ADULT' }],
}
/** For those that cannot ask for an adult's signature. */
const SIGNED = {
  ...FULL,
  packages: [{ ...PARCEL, insured_value: '49.90', signature_type: 'DIRECT' }, PARCEL],
}
const METRIC = { weight_unit: 'KG', length_unit: 'CM' }
const TRACKED = { tracking_number: '9400100000000000000000', shipment_id: '794953535000' }
const WHOLE_ID = '00000000-0000-4000-a000-000000000000'

const RATE = {
  object_id: 'ec9f0d3adc9441449c85d315f0997fd5',
  amount: '5.50',
  servicelevel: { token: 'usps' },
}

export const CONTRACTS: readonly Contract[] = [
  {
    carrier: fedex,
    account: { client_id: 'i', client_secret: 's', account_number: '123456789', paperless: 'yes' },
    specs: [
      ['/rate/', 'fedex-rate-api.json', true],
      ['/ship/', 'fedex-ship-api.json', true],
      ['/track/', 'fedex-track.json', true],
    ],
    shipments: [
      PHONES,
      { ...PHONES, ...FULL },
      { ...PHONES, ...METRIC, ...ABROAD },
      { ...PHONES, ...ABROAD, ...PAPERS },
      { ...PHONES, is_return: true },
      { ...PHONES, ...ABROAD, is_return: true },
    ].map((one) => ({
      service: 'FEDEX_GROUND',
      ...TRACKED,
      ...one,
    })),
  },
  {
    carrier: usps,
    account: {
      client_id: 'i',
      client_secret: 's',
      account_number: '1234567890',
      crid: '12345678',
      mid: '123456789',
    },
    specs: [
      ['/prices/v3', 'usps-domestic-prices.yaml'],
      ['/labels/v3', 'usps-domestic-labels.yaml'],
      ['/payments/v3', 'usps-payments.yaml'],
      ['/tracking/v3', 'usps-tracking.yaml'],
      ['/addresses/v3', 'usps-addresses.yaml'],
    ],
    shipments: [
      {},
      FULL,
      METRIC,
      { service: 'PRIORITY_MAIL/FB/MACHINABLE' },
      { is_return: true, reference1: 'A-1' },
      { is_return: true, packages: [{ ...PARCEL, insured_value: '49.90' }] },
    ].map((one) => ({
      service: 'USPS_GROUND_ADVANTAGE',
      to_name: 'Ann Buyer',
      ...TRACKED,
      ...one,
    })),
    replies: [{ paymentAuthorizationToken: 'x' }],
  },
  {
    carrier: dhl,
    account: { client_id: 'i', client_secret: 's', account_number: '123456789', paperless: 'yes' },
    specs: [['/mydhlapi/test', 'mydhl.yaml']],
    shipments: [
      PHONES,
      { ...PHONES, ...SIGNED },
      { ...PHONES, ...METRIC, ...ABROAD },
      { ...PHONES, ...ABROAD, ...PAPERS },
      { ...PHONES, ...ABROAD, is_return: true },
    ].map((one) => ({
      service: 'P',
      ...TRACKED,
      tracking_number: '1234567890',
      ...one,
    })),
  },
  {
    carrier: shippo,
    account: { key: 'shippo_test_x' },
    specs: [['/', 'shippo-2024-06.yaml', true]],
    shipments: [
      {},
      { ...FULL, carrier_account: ['b741b99f95e841639b54272834bc478c'] },
      { ...METRIC, ...ABROAD },
      { ...ABROAD, ...PAPERS },
      { is_return: true },
      { rate_id: RATE.object_id },
    ].map((one) => ({ ...TRACKED, service: 'usps', carrier_name: 'usps', ...one })),
    replies: [RATE],
  },
  ...[
    { carrier: shipengine, file: 'shipengine.yaml' },
    { carrier: shipstation, file: 'shipstation-v2.yaml' },
  ].map(({ carrier, file }) => ({
    carrier,
    account: { key: 'TEST_x' },
    specs: [['/', file, true]] as const,
    shipments: [
      PHONES,
      { ...PHONES, ...FULL, carrier_account: 'se-123890' },
      { ...PHONES, ...METRIC, ...ABROAD },
      { ...PHONES, ...ABROAD, ...PAPERS },
      { ...PHONES, is_return: true },
      { ...PHONES, rate_id: 'se-28529731' },
    ].map((one) => ({ ...TRACKED, shipment_id: 'se-28529731', service: 'usps', ...one })),
    replies: [
      { carriers: [{ carrier_id: 'se-123890', carrier_code: 'stamps_com' }] },
      {
        rate_response: {
          rates: [{ rate_id: 'se-1', service_code: 'usps', carrier_id: 'se-123890' }],
        },
      },
      { shipment_id: 'se-28529731' },
    ],
  })),
  {
    carrier: karrio,
    account: { key: 'key_x', url: 'http://127.0.0.1:5002' },
    specs: [['/', 'karrio.yml', true]],
    free: ['signature_confirmation', 'insurance', 'currency'],
    shipments: [
      {},
      { ...SIGNED, carrier_account: ['ups-main'] },
      { ...METRIC, ...ABROAD },
      { ...ABROAD, ...PAPERS },
      { ...ABROAD, ...PAPERS },
      { rate_id: 'rat_1', shipment_id: 'shp_1' },
    ].map((one) => ({
      ...TRACKED,
      shipment_id: 'shp_1',
      service: 'ups_ground',
      carrier_name: 'ups',
      ...one,
    })),
    replies: [
      {
        id: 'shp_1',
        test_mode: true,
        rates: [{ id: 'rat_1', service: 'ups_ground', carrier_name: 'ups' }],
      },
    ],
  },
]

/** Contracts whose descriptions have tests of their own. */
export const OWN_CONTRACTS: readonly Contract[] = [
  {
    carrier: ups,
    account: { client_id: 'i', client_secret: 's', account_number: 'A1B2C3' },
    specs: [],
    shipments: [
      { packages: [{ weight: 3 }, { weight: 2 }] },
      { ...FULL, to_phone: '5551234567' },
      METRIC,
      { ...PHONES, ...METRIC, ...ABROAD, service: '11' },
      { ...PHONES, ...ABROAD, ...PAPERS, service: '11' },
      { is_return: true },
    ].map((one) => ({ ...TRACKED, service: '03', ...one })),
  },
  {
    carrier: easypost,
    account: { key: 'EZTKx' },
    specs: [],
    shipments: [
      {},
      { ...FULL, carrier_account: ['ca_1', 'ca_2'] },
      { ...METRIC, ...ABROAD },
      { ...ABROAD, ...PAPERS },
      { is_return: true },
      { rate_id: 'rate_1', shipment_id: 'shp_1' },
    ].map((one) => ({ ...TRACKED, service: 'USPS/Express', carrier_name: 'USPS', ...one })),
    replies: [{ id: 'shp_1', rates: [{ id: 'rate_1', carrier: 'USPS', service: 'Express' }] }],
  },
]

export function orderOf({ account }: Contract, params: Params): CarrierOrder {
  const read = readShipment({ ...ADDRESSES, packages: [PARCEL], ...params })
  if ('errors' in read) throw new Error(read.errors[0]?.description)
  return {
    shipment: read.shipment,
    account,
    isTest: true,
    now: Date.UTC(2026, 10, 23),
    requestId: WHOLE_ID,
    label: { format: 'ZPL', dpi: 203, isPrinted: false },
  }
}

/** Every call of an action, those after good answers and after a time-out included. */
export function callsOf(
  contract: Contract,
  action: Action,
  order: CarrierOrder,
): readonly HttpCall[] {
  const { carrier, replies = [] } = contract
  const plan = carrier.actions[action]
  const next = plan?.request(order)
  if (plan === undefined || next === undefined) return []
  if ('errors' in next) throw new Error(`${carrier.name} ${action}: ${JSON.stringify(next.errors)}`)
  const calls = [next.call]
  let kept: CarrierFacts = next.kept ?? {}
  for (const body of replies) {
    const outcome = plan.parse(toReply(body), order, kept)
    if (!('next' in outcome)) continue
    calls.push(outcome.next)
    ;({ kept } = outcome)
  }
  const asked = plan.recover?.(order, kept)
  if (asked === undefined || asked === 'not done') return calls
  const found = replies.map((body) => plan.parseRecovery?.(toReply(body), order, kept))
  const more = found.flatMap((one) => (typeof one === 'object' && 'next' in one ? [one.next] : []))
  return [...calls, asked, ...more]
}

function toReply(body: unknown) {
  return { status: 200, headers: {}, text: JSON.stringify(body) }
}
