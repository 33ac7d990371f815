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
    ...{ tracking_number: '', label: '', label_format: format },
  }))
  const isBought = action === 'SubmitShipment'
  const data = isBought ? { ...BLANKS.SubmitShipment, packages } : BLANKS.VoidShipment
  return withWarning(answered<PaidAction>(data), UNREADABLE)
}

/** The answer with its labels again. */
export function putLabels(envelope: Envelope, labels: readonly KeptLabel[]): Envelope {
  const { data } = envelope
  if (data === null || !('packages' in data)) return envelope
  const packages = data.packages?.map((one, n) => ({
    ...one,
    label: Buffer.from(labels[n]?.label ?? []).toString('base64'),
  }))
  return { ...envelope, data: { ...data, packages } } as Envelope
}
