import {
  type Action,
  type Activity,
  BLANKS,
  type CarrierRemark,
  failure,
  toActivity,
} from '../answers.ts'
import {
  type AccessToken,
  type Account,
  type Carrier,
  type CarrierOrder,
  type CarrierOutcome,
  EITHER_DPI,
  type HttpCall,
  type HttpReply,
  type NextCall,
} from '../carrier.ts'
import { EMAILS, INSURANCE, PHONES, references } from '../fields.ts'
import { fieldsOf, missingFields } from '../orders.ts'
import { at, bodyOf, clientLogin, listOf, placeAt, textAt, toZonedTime } from '../reading.ts'
import { rating, shipping, voiding } from './ship.ts'
import { readErrors, send, withStates } from './wire.ts'

function askTrack({ shipment }: CarrierOrder): NextCall {
  const number = shipment.trackingNumber || shipment.shipmentId
  if (number === '') return { errors: missingFields([['tracking_number', '']]) }
  const path = `/tracking/v3/tracking/${encodeURIComponent(number)}?expand=DETAIL`
  return { call: send('GET', path) }
}

function readTrack(reply: HttpReply): CarrierOutcome<'Track'> {
  const body = bodyOf(reply)
  const number = textAt(body, 'trackingNumber')
  if (number === '') return { errors: readErrors(reply) }
  const activity = listOf(at(body, 'trackingEvents')).map(readEvent)
  const delivered = activity.find((one) => /^delivered/i.test(one.status))
  const place = (side: 'origin' | 'destination') =>
    placeAt(body, { city: `${side}City`, state: `${side}State`, zip_code: `${side}ZIP` })
  return {
    data: {
      ...BLANKS.Track,
      status: textAt(body, 'status') || textAt(body, 'statusSummary'),
      status_code: textAt(body, 'statusCategory'),
      shipment_id: number,
      origin: place('origin'),
      destination: place('destination'),
      service: { code: textAt(body, 'mailClass'), description: textAt(body, 'mailClass') },
      estimated_delivery: toZonedTime(
        textAt(body, 'expectedDeliveryTimeStamp') || textAt(body, 'predictedDeliveryTimeStamp'),
      ),
      delivered_time: delivered?.time ?? '',
      packages: [{ tracking_number: number, activity }],
    },
  }
}

function readEvent(event: unknown): Activity {
  return toActivity({
    time: toZonedTime(textAt(event, 'GMTTimestamp') || textAt(event, 'eventTimestamp')),
    status: textAt(event, 'eventType'),
    code: textAt(event, 'eventCode'),
    location: placeAt(event, {
      city: 'eventCity',
      state: 'eventState',
      zip_code: 'eventZIP',
      country: 'eventCountry',
    }),
  })
}

function askAddress(order: CarrierOrder): NextCall {
  const { to } = withStates(order).shipment
  const missing = missingFields(fieldsOf('to', to, ['addr1', 'state']))
  if (missing.length > 0) return { errors: missing }
  const query = Object.entries({
    firm: to.company.slice(0, 50).toWellFormed(),
    streetAddress: to.addr1,
    secondaryAddress: to.addr2,
    city: to.city,
    state: to.state.toUpperCase(),
    ZIPCode: to.code.slice(0, 5),
  }).filter(([, value]) => value !== '')
  const written = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  return { call: send('GET', `/addresses/v3/address?${written}`) }
}

function readAddress(
  reply: HttpReply,
  { shipment }: CarrierOrder,
): CarrierOutcome<'AddressValidate'> {
  const body = bodyOf(reply)
  const address = at(body, 'address')
  const more = at(body, 'additionalInfo')
  if (textAt(address, 'streetAddress') === '') return { errors: readErrors(reply) }
  const confirmed = textAt(more, 'DPVConfirmation')
  const business = textAt(more, 'business')
  const remarks = [...listOf(at(body, 'corrections')), ...listOf(at(body, 'warnings'))].flatMap(
    (one) => {
      const words = textAt(one, 'text') || textAt(one)
      const carrierCode = textAt(one, 'code')
      return words === '' ? [] : [failure('NOT_SERVED', words, { carrierCode, type: 'NOTE' })]
    },
  )
  return {
    data: {
      name: shipment.to.name || textAt(body, 'firm'),
      addr1: textAt(address, 'streetAddress'),
      addr2: textAt(address, 'secondaryAddress'),
      addr3: '',
      city: textAt(address, 'city'),
      state: textAt(address, 'state'),
      zip_code: textAt(address, 'ZIPCode'),
      zip_code_addon: textAt(address, 'ZIPPlus4'),
      country: 'US',
      // D and S: the house is there, the apartment is missing or wrong.
      match: confirmed === 'Y' ? true : confirmed === 'N' ? false : null,
      city_state_zip_match: null,
      po_box: null,
      suggestions: [],
      residential: business === 'N' ? true : business === 'Y' ? false : null,
    },
    remarks,
  }
}

const LOGIN = clientLogin(
  ['Consumer key', 'Consumer secret', 'EPS account number'],
  askToken,
  readErrors,
)

/** USPS by its APIs v3 (developers.usps.com: Domestic Prices, Labels, Tracking, Addresses, Payments). One parcel a call. */
export const usps: Carrier = {
  name: 'USPS-REST',
  ...LOGIN,
  credentials: [
    ...LOGIN.credentials,
    { name: 'crid', title: 'Customer registration ID (CRID)', isSecret: true, isRequired: false },
    { name: 'mid', title: 'Mailer ID (MID)', isSecret: true, isRequired: false },
    { name: 'manifest_mid', title: 'Manifest Mailer ID', isSecret: true, isRequired: false },
  ],
  hosts: { live: 'https://apis.usps.com', test: 'https://apis-tem.usps.com' },
  takes: new Set([
    ...INSURANCE,
    'reference_value',
    ...references(3),
    ...PHONES,
    ...EMAILS,
    'is_return',
  ]),
  labels: {
    ZPL: EITHER_DPI,
    EPL: [300],
    PNG: EITHER_DPI,
    GIF: EITHER_DPI,
    PDF: EITHER_DPI,
  },
  refuseToken: findMissingProduct,
  actions: {
    GetAllRates: rating,
    SubmitShipment: shipping,
    Track: { request: askTrack, parse: readTrack },
    VoidShipment: voiding,
    AddressValidate: { request: askAddress, parse: readAddress },
  },
}

function askToken({ client_id: id = '', client_secret: secret = '' }: Account): HttpCall {
  return {
    method: 'POST',
    path: '/oauth2/v3/token',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      client_id: id,
      client_secret: secret,
      grant_type: 'client_credentials',
    }),
  }
}

// Scopes that are not in the product which every account has from the start.
const SCOPES: Partial<Record<Action, readonly string[]>> = {
  SubmitShipment: ['labels', 'payments'],
  VoidShipment: ['labels', 'payments'],
  Track: ['tracking'],
}

/** Said before the call, as USPS's own answer (401) does not say what is missing. */
function findMissingProduct(
  { scope, products = '' }: AccessToken,
  action: Action,
): CarrierRemark | undefined {
  const has = new Set(scope.split(/[\s,]+/))
  const missing = (SCOPES[action] ?? []).filter((one) => !has.has(one))
  // A token of the client's own does not tell.
  if (scope === '' || missing.length === 0) return undefined
  const message =
    `This USPS account may not use ${missing.join(' and ')}${products === '' ? '' : ` (it has ${products})`}. ` +
    'Ask USPS for it in the developer portal: My Apps, then Manage.'
  return failure('AUTHENTICATION', message, { carrierCode: missing.join(' ') })
}
