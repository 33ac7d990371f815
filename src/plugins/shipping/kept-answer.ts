import {
  type Answers,
  BLANKS,
  jsonOf,
  listOf,
  type PaidAction,
  type ShippingDocument,
  textAt,
} from '#carriers'
import { dayText } from '../../core/job.ts'
import { answered, withWarning } from './answered.ts'
import type { Envelope } from './envelope.ts'
import type { JournalEntry, KeptLabel } from './journal.ts'

type Packages = NonNullable<Answers['SubmitShipment']['packages']>

/** The stored format of a paper. Papers are kept behind the labels; their name follows their format, which has no blank in it. */
function formatOfPaper({ name, format }: ShippingDocument): string {
  return `${format} ${name}`
}

/** Separates labels and papers from an answer, which is kept without them. */
export function takeLabels(envelope: Envelope): {
  readonly bare: string
  readonly labels: readonly KeptLabel[]
} {
  const { data } = envelope
  if (data === null || !('charges' in data)) return { bare: JSON.stringify(envelope), labels: [] }
  const packages: Packages = data.packages ?? []
  const papers = data.documents ?? []
  const labels = packages.map(({ label, label_format: format }) => ({
    format,
    label: Buffer.from(label, 'base64'),
  }))
  const behind = papers.map((paper) => ({
    format: formatOfPaper(paper),
    label: Buffer.from(paper.content, 'base64'),
  }))
  const bare = {
    ...data,
    packages: packages.map((one) => ({ ...one, label: '' })),
    documents: papers.map((one) => ({ ...one, content: '' })),
  }
  return { bare: JSON.stringify({ ...envelope, data: bare }), labels: [...labels, ...behind] }
}

const UNREADABLE =
  "It is done, and the answer that was written down could not be read any more. Look it up in the carrier's own list."

/** Makes the answer to a purchase that is so old that only its numbers are known. */
export function tellThin({
  action,
  answer,
  shipmentId,
  number,
  cents,
  currency,
  at,
}: JournalEntry): Envelope {
  if (action === 'VoidShipment') return readAnswer({ action, answer }, [])
  const numbers = jsonOf(answer) ?? [{ tracking_number: number }]
  const packages = listOf(numbers).map((one) => ({
    tracking_number: textAt(one, 'tracking_number'),
    label: '',
    label_format: '',
  }))
  const data: Answers['SubmitShipment'] = {
    ...BLANKS.SubmitShipment,
    charges: cents / 100,
    currency,
    tracking_number: number,
    shipment_id: shipmentId,
    packages,
    documents: [],
  }
  const day = dayText(new Date(at))
  return withWarning(
    answered<PaidAction>(data),
    `This was bought on ${day}, and its labels are no longer kept here. Get them from the carrier's own list; a new request_id buys again.`,
  )
}

/** Reads a kept answer; if the disk has damaged it, what its labels say. */
export function readAnswer(
  { answer, action }: Pick<JournalEntry, 'answer' | 'action'>,
  labels: readonly KeptLabel[],
): Envelope {
  try {
    return JSON.parse(answer)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  const isPaper = ({ format }: KeptLabel): boolean => format.includes(' ')
  const packages = labels
    .filter((one) => !isPaper(one))
    .map(({ format }) => ({ tracking_number: '', label: '', label_format: format }))
  const documents = labels.filter(isPaper).map(({ format: both }) => {
    const [format = '', name = ''] = both.split(' ')
    return { name, format, content: '' }
  })
  const isBought = action === 'SubmitShipment'
  const data = isBought ? { ...BLANKS.SubmitShipment, packages, documents } : BLANKS.VoidShipment
  return withWarning(answered<PaidAction>(data), UNREADABLE)
}

const DROPPED =
  "A label or paper of this shipment is no longer kept here, and is blank in this answer. Get it from the carrier's own list."

/** Puts the labels back into an answer, and names missing ones: otherwise a parcel would be sent without its label. */
export function putLabels(envelope: Envelope, labels: readonly KeptLabel[]): Envelope {
  const { data } = envelope
  if (data === null || !('charges' in data)) return envelope
  const packages: Packages = data.packages ?? []
  const papers = data.documents ?? []
  const labelAt = (n: number): string => Buffer.from(labels[n]?.label ?? []).toString('base64')
  const whole = {
    ...data,
    packages: data.packages && packages.map((one, n) => ({ ...one, label: labelAt(n) })),
    documents:
      data.documents &&
      papers.map((one, n) => ({
        ...one,
        // Earlier versions kept it in the answer.
        content: one.content === '' ? labelAt(packages.length + n) : one.content,
      })),
  }
  // One that the carrier did not give has its place.
  const isGone = (n: number): boolean => (labels[n]?.format ?? '') === ''
  const isDropped =
    packages.some((_, n) => isGone(n)) ||
    papers.some((one, n) => one.content === '' && isGone(packages.length + n))
  const answer = { ...envelope, data: whole } as Envelope
  return isDropped ? withWarning(answer, DROPPED) : answer
}

/** Lists the kept papers of an answer, which are behind the labels of its packages. */
export function papersOf(
  packages: readonly unknown[],
  papers: readonly ShippingDocument[],
  labels: readonly KeptLabel[],
): readonly (KeptLabel & Pick<ShippingDocument, 'name' | 'url'>)[] {
  return papers.map(({ name, url }, n) => ({
    name,
    format: labels[packages.length + n]?.format ?? '',
    label: labels[packages.length + n]?.label ?? new Uint8Array(),
    ...(url !== undefined && { url }),
  }))
}
