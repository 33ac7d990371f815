import t from 'tap'
import type { Action } from '../../src/carriers/answers.ts'
import type { CarrierOrder } from '../../src/carriers/carrier.ts'
import { easypost } from '../../src/carriers/easypost/index.ts'
import { readShipment } from '../../src/carriers/params.ts'
import { ADDRESSES } from '../plugins/shipping/http/calls.ts'
import { callsOf, judge, withPrism } from './judge.ts'
import { installPrism } from './prism.ts'

const skip = installPrism() ?? false

function orderOf(more: Readonly<Record<string, unknown>> = {}): CarrierOrder {
  const read = readShipment({ ...ADDRESSES, service: 'USPS/Express', weight: 2.5, ...more })
  if ('errors' in read) throw new Error(read.errors[0]?.description)
  return {
    shipment: read.shipment,
    account: { key: 'EZTKx' },
    isTest: true,
    now: 0,
    requestId: 'order-1001',
    label: { format: 'ZPL', dpi: 203, isPrinted: false },
  }
}

const IDS = { rate_id: 'rate_1', shipment_id: 'shp_1' }
const LINE = {
  description: 'Mug',
  quantity: 2,
  value: 4.5,
  weight: 0.5,
  hs_code: '6912',
  origin_country: 'US',
}

const CALLS: readonly (readonly [Action, Readonly<Record<string, unknown>>])[] = [
  ['GetAllRates', {}],
  ['GetAllRates', { length: 10, width: 8, height: 4.5, length_unit: 'CM', weight_unit: 'KG' }],
  ['GetAllRates', { to_country: 'CA', customs: [LINE], carrier_account: ['ca_1', 'ca_2'] }],
  [
    'GetAllRates',
    {
      to_country: 'CA',
      customs: [LINE],
      ship_tax_id: 'GB123456789000',
      ship_tax_id_type: 'EORI',
      to_tax_id: 'DE123456789',
      to_tax_id_type: 'VAT',
      invoice_number: 'INV-1',
      contents_type: 'GIFT',
    },
  ],
  ['GetAllRates', { packages: [{ weight: 1, insured_value: 50, signature_type: 'ADULT' }] }],
  [
    'GetAllRates',
    { residential: true, to_phone: '5551234567', to_company: 'Mugs', ship_email: 'a@b.c' },
  ],
  ['GetAllRates', { is_return: true }],
  ['SubmitShipment', {}],
  ['SubmitShipment', { ...IDS, is_return: true }],
  ['SubmitShipment', IDS],
  ['Track', { tracking_number: 'EZ1000000001', carrier_name: 'USPS' }],
  ['Track', { shipment_id: 'shp_1' }],
  ['VoidShipment', { shipment_id: 'shp_1' }],
  ['AddressValidate', { residential: false }],
]

t.test(
  'our requests to EasyPost are spelled as its client libraries spell them',
  { skip },
  async (t) => {
    await withPrism(t, 'easypost/easypost.yaml', async (prism) => {
      for (const [action, params] of CALLS) {
        const name = `${action} ${JSON.stringify(params)}`
        for (const call of callsOf(easypost, action, orderOf(params), '/v2')) {
          await judge(t, prism, name, call)
        }
      }
    })
  },
)
