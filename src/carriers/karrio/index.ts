import {
  type Activity,
  asKind,
  BLANKS,
  type CarrierRemark,
  failure,
  type Rate,
  toActivity,
} from '../answers.ts'
import {
  type Carrier,
  type CarrierFacts,
  type CarrierOrder,
  type CarrierOutcome,
  EITHER_DPI,
  type HttpCall,
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
  TAX_IDS,
} from '../fields.ts'
import {
  chooseRate,
  missingFields,
  ofCarrier,
  ratesOrReasons,
  refuseAdultSignature,
  refuseUnbuyable,
  refuseUninsured,
  refuseUntracked,
} from '../orders.ts'
import { toPapers } from '../papers.ts'
import {
  at,
  bodyOf,
  listOf,
  numberAt,
  placeOf,
  refuseOrDoubt,
  textAt,
  toZonedTime,
} from '../reading.ts'
import { insuranceOf, readCents, toAmount } from '../shipment.ts'
import { askRates, callWith, readErrors, readList } from './wire.ts'

/** A karrio server of the user's own, which speaks with many carriers. Its address stands in the account, never in a request. */
export const karrio: Carrier = {
  name: 'karrio',
  credentials: [
    {
      name: 'url',
      title: 'Address of the server',
      isSecret: false,
      isRequired: true,
      isOfBox: true,
    },
    { name: 'key', title: 'API key', isSecret: true, isRequired: true },
  ],
  hosts: undefined,
  takes: new Set([
    'packaging_type',
    ...INSURANCE,
    'reference_value',
    ...references(1),
    ...PHONES,
    ...EMAILS,
    ...TAX_IDS,
    'residential',
    ...DECLARATION,
    'invoice_number',
    ...OF_SELLERS,
  ]),
  labels: { ZPL: EITHER_DPI, PNG: EITHER_DPI, PDF: EITHER_DPI },
  refuse: refuseAddress,
  actions: {
    GetAllRates: { request: askRates, parse: readRates },
    SubmitShipment: {
      request: askPurchase,
      parse: readPurchase,
      lookUp,
      recover: askWhetherBought,
      parseRecovery: readWhetherBought,
    },
    Track: { request: askTrack, parse: readTrack },
    VoidShipment: { request: askCancel, parse: readCancel },
  },
}

/** Without encryption only within the house: the key goes with every call. */
function refuseAddress({ account }: CarrierOrder): CarrierRemark | undefined {
  const { url = '' } = account
  const found = URL.parse(url)
  const isInside =
    /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[(::1|f[cd]))/.test(
      found?.hostname ?? '',
    ) || /^([\w-]+|[\w.-]+\.(local|lan|internal))$/.test(found?.hostname ?? '')
  const isGood = found?.protocol === 'https:' || (found?.protocol === 'http:' && isInside)
  if (isGood && found.pathname === '/') return undefined
  const message =
    'The account needs "url", the address of your karrio server, such as https://karrio.example.com or http://192.168.1.20:5002.'
  return failure('AUTHENTICATION', message, { field: 'url' })
}

function readRates(reply: HttpReply, order: CarrierOrder): CarrierOutcome<'GetAllRates'> {
  const body = bodyOf(reply)
  if (textAt(body, 'id') === '') return { errors: readErrors(reply) }
  const remarks = readList(at(body, 'messages'), reply.status)
  return ratesOrReasons(ratesOf(body, order), remarks, { test: at(body, 'test_mode') === true })
}

function ratesOf(body: unknown, { shipment }: CarrierOrder): readonly Rate[] {
  const id = textAt(body, 'id')
  const rates = listOf(at(body, 'rates')).map((one) => toRate(one, id))
  return ofCarrier(rates, shipment)
}

function toRate(one: unknown, shipmentId: string): Rate {
  const amount = toAmount(readCents(textAt(one, 'total_charge')) ?? 0)
  const carrier = textAt(one, 'carrier_name')
  return {
    desc: textAt(one, 'meta', 'service_name') || `${carrier} ${textAt(one, 'service')}`,
    rate: amount,
    negotiated_rate: amount,
    currency: textAt(one, 'currency') || 'USD',
    service_code: textAt(one, 'service'),
    est_delivery_time: toZonedTime(textAt(one, 'estimated_delivery')),
    delivery_days: Math.trunc(numberAt(one, 'transit_days')),
    package_type: '',
    rate_detail: listOf(at(one, 'extra_charges')).map((each) => ({
      desc: textAt(each, 'name'),
      amount: toAmount(readCents(textAt(each, 'amount')) ?? 0),
    })),
    rate_id: textAt(one, 'id'),
    shipment_id: shipmentId,
    carrier_name: carrier,
    carrier_account: textAt(one, 'carrier_id'),
    test: at(one, 'test_mode') === true,
  }
}

const ID = /^[\w-]{1,80}$/

/** A price that was shown before is bought as it is; else the shipment is rated first, so that there is an id to ask for. */
function askPurchase(order: CarrierOrder): NextCall {
  const { rateId, shipmentId } = order.shipment
  const refused = refuseAdultSignature(order.shipment)
  if (refused.length > 0) return { errors: refused }
  if (rateId === '') return refuseUnbuyable(order) ?? askRates(order)
  if (ID.test(rateId) && ID.test(shipmentId)) {
    // Its shipment says first whether it is a test, and insured.
    const isAsked = order.isTest || insuranceOf(order.shipment) !== undefined
    if (isAsked) return { call: callWith(order, 'GET', `/v1/shipments/${shipmentId}`) }
    const kept = { shipment: shipmentId, rate: rateId }
    return { call: buy(order, kept), kept }
  }
  const message = 'rate_id goes with the shipment_id of the same rate.'
  return { errors: [failure('MISSING_FIELD', message, { field: 'shipment_id' })] }
}

function buy(
  order: CarrierOrder,
  { shipment, rate }: { readonly shipment: string; readonly rate: string },
): HttpCall {
  const wanted = { selected_rate_id: rate, label_type: order.label.format }
  const call = callWith(order, 'POST', `/v1/shipments/${shipment}/purchase`, wanted)
  return { ...call, spends: true }
}

function readPurchase(
  reply: HttpReply,
  order: CarrierOrder,
  kept: CarrierFacts,
): CarrierOutcome<'SubmitShipment'> {
  if (kept['shipment'] === undefined) return chooseOne(reply, order)
  const bought = describeBought(bodyOf(reply), order)
  if (bought !== undefined) return bought
  const errors = readErrors(reply)
  // 409: it was bought before. 424 is the carrier's own refusal.
  const isOpen = reply.status === 409 || reply.status >= 500 || reply.status < 400
  return isOpen ? { unknown: errors } : { errors }
}

function chooseOne(reply: HttpReply, order: CarrierOrder): CarrierOutcome<'SubmitShipment'> {
  const body = bodyOf(reply)
  const id = textAt(body, 'id')
  if (!ID.test(id)) return { errors: readErrors(reply) }
  if (order.isTest && at(body, 'test_mode') !== true) {
    const message = 'test is true, and the key is not one of the test mode; nothing was bought.'
    return { errors: [failure('AUTHENTICATION', message, { field: 'key' })] }
  }
  const { rateId } = order.shipment
  const chosen =
    rateId === '' ? chooseRate(ratesOf(body, order), order.shipment) : { rate: { rate_id: rateId } }
  if ('error' in chosen) {
    return { errors: [chosen.error, ...readList(at(body, 'messages'), reply.status)] }
  }
  const options = at(body, 'options')
  const cents = readCents(textAt(options, 'insurance')) ?? 0
  const refused =
    rateId === ''
      ? undefined
      : refuseUninsured(order.shipment, { cents, currency: textAt(options, 'currency') || 'USD' })
  if (refused !== undefined) return refused
  const kept = { shipment: id, rate: chosen.rate.rate_id }
  return { next: buy(order, kept), kept }
}

/** Nothing was bought before the ids of shipment and rate were written down. */
function askWhetherBought(order: CarrierOrder, { shipment }: CarrierFacts): HttpCall | 'not done' {
  return shipment === undefined ? 'not done' : callWith(order, 'GET', `/v1/shipments/${shipment}`)
}

/** A draft says nothing: karrio writes down what the carrier answered, and may have been killed before. */
function readWhetherBought(
  reply: HttpReply,
  order: CarrierOrder,
): CarrierOutcome<'SubmitShipment'> | 'unknown' {
  return describeBought(bodyOf(reply), order) ?? 'unknown'
}

function describeBought(
  body: unknown,
  order: CarrierOrder,
): CarrierOutcome<'SubmitShipment'> | undefined {
  const status = textAt(body, 'status')
  const number = textAt(body, 'tracking_number')
  if (number === '' || status === '' || status === 'draft' || status === 'cancelled')
    return undefined
  const rate = at(body, 'selected_rate')
  const documents = listOf(at(body, 'shipping_documents'))
  const labels = documents.filter((one) => textAt(one, 'category') === 'label')
  return {
    data: {
      charges: toAmount(readCents(textAt(rate, 'total_charge')) ?? 0),
      currency: textAt(rate, 'currency') || 'USD',
      tracking_number: number,
      shipment_id: textAt(body, 'id'),
      packages: (labels.length > 0 ? labels : [undefined]).map((one) => ({
        tracking_number: number,
        label: Buffer.from(textAt(one, 'base64'), 'base64').toString('base64'),
        label_format: (
          textAt(one, 'format') ||
          textAt(body, 'label_type') ||
          order.label.format
        ).toUpperCase(),
      })),
      documents: documents
        .filter((one) => textAt(one, 'category') !== 'label')
        .flatMap((one) =>
          toPapers(textAt(one, 'category'), textAt(one, 'base64'), textAt(one, 'format')),
        ),
      test: at(body, 'test_mode') === true,
    },
  }
}

function lookUp({ requestId }: CarrierOrder): string {
  return `Look in karrio for the shipment of the request ${requestId}.`
}

function askTrack(order: CarrierOrder): NextCall {
  const { trackingNumber, carrierName } = order.shipment
  const wanted = { carrier_name: carrierName.toLowerCase(), tracking_number: trackingNumber }
  const call = callWith(order, 'POST', '/v1/proxy/tracking', wanted)
  return refuseUntracked(order) ?? { call }
}

function readTrack(reply: HttpReply): CarrierOutcome<'Track'> {
  const body = bodyOf(reply)
  const tracking = at(body, 'tracking')
  const number = textAt(tracking, 'tracking_number')
  if (number === '') return { errors: readErrors(reply) }
  const activity = listOf(at(tracking, 'events')).map(readEvent)
  const service = textAt(tracking, 'info', 'shipment_service')
  return {
    data: {
      ...BLANKS.Track,
      status: activity[0]?.status ?? textAt(tracking, 'status'),
      status_code: textAt(tracking, 'status'),
      service: { code: service, description: service },
      estimated_delivery: toZonedTime(textAt(tracking, 'estimated_delivery')),
      delivered_time: activity.find((one) => one.status_code === 'delivered')?.time ?? '',
      packages: [{ tracking_number: number, activity }],
      test: at(tracking, 'test_mode') === true,
    },
    remarks: asKind('WARNING', readList(at(body, 'messages'), 200)),
  }
}

function readEvent(one: unknown): Activity {
  const stamp = textAt(one, 'timestamp') || textAt(one, 'date')
  const status = textAt(one, 'status')
  const code = textAt(one, 'code')
  return toActivity({
    time: toZonedTime(stamp),
    status: textAt(one, 'description'),
    code: status || code,
    type: code || status,
    location: placeOf(textAt(one, 'location')),
  })
}

function askCancel(order: CarrierOrder): NextCall {
  const { shipmentId } = order.shipment
  if (shipmentId === '') return { errors: missingFields([['shipment_id', '']]) }
  const path = `/v1/shipments/${encodeURIComponent(shipmentId)}/cancel`
  return { call: { ...callWith(order, 'POST', path), spends: true } }
}

/** Canceled before: 202, or 304 as karrio's own file has it. */
function readCancel(reply: HttpReply): CarrierOutcome<'VoidShipment'> {
  const body = bodyOf(reply)
  if (reply.status === 202 || reply.status === 304) {
    return { errors: [failure('ALREADY_VOID', 'The shipment was canceled before.')] }
  }
  if (textAt(body, 'status') === 'cancelled') {
    return { data: { status: 'Success', status_code: '1', test: at(body, 'test_mode') === true } }
  }
  return refuseOrDoubt(reply, readErrors(reply))
}
