import { createHash } from 'node:crypto'
import { type Answers, failure } from '../../answers.ts'
import type { HttpCall, Kept, LabelWish, Next, Order, Outcome, Reply } from '../../carrier.ts'
import { readCents, toAmount } from '../../money.ts'
import { fieldsOf, missingFields } from '../../params.ts'
import { at, dayOf, listOf, refuseOrDoubt, textAt } from '../../reading.ts'
import { onlyParcel } from './rate.ts'
import { bodyOf, readErrors } from './replies.ts'
import { extrasOf, readService, send, toAddress, toParcel } from './wire.ts'

const REFERENCE_MOST = 30 // characters of a referenceNumber
/** Else the answer is in parts of a form. */
const AS_JSON = { Accept: 'application/vnd.usps.labels+json' } as const

/** First the right to spend the account's money, which lasts hours and is written down nowhere; then the label. */
export function askShipment(order: Order): Next {
  const { shipment, label } = order
  const { from, to } = shipment
  const parcel = onlyParcel(order, [
    ['shipper', from.company || from.name],
    ...fieldsOf('ship', from, ['addr1', 'city', 'state', 'code']),
    ['to_name', to.name || to.company],
    ...fieldsOf('to', to, ['addr1', 'city', 'state', 'code']),
    ['service', shipment.service],
  ])
  if ('errors' in parcel) return parcel
  if (imageOf(label) === undefined) {
    const message = 'image_type: USPS has EPL labels for 300 dpi only; wanted ZPL, PNG, GIF or PDF.'
    return { errors: [failure('MISSING_FIELD', message, { field: 'image_type' })] }
  }
  return authorize(order)
}

function authorize({ account }: Order): Next {
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

export function readShipment(reply: Reply, order: Order, kept: Kept): Outcome<'SubmitShipment'> {
  if (kept['key'] === undefined) {
    const token = textAt(bodyOf(reply), 'paymentAuthorizationToken')
    if (token === '') return { errors: readErrors(reply) }
    const key = keyOf(order)
    return { next: { ...askLabel(order, token, key), spends: true }, kept: { key } }
  }
  const label = readLabel(bodyOf(reply), order)
  return label === undefined ? refuseOrDoubt(reply, readErrors(reply)) : { data: label }
}

/** The idempotency key of USPS is a UUID: made from our id, so that the same call has the same. */
function keyOf({ requestId }: Order): string {
  const hex = createHash('sha256').update(`platen ${requestId}`).digest('hex')
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
  ]
  return [...parts, hex.slice(20, 32)].join('-')
}

function askLabel(order: Order, token: string, key: string): HttpCall {
  const { shipment, requestId } = order
  const [parcel] = shipment.parcels
  if (parcel === undefined) throw new Error('checked when it was asked for')
  const extraServices = extrasOf(parcel)
  const body = {
    imageInfo: imageInfo(order.label),
    toAddress: toAddress(shipment.to),
    fromAddress: toAddress(shipment.from),
    packageDescription: {
      ...toParcel(parcel, shipment),
      ...readService(shipment.service),
      ...{ destinationEntryFacilityType: 'NONE', mailingDate: dayOf(order.now) },
      ...(extraServices.length > 0 && { extraServices }),
      ...(parcel.insuredCents > 0 && {
        packageOptions: { packageValue: toAmount(parcel.insuredCents) },
      }),
      customerReference: [requestId, ...shipment.references].slice(0, 4).map((one) => ({
        referenceNumber: one.slice(-REFERENCE_MOST),
      })),
    },
  }
  return send('POST', '/labels/v3/label', body, rights(token, key))
}

function rights(token: string, key?: string): Readonly<Record<string, string>> {
  return {
    ...AS_JSON,
    'X-Payment-Authorization-Token': token,
    ...(key !== undefined && { 'X-Idempotency-Key': key }),
  }
}

function imageOf({ format, dpi }: LabelWish): string | undefined {
  if (format === 'ZPL') return `ZPL${dpi}DPI`
  if (format === 'EPL') return dpi === 300 ? 'EPL300DPI' : undefined
  return format
}

function imageInfo(label: LabelWish): object {
  return { imageType: imageOf(label), labelType: '4X6LABEL' }
}

function readLabel(body: unknown, { label }: Order): Answers['SubmitShipment'] | undefined {
  const about = at(body, 'labelMetadata')
  const number = textAt(about, 'trackingNumber')
  const image = textAt(body, 'labelImage')
  if (number === '') return undefined
  // The postage stands there without them.
  const more = [...listOf(at(about, 'extraServices')), ...listOf(at(about, 'fees'))]
  const cents = [textAt(about, 'postage'), ...more.map((one) => textAt(one, 'price'))]
    .map((amount) => readCents(amount) ?? 0)
    .reduce((sum, one) => sum + one, 0)
  const content = Buffer.from(image, 'base64').toString('base64')
  return {
    ...{ charges: toAmount(cents), currency: 'USD', tracking_number: number, shipment_id: number },
    packages: [{ tracking_number: number, label: content, label_format: label.format }],
    documents: [],
  }
}

/** Nothing was bought before the key of the purchase was written down. */
export function askAgain(order: Order, kept: Kept): HttpCall | 'not done' {
  const next = authorize(order)
  return kept['key'] === undefined || 'errors' in next ? 'not done' : next.call
}

/** What was bought with our key is printed again by USPS. */
export function readAgain(reply: Reply, order: Order): Outcome<'SubmitShipment'> | 'unknown' {
  const body = bodyOf(reply)
  const token = textAt(body, 'paymentAuthorizationToken')
  if (token !== '') {
    const asked = { imageInfo: imageInfo(order.label) }
    const next = send('POST', '/labels/v3/label-reprint', asked, rights(token, keyOf(order)))
    return { next, kept: {} }
  }
  const label = readLabel(body, order)
  return label === undefined ? 'unknown' : { data: label }
}

/** Where USPS cannot be asked. */
export function lookUp({ requestId }: Order): string {
  return `Look in the USPS business portal for a label with the reference ${requestId.slice(-REFERENCE_MOST)}.`
}

export function askVoid(order: Order): Next {
  const number = order.shipment.shipmentId || order.shipment.trackingNumber
  return number === '' ? { errors: missingFields([['shipment_id', '']]) } : authorize(order)
}

/** A refund that USPS looks into takes days. */
export function readVoid(reply: Reply, order: Order, kept: Kept): Outcome<'VoidShipment'> {
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
