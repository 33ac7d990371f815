import { type CarrierRemark, failure, type Rate } from '../answers.ts'
import type {
  ActionPlan,
  CarrierFacts,
  CarrierOrder,
  CarrierOutcome,
  HttpCall,
  HttpReply,
  NextCall,
} from '../carrier.ts'
import {
  chooseRate,
  ofCarrier,
  ratesOrReasons,
  refuseForeignInsurance,
  refuseOtherWay,
  refuseUnbuyable,
} from '../orders.ts'
import { toFarPapers } from '../papers.ts'
import { at, jsonOf, listOf, numberAt, textAt } from '../reading.ts'
import { insuranceOf, readCents, toAmount, toDecimal } from '../shipment.ts'
import { askRates, callWith, formatOf, isGood, readErrors, readMessages } from './wire.ts'

const ID = /^(shp|rate)_\w+$/

export const buying: ActionPlan<'SubmitShipment'> = {
  request: askPurchase,
  parse: readPurchase,
  recover: askWhetherBought,
  parseRecovery: readWhetherBought,
}

/** A price that was shown before is bought as it is; else the shipment is rated first, so that there is an id to ask for. */
function askPurchase(order: CarrierOrder): NextCall {
  const { rateId, shipmentId } = order.shipment
  if (rateId === '') return refuseUnbuyable(order) ?? askRates(order)
  if (!ID.test(rateId) || !ID.test(shipmentId)) {
    const message = 'rate_id goes with the shipment_id of the same rate.'
    return { errors: [failure('MISSING_FIELD', message, { field: 'shipment_id' })] }
  }
  const errors = refuseForeignInsurance(order.shipment)
  if (errors.length > 0) return { errors }
  // The form of its label was fixed when it was rated, and which way it goes.
  const isAsked = order.label.isPrinted || order.shipment.isReturn
  if (isAsked) return { call: callWith(order, 'GET', `/shipments/${shipmentId}`) }
  return { call: buy(order, shipmentId, rateId), kept: { shipment: shipmentId, rate: rateId } }
}

function buy(order: CarrierOrder, shipment: string, rate: string): HttpCall {
  const insured = insuranceOf(order.shipment)
  const call = callWith(order, 'POST', `/shipments/${shipment}/buy`, {
    rate: { id: rate },
    // One that was rated before may have been rated without.
    ...(insured !== undefined && { insurance: toDecimal(insured.cents) }),
  })
  return { ...call, spends: true }
}

function readPurchase(
  reply: HttpReply,
  order: CarrierOrder,
  kept: CarrierFacts,
): CarrierOutcome<'SubmitShipment'> {
  if (kept['shipment'] === undefined) return chooseOne(reply, order)
  const body = jsonOf(reply.text)
  if (isGood(reply) && isBought(body)) return describeBought(body, order)
  const errors = readErrors(reply)
  const isOpen = errors.some(({ carrier_code: code }) => OPEN.test(code))
  return isOpen || reply.status >= 500 || reply.status < 400 ? { unknown: errors } : { errors }
}

// EasyPost's own words for "the carrier did not tell us", and for a purchase that is under way or done.
const OPEN = /^SHIPMENT\.(POSTAGE\.(TIMED_OUT|NO_RESPONSE|EXISTS)|PURCHASE\.IN_PROGRESS)$/

function chooseOne(reply: HttpReply, order: CarrierOrder): CarrierOutcome<'SubmitShipment'> {
  const body = jsonOf(reply.text)
  const id = textAt(body, 'id')
  if (!isGood(reply) || !ID.test(id)) return { errors: readErrors(reply) }
  const { rateId } = order.shipment
  if (rateId !== '') {
    const isReturn = at(body, 'is_return') === true
    const other = refuseOtherWay(order.shipment, isReturn) ?? findForeignLabel(body, order)
    return other ?? { next: buy(order, id, rateId), kept: { shipment: id, rate: rateId } }
  }
  const rates = ratesOf(body, order)
  const chosen = chooseRate(rates, order.shipment)
  if ('error' in chosen) return { errors: [chosen.error, ...readMessages(body)] }
  const { rate_id: rate } = chosen.rate
  if (!ID.test(rate)) return { errors: readErrors(reply) }
  return { next: buy(order, id, rate), kept: { shipment: id, rate } }
}

/** A label in another language than the printer's, or for another head, would not print, or print in part. */
function findForeignLabel(
  body: unknown,
  { label }: CarrierOrder,
): { errors: CarrierRemark[] } | undefined {
  if (!label.isPrinted) return undefined
  const rated = textAt(body, 'options', 'label_format')
  const wanted = formatOf(label)
  if (rated === wanted || !/^(ZPL|EPL2)$/.test(rated)) return undefined
  const message = `rate_id: it was rated with a ${rated} label, wanted ${wanted}; ask for the rates with image_type ${label.format}.`
  return { errors: [failure('MISSING_FIELD', message, { field: 'image_type' })] }
}

/** Describes what was bought by the file at the label's address; PNG where nothing does. */
function describeBought(body: unknown, order: CarrierOrder): CarrierOutcome<'SubmitShipment'> {
  const cents = readCents(textAt(body, 'selected_rate', 'rate')) ?? 0
  const number = textAt(body, 'tracking_code')
  const { url, format } = labelOf(at(body, 'postage_label'), formatOf(order.label))
  const fetch = [{ index: 0, url }]
  const forms = listOf(at(body, 'forms')).map((one) => ({
    name: textAt(one, 'form_type'),
    url: textAt(one, 'form_url'),
  }))
  const papers = toFarPapers(forms)
  return {
    data: {
      charges: toAmount(cents),
      currency: textAt(body, 'selected_rate', 'currency') || 'USD',
      tracking_number: number,
      shipment_id: textAt(body, 'id'),
      packages: [{ tracking_number: number, label: '', label_format: format }],
      documents: papers.documents,
      test: textAt(body, 'mode') === 'test',
    },
    fetch,
    ...(papers.fetchPapers.length > 0 && { fetchPapers: papers.fetchPapers }),
  }
}

function labelOf(
  label: unknown,
  wanted: string,
): { readonly url: string; readonly format: string } {
  const converted = { ZPL: 'label_zpl_url', EPL2: 'label_epl2_url', PDF: 'label_pdf_url' } as const
  const name = wanted in converted ? converted[wanted as keyof typeof converted] : 'label_url'
  const url = textAt(label, name) || textAt(label, 'label_url')
  const ending = /\.(zpl|epl2?|pdf|png)(?:\?|$)/i.exec(url)?.[1]?.toUpperCase() ?? 'PNG'
  return { url, format: ending.startsWith('EPL') ? 'EPL' : ending }
}

/** Nothing was bought before the ids of shipment and rate were written down. */
function askWhetherBought(order: CarrierOrder, { shipment }: CarrierFacts): HttpCall | 'not done' {
  return shipment === undefined ? 'not done' : callWith(order, 'GET', `/shipments/${shipment}`)
}

/** A shipment is bought once at most; one without a label may be just being bought. */
function readWhetherBought(
  reply: HttpReply,
  order: CarrierOrder,
): CarrierOutcome<'SubmitShipment'> | 'unknown' {
  const body = jsonOf(reply.text)
  return isGood(reply) && isBought(body) ? describeBought(body, order) : 'unknown'
}

function isBought(body: unknown): boolean {
  return textAt(body, 'postage_label', 'id') !== ''
}

export const rating: ActionPlan<'GetAllRates'> = { request: askRates, parse: readRates }

function readRates(reply: HttpReply, order: CarrierOrder): CarrierOutcome<'GetAllRates'> {
  const body = jsonOf(reply.text)
  if (!isGood(reply) || textAt(body, 'id') === '') return { errors: readErrors(reply) }
  const rates = ratesOf(body, order)
  const remarks = readMessages(body)
  return ratesOrReasons(rates, remarks, { test: textAt(body, 'mode') === 'test' })
}

/** The rates of a shipment, of the carrier that was asked for. */
function ratesOf(shipment: unknown, { shipment: asked }: CarrierOrder): readonly Rate[] {
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
