import { type Answers, BLANKS } from './answers.ts'
import { answered, type Envelope, withWarning } from './envelope.ts'
import type { Entry, KeptLabel, PaidAction } from './journal.ts'

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

const UNREADABLE =
  "It is done, and the answer that was written down could not be read any more. Look it up in the carrier's own list."

/** An answer as it was kept; of one that the disk has damaged what its labels tell. */
export function readAnswer(
  { answer, action }: Pick<Entry, 'answer' | 'action'>,
  labels: readonly KeptLabel[],
): Envelope {
  try {
    return JSON.parse(answer)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  const packages = labels.map(({ format }) => ({
    tracking_number: '',
    label: '',
    label_format: format,
  }))
  const isBought = action === 'SubmitShipment'
  const data = isBought ? { ...BLANKS.SubmitShipment, packages } : BLANKS.VoidShipment
  return withWarning(answered<PaidAction>(data), UNREADABLE)
}

const DROPPED =
  "A label of this shipment is no longer kept here, and is blank in this answer. Get it from the carrier's own list."

/** The answer with its labels again; without a word a parcel would be sent without the one that is gone. */
export function putLabels(envelope: Envelope, labels: readonly KeptLabel[]): Envelope {
  const { data } = envelope
  if (data === null || !('packages' in data)) return envelope
  const packages = data.packages?.map((one, n) => ({
    ...one,
    label: Buffer.from(labels[n]?.label ?? []).toString('base64'),
  }))
  const whole = { ...envelope, data: { ...data, packages } } as Envelope
  // One that the carrier did not give has its place.
  const isDropped = packages?.some((_, n) => (labels[n]?.format ?? '') === '') === true
  return isDropped ? withWarning(whole, DROPPED) : whole
}
