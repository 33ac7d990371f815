import { type CarrierRemark, failure } from '../answers.ts'
import type {
  ActionPlan,
  CarrierFacts,
  CarrierOrder,
  CarrierOutcome,
  HttpCall,
  HttpReply,
  NextCall,
} from '../carrier.ts'
import { missingFields } from '../orders.ts'
import { at, listOf, refuseOrDoubt, textAt } from '../reading.ts'
import { bodyOf, callWith, ID, ofMark, readErrors, readMessages } from './wire.ts'

/** Each label of a shipment of several parcels is a transaction, and a refund is of one: all that one request bought are given back. */
export const refunding: ActionPlan<'VoidShipment'> = { request: askTransaction, parse: readStep }

function askTransaction(order: CarrierOrder): NextCall {
  const { shipmentId } = order.shipment
  if (shipmentId === '') return { errors: missingFields([['shipment_id', '']]) }
  return { call: callWith(order, 'GET', `/transactions/${encodeURIComponent(shipmentId)}`) }
}

function readStep(
  reply: HttpReply,
  order: CarrierOrder,
  kept: CarrierFacts,
): CarrierOutcome<'VoidShipment'> {
  if (kept['left'] !== undefined) return readRefund(reply, order, kept)
  const body = bodyOf(reply)
  if (body === undefined) return { errors: readErrors(reply) }
  if (kept['rate'] !== undefined) return askAll(order, labelsOf(body, order, kept), kept, body)
  const rate = textAt(body, 'rate', 'object_id') || textAt(body, 'rate')
  const known = { status: textAt(body, 'status') }
  if (!ID.test(rate)) return askAll(order, [order.shipment.shipmentId], known, body)
  const next = callWith(order, 'GET', `/transactions?rate=${rate}&results=100`)
  return { next, kept: { ...known, rate, mark: textAt(body, 'metadata') } }
}

const GIVEN = new Map([
  ['REFUNDPENDING', 'Pending'],
  ['REFUNDED', 'Success'],
])

/** Asked for already, as when the answer to that was lost: Shippo refuses a second time without a reason. */
function askAll(
  order: CarrierOrder,
  labels: readonly string[],
  { status = '' }: CarrierFacts,
  body: unknown,
): CarrierOutcome<'VoidShipment'> {
  const state = GIVEN.get(status)
  const isGiven = state !== undefined && labels.every((id) => id === order.shipment.shipmentId)
  return isGiven
    ? describe({ state, refused: '' }, at(body, 'results') ?? body)
    : askNext(order, labels)
}

/** The one that was named first; those that were given back before are left out. */
function labelsOf(
  body: unknown,
  { shipment }: CarrierOrder,
  { mark = '' }: CarrierFacts,
): readonly string[] {
  const others = ofMark(listOf(at(body, 'results')), mark)
    .filter((one) => textAt(one, 'status') === 'SUCCESS')
    .map((one) => textAt(one, 'object_id'))
  const isAgain = others.length > 0 && !others.includes(shipment.shipmentId)
  const named = isAgain ? [] : [shipment.shipmentId]
  return [...named, ...others.filter((id) => id !== shipment.shipmentId)]
}

/** `state` is what became of those before. */
function askNext(
  order: CarrierOrder,
  [transaction = '', ...left]: readonly string[],
  told: CarrierFacts = {},
): { readonly next: HttpCall; readonly kept: CarrierFacts } {
  const call = callWith(order, 'POST', '/refunds', { transaction, async: false })
  return { next: { ...call, spends: true }, kept: { ...told, left: left.join(' ') } }
}

/** A refund takes days: asked for is not given. The first one decides; a later one that is refused is a warning. */
function readRefund(
  reply: HttpReply,
  order: CarrierOrder,
  kept: CarrierFacts,
): CarrierOutcome<'VoidShipment'> {
  const { state, left = '' } = kept
  const body = bodyOf(reply)
  const status = textAt(body, 'status')
  const isAsked = status === 'QUEUED' || status === 'PENDING'
  const refused = isAsked || status === 'SUCCESS' ? { errors: [] } : explain(reply, body, status)
  if ('unknown' in refused || (state === undefined && refused.errors.length > 0)) return refused
  const words = refused.errors.map(({ description }) => description)
  const told = {
    state: isAsked || state === 'Pending' ? 'Pending' : 'Success',
    refused: [kept['refused'] ?? '', ...words].join(' ').trim(),
  }
  return left === '' ? describe(told, body) : askNext(order, left.split(' '), told)
}

function describe(
  { state, refused }: { readonly state: string; readonly refused: string },
  body: unknown,
): CarrierOutcome<'VoidShipment'> {
  const message = `Labels of this shipment were not given back: ${refused}`
  const warning = { ...failure('CARRIER_FAULT', message), type: 'WARNING' as const }
  return {
    data: {
      status: state,
      status_code: state === 'Success' ? '1' : '0',
      test: at(body, 'test') === true,
    },
    remarks: refused === '' ? [] : [warning],
  }
}

function explain(
  reply: HttpReply,
  body: unknown,
  status: string,
): { readonly errors: readonly CarrierRemark[] } | { readonly unknown: readonly CarrierRemark[] } {
  if (status !== 'ERROR') return refuseOrDoubt(reply, readErrors(reply))
  const message = 'Shippo does not give it back.'
  return {
    errors: [failure('CARRIER_FAULT', message, { carrierCode: status }), ...readMessages(body)],
  }
}
