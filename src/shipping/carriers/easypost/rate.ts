import type { Rate } from '../../answers.ts'
import type { Next, Order, Outcome, Reply } from '../../carrier.ts'
import { readCents, toAmount } from '../../money.ts'
import { at, jsonOf, listOf, numberAt, textAt } from '../../reading.ts'
import { ofCarrier, ratesOrReasons } from '../aggregator.ts'
import { isGood, readErrors, readMessages } from './replies.ts'
import { callWith, describe } from './wire.ts'

export function askRates(order: Order): Next {
  const described = describe(order)
  if ('errors' in described) return described
  return { call: callWith(order, 'POST', '/shipments', described.body) }
}

export function readRates(reply: Reply, order: Order): Outcome<'GetAllRates'> {
  const body = jsonOf(reply.text)
  if (!isGood(reply) || textAt(body, 'id') === '') return { errors: readErrors(reply) }
  const rates = ratesOf(body, order)
  const remarks = readMessages(body)
  return ratesOrReasons(rates, remarks, { test: textAt(body, 'mode') === 'test' })
}

/** The rates of a shipment, of the carrier that was asked for. */
export function ratesOf(shipment: unknown, { shipment: asked }: Order): readonly Rate[] {
  const rates = listOf(at(shipment, 'rates')).map((one) => toRate(one, textAt(shipment, 'id')))
  return ofCarrier(rates, asked)
}

function toRate(one: unknown, shipmentId: string): Rate {
  const own = readCents(textAt(one, 'rate')) ?? 0
  const retail = readCents(textAt(one, 'retail_rate'))
  const carrier = textAt(one, 'carrier')
  const day = textAt(one, 'delivery_date')
  return {
    desc: `${carrier} ${textAt(one, 'service')}`,
    rate: toAmount(retail ?? own),
    negotiated_rate: toAmount(own),
    currency: textAt(one, 'currency') || 'USD',
    // Services of several carriers have the same name.
    service_code: `${carrier}/${textAt(one, 'service')}`,
    est_delivery_time: /^\d{4}-\d\d-\d\dT/.test(day) ? day.replace('Z', '-00:00') : '',
    delivery_days: Math.trunc(numberAt(one, 'delivery_days')),
    package_type: '',
    rate_detail: [],
    rate_id: textAt(one, 'id'),
    shipment_id: shipmentId,
    carrier_name: carrier,
    carrier_account: textAt(one, 'carrier_account_id'),
    test: textAt(one, 'mode') === 'test',
  }
}
