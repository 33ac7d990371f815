import { type Activity, BLANKS, failure, toActivity } from '../answers.ts'
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
  TAX_ID_COUNTRIES,
  TAX_IDS,
} from '../fields.ts'
import { fieldsOf, missingFields, refuseLiveKey, refuseMissing } from '../orders.ts'
import { at, jsonOf, listOf, placeAt, placeOf, textAt } from '../reading.ts'
import { buying, rating } from './buy.ts'
import { callWith, isGood, readErrors, toAddress } from './wire.ts'

/** A shipment of the account has its tracker already; for a number of elsewhere EasyPost makes one, and may bill it. */
function askTracker(order: CarrierOrder): NextCall {
  const { shipmentId, trackingNumber, carrierName } = order.shipment
  if (shipmentId !== '') {
    return { call: callWith(order, 'GET', `/shipments/${encodeURIComponent(shipmentId)}`) }
  }
  if (trackingNumber === '') return { errors: missingFields([['tracking_number', '']]) }
  const carrier = carrierName === '' ? {} : { carrier: carrierName }
  const tracker = { tracking_code: trackingNumber, ...carrier }
  return { call: callWith(order, 'POST', '/trackers', { tracker }) }
}

function readTracker(reply: HttpReply): CarrierOutcome<'Track'> {
  const body = jsonOf(reply.text)
  const isShipment = textAt(body, 'object') === 'Shipment'
  const tracker = isShipment ? at(body, 'tracker') : body
  if (!isGood(reply) || textAt(tracker, 'id') === '') {
    const none = failure('UNKNOWN_NUMBER', 'EasyPost does not track this shipment yet.')
    return { errors: isGood(reply) && isShipment ? [none] : readErrors(reply) }
  }
  // In the order of EasyPost, whose dates are not always; newest first here.
  const activity = listOf(at(tracker, 'tracking_details')).map(readEvent).toReversed()
  const detail = at(tracker, 'carrier_detail')
  const delivered = activity.find((one) => one.status_code === 'delivered')
  return {
    data: {
      ...BLANKS.Track,
      status: activity[0]?.status ?? textAt(tracker, 'status'),
      status_code: textAt(tracker, 'status'),
      shipment_id: textAt(tracker, 'shipment_id'),
      origin: placeOf(textAt(detail, 'origin_location')),
      destination: placeOf(textAt(detail, 'destination_location')),
      service: { code: textAt(detail, 'service'), description: textAt(detail, 'service') },
      estimated_delivery: toTime(textAt(tracker, 'est_delivery_date')),
      delivered_time: delivered?.time ?? '',
      packages: [{ tracking_number: textAt(tracker, 'tracking_code'), activity }],
      test: textAt(tracker, 'mode') === 'test',
    },
  }
}

function readEvent(one: unknown): Activity {
  const status = textAt(one, 'status')
  return toActivity({
    time: toTime(textAt(one, 'datetime')),
    status: textAt(one, 'message') || status,
    code: status,
    location: placeAt(at(one, 'tracking_location'), {
      city: 'city',
      state: 'state',
      zip_code: 'zip',
      country: 'country',
    }),
  })
}

/** EasyPost writes every time as UTC, whatever the place. */
function toTime(text: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? text.replace('Z', '-00:00') : text
}

function askRefund(order: CarrierOrder): NextCall {
  const { shipmentId } = order.shipment
  if (shipmentId === '') return { errors: missingFields([['shipment_id', '']]) }
  const path = `/shipments/${encodeURIComponent(shipmentId)}/refund`
  return { call: { ...callWith(order, 'POST', path), spends: true } }
}

/** A refund takes days: asked for is not given. */
function readRefund(reply: HttpReply): CarrierOutcome<'VoidShipment'> {
  const body = jsonOf(reply.text)
  const status = textAt(body, 'refund_status')
  const test = textAt(body, 'mode') === 'test'
  if (isGood(reply)) {
    if (status === 'submitted') return { data: { status: 'Pending', status_code: '0', test } }
    if (status === 'refunded') return { data: { status: 'Success', status_code: '1', test } }
    const message = `EasyPost does not give it back (${status || 'no refund_status'}).`
    return { errors: [failure('CARRIER_FAULT', message, { carrierCode: status })] }
  }
  const errors = readErrors(reply)
  return reply.status >= 500 ? { unknown: errors } : { errors }
}

function askAddress(order: CarrierOrder): NextCall {
  const { to } = order.shipment
  const call = callWith(order, 'POST', '/addresses', { address: toAddress(to), verify: true })
  return refuseMissing(fieldsOf('to', to, ['addr1', 'city', 'code'])) ?? { call }
}

function readAddress(reply: HttpReply): CarrierOutcome<'AddressValidate'> {
  const body = jsonOf(reply.text)
  const delivery = at(body, 'verifications', 'delivery')
  if (!isGood(reply) || textAt(body, 'id') === '') return { errors: readErrors(reply) }
  const success = at(delivery, 'success')
  const [zip = '', addon = ''] =
    textAt(body, 'country') === 'US' ? textAt(body, 'zip').split('-') : [textAt(body, 'zip')]
  const residential = at(body, 'residential')
  const remarks = listOf(at(delivery, 'errors')).map((one) =>
    failure('NOT_SERVED', textAt(one, 'message') || 'The address was not found.', {
      carrierCode: textAt(one, 'code'),
      field: textAt(one, 'field'),
      type: 'WARNING',
    }),
  )
  return {
    data: {
      name: textAt(body, 'name') || textAt(body, 'company'),
      addr1: textAt(body, 'street1'),
      addr2: textAt(body, 'street2'),
      addr3: '',
      city: textAt(body, 'city'),
      state: textAt(body, 'state'),
      zip_code: zip,
      zip_code_addon: addon,
      country: textAt(body, 'country'),
      po_box: null,
      city_state_zip_match: null,
      match: typeof success === 'boolean' ? success : null,
      residential: typeof residential === 'boolean' ? residential : null,
      suggestions: [],
      test: textAt(body, 'mode') === 'test',
    },
    remarks,
  }
}

const HOST = 'https://api.easypost.com'

/**
 * EasyPost, which sells the labels of many carriers. It publishes no description of itself: calls and answers are as in its own client
 * libraries (MIT) and their recorded traffic. A shipment is one parcel here.
 */
export const easypost: Carrier = {
  name: 'EasyPost',
  credentials: [{ name: 'key', title: 'API key', isSecret: true, isRequired: true }],
  // The key tells a test from the real thing.
  hosts: { live: HOST, test: HOST },
  takes: new Set([
    ...INSURANCE,
    ...PHONES,
    ...EMAILS,
    ...TAX_IDS,
    ...TAX_ID_COUNTRIES,
    'residential',
    'is_return',
    ...DECLARATION,
    'invoice_number',
    ...OF_SELLERS,
  ]),
  // Its own ZPL is a picture of 203 dpi: a finer head gets the PNG, of 300 dpi, and draws it.
  labels: { ZPL: [203], EPL: EITHER_DPI, PNG: EITHER_DPI, PDF: EITHER_DPI },
  // Both spellings stand in recorded answers.
  labelHosts: [
    'easypost-files.s3.us-west-2.amazonaws.com',
    'easypost-files.s3-us-west-2.amazonaws.com',
  ],
  refuse: (order) => refuseLiveKey(order, 'EZTK'),
  actions: {
    GetAllRates: rating,
    SubmitShipment: buying,
    Track: { request: askTracker, parse: readTracker },
    VoidShipment: { request: askRefund, parse: readRefund },
    AddressValidate: { request: askAddress, parse: readAddress },
  },
}
