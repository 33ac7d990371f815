import { asKind, type Rate } from '../answers.ts'
import {
  type Account,
  type Carrier,
  type CarrierOrder,
  type CarrierOutcome,
  EITHER_DPI,
  type HttpCall,
  type HttpReply,
  type NextCall,
  PAPERLESS,
} from '../carrier.ts'
import {
  DECLARATION,
  EMAILS,
  INSURANCE,
  PHONES,
  references,
  TAX_IDS,
  THIRD_LINES,
} from '../fields.ts'
import { fieldsOfBoth, missingFields, withCountries } from '../orders.ts'
import { at, clientLogin, listOf, textAt, toZonedTime } from '../reading.ts'
import { readCents, toAmount, travelOf } from '../shipment.ts'
import { shipping, tracking, voiding } from './ship.ts'
import {
  findMissing,
  outputOf,
  pickupOf,
  readAlerts,
  readErrors,
  send,
  toCustoms,
  toFailure,
  toPackage,
  toPlace,
  toStreet,
} from './wire.ts'

function askRates(given: CarrierOrder): NextCall {
  const order = withCountries(given)
  const { shipment, account } = order
  const missing = findMissing(order, fieldsOfBoth(shipment, ['code']))
  if (missing !== undefined) return missing
  const travel = travelOf(shipment)
  const call = send('POST', '/rate/v1/rates/quotes', {
    accountNumber: { value: account['account_number'] },
    rateRequestControlParameters: { returnTransitTimes: true },
    requestedShipment: {
      shipper: { address: toPlace(travel.from) },
      recipient: { address: toPlace(travel.to) },
      pickupType: pickupOf(shipment),
      packagingType: shipment.packagingType || 'YOUR_PACKAGING',
      ...(shipment.service !== '' && { serviceType: shipment.service }),
      rateRequestType: ['ACCOUNT', 'LIST'],
      requestedPackageLineItems: shipment.parcels.map((parcel) => toPackage(parcel, order)),
      ...toCustoms(order, 'SENDER'),
    },
  })
  return { call }
}

function readRates(reply: HttpReply): CarrierOutcome<'GetAllRates'> {
  const output = outputOf(reply)
  const rates = listOf(at(output, 'rateReplyDetails')).map(toRate)
  const remarks = readAlerts(output)
  if (rates.length > 0) return { data: { rates }, remarks }
  return { errors: remarks.length > 0 ? asKind('ERROR', remarks) : readErrors(reply) }
}

function toRate(one: unknown): Rate {
  const rated = listOf(at(one, 'ratedShipmentDetails'))
  const byType = (type: string) => rated.find((each) => textAt(each, 'rateType') === type)
  const own = byType('ACCOUNT') ?? rated[0]
  const list = byType('LIST') ?? own
  const centsOf = (each: unknown): number => readCents(textAt(each, 'totalNetCharge')) ?? 0
  const detail = at(own, 'shipmentRateDetail')
  const code = textAt(one, 'serviceType')
  return {
    desc: textAt(one, 'serviceName') || code,
    rate: toAmount(centsOf(list)),
    negotiated_rate: toAmount(centsOf(own)),
    currency: textAt(own, 'currency') || textAt(detail, 'currency') || 'USD',
    service_code: code,
    est_delivery_time: toZonedTime(
      textAt(one, 'commit', 'dateDetail', 'dayFormat') ||
        textAt(one, 'operationalDetail', 'deliveryDate') ||
        textAt(one, 'operationalDetail', 'commitDate'),
    ),
    delivery_days: daysOf(
      textAt(one, 'operationalDetail', 'transitTime') ||
        textAt(one, 'commit', 'transitDays', 'minimumTransitTime'),
    ),
    package_type: textAt(one, 'packagingType'),
    rate_detail: [
      { desc: 'Transportation', amount: toAmount(readCents(textAt(own, 'totalBaseCharge')) ?? 0) },
      ...listOf(at(detail, 'surCharges')).map((each) => ({
        desc: textAt(each, 'description') || textAt(each, 'type'),
        amount: toAmount(readCents(textAt(each, 'amount')) ?? 0),
      })),
    ],
  }
}

// Rate API, operationalDetail.transitTime: a number as a word.
const DAYS = ['ONE', 'TWO', 'THREE', 'FOUR', 'FIVE', 'SIX', 'SEVEN', 'EIGHT', 'NINE', 'TEN']

function daysOf(words: string): number {
  return DAYS.indexOf(words.split('_')[0] ?? '') + 1
}

function askAddress({ shipment }: CarrierOrder): NextCall {
  const { to } = shipment
  const missing = missingFields([
    ['to_addr1', to.addr1],
    ['to_code', to.code || to.city],
  ])
  if (missing.length > 0) return { errors: missing }
  const place = toPlace({ ...to, isResidential: undefined })
  const addressesToValidate = [{ address: { streetLines: toStreet(to), ...place } }]
  return { call: send('POST', '/address/v1/addresses/resolve', { addressesToValidate }) }
}

/** FedEx publishes this one without a file: names as in its developer portal. */
function readAddress(
  reply: HttpReply,
  { shipment }: CarrierOrder,
): CarrierOutcome<'AddressValidate'> {
  const output = outputOf(reply)
  const found = at(output, 'resolvedAddresses', 0)
  if (found === undefined) return { errors: readErrors(reply) }
  const line = (n: number): string => textAt(found, 'streetLinesToken', n)
  const flag = (name: string): boolean | null => readFlag(at(found, 'attributes', name))
  const kind = textAt(found, 'classification')
  const { to } = shipment
  const remarks = listOf(at(found, 'customerMessages')).map((one) =>
    toFailure(one, 200, 'FedEx has a remark about the address.'),
  )
  return {
    data: {
      name: to.name || to.company,
      addr1: line(0),
      addr2: line(1),
      addr3: line(2),
      city: textAt(found, 'city'),
      state: textAt(found, 'stateOrProvinceCode'),
      zip_code: textAt(found, 'parsedPostalCode', 'base') || textAt(found, 'postalCode'),
      zip_code_addon: textAt(found, 'parsedPostalCode', 'addOn'),
      country: textAt(found, 'countryCode'),
      match: flag('Resolved') === false ? false : flag('DPV'),
      city_state_zip_match: flag('CityStateValidated'),
      residential: kind === 'RESIDENTIAL' ? true : kind === 'BUSINESS' ? false : null,
      po_box: flag('POBox'),
      suggestions: [],
    },
    remarks: asKind('NOTE', remarks),
  }
}

/** A truth as a text. */
function readFlag(value: unknown): boolean | null {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : null
}

const LOGIN = clientLogin(['API key', 'Secret key', 'Account number'], askToken, readErrors)

/** FedEx by its REST interface (developer.fedex.com: Rates, Ship, Track, Address Validation). */
export const fedex: Carrier = {
  name: 'FedEx-REST',
  ...LOGIN,
  credentials: [...LOGIN.credentials, PAPERLESS],
  hosts: { live: 'https://apis.fedex.com', test: 'https://apis-sandbox.fedex.com' },
  takes: new Set([
    'packaging_type',
    ...INSURANCE,
    'reference_value',
    ...references(2),
    ...THIRD_LINES,
    ...PHONES,
    ...EMAILS,
    ...TAX_IDS,
    'residential',
    'is_return',
    'pickup_type',
    'negotiated_rates',
    ...DECLARATION,
    'incoterm',
    'invoice_number',
  ]),
  // Ship API, labelSpecification.resolution: 300 is of ZPL alone.
  labels: { ZPL: EITHER_DPI, EPL: [203], PNG: EITHER_DPI, PDF: EITHER_DPI },
  actions: {
    GetAllRates: { request: askRates, parse: readRates },
    SubmitShipment: shipping,
    Track: tracking,
    VoidShipment: voiding,
    AddressValidate: { request: askAddress, parse: readAddress },
  },
}

/** With a child key the account is a customer's of an integrator. */
function askToken(account: Account): HttpCall {
  const { client_id: id = '', client_secret: secret = '' } = account
  const { child_key: child, child_secret: childSecret } = account
  const body = new URLSearchParams({
    grant_type: child === undefined ? 'client_credentials' : 'csp_credentials',
    client_id: id,
    client_secret: secret,
    ...(child !== undefined && { child_Key: child, child_secret: childSecret ?? '' }),
  })
  return {
    method: 'POST',
    path: '/oauth/token',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  }
}
