import { type Activity, BLANKS, failure, toActivity } from '../answers.ts'
import type { Carrier, CarrierOrder, CarrierOutcome, HttpReply, NextCall } from '../carrier.ts'
import { clientCredentials, EITHER_DPI, PAPERLESS } from '../carrier.ts'
import {
  DECLARATION,
  EMAILS,
  INSURANCE,
  PHONES,
  references,
  TAX_ID_COUNTRIES,
  TAX_IDS,
  THIRD_LINES,
} from '../fields.ts'
import { fieldsOf, missingFields, refuseMissing } from '../orders.ts'
import { at, listOf, numberAt, placeOf, textAt, toZonedTime } from '../reading.ts'
import { rating, shipping } from './ship.ts'
import { bodyOf, callWith, readErrors } from './wire.ts'

const HOST = 'https://express.api.dhl.com'

/**
 * DHL Express by MyDHL API. It has no way to take a label back: DHL bills what it collects, an unused label is thrown away.
 */
export const dhl: Carrier = {
  name: 'DHL',
  credentials: [
    ...clientCredentials('API user name', 'API password', 'Account number').map((field) => ({
      ...field,
      // MyDHL API has a user name and a password, and the original calls them so.
      ...(field.name === 'client_id' && { aliases: ['username'] }),
      ...(field.name === 'client_secret' && { aliases: ['password'] }),
    })),
    PAPERLESS,
  ],
  // The path tells the test from the real thing.
  hosts: { live: HOST, test: HOST },
  takes: new Set([
    ...INSURANCE,
    'reference_value',
    ...references(4),
    ...THIRD_LINES,
    ...PHONES,
    ...EMAILS,
    ...TAX_IDS,
    ...TAX_ID_COUNTRIES,
    'is_return',
    ...DECLARATION,
    'incoterm',
    'invoice_number',
  ]),
  labels: { ZPL: EITHER_DPI, EPL: EITHER_DPI, PDF: EITHER_DPI },
  unsupported: {
    VoidShipment:
      'DHL Express cannot take a label back: it bills what it collects, so throw the unused label away.',
  },
  actions: {
    GetAllRates: rating,
    SubmitShipment: shipping,
    Track: { request: askTrack, parse: readTrack },
    AddressValidate: { request: askAddress, parse: readAddress },
  },
}

function askTrack(order: CarrierOrder): NextCall {
  const number = order.shipment.trackingNumber || order.shipment.shipmentId
  if (number === '') return { errors: missingFields([['tracking_number', '']]) }
  const path = `/shipments/${encodeURIComponent(number)}/tracking?trackingView=all-checkpoints`
  return { call: callWith(order, 'GET', path) }
}

function readTrack(reply: HttpReply): CarrierOutcome<'Track'> {
  const shipment = at(bodyOf(reply), 'shipments', 0)
  const number = textAt(shipment, 'shipmentTrackingNumber')
  if (number === '') return { errors: readErrors(reply) }
  // DHL tells the oldest first.
  const activity = listOf(at(shipment, 'events')).map(readEvent).toReversed()
  const [last] = activity
  const delivered = activity.find(({ status_code: code }) => code === 'OK')
  const place = (side: string) => placeOf(textAt(shipment, side, 'serviceArea', 'description'))
  const imperial = textAt(shipment, 'unitOfMeasurements') === 'imperial'
  return {
    data: {
      ...BLANKS.Track,
      status: last?.status ?? textAt(shipment, 'status'),
      shipment_id: number,
      status_code: last?.status_code ?? '',
      origin: place('shipperDetails'),
      destination: place('receiverDetails'),
      service: { code: textAt(shipment, 'productCode'), description: '' },
      pickup_date: activity.find(({ status_code: code }) => code === 'PU')?.time ?? '',
      estimated_delivery: toZonedTime(textAt(shipment, 'estimatedDeliveryDate')),
      delivered_time: delivered?.time ?? '',
      weight: { amount: numberAt(shipment, 'totalWeight'), unit: imperial ? 'LB' : 'KG' },
      reference_numbers: listOf(at(shipment, 'shipperReferences')).map((one) =>
        textAt(one, 'value'),
      ),
      packages: [{ tracking_number: number, activity }],
    },
  }
}

function readEvent(event: unknown): Activity {
  const offset = textAt(event, 'GMTOffset')
  const zone = /^[+-]\d\d:\d\d$/.test(offset) ? offset : ''
  return toActivity({
    time: toZonedTime(`${textAt(event, 'date')}T${textAt(event, 'time')}${zone}`),
    status: textAt(event, 'description'),
    code: textAt(event, 'typeCode'),
    location: placeOf(textAt(event, 'serviceArea', 'description')),
  })
}

/** DHL tells whether it delivers there; streets it does not know. */
function askAddress(order: CarrierOrder): NextCall {
  const { to } = order.shipment
  const query =
    `type=delivery&countryCode=${to.country}` +
    (to.code === '' ? '' : `&postalCode=${encodeURIComponent(to.code)}`) +
    `&cityName=${encodeURIComponent(to.city)}&strictValidation=true`
  const call = callWith(order, 'GET', `/address-validate?${query}`)
  return refuseMissing(fieldsOf('to', to, ['city', 'code'])) ?? { call }
}

function readAddress(
  reply: HttpReply,
  { shipment }: CarrierOrder,
): CarrierOutcome<'AddressValidate'> {
  const body = bodyOf(reply)
  const found = listOf(at(body, 'address'))
  const { to } = shipment
  const isRefused = reply.status === 400 || reply.status === 404
  if (body === undefined && !isRefused) return { errors: readErrors(reply) }
  const [one] = found
  return {
    data: {
      ...BLANKS.AddressValidate,
      name: to.name || to.company,
      addr1: to.addr1,
      addr2: to.addr2,
      state: to.state,
      city: textAt(one, 'cityName') || to.city,
      zip_code: textAt(one, 'postalCode') || to.code,
      country: textAt(one, 'countryCode') || to.country,
      city_state_zip_match: one !== undefined,
      suggestions: [],
    },
    remarks: (isRefused ? readErrors(reply) : []).map(({ description }) =>
      failure('NOT_SERVED', description, { type: 'WARNING' }),
    ),
  }
}
