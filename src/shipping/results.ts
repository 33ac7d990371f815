import {
  type Action,
  type Answers,
  BLANKS,
  CARRIER_CODES,
  failure,
  type Remark,
} from './answers.ts'
import { answered, type Envelope } from './envelope.ts'
import type { KeptLabel } from './journal.ts'
import type { Result } from './performer.ts'

/** The envelope of what a carrier refused: every other field present and blank. */
export function refused(action: Action, errors: readonly Remark[]): Envelope {
  return answered(BLANKS[action], errors)
}

const NO_RATE = failure('NOT_SERVED', 'The carrier offers no rate for this shipment.')

/** What a carrier said, as clients get it. */
export function toEnvelope<A extends Action>(action: A, result: Result<A>): Envelope {
  if ('errors' in result) return refused(action, result.errors.map(cleanRemark))
  if ('unknown' in result) return refused(action, result.unknown.map(cleanRemark))
  const { data, remarks = [] } = result
  const isEmpty = 'rates' in data && (data.rates?.length ?? 0) === 0
  // Nobody can act on an empty list without a reason.
  const told = isEmpty && remarks.length === 0 ? [NO_RATE] : remarks
  return answered<Action>(data as Answers[Action], told.map(cleanRemark))
}

const CODES: ReadonlySet<number> = new Set(Object.values(CARRIER_CODES))

/** A carrier's words may be anything; `code` is one of the table. */
function cleanRemark(remark: Remark): Remark {
  return CODES.has(remark.code) ? remark : { ...remark, code: CARRIER_CODES.CARRIER_FAULT }
}

/** Parts the labels from an answer, which is kept without them. */
export function takeLabels(envelope: Envelope): {
  readonly bare: string
  readonly labels: readonly KeptLabel[]
} {
  const { data } = envelope
  if (data === null || !('packages' in data)) return { bare: JSON.stringify(envelope), labels: [] }
  const packages = (data.packages ?? []) as NonNullable<Answers['SubmitShipment']['packages']>
  const labels = packages.map(({ label, label_format: format }) => ({
    format,
    label: Buffer.from(label, 'base64'),
  }))
  const bare = packages.map((one) => ({ ...one, label: '' }))
  return { bare: JSON.stringify({ ...envelope, data: { ...data, packages: bare } }), labels }
}

/** The answer with its labels again. */
export function putLabels(answer: string, labels: readonly KeptLabel[]): Envelope {
  const envelope: Envelope = JSON.parse(answer)
  const { data } = envelope
  if (data === null || !('packages' in data)) return envelope
  const packages = data.packages?.map((one, n) => ({
    ...one,
    label: Buffer.from(labels[n]?.label ?? []).toString('base64'),
  }))
  return { ...envelope, data: { ...data, packages } } as Envelope
}
