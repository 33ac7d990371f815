import { PlatenError } from '../../errors.ts'
import {
  GROUPS,
  type IppAttributes,
  type IppGroup,
  type IppMessage,
  type IppValue,
  readFirst,
  readNumber,
  readText,
  readTexts,
} from '../../ipp/message.ts'
import { charset, language, text } from '../../ipp/values.ts'
import type { Intake } from '../../jobs/intake/intake.ts'
import { hasEnded, type Job } from '../../jobs/job.ts'
import type { Scheduler } from '../../jobs/queue/scheduler.ts'
import { titleOfFile } from '../../request/title.ts'
import { checkDocument, unpackDocument } from './document.ts'
import { describeJob, selectOfJob } from './job-attributes.ts'
import { type IppJob, IppJobs, type IppWish } from './jobs.ts'
import { keyOfPrint, type LostAnswers } from './lost-answers.ts'
import type { SharedPrinter } from './printer.ts'
import { describePrinter, listFormats, type Place, selectAttributes } from './printer-attributes.ts'
import { OPERATIONS, Refusal, STATUS, toRefusal } from './protocol.ts'
import { copiesOf, isHeld, isObeyed, optionsOf } from './template.ts'

/** What operations work with. */
export interface OperationParts {
  readonly jobs: IppJobs
  readonly lostAnswers: LostAnswers
  readonly intake: Pick<Intake, 'take'>
  readonly scheduler: Pick<Scheduler, 'cancel' | 'hold' | 'release'>
  /** Labels of a printer that have not ended. */
  readonly countWaiting: (printer: string) => number
  /** Prints a label that says which printer it is. */
  readonly identify: (printer: string, client: string) => void
  /** The most bytes of a document, unpacked. */
  readonly documentBytes: () => number
}

/** A request, and whom it reached. */
export interface Asked {
  readonly message: IppMessage
  readonly document: Uint8Array
  readonly shared: SharedPrinter
  readonly place: Place
  /** Who asks, as far as clients can be told apart. */
  readonly client: string
  /** Calls back when the connection ends before the answer is out. */
  readonly onLost: (lost: () => void) => void
}

interface Answer {
  readonly status: number
  readonly groups: readonly IppGroup[]
}

type Operation = (parts: OperationParts, asked: Asked) => Answer | Promise<Answer>

const TABLE: ReadonlyMap<number, Operation> = new Map<number, Operation>([
  [OPERATIONS.getPrinterAttributes, getPrinterAttributes],
  [OPERATIONS.validateJob, (_, asked) => validate(asked).answer([])],
  [OPERATIONS.printJob, printJob],
  [OPERATIONS.createJob, createJob],
  [OPERATIONS.sendDocument, sendDocument],
  [OPERATIONS.closeJob, closeJob],
  [OPERATIONS.cancelJob, cancelJob],
  [OPERATIONS.cancelMyJobs, cancelMyJobs],
  [OPERATIONS.holdJob, holdJob],
  [OPERATIONS.releaseJob, releaseJob],
  [OPERATIONS.getJobAttributes, getJobAttributes],
  [OPERATIONS.getJobs, getJobs],
  [OPERATIONS.identifyPrinter, identifyPrinter],
])

/** Answers a request; a refusal is an answer too. */
export async function answerRequest(parts: OperationParts, asked: Asked): Promise<IppMessage> {
  const { message } = asked
  const [major, minor] = message.version
  const version: IppMessage['version'] = major === 1 || major === 2 ? [major, minor] : [2, 0]
  const { status, groups, words } = await perform(parts, asked)
  const own = new Map<string, readonly IppValue[]>([
    ['attributes-charset', charset('utf-8')],
    ['attributes-natural-language', language('en')],
    ...(words === '' ? [] : [['status-message', text(words.slice(0, 255))] as const]),
  ])
  return {
    version,
    code: status,
    requestId: message.requestId,
    groups: [{ tag: GROUPS.operation, attributes: own }, ...groups],
  }
}

async function perform(
  parts: OperationParts,
  asked: Asked,
): Promise<Answer & { readonly words: string }> {
  try {
    checkMessage(asked.message)
    const operation = TABLE.get(asked.message.code)
    if (operation === undefined) {
      const code = asked.message.code.toString(16)
      throw new Refusal('operationNotSupported', `There is no operation 0x${code} here.`)
    }
    return { ...(await operation(parts, asked)), words: '' }
  } catch (error) {
    const refusal = error instanceof PlatenError ? toRefusal(error) : error
    if (!(refusal instanceof Refusal)) throw error
    return { status: refusal.status, groups: [], words: refusal.message }
  }
}

/** What every request must have (RFC 8011, 4.1). */
function checkMessage({ version, requestId, groups }: IppMessage): void {
  const [major, minor] = version
  if (major !== 1 && major !== 2) {
    throw new Refusal('versionNotSupported', `version ${major}.${minor}; wanted 1.1 or 2.0`)
  }
  if (requestId < 1) throw new Refusal('badRequest', `request-id ${requestId}; wanted 1 or more`)
  const [operation] = groups
  if (operation?.tag !== GROUPS.operation) {
    throw new Refusal('badRequest', 'wanted the operation attributes first')
  }
  if (groups.some(({ tag }, n) => tag < (groups[n - 1]?.tag ?? 0))) {
    throw new Refusal('badRequest', 'the groups are out of order')
  }
  const [first, second] = operation.attributes.keys()
  if (first !== 'attributes-charset' || second !== 'attributes-natural-language') {
    throw new Refusal(
      'badRequest',
      'wanted attributes-charset, then attributes-natural-language, first',
    )
  }
  const set = readText(operation, first)?.toLowerCase() ?? ''
  if (set !== 'utf-8' && set !== 'us-ascii') {
    throw new Refusal('charsetNotSupported', `charset ${set}; wanted utf-8`)
  }
  if (
    readText(operation, 'printer-uri') === undefined &&
    readText(operation, 'job-uri') === undefined
  ) {
    throw new Refusal('badRequest', 'wanted printer-uri or job-uri')
  }
}

function getPrinterAttributes({ countWaiting }: OperationParts, asked: Asked): Answer {
  const { shared, place, message } = asked
  const all = describePrinter(shared, place, countWaiting(shared.printer.name))
  const wanted = readTexts(message.groups[0], 'requested-attributes')
  const attributes = selectAttributes(all, wanted)
  return { status: STATUS.ok, groups: [{ tag: GROUPS.printer, attributes }] }
}

/** A label with the printer's name: a screen is nowhere near it. */
function identifyPrinter({ identify }: OperationParts, { shared, client }: Asked): Answer {
  identify(shared.printer.name, client)
  return { status: STATUS.ok, groups: [] }
}

/** The name of a job that nobody has named (RFC 8011, 4.2.1.1). */
const UNTITLED = 'Untitled'

/** What of a job is obeyed; what is not known here is ignored, or refused when the client insists. */
function validate({ message, shared, client }: Asked) {
  const [operation] = message.groups
  const template = message.groups.find(({ tag }) => tag === GROUPS.job)?.attributes ?? new Map()
  const format = checkFormat(operation, shared)
  if (template.has('media') && template.has('media-col')) {
    throw new Refusal('badRequest', 'wanted media or media-col, not both')
  }
  const supported = new Map([...template].filter(([key, values]) => isObeyed(key, values, shared)))
  const rest: IppAttributes = new Map([...template].filter(([key]) => !supported.has(key)))
  if (rest.size > 0 && readFirst(operation, 'ipp-attribute-fidelity') === true) {
    throw new Refusal('attributesNotSupported', `not supported: ${[...rest.keys()].join(', ')}`)
  }
  const ignored = rest.size === 0 ? [] : [{ tag: GROUPS.unsupported, attributes: rest }]
  const wish: IppWish = {
    printer: shared.printer.name,
    name: readText(operation, 'job-name') ?? readText(operation, 'document-name') ?? UNTITLED,
    user: readText(operation, 'requesting-user-name') ?? 'anonymous',
    ...{ client, format, template: supported },
  }
  return {
    wish,
    answer: (groups: readonly IppGroup[]): Answer => ({
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
    throw new Refusal('formatNotSupported', words)
  }
  const packed = readText(operation, 'compression') ?? 'none'
  if (!['none', 'gzip', 'deflate'].includes(packed)) {
    throw new Refusal('compressionNotSupported', `compression ${packed}; wanted none or gzip`)
  }
  return format
}

async function printJob(parts: OperationParts, asked: Asked): Promise<Answer> {
  const { jobs, lostAnswers } = parts
  const { wish, answer } = validate(asked)
  const key = keyOfPrint(wish, asked.document)
  const known = jobs.find(lostAnswers.take(key) ?? 0, wish.client)
  const job = known ?? (await takeLabels(parts, asked, jobs.add(wish)))
  asked.onLost(() => lostAnswers.add(key, job.id))
  return answer([tellJob(job, asked)])
}

function createJob({ jobs }: OperationParts, asked: Asked): Answer {
  const { wish, answer } = validate(asked)
  return answer([tellJob(jobs.add(wish), asked)])
}

async function sendDocument(parts: OperationParts, asked: Asked): Promise<Answer> {
  const [operation] = asked.message.groups
  const job = findJob(parts, asked)
  if (typeof readFirst(operation, 'last-document') !== 'boolean') {
    throw new Refusal('badRequest', 'wanted last-document')
  }
  checkFormat(operation, asked.shared)
  const taken = await takeLabels(parts, asked, job)
  return { status: STATUS.ok, groups: [tellJob(taken, asked)] }
}

/** Clients go on asking for a job until it has ended: one whose document is refused ends with it. */
async function takeLabels(parts: OperationParts, asked: Asked, job: IppJob): Promise<IppJob> {
  const { jobs } = parts
  const [operation] = asked.message.groups
  const format = readText(operation, 'document-format') ?? job.format
  if (!jobs.begin(job)) {
    throw new Refusal('notPossible', `Job ${job.id} takes no more documents.`)
  }
  try {
    const compression = readText(operation, 'compression') ?? 'none'
    const label = await unpackDocument(asked.document, compression, parts.documentBytes())
    if (label.length === 0) return jobs.end(job, 'aborted', { message: 'No document came.' })
    checkDocument(label, format)
    await parts.intake.take({
      labels: [label],
      titles: [job.name === UNTITLED ? '' : titleOfFile(job.name)],
      options: {
        printer: asked.shared.printer.name,
        ...optionsOf(job.template, format, asked.shared),
      },
      copies: copiesOf(job.template),
      isHeld: isHeld(job.template),
      source: 'ipp',
      network: job.client,
      ...IppJobs.keyOf(job),
    })
    return jobs.taken(job, format)
  } catch (error) {
    const refusal = error instanceof PlatenError ? toRefusal(error) : error
    if (refusal instanceof Refusal) {
      jobs.end(job, 'aborted', { message: refusal.message, format })
    }
    throw refusal
  } finally {
    jobs.settle(job)
  }
}

function closeJob({ jobs, ...parts }: OperationParts, asked: Asked): Answer {
  const job = findJob({ jobs, ...parts }, asked)
  if (job.isIncoming) jobs.end(job, 'aborted', { message: 'No document came.' })
  return { status: STATUS.ok, groups: [] }
}

async function cancelJob(parts: OperationParts, asked: Asked): Promise<Answer> {
  const job = findJob(parts, asked)
  if (!(await cancel(parts, job))) {
    throw new Refusal('notPossible', `Job ${job.id} has ended or is being printed.`)
  }
  return { status: STATUS.ok, groups: [] }
}

async function cancelMyJobs(parts: OperationParts, asked: Asked): Promise<Answer> {
  const user = readText(asked.message.groups[0], 'requesting-user-name')
  for (const job of parts.jobs.list(asked.shared.printer.name, asked.client)) {
    if (job.user === user && job.endedAt === 0) await cancel(parts, job)
  }
  return { status: STATUS.ok, groups: [] }
}

/** Its labels that have not begun wait until somebody releases them. */
async function holdJob(parts: OperationParts, asked: Asked): Promise<Answer> {
  const job = findJob(parts, asked)
  const waiting = job.labels.filter(({ state }) => state === 'pending')
  if (!(await forEach(waiting, (id) => parts.scheduler.hold(id)))) {
    throw new Refusal('notPossible', `Job ${job.id} has no label that waits to be printed.`)
  }
  return { status: STATUS.ok, groups: [] }
}

/** What is held for another reason is decided at the box. */
async function releaseJob(parts: OperationParts, asked: Asked): Promise<Answer> {
  const job = findJob(parts, asked)
  const held = job.labels.filter(
    ({ state, reasons }) =>
      state === 'pending-held' && reasons.includes('job-hold-until-specified'),
  )
  if (!(await forEach(held, (id) => parts.scheduler.release(id)))) {
    throw new Refusal('notPossible', `Job ${job.id} is not held, or not by its sender.`)
  }
  return { status: STATUS.ok, groups: [] }
}

/** Whether one of the labels took the step; those that refuse it have moved on meanwhile. */
async function forEach(
  labels: readonly Job[],
  step: (id: string) => Promise<Job>,
): Promise<boolean> {
  let isAny = false
  for (const { id } of labels) {
    try {
      await step(id)
      isAny = true
    } catch (error) {
      if (!(error instanceof PlatenError)) throw error
    }
  }
  return isAny
}

/** Whether anything of it was still to be canceled. */
async function cancel({ jobs, scheduler }: OperationParts, job: IppJob): Promise<boolean> {
  if (job.isIncoming) return jobs.giveUp(job)
  // The last ones first: those that have not begun must not begin meanwhile.
  const open = job.labels.filter((label) => !hasEnded(label)).reverse()
  return await forEach(open, (id) => scheduler.cancel(id))
}

function getJobAttributes(parts: OperationParts, asked: Asked): Answer {
  const wanted = readTexts(asked.message.groups[0], 'requested-attributes')
  const job = findJob(parts, asked)
  return {
    status: STATUS.ok,
    groups: [tellJob(job, asked, wanted.length === 0 ? ['all'] : wanted)],
  }
}

const WHICH: Readonly<Record<string, (job: IppJob) => boolean>> = {
  all: () => true,
  completed: ({ endedAt }) => endedAt > 0,
  'not-completed': ({ endedAt }) => endedAt === 0,
}

function getJobs({ jobs }: OperationParts, asked: Asked): Answer {
  const [operation] = asked.message.groups
  const which = readText(operation, 'which-jobs') ?? 'not-completed'
  const isWanted = WHICH[which]
  if (isWanted === undefined) {
    throw new Refusal(
      'attributesNotSupported',
      `which-jobs ${which}; wanted completed or not-completed`,
    )
  }
  const ids = operation?.attributes.get('job-ids')?.map(({ value }) => value)
  const user =
    readFirst(operation, 'my-jobs') === true
      ? readText(operation, 'requesting-user-name')
      : undefined
  const found = jobs
    .list(asked.shared.printer.name, asked.client)
    .filter((job) => (ids === undefined ? isWanted(job) : ids.includes(job.id)))
    .filter((job) => user === undefined || job.user === user)
  const wanted = readTexts(operation, 'requested-attributes')
  const told = which === 'completed' ? found.reverse() : found
  return {
    status: STATUS.ok,
    groups: told
      .slice(0, readNumber(operation, 'limit') ?? told.length)
      .map((job) => tellJob(job, asked, wanted.length === 0 ? ['job-id', 'job-uri'] : wanted)),
  }
}

/** Those of others are not there. */
function findJob({ jobs }: OperationParts, { message, client }: Asked): IppJob {
  const [operation] = message.groups
  const ofUri = /\/(\d{1,15})$/.exec(readText(operation, 'job-uri') ?? '')?.[1]
  const id = ofUri === undefined ? readNumber(operation, 'job-id') : Number(ofUri)
  if (id === undefined) throw new Refusal('badRequest', 'wanted job-id or job-uri')
  const job = jobs.find(id, client)
  if (job === undefined) throw new Refusal('notFound', `There is no job ${id}.`)
  return job
}

const TOLD = ['job-id', 'job-uri', 'job-state', 'job-state-reasons', 'job-state-message']

function tellJob(
  job: IppJob,
  { shared, place }: Asked,
  wanted: readonly string[] = TOLD,
): IppGroup {
  const attributes = selectOfJob(describeJob(job, shared, place), job, wanted)
  return { tag: GROUPS.job, attributes }
}
