import { type Action, type Answers, type CarrierRemark, failure } from '#carriers'
import type { Envelope } from './envelope.ts'

const FINE = { code: 200, error_message: '' } as const

/** Makes the envelope of a carrier's answer: all fields of the action, `errors` first. */
export function answered<A extends Action>(
  data: Answers[A],
  remarks: readonly CarrierRemark[] = [],
): Envelope {
  return { meta: FINE, data: { errors: remarks.length === 0 ? null : remarks, ...data } }
}

/** Adds remarks to an envelope. */
export function withRemarks(envelope: Envelope, remarks: readonly CarrierRemark[]): Envelope {
  const { data } = envelope
  if (data === null || remarks.length === 0) return envelope
  return { ...envelope, data: { ...data, errors: [...(data.errors ?? []), ...remarks] } }
}

/** Adds one remark to an envelope; a NOTE means that nothing is wrong. */
export function withWarning(
  envelope: Envelope,
  description: string,
  type: 'WARNING' | 'NOTE' = 'WARNING',
): Envelope {
  return withRemarks(envelope, [failure('CARRIER_FAULT', description, { type })])
}

const VOID =
  'This shipment was given back: do not use its label. A new one is bought with a new request_id.'

/** Makes the answer to a purchase that is asked for again. */
export function tellVoid(envelope: Envelope, isVoid: boolean): Envelope {
  return isVoid ? withWarning(envelope, VOID) : envelope
}
