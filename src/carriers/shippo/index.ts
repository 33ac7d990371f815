import { type Activity, asKind, BLANKS, failure, toActivity } from '../answers.ts'
import {
  type Carrier,
  type CarrierOrder,
  type CarrierOutcome,
  EITHER_DPI,
  type HttpReply,
  type NextCall,
} from '../carrier.ts'
import {
  DECLARATION,
  EMAILS,
  INSURANCE,
  OF_SELLERS,
  PHONES,
  references,
  THIRD_LINES,
} from '../fields.ts'
import { fieldsOf, refuseLiveKey, refuseMissing, refuseUntracked } from '../orders.ts'
import { at, listOf, placeAt, textAt, toZonedTime } from '../reading.ts'
import { buying, rating } from './buy.ts'
import { refunding } from './refund.ts'
import { bodyOf, callWith, readErrors, readMessages, toAddress } from './wire.ts'

const HOST = 'https://api.goshippo.com'
const PLACE = { city: 'city', state: 'state', zip_code: 'zip', country: 'country' } as const

/** Shippo, which sells the labels of many carriers (API 2018-02-08). `shipment_id` of a bought label is its transaction. */
export const shippo: Carrier = {
  name: 'Shippo',
  credentials: [{ name: 'key', title: 'API token', isSecret: true, isRequired: true }],
  // The key tells a test from the real thing.
  hosts: { live: HOST, test: HOST },
  takes: new Set([
    ...INSURANCE,
    'reference_value',
    ...references(1),
    ...THIRD_LINES,
    ...PHONES,
    ...EMAILS,
    // Of the exporter alone.
    'ship_tax_id',
    'ship_tax_id_type',
    'residential',
    'is_return',
    ...DECLARATION,
    'invoice_number',
    ...OF_SELLERS,
  ]),
  labels: { ZPL: EITHER_DPI, PNG: EITHER_DPI, PDF: EITHER_DPI },
  labelHosts: [
    'shippo-delivery.s3.amazonaws.com',
    'shippo-delivery-east.s3.amazonaws.com',
    'deliver.goshippo.com',
  ],
  refuse: (order) => refuseLiveKey(order, 'shippo_test_'),
  actions: {
    GetAllRates: rating,
    SubmitShipment: buying,
    Track: { request: askTrack, parse: readTrack },
    VoidShipment: refunding,
    AddressValidate: { request: askAddress, parse: readAddress },
  },
}

function askTrack(order: CarrierOrder): NextCall {
  const { trackingNumber, carrierName } = order.shipment
  const carrier = encodeURIComponent(carrierName.toLowerCase())
  const path = `/tracks/${carrier}/${encodeURIComponent(trackingNumber)}`
  return refuseUntracked(order) ?? { call: callWith(order, 'GET', path) }
}

function readTrack(reply: HttpReply): CarrierOutcome<'Track'> {
  const body = bodyOf(reply)
  const number = textAt(body, 'tracking_number')
  if (number === '') return { errors: readErrors(reply) }
  const status = at(body, 'tracking_status')
  // In the order of Shippo, whose dates are not in order; newest first here.
  const activity = listOf(at(body, 'tracking_history')).map(readEvent).toReversed()
  if (status === null || status === undefined) {
    return { errors: [failure('UNKNOWN_NUMBER', 'Shippo knows nothing of this number yet.')] }
  }
  return {
    data: {
      ...BLANKS.Track,
      status: textAt(status, 'status_details') || textAt(status, 'status'),
      status_code: textAt(status, 'status'),
      origin: placeAt(at(body, 'address_from'), PLACE),
      destination: placeAt(at(body, 'address_to'), PLACE),
      service: {
        code: textAt(body, 'servicelevel', 'token'),
        description: textAt(body, 'servicelevel', 'name'),
      },
      estimated_delivery: toZonedTime(textAt(body, 'eta')),
      delivered_time: activity.find((one) => one.status_code === 'DELIVERED')?.time ?? '',
      packages: [{ tracking_number: number, activity }],
      test: at(body, 'test') === true,
    },
  }
}

function readEvent(one: unknown): Activity {
  const status = textAt(one, 'status')
  return toActivity({
    time: toZonedTime(textAt(one, 'status_date')),
    status: textAt(one, 'status_details') || status,
    code: status,
    location: placeAt(at(one, 'location'), PLACE),
  })
}

function askAddress(order: CarrierOrder): NextCall {
  const { to } = order.shipment
  const call = callWith(order, 'POST', '/addresses', { ...toAddress(to), validate: true })
  return refuseMissing(fieldsOf('to', to, ['addr1', 'city', 'code'])) ?? { call }
}

function readAddress(reply: HttpReply): CarrierOutcome<'AddressValidate'> {
  const body = bodyOf(reply)
  const results = at(body, 'validation_results')
  if (textAt(body, 'object_id') === '') return { errors: readErrors(reply) }
  const [zip = '', addon = ''] =
    textAt(body, 'country') === 'US' ? textAt(body, 'zip').split('-') : [textAt(body, 'zip')]
  const flag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)
  return {
    data: {
      ...BLANKS.AddressValidate,
      name: textAt(body, 'name'),
      addr1: textAt(body, 'street1'),
      addr2: textAt(body, 'street2'),
      addr3: textAt(body, 'street3'),
      city: textAt(body, 'city'),
      state: textAt(body, 'state'),
      zip_code: zip,
      zip_code_addon: addon,
      country: textAt(body, 'country'),
      match: flag(at(results, 'is_valid')),
      residential: flag(at(body, 'is_residential')),
      suggestions: [],
      test: at(body, 'test') === true,
    },
    // Advice stands beside a good address too.
    remarks: asKind('WARNING', readMessages(results, 'NOT_SERVED')),
  }
}
