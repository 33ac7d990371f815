import { promisify } from 'node:util'
import { gunzip, inflateRaw } from 'node:zlib'
import { detectFormat, LabelFault } from '#labels'
import { GROUPS, type IppAttributes, type IppGroup, readFirst, readText } from '#printers'
import { blameLabel } from '../../core/reasons/held-label.ts'
import { takeTurns } from '../../system/wait.ts'
import { PlatenError } from '../../words/errors.ts'
import { keepRefused, UNTITLED, whoSent } from './evidence.ts'
import { findJob, tellJob } from './job-operations.ts'
import { ANONYMOUS, type IppJob, IppJobs, type IppWish, packTemplate } from './jobs.ts'
import { type IppAnswer, type IppOperation, keyOfPrint, type OperationParts } from './operation.ts'
import { RAW_FORMATS, type SharedPrinter } from './printer.ts'
import { listFormats } from './printer-attributes.ts'
import { IppRefusal, OPERATIONS, STATUS, toRefusal } from './protocol.ts'
import { copiesOf, isHeld, isObeyed, optionsOf } from './template.ts'

/** The most bytes of template attributes kept with a job; those of print dialogs have about 500. */
const TEMPLATE_BYTES_MOST = 4_096

/** Reads the attributes of a job that are obeyed; unknown ones are ignored, or refused when the client insists. */
export function validate({ message, shared, client }: IppOperation) {
  const [operation] = message.groups
  const template = message.groups.find(({ tag }) => tag === GROUPS.job)?.attributes ?? new Map()
  const format = checkFormat(operation, shared)
  if (template.has('media') && template.has('media-col')) {
    throw new IppRefusal('badRequest', 'wanted media or media-col, not both')
  }
  const supported = new Map([...template].filter(([key, values]) => isObeyed(key, values, shared)))
  if (packTemplate(supported).length > TEMPLATE_BYTES_MOST) {
    const words = `The attributes of the job have more than ${TEMPLATE_BYTES_MOST} bytes.`
    throw new IppRefusal('tooLarge', words)
  }
  const rest: IppAttributes = new Map([...template].filter(([key]) => !supported.has(key)))
  if (rest.size > 0 && readFirst(operation, 'ipp-attribute-fidelity') === true) {
    throw new IppRefusal('attributesNotSupported', `not supported: ${[...rest.keys()].join(', ')}`)
  }
  const ignored = rest.size === 0 ? [] : [{ tag: GROUPS.unsupported, attributes: rest }]
  const wish: IppWish = {
    printer: shared.printer.name,
    name: readText(operation, 'job-name') ?? readText(operation, 'document-name') ?? UNTITLED,
    user: readText(operation, 'requesting-user-name') ?? ANONYMOUS,
    client,
    format,
    template: supported,
  }
  return {
    wish,
    answer: (groups: readonly IppGroup[]): IppAnswer => ({
      status: rest.size === 0 ? STATUS.ok : STATUS.ignoredAttributes,
      groups: [...ignored, ...groups],
    }),
  }
}

function checkFormat(operation: IppGroup | undefined, shared: SharedPrinter): string {
  const format = readText(operation, 'document-format') ?? 'application/octet-stream'
  const known = listFormats(shared)
  if (!known.includes(format)) {
    const words = `The format ${format} is not printed here; wanted ${known.join(', ')}.`
    throw new IppRefusal('formatNotSupported', words)
  }
  const packed = readText(operation, 'compression') ?? 'none'
  if (!['none', 'gzip', 'deflate'].includes(packed)) {
    throw new IppRefusal('compressionNotSupported', `compression ${packed}; wanted none or gzip`)
  }
  return format
}

export async function printJob(parts: OperationParts, asked: IppOperation): Promise<IppAnswer> {
  const { jobs, lostAnswers } = parts
  const { wish, answer } = validate(asked)
  const key = keyOfPrint(wish, asked.document)
  const take = async (): Promise<IppJob> => {
    const known = jobs.find((await lostAnswers.take(key)) ?? 0, wish.client)
    return known ?? (await takeLabels(parts, asked, jobs.add(wish)))
  }
  const taking = take()
  asked.onLost(() => lostAnswers.add(key, taking))
  return answer([tellJob(await taking, asked)])
}

export function createJob({ jobs }: OperationParts, asked: IppOperation): IppAnswer {
  const { wish, answer } = validate(asked)
  return answer([tellJob(jobs.add(wish), asked)])
}

export async function sendDocument(parts: OperationParts, asked: IppOperation): Promise<IppAnswer> {
  const [operation] = asked.message.groups
  const job = findJob(parts, asked)
  if (typeof readFirst(operation, 'last-document') !== 'boolean') {
    throw new IppRefusal('badRequest', 'wanted last-document')
  }
  checkFormat(operation, asked.shared)
  // Who did not know that a document was the last one says so without another (RFC 8011, 4.3.1).
  if (asked.document.length === 0 && job.labels.length > 0)
    return { status: STATUS.ok, groups: [tellJob(job, asked)] }
  const { jobs, lostAnswers } = parts
  const key = keyOfPrint(job, asked.document)
  const take = async (): Promise<IppJob> => {
    const known = jobs.find((await lostAnswers.take(key)) ?? 0, job.client)
    if (known?.id === job.id) return known
    return known && job.isIncoming ? jobs.join(job, known) : await takeLabels(parts, asked, job)
  }
  const taking = take()
  asked.onLost(() => lostAnswers.add(key, taking))
  return { status: STATUS.ok, groups: [tellJob(await taking, asked)] }
}

/** Takes the labels of a job. A job whose document is refused ends, since clients go on asking until it has. */
async function takeLabels(
  parts: OperationParts,
  asked: IppOperation,
  job: IppJob,
): Promise<IppJob> {
  const { jobs } = parts
  const [operation] = asked.message.groups
  const format = readText(operation, 'document-format') ?? job.format
  if (!jobs.begin(job)) {
    throw new IppRefusal('notPossible', `Job ${job.id} takes no more documents.`)
  }
  try {
    const compression = readText(operation, 'compression') ?? 'none'
    const label = await unpackDocument(asked.document, compression, parts.documentBytes())
    if (label.length === 0) return jobs.end(job, 'aborted', { message: 'No document came.' })
    const sensed = checkDocument(label, format)
    const { title, user } = whoSent(job)
    await parts.intake.takeTogether({
      labels: [label],
      titles: [title],
      options: {
        printer: job.printer,
        ...optionsOf(job.template, sensed, asked.shared),
      },
      copies: copiesOf(job.template),
      isHeld: isHeld(job.template),
      source: 'ipp',
      user,
      network: job.client,
      ...IppJobs.keyOf(job),
    })
    return jobs.taken(job, format)
  } catch (error) {
    const isWanted = error instanceof PlatenError || error instanceof IppRefusal
    // A job that is left open by a fault of ours would be sent again and again.
    if (!isWanted) parts.fault(error)
    throw await endRefused(parts, asked, job, { why: isWanted ? error : blameLabel(error), format })
  } finally {
    jobs.settle(job)
  }
}

/**
 * Makes the refusal of a job's document and ends the job. When there is just no room now the document may be sent again: CUPS 2.4 calls a
 * job completed if Send-Document says so, but for this status keeps it and tries again after some minutes, unless the job has ended here.
 */
async function endRefused(
  { jobs, intake }: OperationParts,
  { message, document }: IppOperation,
  job: IppJob,
  { why, format }: { readonly why: PlatenError | IppRefusal; readonly format: string },
): Promise<IppRefusal> {
  const refusal = why instanceof PlatenError ? toRefusal(why) : why
  const isLater = refusal.status === STATUS.temporaryError
  if (message.code === OPERATIONS.sendDocument && isLater)
    return new IppRefusal('valueTooLong', refusal.message)
  if (!isLater) await keepRefused({ intake }, job, document, why)
  jobs.end(job, 'aborted', { message: refusal.message, format })
  return refusal
}

export function closeJob({ jobs, ...parts }: OperationParts, asked: IppOperation): IppAnswer {
  const job = findJob({ jobs, ...parts }, asked)
  jobs.giveUp(job, 'aborted', 'No document came.')
  return { status: STATUS.ok, groups: [] }
}

const FORMATS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'image/pwg-raster': 'pwg',
    'image/urf': 'urf',
    'image/jpeg': 'jpeg',
    'image/png': 'png',
    'application/pdf': 'pdf',
    ...Object.fromEntries([...RAW_FORMATS].map(([name, format]) => [format, name])),
  }),
)

/** Unpacking functions; IPP's `deflate` has no header (RFC 1951), and CUPS compresses of its own accord as soon as it may. */
const UNPACK = { gzip: promisify(gunzip), deflate: promisify(inflateRaw) } as const

/** Runs one unpacking after the other: the memory of each is bounded, that of many at once would not be. */
const inTurn = takeTurns()

/**
 * Unpacks a document.
 * @throws IppRefusal compressionError, tooLarge
 */
async function unpackDocument(
  bytes: Uint8Array,
  compression: string,
  maxOutputLength: number,
): Promise<Uint8Array> {
  if (compression !== 'gzip' && compression !== 'deflate') return bytes
  try {
    return await inTurn(() => UNPACK[compression](bytes, { maxOutputLength }))
  } catch (error) {
    if (error instanceof RangeError) {
      throw new IppRefusal('tooLarge', `The document has more than ${maxOutputLength} bytes.`)
    }
    throw new IppRefusal('compressionError', `The document cannot be unpacked as ${compression}.`)
  }
}

/**
 * Checks that a document is what the client says; `application/octet-stream` is detected by its bytes.
 * @throws IppRefusal documentFormatError when the bytes are something else
 */
function checkDocument(bytes: Uint8Array, format: string): string {
  const wanted = FORMATS.get(format)
  const seen = detectQuietly(bytes)
  if (seen === wanted) return format
  if (wanted === undefined)
    return [...FORMATS.keys()].find((one) => FORMATS.get(one) === seen) ?? format
  const what = seen === undefined ? 'something else' : seen.toUpperCase()
  throw new IppRefusal(
    'documentFormatError',
    `The document is said to be ${wanted.toUpperCase()} (${format}), but it is ${what}.`,
  )
}

function detectQuietly(bytes: Uint8Array): string | undefined {
  try {
    return detectFormat(bytes)
  } catch (error) {
    if (error instanceof LabelFault) return undefined
    throw error
  }
}
