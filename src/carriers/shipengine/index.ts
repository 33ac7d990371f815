import {
  type Activity,
  asKind,
  BLANKS,
  type CarrierRemark,
  failure,
  toActivity,
} from '../answers.ts'
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
  TAX_ID_COUNTRIES,
  TAX_IDS,
  THIRD_LINES,
} from '../fields.ts'
import {
  fieldsOf,
  missingFields,
  refuseLiveKey,
  refuseMissing,
  refuseUntracked,
} from '../orders.ts'
import {
  at,
  bodyOf,
  jsonOf,
  listOf,
  placeAt,
  refuseOrDoubt,
  textAt,
  toZonedTime,
} from '../reading.ts'
import { buying, rating } from './buy.ts'
import { callWith, type Edition, readErrors, readList, toAddress } from './wire.ts'

const SHIPENGINE: Edition = {
  name: 'ShipEngine',
  host: 'https://api.shipengine.com',
  version: 'v1',
}
const SHIPSTATION: Edition = {
  name: 'ShipStation',
  host: 'https://api.shipstation.com',
  version: 'v2',
}

/** ShipEngine, which sells the labels of many carriers. `shipment_id` of a bought label is its label_id. */
export const shipengine: Carrier = {
  ...describe(SHIPENGINE),
  refuse: (order) => refuseLiveKey(order, 'TEST_'),
  actions: {
    ...actionsOf(SHIPENGINE),
    AddressValidate: { request: askAddress, parse: readAddress },
  },
}

/** ShipStation's API v2, which is ShipEngine's under another host, without a sandbox. */
export const shipstation: Carrier = {
  ...describe(SHIPSTATION),
  refuse: refuseTest,
  actions: actionsOf(SHIPSTATION),
}

function describe({ name, host }: Edition) {
  return {
    name,
    credentials: [{ name: 'key', title: 'API key', isSecret: true, isRequired: true }],
    // The key tells a test from the real thing.
    hosts: { live: host, test: host },
    labelHosts: [new URL(host).host],
    takes: new Set([
      ...INSURANCE,
      'reference_value',
      ...references(3),
      ...THIRD_LINES,
      ...PHONES,
      ...EMAILS,
      ...TAX_IDS,
      ...TAX_ID_COUNTRIES,
      'residential',
      'is_return',
      ...DECLARATION,
      ...OF_SELLERS,
    ]),
    // Its ZPL counts in dots of 203 dpi; PNG is that of four carriers alone, PDF of all (label_format of its description).
    labels: { ZPL: [203] as const, PDF: EITHER_DPI, PNG: EITHER_DPI },
  }
}

function refuseTest({ isTest }: CarrierOrder): CarrierRemark | undefined {
  if (!isTest) return undefined
  const message = 'test is true, and a ShipStation account has no test mode; nothing was sent.'
  return failure('AUTHENTICATION', message, { field: 'test' })
}

function actionsOf(edition: Edition): Carrier['actions'] {
  return {
    GetAllRates: rating(edition),
    SubmitShipment: buying(edition),
    Track: { request: (order) => askTrack(order, edition), parse: readTrack },
    VoidShipment: { request: (order) => askVoid(order, edition), parse: readVoid },
  }
}

/** By the label, or, with ShipEngine, by carrier and number. */
function askTrack(order: CarrierOrder, { version }: Edition): NextCall {
  const { shipmentId, trackingNumber, carrierName } = order.shipment
  if (shipmentId !== '') {
    const path = `/${version}/labels/${encodeURIComponent(shipmentId)}/track`
    return { call: callWith(order, 'GET', path) }
  }
  if (version === 'v2') return { errors: missingFields([['shipment_id', '']]) }
  const query =
    `carrier_code=${encodeURIComponent(carrierName)}` +
    `&tracking_number=${encodeURIComponent(trackingNumber)}`
  return refuseUntracked(order) ?? { call: callWith(order, 'GET', `/v1/tracking?${query}`) }
}

function readTrack(reply: HttpReply): CarrierOutcome<'Track'> {
  const body = bodyOf(reply)
  const number = textAt(body, 'tracking_number')
  if (number === '') return { errors: readErrors(reply) }
  const activity = listOf(at(body, 'events')).map(readEvent)
  return {
    data: {
      ...BLANKS.Track,
      status: textAt(body, 'status_description') || textAt(body, 'carrier_status_description'),
      status_code: textAt(body, 'status_code'),
      estimated_delivery: toZonedTime(textAt(body, 'estimated_delivery_date')),
      delivered_time: toZonedTime(textAt(body, 'actual_delivery_date')),
      pickup_date: toZonedTime(textAt(body, 'ship_date')),
      packages: [{ tracking_number: number, activity }],
    },
  }
}

function readEvent(one: unknown): Activity {
  const code = textAt(one, 'status_code')
  const event = textAt(one, 'event_code')
  return toActivity({
    time: toZonedTime(textAt(one, 'occurred_at') || textAt(one, 'carrier_occurred_at')),
    status: textAt(one, 'description') || textAt(one, 'carrier_status_description'),
    code: code || event,
    type: event || code,
    location: placeAt(one, {
      city: 'city_locality',
      state: 'state_province',
      zip_code: 'postal_code',
      country: 'country_code',
    }),
  })
}

function askVoid(order: CarrierOrder, { version }: Edition): NextCall {
  const { shipmentId } = order.shipment
  if (shipmentId === '') return { errors: missingFields([['shipment_id', '']]) }
  const path = `/${version}/labels/${encodeURIComponent(shipmentId)}/void`
  return { call: { ...callWith(order, 'PUT', path), spends: true } }
}

/** 200 with `approved: false` is a refusal. */
function readVoid(reply: HttpReply): CarrierOutcome<'VoidShipment'> {
  const body = bodyOf(reply)
  const approved = at(body, 'approved')
  const message = textAt(body, 'message')
  if (approved === true) {
    return { data: { status: message || 'Success', status_code: '1' } }
  }
  if (approved === false) {
    const carrierCode = textAt(body, 'reason_code')
    const kind = /already/i.test(message + carrierCode) ? 'ALREADY_VOID' : 'CARRIER_FAULT'
    return { errors: [failure(kind, message || 'The label was not voided.', { carrierCode })] }
  }
  return refuseOrDoubt(reply, readErrors(reply))
}

function askAddress(order: CarrierOrder): NextCall {
  const { to } = order.shipment
  const call = callWith(order, 'POST', '/v1/addresses/validate', [toAddress(to)])
  return refuseMissing(fieldsOf('to', to, ['addr1', 'city'])) ?? { call }
}

function readAddress(reply: HttpReply): CarrierOutcome<'AddressValidate'> {
  const body = reply.status === 200 ? jsonOf(reply.text) : undefined
  const status = textAt(body, 'status')
  if (status === '') return { errors: readErrors(reply) }
  const matched = at(body, 'matched_address')
  const found = textAt(matched, 'address_line1') === '' ? at(body, 'original_address') : matched
  const [zip = '', addon = ''] = textAt(found, 'postal_code').split('-')
  const kind = textAt(found, 'address_residential_indicator')
  return {
    data: {
      ...BLANKS.AddressValidate,
      name: textAt(found, 'name'),
      addr1: textAt(found, 'address_line1'),
      addr2: textAt(found, 'address_line2'),
      addr3: textAt(found, 'address_line3'),
      city: textAt(found, 'city_locality'),
      state: textAt(found, 'state_province'),
      zip_code: zip,
      zip_code_addon: addon,
      country: textAt(found, 'country_code'),
      match: status === 'verified' ? true : status === 'unverified' ? null : false,
      residential: kind === 'yes' ? true : kind === 'no' ? false : null,
      suggestions: [],
    },
    remarks: asKind('WARNING', readList({ errors: at(body, 'messages') }, 200)),
  }
}
