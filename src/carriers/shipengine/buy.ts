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
  refuseUnbuyable,
  refuseUninsured,
} from '../orders.ts'
import { toFarPapers, toPapers } from '../papers.ts'
import { at, bodyOf, listOf, numberAt, refuseOrDoubt, textAt, toZonedTime } from '../reading.ts'
import { insuranceOf, isAbroad, readCents, toAmount } from '../shipment.ts'
import {
  callWith,
  type Edition,
  externalId,
  findMissing,
  readErrors,
  readList,
  toShipment,
} from './wire.ts'

const ID = /^se-[\w-]{1,60}$/

/** Plans the request for prices. */
export function rating(edition: Edition): ActionPlan<'GetAllRates'> {
  return {
    request: (order) => askRates(order, edition),
    parse: (reply, order) => readRates(reply, order, edition),
  }
}

/** Rating needs the accounts: those that are named, or all, which are asked for first. */
function askRates(order: CarrierOrder, { version }: Edition): NextCall {
  const errors = findMissing(order)
  if (errors.length > 0) return { errors }
  const { carrierAccounts } = order.shipment
  return carrierAccounts.length > 0
    ? { call: askPrices(order, carrierAccounts, version) }
    : { call: callWith(order, 'GET', `/${version}/carriers`) }
}

/** Addresses are not changed by the way. */
const AS_GIVEN = { validate_address: 'no_validation' } as const

function askPrices(order: CarrierOrder, accounts: readonly string[], version: string): HttpCall {
  const shipment = { ...toShipment(order), ...AS_GIVEN }
  const rate_options = { carrier_ids: accounts }
  return callWith(order, 'POST', `/${version}/rates`, { rate_options, shipment })
}

/** The step after the list of accounts; undefined = this was none. */
function askOfAll(
  reply: HttpReply,
  order: CarrierOrder,
  version: string,
): CarrierOutcome<never> | undefined {
  const body = bodyOf(reply)
  const carriers = at(body, 'carriers')
  if (carriers === undefined) return undefined
  const wanted = order.shipment.carrierName.toLowerCase()
  const ids = listOf(carriers)
    .filter((one) => wanted === '' || textAt(one, 'carrier_code').toLowerCase() === wanted)
    .map((one) => textAt(one, 'carrier_id'))
    .filter((id) => id !== '')
  if (ids.length > 0) return { next: askPrices(order, ids, version), kept: {} }
  const message = wanted === '' ? 'has no carriers' : `has no carrier ${JSON.stringify(wanted)}`
  return {
    errors: [failure('UNKNOWN_SERVICE', `The account ${message}.`, { field: 'carrier_name' })],
  }
}

function readRates(
  reply: HttpReply,
  order: CarrierOrder,
  { version }: Edition,
): CarrierOutcome<'GetAllRates'> {
  const next = askOfAll(reply, order, version)
  if (next !== undefined) return next
  const response = at(bodyOf(reply), 'rate_response')
  if (response === undefined) return { errors: readErrors(reply) }
  const remarks = readList(response, reply.status)
  return ratesOrReasons(ratesOf(response, order), remarks, { test: isTestKey(order) })
}

function isTestKey({ account }: CarrierOrder): boolean {
  return (account['key'] ?? '').startsWith('TEST_')
}

function ratesOf(response: unknown, order: CarrierOrder): readonly Rate[] {
  const rates = listOf(at(response, 'rates')).map((one) => toRate(one, order))
  return ofCarrier(rates, order.shipment)
}

/** The price is the sum of four amounts. */
function toRate(one: unknown, order: CarrierOrder): Rate {
  const part = (desc: string, name: string) => ({
    desc,
    cents: readCents(textAt(one, name, 'amount')) ?? 0,
  })
  const parts = [
    part('Shipping', 'shipping_amount'),
    part('Insurance', 'insurance_amount'),
    part('Confirmation', 'confirmation_amount'),
    part('Other', 'other_amount'),
  ]
  const amount = toAmount(parts.reduce((sum, { cents }) => sum + cents, 0))
  return {
    desc: textAt(one, 'service_type') || textAt(one, 'service_code'),
    rate: amount,
    negotiated_rate: amount,
    currency: (textAt(one, 'shipping_amount', 'currency') || 'USD').toUpperCase(),
    service_code: textAt(one, 'service_code'),
    est_delivery_time: toZonedTime(textAt(one, 'estimated_delivery_date')),
    delivery_days: Math.trunc(numberAt(one, 'delivery_days')),
    package_type: textAt(one, 'package_type'),
    rate_detail: parts
      .filter(({ cents }) => cents > 0)
      .map(({ desc, cents }) => ({ desc, amount: toAmount(cents) })),
    rate_id: textAt(one, 'rate_id'),
    carrier_name: textAt(one, 'carrier_code'),
    carrier_account: textAt(one, 'carrier_id'),
    test: isTestKey(order),
  }
}

/** Plans the purchase of a label. */
export function buying(edition: Edition): ActionPlan<'SubmitShipment'> {
  return {
    request: (order) => askPurchase(order, edition),
    parse: (reply, order, kept) => readPurchase(reply, order, kept, edition),
    recover: (order, kept) => askWhetherBought(order, kept, edition),
    parseRecovery: (reply, order) => readWhetherBought(reply, order, edition),
  }
}

function askPurchase(order: CarrierOrder, edition: Edition): NextCall {
  const { rateId } = order.shipment
  const refused = refuseReturn(order, edition)
  if (refused !== undefined) return { errors: [refused] }
  if (rateId === '') return refuseUnbuyable(order) ?? askRates(order, edition)
  if (ID.test(rateId)) {
    // Its price says first whether it is insured.
    return insuranceOf(order.shipment) === undefined
      ? { call: buyRate(order, edition), kept: { rate: rateId } }
      : { call: callWith(order, 'GET', `/${edition.version}/rates/${rateId}`) }
  }
  const message = `rate_id is not one of ${edition.name}.`
  return { errors: [failure('MISSING_FIELD', message, { field: 'rate_id' })] }
}

/** Returns are sold within a country alone, and a rate does not say that it is of one. */
function refuseReturn({ shipment }: CarrierOrder, { name }: Edition): CarrierRemark | undefined {
  if (!shipment.isReturn) return undefined
  if (isAbroad(shipment)) {
    const message = `is_return: ${name} has return labels within one country alone.`
    return failure('NOT_SERVED', message, { field: 'is_return' })
  }
  if (shipment.rateId === '') return undefined
  const message = `is_return: ${name} makes return labels by service; leave rate_id out, and name the service.`
  return failure('MISSING_FIELD', message, { field: 'rate_id' })
}

function buyRate(order: CarrierOrder, { version }: Edition): HttpCall {
  const path = `/${version}/labels/rates/${order.shipment.rateId}`
  return { ...callWith(order, 'POST', path, howToPrint(order)), spends: true }
}

/** The value that a rate is insured for is not told, but for its cost. */
function buyInsured(
  reply: HttpReply,
  order: CarrierOrder,
  edition: Edition,
): CarrierOutcome<'SubmitShipment'> {
  const { shipment } = order
  const body = bodyOf(reply)
  if (textAt(body, 'rate_id') === '') return { errors: readErrors(reply) }
  const isInsured = (readCents(textAt(body, 'insurance_amount', 'amount')) ?? 0) > 0
  const rated = isInsured ? insuranceOf(shipment) : undefined
  const refused = refuseUninsured(shipment, rated ?? { cents: 0, currency: '' })
  return refused ?? { next: buyRate(order, edition), kept: { rate: shipment.rateId } }
}

function howToPrint({ label }: CarrierOrder) {
  const label_format = label.format.toLowerCase()
  return { label_format, label_layout: '4x6', label_download_type: 'inline' }
}

function readPurchase(
  reply: HttpReply,
  order: CarrierOrder,
  kept: CarrierFacts,
  edition: Edition,
): CarrierOutcome<'SubmitShipment'> {
  if (kept['rate'] === undefined) {
    const isRated = order.shipment.rateId !== ''
    return isRated ? buyInsured(reply, order, edition) : chooseOne(reply, order, edition)
  }
  const body = bodyOf(reply)
  const bought = describeBought(body, order)
  if (bought !== undefined) return bought
  if (textAt(body, 'status') !== 'processing') return refuseOrDoubt(reply, readErrors(reply))
  return { unknown: [failure('CARRIER_TIMEOUT', `${edition.name} is still making the label.`)] }
}

/**
 * Rated first, so that it is clear which account sells it; bought with our own id, which a rate cannot have.
 */
function chooseOne(
  reply: HttpReply,
  order: CarrierOrder,
  edition: Edition,
): CarrierOutcome<'SubmitShipment'> {
  const next = askOfAll(reply, order, edition.version)
  if (next !== undefined) return next
  const response = at(bodyOf(reply), 'rate_response')
  if (response === undefined) return { errors: readErrors(reply) }
  const chosen = chooseRate(ratesOf(response, order), order.shipment)
  if ('error' in chosen) return { errors: [chosen.error, ...readList(response, reply.status)] }
  const { carrier_account: account = '', rate_id: rate } = chosen.rate
  const external = externalId(order)
  const shipment = {
    ...toShipment(order),
    carrier_id: account,
    service_code: order.shipment.service,
    external_shipment_id: external,
  }
  const call = callWith(order, 'POST', `/${edition.version}/labels`, {
    shipment,
    ...(order.shipment.isReturn && { is_return_label: true, charge_event: 'carrier_default' }),
    ...AS_GIVEN,
    ...howToPrint(order),
  })
  return { next: { ...call, spends: true }, kept: { rate, external } }
}

/** By our id, or by the rate that was bought; nothing was bought before either was written down. */
function askWhetherBought(
  order: CarrierOrder,
  kept: CarrierFacts,
  { version }: Edition,
): HttpCall | 'not done' {
  const { rate, external } = kept
  if (external !== undefined) {
    const id = encodeURIComponent(external)
    return version === 'v1'
      ? callWith(order, 'GET', `/v1/labels/external_shipment_id/${id}?label_download_type=inline`)
      : callWith(order, 'GET', `/v2/shipments/external_shipment_id/${id}`)
  }
  if (rate === undefined) return 'not done'
  return callWith(order, 'GET', `/${version}/labels?rate_id=${encodeURIComponent(rate)}`)
}

function readWhetherBought(
  reply: HttpReply,
  order: CarrierOrder,
  { version }: Edition,
): CarrierOutcome<'SubmitShipment'> | 'unknown' {
  const body = bodyOf(reply)
  const labels = at(body, 'labels')
  const [label, another] = labels === undefined ? [body] : listOf(labels).filter(isKept)
  // Two requests may buy one rate, and its labels do not say which of them did.
  const bought = another === undefined ? describeBought(label, order) : undefined
  if (bought !== undefined) return bought
  const shipment = textAt(body, 'shipment_id')
  if (version !== 'v2' || !ID.test(shipment) || labels !== undefined) return 'unknown'
  return { next: callWith(order, 'GET', `/v2/labels?shipment_id=${shipment}`), kept: {} }
}

function isKept(label: unknown): boolean {
  return !['error', 'voided'].includes(textAt(label, 'status'))
}

// Its description of form_download: the customs form, also known as the commercial invoice.
const FORM = 'commercial_invoice'

/** A label may be there while its status is still `processing`, or only later. */
function describeBought(
  body: unknown,
  order: CarrierOrder,
): CarrierOutcome<'SubmitShipment'> | undefined {
  const id = textAt(body, 'label_id')
  const status = textAt(body, 'status')
  if (id === '' || !isKept(body)) return undefined
  const cents = (name: string): number => readCents(textAt(body, name, 'amount')) ?? 0
  const packages = listOf(at(body, 'packages'))
  const own = packages.map((one) => textAt(one, 'label_download', 'href'))
  const hasOwn = own.length > 0 && own.every((href) => href !== '')
  // Else the first holds the labels of all.
  const links = hasOwn ? own : [textAt(body, 'label_download', 'href')]
  if (status === 'processing' && links.includes('')) return undefined
  const number = textAt(body, 'tracking_number')
  const fetch = links.flatMap((url, index) => (/^https:/.test(url) ? [{ index, url }] : []))
  const form = textAt(body, 'form_download', 'href')
  const papers = toFarPapers([{ name: FORM, url: /^https:/.test(form) ? form : '' }])
  return {
    data: {
      charges: toAmount(cents('shipment_cost') + cents('insurance_cost')),
      currency: (textAt(body, 'shipment_cost', 'currency') || 'USD').toUpperCase(),
      tracking_number: number,
      shipment_id: id,
      packages: links.map((link, index) => ({
        tracking_number: textAt(packages, index, 'tracking_number') || number,
        label: contentOf(link),
        label_format: (textAt(body, 'label_format') || order.label.format).toUpperCase(),
      })),
      documents: [...papers.documents, ...toPapers(FORM, contentOf(form))],
      test: isTestKey(order),
    },
    ...(fetch.length > 0 && { fetch }),
    ...(papers.fetchPapers.length > 0 && { fetchPapers: papers.fetchPapers }),
  }
}

/** The base64 of `data:application/zpl;base64,…`. */
function contentOf(link: string): string {
  const content = /^data:[^,]*;base64,(.*)$/.exec(link)?.[1] ?? ''
  return Buffer.from(content, 'base64').toString('base64')
}
