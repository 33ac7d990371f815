import { failure, type Rate } from '../../answers.ts'
import type { Next, Order, Outcome, Reply } from '../../carrier.ts'
import { readCents, toAmount } from '../../money.ts'
import { fieldsOf, missingFields } from '../../params.ts'
import { at, listOf, numberAt, textAt, toZonedTime } from '../../reading.ts'
import { isAbroad } from '../../shipment.ts'
import { bodyOf, readErrors } from './replies.ts'
import { callWith, plannedTime, toPackage, toPlace, unitsOf } from './wire.ts'

export function askRates(order: Order): Next {
  const { shipment, account, now } = order
  const number = account['account_number'] ?? ''
  const missing = missingFields([
    ['account_number', number],
    ...fieldsOf('ship', shipment.from, ['city', 'code']),
    ...fieldsOf('to', shipment.to, ['city', 'code']),
    ['packages', shipment.parcels.length > 0 ? 'given' : ''],
  ])
  if (missing.length > 0) return { errors: missing }
  const call = callWith(order, 'POST', '/rates', {
    customerDetails: {
      shipperDetails: toPlace(shipment.from),
      receiverDetails: toPlace(shipment.to),
    },
    accounts: [{ typeCode: 'shipper', number }],
    ...(shipment.service !== '' && { productCode: shipment.service }),
    plannedShippingDateAndTime: plannedTime(now),
    ...{ unitOfMeasurement: unitsOf(shipment), isCustomsDeclarable: isAbroad(shipment) },
    packages: shipment.parcels.map((parcel) => toPackage(parcel, shipment)),
  })
  return { call }
}

export function readRates(reply: Reply): Outcome<'GetAllRates'> {
  const body = bodyOf(reply)
  const products = listOf(at(body, 'products'))
  const rates = products.flatMap(toRate)
  if (rates.length > 0) return { data: { rates } }
  if (body === undefined) return { errors: readErrors(reply) }
  return { errors: [failure('NOT_SERVED', 'DHL has no price for this shipment.')] }
}

/** In the currency that is billed; a product without a price is none. */
function toRate(product: unknown): readonly Rate[] {
  const prices = listOf(at(product, 'totalPrice'))
  const billed = (list: readonly unknown[]): unknown =>
    list.find((one) => textAt(one, 'currencyType') === 'BILLC') ?? list[0]
  const price = billed(prices)
  const cents = readCents(textAt(price, 'price'))
  if (cents === undefined || cents === 0) return []
  const details = listOf(at(billed(listOf(at(product, 'detailedPriceBreakdown'))), 'breakdown'))
  return [
    {
      desc: textAt(product, 'productName') || textAt(product, 'productCode'),
      ...{ rate: toAmount(cents), negotiated_rate: toAmount(cents) },
      currency: textAt(price, 'priceCurrency') || 'USD',
      service_code: textAt(product, 'productCode'),
      est_delivery_time: toZonedTime(
        textAt(product, 'deliveryCapabilities', 'estimatedDeliveryDateAndTime'),
      ),
      delivery_days: Math.trunc(numberAt(product, 'deliveryCapabilities', 'totalTransitDays')),
      package_type: '',
      rate_detail: details.map((one) => ({
        desc: textAt(one, 'name'),
        amount: toAmount(readCents(textAt(one, 'price')) ?? 0),
      })),
    },
  ]
}
