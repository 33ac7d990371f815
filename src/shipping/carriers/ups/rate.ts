import type { Rate } from '../../answers.ts'
import type { Next, Order, Outcome, Reply } from '../../carrier.ts'
import { readCents, toAmount } from '../../money.ts'
import { at, jsonOf, listOf, numberAt, textAt } from '../../reading.ts'
import { isGood, readAlerts, readErrors } from './replies.ts'
import { findMissing, nameOf, post, toAddress, toPackage, VERSION } from './wire.ts'

export function askRates(order: Order): Next {
  const { shipment, account } = order
  const missing = findMissing(order, [
    ['ship_code', shipment.from.code],
    ['to_code', shipment.to.code],
  ])
  if (missing !== undefined) return missing
  const call = post(`/api/rating/${VERSION}/Shop`, {
    RateRequest: {
      Request: { RequestOption: 'Shop' },
      PickupType: { Code: shipment.pickupType || '01' },
      ...(shipment.customerClassification === ''
        ? {}
        : { CustomerClassification: { Code: shipment.customerClassification } }),
      Shipment: {
        Shipper: {
          ...{ Name: nameOf(shipment.from), ShipperNumber: account['account_number'] },
          Address: toAddress(shipment.from),
        },
        ShipTo: { Name: nameOf(shipment.to), Address: toAddress(shipment.to) },
        ShipFrom: { Name: nameOf(shipment.from), Address: toAddress(shipment.from) },
        NumOfPieces: String(shipment.parcels.length),
        Package: shipment.parcels.map((parcel) => ({
          PackagingType: { Code: parcel.packagingType || '02' },
          ...toPackage(parcel, shipment),
        })),
        ShipmentRatingOptions: { NegotiatedRatesIndicator: 'Y' },
      },
    },
  })
  return { call }
}

// UPS, Rating.yaml: Service.Code.
const SERVICES: Readonly<Record<string, string>> = {
  ...{ '01': 'UPS Next Day Air', '02': 'UPS 2nd Day Air', '03': 'UPS Ground' },
  ...{ '07': 'UPS Worldwide Express', '08': 'UPS Worldwide Expedited', '11': 'UPS Standard' },
  ...{ '12': 'UPS 3 Day Select', '13': 'UPS Next Day Air Saver', '14': 'UPS Next Day Air Early' },
  ...{
    '54': 'UPS Worldwide Express Plus',
    '59': 'UPS 2nd Day Air A.M.',
    '65': 'UPS Worldwide Saver',
  },
  ...{ '93': 'UPS Ground Saver' },
}

export function readRates(reply: Reply): Outcome<'GetAllRates'> {
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
    desc: textAt(rated, 'Service', 'Description') || SERVICES[code] || `UPS service ${code}`,
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
