import { failure } from '../../answers.ts'
import type { Next, Order, Outcome, Reply } from '../../carrier.ts'
import { missingFields } from '../../params.ts'
import { at, dayOf, jsonOf, listOf, numberAt, textAt, toZonedTime } from '../../reading.ts'
import { isGood, readErrors } from './replies.ts'
import { post, readableWeight } from './wire.ts'

/** When each service would deliver what is handed in today. */
export function askTransit({ shipment, now, requestId }: Order): Next {
  const { from, to, parcels } = shipment
  const missing = missingFields([
    ['ship_code', from.code],
    ['to_code', to.code],
  ])
  if (missing.length > 0) return { errors: missing }
  const weight = parcels.reduce((sum, one) => sum + one.weight, 0)
  const call = post('/api/shipments/v1/transittimes', {
    ...{ originCountryCode: from.country, originPostalCode: from.code },
    ...{ destinationCountryCode: to.country, destinationPostalCode: to.code },
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

export function readTransit(reply: Reply): Outcome<'TimeInTransit'> {
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
