import { createHash } from 'node:crypto'
import { type Answers, type CarrierRemark, failure, type Rate } from '../answers.ts'
import type {
  ActionPlan,
  CarrierFacts,
  CarrierOrder,
  CarrierOutcome,
  HttpCall,
  HttpReply,
  LabelWish,
  NextCall,
} from '../carrier.ts'
import {
  fieldsOfBoth,
  fieldsToShip,
  longFields,
  missingFields,
  refuseForeignInsurance,
  refuseSignedReturn,
} from '../orders.ts'
import { at, bodyOf, dayOf, jsonOf, listOf, refuseOrDoubt, textAt } from '../reading.ts'
import { hasSize, isAbroad, type Parcel, readCents, toAmount, travelOf } from '../shipment.ts'
import {
  ADDRESS_MOST,
  extrasOf,
  readErrors,
  readService,
  send,
  toAddress,
  toParcel,
  withStates,
  writeService,
} from './wire.ts'

const REFERENCE_MOST = 30 // characters of a referenceNumber
/** Else the answer is in parts of a form. Decision `usps-payment`. */
const AS_JSON = { Accept: 'application/vnd.usps.labels+json' } as const

export const shipping: ActionPlan<'SubmitShipment'> = {
  request: askShipment,
  parse: readShipment,
  lookUp,
  recover: askAgain,
  parseRecovery: readAgain,
}

/** First the right to spend the account's money, which lasts hours and is written down nowhere; then the label. */
function askShipment(given: CarrierOrder): NextCall {
  const order = withStates(given)
  const { shipment } = order
  const parcel = onlyParcel(order, fieldsToShip(shipment, ['addr1', 'city', 'state', 'code']))
  if ('errors' in parcel) return parcel
  const wrong = [
    ...longFields(shipment, ADDRESS_MOST),
    ...refuseSignedReturn(shipment),
    ...refuseOneWay(shipment),
  ]
  return wrong.length > 0 ? { errors: wrong } : authorize(order)
}

const RETURN = '_RETURN_SERVICE'
/** Mail classes that a shop sends parcels by; each comes back, too. */
const CLASSES = ['USPS_GROUND_ADVANTAGE', 'PRIORITY_MAIL', 'PRIORITY_MAIL_EXPRESS'] as const

/** `PRIORITY_MAIL_RETURN_SERVICE`, which may have been named itself. */
function toReturnClass(mailClass: string): string {
  return mailClass.endsWith(RETURN) ? mailClass : `${mailClass}${RETURN}`
}

function refuseOneWay({ isReturn, service }: CarrierOrder['shipment']): readonly CarrierRemark[] {
  const wanted = CLASSES.map(toReturnClass)
  if (!isReturn || wanted.includes(toReturnClass(readService(service).mailClass))) return []
  const message = `service: USPS has no returns of ${JSON.stringify(service)}, wanted ${CLASSES.join(', ')}.`
  return [failure('UNKNOWN_SERVICE', message, { field: 'service' })]
}

function authorize({ account }: CarrierOrder): NextCall {
  const { crid = '', mid = '', account_number: number = '' } = account
  const missing = missingFields(Object.entries({ crid, mid, account_number: number }))
  if (missing.length > 0) return { errors: missing }
  const who = { CRID: crid, MID: mid, manifestMID: account['manifest_mid'] ?? mid }
  const paying = { ...who, accountType: 'EPS', accountNumber: number }
  const roles = [
    { roleName: 'PAYER', ...paying },
    { roleName: 'LABEL_OWNER', ...paying },
  ]
  return { call: send('POST', '/payments/v3/payment-authorization', { roles }) }
}

function readShipment(
  reply: HttpReply,
  order: CarrierOrder,
  kept: CarrierFacts,
): CarrierOutcome<'SubmitShipment'> {
  if (kept['key'] === undefined) {
    const token = textAt(bodyOf(reply), 'paymentAuthorizationToken')
    if (token === '') return { errors: readErrors(reply) }
    const key = keyOf(order)
    return { next: { ...askLabel(order, token, key), spends: true }, kept: { key } }
  }
  const label = readLabel(bodyOf(reply), order)
  return label === undefined ? refuseOrDoubt(reply, readErrors(reply)) : { data: label }
}

/** USPS wants a UUID that no other label has: made from our id, and the time, as the id of a request may be used again after days. */
function keyOf({ requestId, now }: CarrierOrder): string {
  const hex = createHash('sha256').update(`platen ${requestId} ${now}`).digest('hex')
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
  ]
  return [...parts, hex.slice(20, 32)].join('-')
}

function askLabel(given: CarrierOrder, token: string, key: string): HttpCall {
  const order = withStates(given)
  const { shipment, requestId } = order
  const [parcel] = shipment.parcels
  if (parcel === undefined) throw new Error('checked when it was asked for')
  const extraServices = extrasOf(parcel)
  const travel = travelOf(shipment)
  const { isReturn } = shipment
  const body = {
    imageInfo: imageInfo(order.label),
    toAddress: toAddress(travel.to),
    fromAddress: toAddress(travel.from),
    packageDescription: {
      ...toParcel(parcel, shipment),
      ...readService(shipment.service),
      // Nobody knows when and where a return is handed in.
      ...(isReturn
        ? { mailClass: toReturnClass(readService(shipment.service).mailClass) }
        : { destinationEntryFacilityType: 'NONE', mailingDate: dayOf(order.now) }),
      ...(extraServices.length > 0 && { extraServices }),
      ...(parcel.insuredCents > 0 && {
        packageOptions: { packageValue: toAmount(parcel.insuredCents) },
      }),
      customerReference: [requestId, ...shipment.references].slice(0, 4).map((one) => ({
        referenceNumber: one.slice(-REFERENCE_MOST),
      })),
    },
  }
  const path = isReturn ? '/labels/v3/return-label' : '/labels/v3/label'
  return send('POST', path, body, rights(token, key))
}

function rights(token: string, key?: string): Readonly<Record<string, string>> {
  return {
    ...AS_JSON,
    'X-Payment-Authorization-Token': token,
    ...(key !== undefined && { 'X-Idempotency-Key': key }),
  }
}

function imageInfo({ format, dpi }: LabelWish): object {
  const imageType = format === 'ZPL' || format === 'EPL' ? `${format}${dpi}DPI` : format
  return { imageType, labelType: '4X6LABEL' }
}

function readLabel(body: unknown, { label }: CarrierOrder): Answers['SubmitShipment'] | undefined {
  // Of a return printed again, of a label, and of a return.
  const about = at(body, 'returnLabelMetadata') ?? at(body, 'labelMetadata') ?? body
  const number = textAt(about, 'trackingNumber')
  const image = textAt(body, 'labelImage') || textAt(body, 'returnLabelImage')
  if (number === '') return undefined
  // The postage stands there without them.
  const more = [...listOf(at(about, 'extraServices')), ...listOf(at(about, 'fees'))]
  const cents = [textAt(about, 'postage'), ...more.map((one) => textAt(one, 'price'))]
    .map((amount) => readCents(amount) ?? 0)
    .reduce((sum, one) => sum + one, 0)
  const content = Buffer.from(image, 'base64').toString('base64')
  return {
    charges: toAmount(cents),
    currency: 'USD',
    tracking_number: number,
    shipment_id: number,
    packages: [{ tracking_number: number, label: content, label_format: label.format }],
    documents: [],
  }
}

/** Nothing was bought before the key of the purchase was written down. */
function askAgain(order: CarrierOrder, kept: CarrierFacts): HttpCall | 'not done' | undefined {
  if (kept['key'] === undefined) return 'not done'
  const next = authorize(order)
  return 'errors' in next ? undefined : next.call
}

/** Reads the label again: what was bought with our key is printed again by USPS. */
function readAgain(
  reply: HttpReply,
  order: CarrierOrder,
  { key }: CarrierFacts,
): CarrierOutcome<'SubmitShipment'> | 'unknown' {
  const body = bodyOf(reply)
  const token = textAt(body, 'paymentAuthorizationToken')
  if (token !== '') {
    const asked = { imageInfo: imageInfo(order.label) }
    const next = send('POST', '/labels/v3/label-reprint', asked, rights(token, key))
    return { next, kept: {} }
  }
  const label = readLabel(body, order)
  return label === undefined ? 'unknown' : { data: label }
}

/** Tells where a person looks when USPS cannot be asked. */
function lookUp({ requestId }: CarrierOrder): string {
  return `Look in the USPS business portal for a label with the reference ${requestId.slice(-REFERENCE_MOST)}.`
}

export const voiding: ActionPlan<'VoidShipment'> = { request: askVoid, parse: readVoid }

function askVoid(order: CarrierOrder): NextCall {
  const number = order.shipment.shipmentId || order.shipment.trackingNumber
  return number === '' ? { errors: missingFields([['shipment_id', '']]) } : authorize(order)
}

/** A refund that USPS looks into takes days. */
function readVoid(
  reply: HttpReply,
  order: CarrierOrder,
  kept: CarrierFacts,
): CarrierOutcome<'VoidShipment'> {
  const body = bodyOf(reply)
  if (kept['number'] === undefined) {
    const token = textAt(body, 'paymentAuthorizationToken')
    if (token === '') return { errors: readErrors(reply) }
    const number = order.shipment.shipmentId || order.shipment.trackingNumber
    const path = `/labels/v3/label/${encodeURIComponent(number)}`
    const more = { 'X-Payment-Authorization-Token': token }
    const next = send('DELETE', path, undefined, more)
    return { next: { ...next, spends: true }, kept: { number } }
  }
  const status = textAt(body, 'status')
  if (status === 'CANCELED') return { data: { status: 'Success', status_code: '1' } }
  if (status === 'DISPUTED') return { data: { status: 'Pending', status_code: '0' } }
  return refuseOrDoubt(reply, readErrors(reply))
}

export const rating: ActionPlan<'GetAllRates'> = { request: askRates, parse: readRates }

function askRates(given: CarrierOrder): NextCall {
  const order = withStates(given)
  const { shipment } = order
  const parcel = onlyParcel(order, fieldsOfBoth(shipment, ['code']))
  if ('errors' in parcel) return parcel
  const { service } = shipment
  if (shipment.isReturn) return askReturnRates(order, parcel.parcel)
  const extraServices = extrasOf(parcel.parcel)
  const call = send('POST', '/prices/v3/total-rates/search', {
    originZIPCode: shipment.from.code.slice(0, 5),
    destinationZIPCode: shipment.to.code.slice(0, 5),
    ...toParcel(parcel.parcel, shipment),
    mailClasses: service === '' ? CLASSES : [readService(service).mailClass],
    priceType: 'COMMERCIAL',
    mailingDate: dayOf(order.now),
    ...(extraServices.length > 0 && { extraServices }),
    ...(parcel.parcel.insuredCents > 0 && { itemValue: toAmount(parcel.parcel.insuredCents) }),
  })
  return { call }
}

/** USPS takes one parcel a call, within the country, with its sizes: without them it asks for a fee later. */
function onlyParcel(
  { shipment }: CarrierOrder,
  fields: readonly (readonly [string, string])[],
): { readonly parcel: Parcel } | { readonly errors: readonly CarrierRemark[] } {
  // First: abroad there may be no state, and no address makes it possible.
  if (isAbroad(shipment)) {
    const message = 'Parcels to another country are not built for USPS.'
    return { errors: [failure('NOT_SERVED', message, { field: 'to_country' })] }
  }
  const wrong = [...missingFields(fields), ...refuseForeignInsurance(shipment)]
  if (wrong.length > 0) return { errors: wrong }
  const [parcel, another] = shipment.parcels
  if (parcel === undefined || another !== undefined) {
    const message = `packages: got ${shipment.parcels.length}, wanted 1; send a call for each parcel.`
    return { errors: [failure('MISSING_FIELD', message, { field: 'packages' })] }
  }
  if (hasSize(parcel)) return { parcel }
  const names = (['length', 'width', 'height'] as const).map(
    (name) => [name, parcel[name] > 0 ? 'given' : ''] as const,
  )
  return { errors: missingFields(names) }
}

/** The prices of returns come one class a call: all of them, or that of the service. */
function askReturnRates(order: CarrierOrder, parcel: Parcel): NextCall {
  const { shipment } = order
  const { service } = shipment
  const refused = service === '' ? [] : refuseOneWay(shipment)
  if (refused.length > 0) return { errors: refused }
  const [first = '', ...left] = service === '' ? CLASSES : [readService(service).mailClass]
  return { call: askReturnRate(order, parcel, first), kept: { left: left.join(' '), found: '[]' } }
}

function askReturnRate(order: CarrierOrder, parcel: Parcel, mailClass: string): HttpCall {
  const { shipment } = order
  const travel = travelOf(shipment)
  return send('POST', '/prices/v3/base-rates/search', {
    originZIPCode: travel.from.code.slice(0, 5),
    destinationZIPCode: travel.to.code.slice(0, 5),
    ...toParcel(parcel, shipment),
    ...readService(shipment.service),
    mailClass: toReturnClass(mailClass),
    destinationEntryFacilityType: 'NONE',
    priceType: 'COMMERCIAL',
  })
}

/** `found` has the prices of the classes before. One class may have none. */
function readReturnRates(
  reply: HttpReply,
  order: CarrierOrder,
  { left = '', found = '[]' }: CarrierFacts,
): CarrierOutcome<'GetAllRates'> {
  const rates = [...(jsonOf(found) as readonly Rate[]), ...toRate(bodyOf(reply))]
  const [mailClass = '', ...others] = left.split(' ')
  const [parcel] = order.shipment.parcels
  if (mailClass !== '' && parcel !== undefined) {
    const kept = { left: others.join(' '), found: JSON.stringify(rates) }
    return { next: askReturnRate(order, parcel, mailClass), kept }
  }
  return rates.length > 0 ? { data: { rates } } : { errors: readErrors(reply) }
}

function readRates(
  reply: HttpReply,
  order: CarrierOrder,
  kept: CarrierFacts,
): CarrierOutcome<'GetAllRates'> {
  return kept['left'] === undefined
    ? readOutboundRates(reply, order)
    : readReturnRates(reply, withStates(order), kept)
}

function readOutboundRates(
  reply: HttpReply,
  { shipment }: CarrierOrder,
): CarrierOutcome<'GetAllRates'> {
  const body = bodyOf(reply)
  const options = at(body, 'rateOptions')
  const rates = (options === undefined ? [body] : listOf(options)).flatMap(toRate)
  if (rates.length > 0) return { data: { rates } }
  if (body === undefined) return { errors: readErrors(reply) }
  const wanted = shipment.service === '' ? 'this parcel' : shipment.service
  return { errors: [failure('NOT_SERVED', `USPS has no price for ${wanted}.`)] }
}

/** A price for who hands parcels in at a post office: all others need a contract. */
function toRate(option: unknown): readonly Rate[] {
  const rates = listOf(at(option, 'rates'))
  const [one] = rates
  const entry = textAt(one, 'destinationEntryFacilityType')
  const base = readCents(textAt(option, 'totalBasePrice'))
  if (one === undefined || base === undefined || (entry !== '' && entry !== 'NONE')) return []
  const total = readCents(textAt(option, 'totalPrice')) ?? base
  const extras = listOf(at(option, 'extraServices'))
  const part = (desc: string, price: string) => ({ desc, amount: toAmount(readCents(price) ?? 0) })
  return [
    {
      desc: textAt(one, 'description') || textAt(one, 'productName') || textAt(one, 'mailClass'),
      rate: toAmount(total),
      negotiated_rate: toAmount(total),
      currency: 'USD',
      service_code: writeService({
        mailClass: textAt(one, 'mailClass'),
        rateIndicator: textAt(one, 'rateIndicator') || 'SP',
        processingCategory: textAt(one, 'processingCategory') || 'MACHINABLE',
      }),
      est_delivery_time: '',
      delivery_days: 0,
      package_type: '',
      rate_detail: [
        part('Postage', textAt(one, 'price')),
        ...[...listOf(at(one, 'fees')), ...extras].map((each) =>
          part(textAt(each, 'name'), textAt(each, 'price')),
        ),
      ],
    },
  ]
}
