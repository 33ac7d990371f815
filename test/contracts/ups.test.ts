import t from 'tap'
import type { Action } from '../../src/carriers/answers.ts'
import type { CarrierOrder } from '../../src/carriers/carrier.ts'
import { readShipment } from '../../src/carriers/params.ts'
import { ups } from '../../src/carriers/ups/index.ts'
import { TWO_PARCELS } from '../plugins/shipping/http/calls.ts'
import { callsOf, judge, withPrism } from './judge.ts'
import { installPrism } from './prism.ts'

const skip = installPrism() ?? false

const ACCOUNT = { client_id: 'id', client_secret: 'secret', account_number: 'A1B2C3' }

function orderOf(more: Readonly<Record<string, unknown>> = {}): CarrierOrder {
  const read = readShipment({
    ...TWO_PARCELS,
    service: '03',
    tracking_number: '1Z12345E0205271688',
    ...more,
  })
  if ('errors' in read) throw new Error(read.errors[0]?.description)
  return {
    shipment: read.shipment,
    account: ACCOUNT,
    isTest: true,
    now: 0,
    requestId: 'order-1001',
    label: { format: 'ZPL', dpi: 203, isPrinted: false },
  }
}

const LINE = {
  description: 'Mug',
  quantity: 2,
  value: 4.5,
  weight: 0.5,
  hs_code: '6912.00',
  origin_country: 'US',
}

/** Shipments that fill what our requests may hold. */
const ORDERS: Readonly<Record<string, CarrierOrder>> = {
  plain: orderOf(),
  'kilograms and sizes': orderOf({
    packages: [{ weight: 0.25, length: 10.2, width: 20, height: 30 }],
    weight_unit: 'KG',
    length_unit: 'CM',
  }),
  'insured and signed': orderOf({
    packages: [{ weight: 1, insured_value: '49.90', signature_type: 'ADULT' }, { weight: 70.04 }],
    residential: true,
    to_phone: '5551234567',
    reference1: 'x'.repeat(60),
  }),
  'insured, signed, abroad': orderOf({
    to_country: 'CA',
    to_code: 'V6B 1A1',
    to_state: 'BC',
    ship_phone: '7755550100',
    to_phone: '5551234567',
    packages: [{ weight: 1, insured_value: '49.90', signature_type: 'ADULT' }, { weight: 70.04 }],
    residential: true,
    customer_classification: '00',
    reference1: 'x'.repeat(60),
    service: '11',
    customs: [
      { ...LINE, description: 'x'.repeat(90) },
      { ...LINE, hs_code: '' },
    ],
  }),
  'within the European Union': orderOf({
    ship_country: 'DE',
    ship_code: '10117',
    ship_phone: '7755550100',
    to_country: 'FR',
    to_code: '75001',
    to_phone: '5155550100',
    service: '11',
  }),
  'to Puerto Rico': orderOf({
    ship_phone: '7755550100',
    to_country: 'PR',
    to_state: '',
    to_code: '00907',
    to_phone: '7875550100',
    customs: [LINE],
  }),
  'a return': orderOf({ is_return: true }),
  'a return from abroad': orderOf({
    ship_country: 'US',
    ship_phone: '7755550100',
    to_country: 'CH',
    to_code: '8001',
    to_phone: '+41445550100',
    is_return: true,
    customs: [LINE],
    service: '11',
  }),
  'third lines and numbers of taxes': orderOf({
    ship_addr2: 'Hall 2',
    ship_addr3: 'Gate 7',
    to_addr2: 'Apt 3',
    to_addr3: 'Floor 3',
    ship_tax_id: 'GB123456789000',
    ship_tax_id_type: 'EORI',
    to_tax_id: 'DE123456789',
    to_tax_id_type: 'VAT',
  }),
  'within Germany': orderOf({
    ship_country: 'DE',
    ship_state: 'Bayern',
    ship_code: '95028',
    reference1: 'A-1',
    to_country: 'DE',
    to_state: 'Schleswig-Holstein',
    to_code: '24103',
    service: '11',
  }),
  'to a place without postal codes': orderOf({
    ship_phone: '7755550100',
    to_country: 'HK',
    to_state: '',
    to_code: '',
    to_phone: '85255501000',
    customs: [LINE],
  }),
  'long names': orderOf({
    shipper: 'Ä'.repeat(80),
    to_name: 'x'.repeat(90),
    ship_addr2: 'y'.repeat(35),
  }),
  'every label': { ...orderOf(), label: { format: 'PNG', dpi: 300, isPrinted: true } },
}

const FILES: readonly (readonly [string, readonly Action[]])[] = [
  ['Rating', ['GetAllRates']],
  ['Shipping', ['SubmitShipment', 'VoidShipment']],
  ['Tracking', ['Track']],
  ['AddressValidation', ['AddressValidate']],
]

for (const [name, actions] of FILES) {
  t.test(`UPS's own description of ${name} accepts our requests`, { skip }, async (t) => {
    await withPrism(t, `ups/${name}.yaml`, async (prism) => {
      for (const action of actions) {
        for (const [kind, order] of Object.entries(ORDERS)) {
          for (const call of callsOf(ups, action, order, '/api'))
            await judge(t, prism, `${action} ${kind}`, call)
        }
      }
    })
  })
}

t.test("UPS's own description of the token accepts our request", { skip }, async (t) => {
  await withPrism(t, 'ups/OAuthClientCredentials.yaml', async (prism) => {
    const call = ups.token?.request(ACCOUNT)
    if (call === undefined) throw new Error('UPS has tokens')
    await judge(t, prism, 'token', call)
  })
})
