import { failure, type Rate, type Remark } from '../../answers.ts'
import type { Next, Order, Outcome, Reply } from '../../carrier.ts'
import { readCents, toAmount } from '../../money.ts'
import { fieldsOf, missingFields } from '../../params.ts'
import { at, dayOf, listOf, textAt } from '../../reading.ts'
import { hasSize, isAbroad, type Parcel } from '../../shipment.ts'
import { bodyOf, readErrors } from './replies.ts'
import { extrasOf, readService, send, toParcel, writeService } from './wire.ts'

/** What a shop sends parcels by. */
const CLASSES = ['USPS_GROUND_ADVANTAGE', 'PRIORITY_MAIL', 'PRIORITY_MAIL_EXPRESS'] as const

export function askRates(order: Order): Next {
  const { shipment } = order
  const parcel = onlyParcel(order, [
    ...fieldsOf('ship', shipment.from, ['code']),
    ...fieldsOf('to', shipment.to, ['code']),
  ])
  if ('errors' in parcel) return parcel
  const { service } = shipment
  const extraServices = extrasOf(parcel.parcel)
  const call = send('POST', '/prices/v3/total-rates/search', {
    originZIPCode: shipment.from.code.slice(0, 5),
    destinationZIPCode: shipment.to.code.slice(0, 5),
    ...toParcel(parcel.parcel, shipment),
    mailClasses: service === '' ? CLASSES : [readService(service).mailClass],
    ...{ priceType: 'COMMERCIAL', mailingDate: dayOf(order.now) },
    ...(extraServices.length > 0 && { extraServices }),
    ...(parcel.parcel.insuredCents > 0 && { itemValue: toAmount(parcel.parcel.insuredCents) }),
  })
  return { call }
}

/** USPS takes one parcel a call, within the country, with its sizes: without them it asks for a fee later. */
export function onlyParcel(
  { shipment }: Order,
  fields: readonly (readonly [string, string])[],
): { readonly parcel: Parcel } | { readonly errors: readonly Remark[] } {
  const missing = missingFields(fields)
  if (missing.length > 0) return { errors: missing }
  if (isAbroad(shipment)) {
    const message = 'Parcels to another country are not built for USPS.'
    return { errors: [failure('NOT_SERVED', message, { field: 'to_country' })] }
  }
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

export function readRates(reply: Reply, { shipment }: Order): Outcome<'GetAllRates'> {
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
      ...{ est_delivery_time: '', delivery_days: 0, package_type: '' },
      rate_detail: [
        part('Postage', textAt(one, 'price')),
        ...[...listOf(at(one, 'fees')), ...extras].map((each) =>
          part(textAt(each, 'name'), textAt(each, 'price')),
        ),
      ],
    },
  ]
}
