import { type CarrierRemark, failure, type Rate } from '../answers.ts'
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
  chooseRate,
  ofCarrier,
  ratesOrReasons,
  refuseOtherWay,
  refuseUnbuyable,
  refuseUninsured,
} from '../orders.ts'
import { toFarPapers } from '../papers.ts'
import { at, listOf, numberAt, refuseOrDoubt, textAt } from '../reading.ts'
import { readCents, toAmount } from '../shipment.ts'
import { askRates, bodyOf, callWith, ID, markOf, ofMark, readErrors, readMessages } from './wire.ts'

export const rating: ActionPlan<'GetAllRates'> = { request: askRates, parse: readRates }

function readRates(reply: HttpReply, order: CarrierOrder): CarrierOutcome<'GetAllRates'> {
  const body = bodyOf(reply)
  if (textAt(body, 'object_id') === '') return { errors: readErrors(reply) }
  const remarks = readMessages(body, 'NOT_SERVED')
  const rates = ratesOf(body, order)
  const none = failure('NOT_SERVED', 'Shippo offers no rate for this shipment.')
  const reasons = rates.length === 0 && remarks.length === 0 ? [none] : remarks
  return ratesOrReasons(rates, reasons, { test: at(body, 'test') === true })
}

function ratesOf(body: unknown, { shipment }: CarrierOrder): readonly Rate[] {
  const id = textAt(body, 'object_id')
  return ofCarrier(
    listOf(at(body, 'rates')).map((one) => toRate(one, id)),
    shipment,
  )
}

function toRate(one: unknown, shipmentId: string): Rate {
  const cents = readCents(textAt(one, 'amount')) ?? 0
  const provider = textAt(one, 'provider')
  return {
    desc: `${provider} ${textAt(one, 'servicelevel', 'name')}`.trim(),
    rate: toAmount(cents),
    negotiated_rate: toAmount(cents),
    currency: (textAt(one, 'currency') || 'USD').toUpperCase(),
    service_code: textAt(one, 'servicelevel', 'token'),
    est_delivery_time: '',
    package_type: '',
    rate_detail: [],
    delivery_days: Math.trunc(numberAt(one, 'estimated_days') || numberAt(one, 'days')),
    rate_id: textAt(one, 'object_id'),
    shipment_id: textAt(one, 'shipment') || shipmentId,
    carrier_name: provider,
    carrier_account: textAt(one, 'carrier_account'),
    test: at(one, 'test') === true,
  }
}

export const buying: ActionPlan<'SubmitShipment'> = {
  request: askPurchase,
  parse: readPurchase,
  lookUp,
  recover: askWhetherBought,
  parseRecovery: readWhetherBought,
}

/** A price that was shown before is looked up, for what it costs; else the shipment is rated first. */
function askPurchase(order: CarrierOrder): NextCall {
  const { rateId } = order.shipment
  if (rateId === '') return refuseUnbuyable(order) ?? refuseReturn(order) ?? askRates(order)
  if (ID.test(rateId)) return { call: callWith(order, 'GET', `/rates/${rateId}`) }
  const message = 'rate_id is not one of Shippo.'
  return { errors: [failure('MISSING_FIELD', message, { field: 'rate_id' })] }
}

/** Returns are sold of these carriers alone; what they are called stands at the front of their services. */
function refuseReturn({
  shipment,
}: CarrierOrder): { readonly errors: readonly CarrierRemark[] } | undefined {
  const { isReturn, service } = shipment
  if (!isReturn || /^(?:usps|ups|fedex)/i.test(service)) return undefined
  const message = `is_return: Shippo has no return labels of ${JSON.stringify(service)}, wanted a service of USPS, UPS or FedEx.`
  return { errors: [failure('NOT_SERVED', message, { field: 'is_return' })] }
}

const FORMATS: Readonly<Partial<Record<LabelWish['format'], string>>> = {
  ZPL: 'ZPLII',
  PNG: 'PNG',
  PDF: 'PDF_4x6',
}

function readPurchase(
  reply: HttpReply,
  order: CarrierOrder,
  kept: CarrierFacts,
): CarrierOutcome<'SubmitShipment'> {
  if (kept['priced'] !== undefined) return countParcels(reply, order, kept)
  if (kept['rate'] === undefined) return chooseOne(reply, order)
  const body = bodyOf(reply)
  const results = at(body, 'results')
  if (results === undefined) return readTransaction(reply, body, order, kept)
  const bought = findBought(listOf(results), order, kept)
  return bought.length === 0 ? { unknown: readErrors(reply) } : describeBought(bought, kept, order)
}

function chooseOne(reply: HttpReply, order: CarrierOrder): CarrierOutcome<'SubmitShipment'> {
  const body = bodyOf(reply)
  if (textAt(body, 'object_id') === '') return { errors: readErrors(reply) }
  // A single rate has an amount, a shipment has none.
  const isRate = textAt(body, 'amount') !== ''
  const chosen = isRate
    ? { rate: { ...toRate(body, ''), rate_id: textAt(body, 'object_id') } }
    : chooseRate(ratesOf(body, order), order.shipment)
  if ('error' in chosen) return { errors: [chosen.error, ...readMessages(body, 'NOT_SERVED')] }
  const { rate_id: rate, negotiated_rate: amount, currency } = chosen.rate
  if (!ID.test(rate)) return { errors: readErrors(reply) }
  const price = { amount: String(amount), currency }
  const shipment = isRate ? textAt(body, 'shipment') : ''
  if (ID.test(shipment)) {
    const next = callWith(order, 'GET', `/shipments/${shipment}`)
    return { next, kept: { priced: rate, ...price } }
  }
  const isNamed = order.shipment.rateId !== ''
  const refused = isNamed
    ? (refuseOtherWay(order.shipment, false) ?? refuseUninsured(order.shipment, insuranceAt([])))
    : undefined
  return refused ?? { next: buy(order, rate), kept: { rate, ...price } }
}

/** Reads the insurance, which for a shipment of one parcel stands beside its parcels, else in each. */
function insuranceAt(parts: readonly unknown[]) {
  const insured = parts.map((one) => at(one, 'extra', 'insurance'))
  const cents = insured.reduce<number>(
    (sum, one) => sum + (readCents(textAt(one, 'amount')) ?? 0),
    0,
  )
  const currency = insured.map((one) => textAt(one, 'currency')).find((one) => one !== '') ?? ''
  return { cents, currency }
}

/** A rate is bought for all parcels that were rated, and as they were insured; the call that names it need not have them. */
function countParcels(
  reply: HttpReply,
  order: CarrierOrder,
  kept: CarrierFacts,
): CarrierOutcome<'SubmitShipment'> {
  const { priced: rate = '', ...price } = kept
  const body = bodyOf(reply)
  const parcels = listOf(at(body, 'parcels'))
  if (parcels.length === 0) return { errors: readErrors(reply) }
  const isReturn = at(body, 'extra', 'is_return') === true
  const refused =
    refuseOtherWay(order.shipment, isReturn) ??
    refuseUninsured(order.shipment, insuranceAt([body, ...parcels]))
  if (refused !== undefined) return refused
  return { next: buy(order, rate), kept: { rate, ...price, parcels: String(parcels.length) } }
}

function buy(order: CarrierOrder, rate: string): HttpCall {
  const wanted = { rate, label_file_type: FORMATS[order.label.format], async: false }
  const call = callWith(order, 'POST', '/transactions', {
    ...wanted,
    metadata: markOf(order),
  })
  return { ...call, spends: true }
}

function parcelsOf({ shipment }: CarrierOrder, { parcels }: CarrierFacts): number {
  return parcels === undefined ? shipment.parcels.length : Number(parcels)
}

/** `status` decides, never HTTP: a 201 may be QUEUED, or a refusal. */
function readTransaction(
  reply: HttpReply,
  body: unknown,
  order: CarrierOrder,
  kept: CarrierFacts,
): CarrierOutcome<'SubmitShipment'> {
  const status = textAt(body, 'status')
  if (status === 'SUCCESS') {
    // The labels of the other parcels are transactions of their own.
    return parcelsOf(order, kept) > 1
      ? { next: askWhetherBought(order, kept) as HttpCall, kept }
      : describeBought([body], kept, order)
  }
  if (status === 'ERROR') {
    const told = readMessages(body)
    return { errors: told.length > 0 ? told : [failure('CARRIER_FAULT', 'Shippo refused it.')] }
  }
  return refuseOrDoubt(reply, readErrors(reply))
}

/** Nothing was bought before the rate was written down. Unasked Shippo lists 25 of the labels, and 100 at most. */
function askWhetherBought(order: CarrierOrder, { rate }: CarrierFacts): HttpCall | 'not done' {
  if (rate === undefined) return 'not done'
  return callWith(order, 'GET', `/transactions?rate=${rate}&results=100`)
}

/** Not found may still come. */
function readWhetherBought(
  reply: HttpReply,
  order: CarrierOrder,
  kept: CarrierFacts,
): CarrierOutcome<'SubmitShipment'> | 'unknown' {
  const bought = findBought(listOf(at(bodyOf(reply), 'results')), order, kept)
  return bought.length === 0 ? 'unknown' : describeBought(bought, kept, order)
}

/** Finds what was bought. A moment later it may not stand in the list yet; none as long as a label is missing there or still being made. */
function findBought(
  listed: readonly unknown[],
  order: CarrierOrder,
  kept: CarrierFacts,
): readonly unknown[] {
  const transactions = ofMark(listed, markOf(order))
  const isOpen = (one: unknown): boolean => ['QUEUED', 'WAITING'].includes(textAt(one, 'status'))
  if (transactions.length < parcelsOf(order, kept) || transactions.some(isOpen)) return []
  return transactions.filter((one) => textAt(one, 'status') === 'SUCCESS')
}

function describeBought(
  transactions: readonly unknown[],
  { amount = '0', currency = 'USD' }: CarrierFacts,
  order: CarrierOrder,
): CarrierOutcome<'SubmitShipment'> {
  const [first] = transactions
  const number = textAt(first, 'tracking_number')
  const urls = transactions.map((one) => textAt(one, 'label_url'))
  const fetch = urls.map((url, index) => ({ index, url }))
  const invoices = new Set(transactions.map((one) => textAt(one, 'commercial_invoice_url')))
  // Each label of a shipment names the one invoice of it.
  const papers = toFarPapers([...invoices].map((url) => ({ name: 'commercial_invoice', url })))
  return {
    data: {
      charges: Number(amount),
      currency,
      tracking_number: number,
      shipment_id: textAt(first, 'object_id'),
      packages: transactions.map((one, index) => ({
        tracking_number: textAt(one, 'tracking_number'),
        label: '',
        label_format: endingOf(urls[index] ?? '') || order.label.format,
      })),
      documents: papers.documents,
      test: at(first, 'test') === true,
    },
    fetch,
    ...(papers.fetchPapers.length > 0 && { fetchPapers: papers.fetchPapers }),
  }
}

/** Shippo silently sends a PDF if a carrier has no ZPL. */
function endingOf(url: string): string {
  return /\.(zpl|pdf|png)(?:ii)?(?:\?|$)/i.exec(url)?.[1]?.toUpperCase() ?? ''
}

function lookUp(order: CarrierOrder): string {
  return `Look at the dashboard of Shippo for a label with the metadata ${markOf(order)}.`
}
