import { type Answers, failure, type Rate } from '../answers.ts'
import {
  type Account,
  type Carrier,
  type CarrierOrder,
  type CarrierOutcome,
  EITHER_DPI,
  type HttpCall,
  type HttpReply,
  type NextCall,
} from '../carrier.ts'
import { DECLARATION, INSURANCE, PHONES, references, TAX_IDS, THIRD_LINES } from '../fields.ts'
import { fieldsOf, fieldsOfBoth, missingFields, withCountries } from '../orders.ts'
import {
  at,
  clientLogin,
  dayOf,
  jsonOf,
  listOf,
  numberAt,
  textAt,
  toZonedTime,
  withoutBlanks,
} from '../reading.ts'
import { type PostalAddress, readCents, toAmount, travelOf } from '../shipment.ts'
import { shipping, tracking, voiding } from './ship.ts'
import {
  findMissing,
  isGood,
  nameOf,
  PRINTED_RETURN,
  post,
  readAlerts,
  readableWeight,
  readErrors,
  signatureForAll,
  toAddress,
  toPackage,
  VERSION,
} from './wire.ts'

function askRates(given: CarrierOrder): NextCall {
  const order = withCountries(given)
  const { shipment, account } = order
  const missing = findMissing(order, fieldsOfBoth(shipment, ['code']))
  if (missing !== undefined) return missing
  const travel = travelOf(shipment)
  const options = {
    ...signatureForAll(shipment),
    ...(shipment.isReturn && { ReturnService: PRINTED_RETURN }),
  }
  const call = post(`/api/rating/${VERSION}/Shop`, {
    RateRequest: {
      Request: { RequestOption: 'Shop' },
      PickupType: { Code: shipment.pickupType || '01' },
      ...(shipment.customerClassification === ''
        ? {}
        : { CustomerClassification: { Code: shipment.customerClassification } }),
      Shipment: {
        Shipper: {
          Name: nameOf(shipment.from),
          ShipperNumber: account['account_number'],
          Address: toAddress(shipment.from),
        },
        ShipTo: { Name: nameOf(travel.to), Address: toAddress(travel.to) },
        ShipFrom: { Name: nameOf(travel.from), Address: toAddress(travel.from) },
        NumOfPieces: String(shipment.parcels.length),
        Package: shipment.parcels.map((parcel) => ({
          PackagingType: { Code: parcel.packagingType || '02' },
          ...toPackage(parcel, shipment),
        })),
        ShipmentRatingOptions: { NegotiatedRatesIndicator: 'Y' },
        ...(Object.keys(options).length > 0 && { ShipmentServiceOptions: options }),
      },
    },
  })
  return { call }
}

// UPS, Rating.yaml: Service.Code.
const SERVICES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '01': 'UPS Next Day Air',
    '02': 'UPS 2nd Day Air',
    '03': 'UPS Ground',
    '07': 'UPS Worldwide Express',
    '08': 'UPS Worldwide Expedited',
    '11': 'UPS Standard',
    '12': 'UPS 3 Day Select',
    '13': 'UPS Next Day Air Saver',
    '14': 'UPS Next Day Air Early',
    '54': 'UPS Worldwide Express Plus',
    '59': 'UPS 2nd Day Air A.M.',
    '65': 'UPS Worldwide Saver',
    '93': 'UPS Ground Saver',
  }),
)

function readRates(reply: HttpReply): CarrierOutcome<'GetAllRates'> {
  const body = jsonOf(reply.text)
  const shipments = listOf(at(body, 'RateResponse', 'RatedShipment'))
  if (!isGood(reply) || shipments.length === 0) return { errors: readErrors(reply) }
  return { data: { rates: shipments.map(toRate) }, remarks: readAlerts(at(body, 'RateResponse')) }
}

function toRate(rated: unknown): Rate {
  const code = textAt(rated, 'Service', 'Code')
  const list = readCents(textAt(rated, 'TotalCharges', 'MonetaryValue')) ?? 0
  const own = readCents(textAt(rated, 'NegotiatedRateCharges', 'TotalCharge', 'MonetaryValue'))
  const charge = (desc: string, name: string) => {
    const cents = readCents(textAt(rated, name, 'MonetaryValue')) ?? 0
    return cents === 0 ? [] : [{ desc, amount: toAmount(cents) }]
  }
  return {
    desc: textAt(rated, 'Service', 'Description') || SERVICES.get(code) || `UPS service ${code}`,
    rate: toAmount(list),
    negotiated_rate: toAmount(own ?? list),
    currency: textAt(rated, 'TotalCharges', 'CurrencyCode') || 'USD',
    service_code: code,
    // "10:30 A.M." without a date: Shop does not say when.
    est_delivery_time: '',
    delivery_days: Math.trunc(numberAt(rated, 'GuaranteedDelivery', 'BusinessDaysInTransit')),
    package_type: '',
    rate_detail: [
      ...charge('Transportation', 'TransportationCharges'),
      ...charge('Service options', 'ServiceOptionsCharges'),
    ],
  }
}

/** Asks when each service would deliver a parcel that is handed in today. */
function askTransit(given: CarrierOrder): NextCall {
  const { shipment, now, requestId } = withCountries(given)
  const { from, to, parcels } = travelOf(shipment)
  const missing = missingFields(fieldsOfBoth(shipment, ['code']))
  if (missing.length > 0) return { errors: missing }
  const weight = parcels.reduce((sum, one) => sum + one.weight, 0)
  const call = post('/api/shipments/v1/transittimes', {
    originCountryCode: from.country,
    destinationCountryCode: to.country,
    ...(from.code !== '' && { originPostalCode: from.code }),
    ...(to.code !== '' && { destinationPostalCode: to.code }),
    ...(to.city !== '' && { destinationCityName: to.city.slice(0, 30) }),
    ...(weight > 0 && {
      weight: readableWeight(weight),
      weightUnitOfMeasure: shipment.weightUnit === 'LB' ? 'LBS' : 'KGS',
    }),
    ...(parcels.length > 0 && { numberOfPackages: String(parcels.length) }),
    shipDate: dayOf(now),
  })
  const headers = { ...call.headers, transId: requestId.slice(0, 32), transactionSrc: 'platen' }
  return { call: { ...call, headers } }
}

function readTransit(reply: HttpReply): CarrierOutcome<'TimeInTransit'> {
  const body = at(jsonOf(reply.text), 'emsResponse')
  const services = listOf(at(body, 'services'))
  if (!isGood(reply) || body === undefined) return { errors: readErrors(reply) }
  if (services.length === 0) {
    return { errors: [failure('NOT_SERVED', 'UPS has no service between these places.')] }
  }
  return {
    data: {
      services: services.map((one) => ({
        service_code: textAt(one, 'serviceLevel'),
        desc: textAt(one, 'serviceLevelDescription'),
        delivery_days: Math.trunc(numberAt(one, 'businessTransitDays')),
        est_delivery_time: toZonedTime(
          `${textAt(one, 'deliveryDate')}T${textAt(one, 'deliveryTime')}`,
        ),
      })),
    },
  }
}

function askAddress({ shipment }: CarrierOrder): NextCall {
  const { to } = shipment
  const missing = missingFields(fieldsOf('to', to, ['addr1', 'city', 'code']))
  if (missing.length > 0) return { errors: missing }
  // 1 = is it there; 3 would add the classification, which UPS bills for.
  const call = post('/api/addressvalidation/v2/1', {
    XAVRequest: {
      AddressKeyFormat: {
        ConsigneeName: nameOf(to),
        AddressLine: [to.addr1, to.addr2, to.addr3].filter((line) => line !== ''),
        ...withoutBlanks({
          PoliticalDivision2: to.city,
          PoliticalDivision1: to.state,
          PostcodePrimaryLow: to.code.slice(0, 5),
          CountryCode: to.country,
        }),
      },
    },
  })
  return { call }
}

function readAddress(
  reply: HttpReply,
  { shipment }: CarrierOrder,
): CarrierOutcome<'AddressValidate'> {
  const body = at(jsonOf(reply.text), 'XAVResponse')
  if (!isGood(reply) || body === undefined) return { errors: readErrors(reply) }
  const candidates = listOf(at(body, 'Candidate')).map((one) => at(one, 'AddressKeyFormat'))
  const isMatch = at(body, 'ValidAddressIndicator') !== undefined
  const isNone = at(body, 'NoCandidatesIndicator') !== undefined
  const data: Answers['AddressValidate'] = {
    ...describe(shipment.to, isMatch ? candidates[0] : undefined),
    match: isMatch ? true : isNone ? false : null,
    residential: readKind(textAt(body, 'AddressClassification', 'Code')),
    suggestions: candidates.map((one) => ({
      addr1: textAt(one, 'AddressLine', 0),
      addr2: textAt(one, 'AddressLine', 1),
      city: textAt(one, 'PoliticalDivision2'),
      state: textAt(one, 'PoliticalDivision1'),
      zip_code: textAt(one, 'PostcodePrimaryLow'),
      country: textAt(one, 'CountryCode'),
    })),
  }
  return { data, remarks: readAlerts(body) }
}

/** Describes an address in UPS' spelling where it is certain, else as it was given. */
function describe(to: PostalAddress, best: unknown) {
  const line = (n: number): string => textAt(best, 'AddressLine', n)
  return {
    name: to.name,
    addr1: line(0) || to.addr1,
    addr3: '',
    addr2: best === undefined ? to.addr2 : line(1),
    city: textAt(best, 'PoliticalDivision2') || to.city,
    state: textAt(best, 'PoliticalDivision1') || to.state,
    zip_code: textAt(best, 'PostcodePrimaryLow') || to.code,
    zip_code_addon: textAt(best, 'PostcodeExtendedLow'),
    country: textAt(best, 'CountryCode') || to.country,
    city_state_zip_match: null,
    po_box: null,
  }
}

// AddressValidation.yaml: 0 = unknown, 1 = commercial, 2 = residential.
function readKind(code: string): boolean | null {
  if (code === '2') return true
  return code === '1' ? false : null
}

// UPS-API/api-documentation at e6f36df (MIT): Rating, Shipping, Tracking, AddressValidation, OAuthClientCredentials.

/** UPS by its REST interface. Contract-tested against UPS's own description; nobody with an account has run it. */
export const ups: Carrier = {
  name: 'UPS-REST',
  ...clientLogin(['Client ID', 'Client secret', 'Account number'], askToken, readErrors),
  hosts: { live: 'https://onlinetools.ups.com', test: 'https://wwwcie.ups.com' },
  takes: new Set([
    'packaging_type',
    ...INSURANCE,
    'reference_value',
    ...references(1),
    ...THIRD_LINES,
    ...PHONES,
    ...TAX_IDS,
    'residential',
    'is_return',
    'pickup_type',
    'customer_classification',
    'negotiated_rates',
    ...DECLARATION,
    'incoterm',
    'invoice_number',
  ]),
  // Its ZPL and EPL count in dots of 203 dpi.
  labels: { ZPL: [203], EPL: [203], PNG: EITHER_DPI, GIF: EITHER_DPI },
  actions: {
    GetAllRates: { request: askRates, parse: readRates },
    SubmitShipment: shipping,
    Track: tracking,
    VoidShipment: voiding,
    AddressValidate: { request: askAddress, parse: readAddress },
    TimeInTransit: { request: askTransit, parse: readTransit },
  },
}

function askToken({ client_id: id = '', client_secret: secret = '' }: Account): HttpCall {
  return {
    method: 'POST',
    path: '/security/v1/oauth/token',
    headers: {
      Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  }
}
