import { setImmediate as turn } from 'node:timers/promises'
import {
  dateTime,
  enumeration,
  GROUPS,
  type IppAttributes,
  type IppGroup,
  type IppValue,
  integer,
  keyword,
  mimeType,
  name,
  noValue,
  readFirst,
  readNumber,
  readText,
  readTexts,
  text,
  uri,
} from '#printers'
import { hasEnded, type Job } from '../../core/job.ts'
import { PlatenError } from '../../words/errors.ts'
import { ANONYMOUS, type IppJob, KEPT_MOST } from './jobs.ts'
import type { IppAnswer, IppOperation, OperationParts } from './operation.ts'
import type { SharedPrinter } from './printer.ts'
import { type IppEndpoint, upTime } from './printer-attributes.ts'
import { IppRefusal, STATUS } from './protocol.ts'

export async function cancelJob(parts: OperationParts, asked: IppOperation): Promise<IppAnswer> {
  const job = findJob(parts, asked)
  if (!(await cancel(parts, job))) {
    throw new IppRefusal('notPossible', `Job ${job.id} has ended or is being printed.`)
  }
  return { status: STATUS.ok, groups: [] }
}

/** Cancels all jobs of a person, or the named ones: all of these must exist, or none is canceled (PWG 5100.11, 4.3). */
export async function cancelMyJobs(parts: OperationParts, asked: IppOperation): Promise<IppAnswer> {
  const [operation] = asked.message.groups
  const user = readText(operation, 'requesting-user-name') ?? ANONYMOUS
  const listed = await parts.jobs.list(asked.shared.printer.name, asked.client, KEPT_MOST)
  const mine = new Map(listed.filter((job) => job.user === user).map((job) => [job.id, job]))
  const ids = new Set(readIds(operation) ?? mine.keys())
  for (const id of ids) {
    if (!mine.has(id as number))
      throw new IppRefusal('notFound', `There is no job ${id} of ${user}.`)
  }
  for (const [id, job] of mine) if (ids.has(id) && job.endedAt === 0) await cancel(parts, job)
  return { status: STATUS.ok, groups: [] }
}

/** Holds the labels of a job that have not begun until somebody releases them. */
export async function holdJob(parts: OperationParts, asked: IppOperation): Promise<IppAnswer> {
  const job = findJob(parts, asked)
  const waiting = job.labels.filter(({ state }) => state === 'pending')
  if (!(await forEach(waiting, (id) => parts.scheduler.hold(id)))) {
    throw new IppRefusal('notPossible', `Job ${job.id} has no label that waits to be printed.`)
  }
  return { status: STATUS.ok, groups: [] }
}

/** Releases the labels that their sender held; labels held for another reason are decided at the box. */
export async function releaseJob(parts: OperationParts, asked: IppOperation): Promise<IppAnswer> {
  const job = findJob(parts, asked)
  const held = job.labels.filter(
    ({ state, reasons }) =>
      state === 'pending-held' && reasons.includes('job-hold-until-specified'),
  )
  // One that was printed and cut off while the others were released is no longer held by its sender.
  if (!(await forEach(held, (id, attempts) => parts.scheduler.release(id, attempts)))) {
    throw new IppRefusal('notPossible', `Job ${job.id} is not held, or not by its sender.`)
  }
  return { status: STATUS.ok, groups: [] }
}

/** Tells whether the step worked for any label; labels that refuse it have moved on meanwhile. */
async function forEach(
  labels: readonly Job[],
  step: (id: string, attempts: number) => Promise<Job>,
): Promise<boolean> {
  let isAny = false
  for (const { id, attempts } of labels) {
    try {
      await step(id, attempts)
      isAny = true
    } catch (error) {
      if (!(error instanceof PlatenError)) throw error
    }
  }
  return isAny
}

/** Tells whether anything of the job was still to be canceled. */
async function cancel({ jobs, scheduler }: OperationParts, job: IppJob): Promise<boolean> {
  if (job.isIncoming) return jobs.giveUp(job)
  // The last ones first: those that have not begun must not begin meanwhile.
  const open = job.labels.filter((label) => !hasEnded(label)).reverse()
  return await forEach(open, (id) => scheduler.cancel(id))
}

export function getJobAttributes(parts: OperationParts, asked: IppOperation): IppAnswer {
  const wanted = readTexts(asked.message.groups[0], 'requested-attributes')
  const job = findJob(parts, asked)
  return {
    status: STATUS.ok,
    groups: [tellJob(job, asked, wanted.length === 0 ? ['all'] : wanted)],
  }
}

const WHICH: ReadonlyMap<string, (job: IppJob) => boolean> = new Map([
  ['all', () => true],
  ['completed', ({ endedAt }: IppJob) => endedAt > 0],
  ['not-completed', ({ endedAt }: IppJob) => endedAt === 0],
])

/** The most jobs in one answer, the newest ones. */
const LISTED_MOST = 200
/** Jobs described before others have their turn. */
const JOBS_A_TURN = 20

export async function getJobs({ jobs }: OperationParts, asked: IppOperation): Promise<IppAnswer> {
  const [operation] = asked.message.groups
  const which = readText(operation, 'which-jobs') ?? 'not-completed'
  const isWanted = WHICH.get(which)
  if (isWanted === undefined) {
    throw new IppRefusal(
      'attributesNotSupported',
      `which-jobs ${which}; wanted completed or not-completed`,
    )
  }
  const named = readIds(operation)
  const ids = named === undefined ? undefined : new Set(named)
  const user =
    readFirst(operation, 'my-jobs') === true
      ? readText(operation, 'requesting-user-name')
      : undefined
  const listed = await jobs.list(asked.shared.printer.name, asked.client, LISTED_MOST)
  const found = listed
    .filter((job) => (ids === undefined ? isWanted(job) : ids.has(job.id)))
    .filter((job) => user === undefined || job.user === user)
  const wanted = readTexts(operation, 'requested-attributes')
  const told = which === 'completed' ? found.reverse() : found
  const groups: IppGroup[] = []
  for (const job of told.slice(0, readNumber(operation, 'limit') ?? told.length)) {
    groups.push(tellJob(job, asked, wanted.length === 0 ? ['job-id', 'job-uri'] : wanted))
    if (groups.length % JOBS_A_TURN === 0) await turn()
  }
  return { status: STATUS.ok, groups }
}

/** Reads `job-ids`; undefined = none are named. */
function readIds(operation: IppGroup | undefined): readonly IppValue['value'][] | undefined {
  return operation?.attributes.get('job-ids')?.map(({ value }) => value)
}

/** Finds the job that a request names; jobs of other clients do not exist for it. */
export function findJob({ jobs }: OperationParts, { message, client }: IppOperation): IppJob {
  const [operation] = message.groups
  const ofUri = /\/(\d{1,15})$/.exec(readText(operation, 'job-uri') ?? '')?.[1]
  const id = ofUri === undefined ? readNumber(operation, 'job-id') : Number(ofUri)
  if (id === undefined) throw new IppRefusal('badRequest', 'wanted job-id or job-uri')
  const job = jobs.find(id, client)
  if (job === undefined) throw new IppRefusal('notFound', `There is no job ${id}.`)
  return job
}

const TOLD = ['job-id', 'job-uri', 'job-state', 'job-state-reasons', 'job-state-message']

export function tellJob(
  job: IppJob,
  { shared, place }: IppOperation,
  wanted: readonly string[] = TOLD,
): IppGroup {
  const attributes = selectOfJob(describeJob(job, shared, place), job, wanted)
  return { tag: GROUPS.job, attributes }
}

const KIB = 1_024

/** Describes all attributes of a job (RFC 8011, 5.3), including its template. */
function describeJob(job: IppJob, { path }: SharedPrinter, place: IppEndpoint): IppAttributes {
  const base = `ipp://${place.host}${path}`
  const time = (at: number): readonly IppValue[] => (at === 0 ? noValue : upTime(place, at))
  const date = (at: number): readonly IppValue[] => (at === 0 ? noValue : dateTime(at))
  const printed = job.labels.filter(({ state }) => state === 'completed').length
  const bytes = job.labels.reduce((sum, { labelBytes }) => sum + labelBytes, 0)
  return new Map<string, readonly IppValue[]>([
    ...Object.entries({
      'job-id': integer(job.id),
      'job-uri': uri(`${base}/${job.id}`),
      'job-uuid': uri(`urn:uuid:${job.uuid}`),
      'job-printer-uri': uri(base),
      'job-more-info': uri(`http://${place.host}/`),
      'job-name': name(job.name),
      'job-originating-user-name': name(job.user),
      'job-state': enumeration(job.state),
      'job-state-reasons': keyword(...job.reasons),
      'job-state-message': text(job.message),
      'job-printer-up-time': upTime(place, place.now),
      'time-at-creation': time(job.createdAt),
      'time-at-processing': time(job.startedAt),
      'time-at-completed': time(job.endedAt),
      'date-time-at-creation': date(job.createdAt),
      'date-time-at-processing': date(job.startedAt),
      'date-time-at-completed': date(job.endedAt),
      'job-impressions': integer(job.labels.length),
      'job-impressions-completed': integer(printed),
      'job-media-sheets-completed': integer(printed),
      'job-k-octets': integer(Math.ceil(bytes / KIB)),
      'document-format-supplied': mimeType(job.format),
      'number-of-documents': integer(job.isIncoming ? 0 : 1),
      'compression-supplied': keyword('none'),
    }),
    ...job.template,
  ])
}

/** Selects the attributes that were asked for, by name or by group. */
function selectOfJob(all: IppAttributes, job: IppJob, asked: readonly string[]): IppAttributes {
  const wanted = new Set(asked)
  return new Map(
    [...all].filter(([attribute]) => {
      const group = job.template.has(attribute) ? 'job-template' : 'job-description'
      return wanted.has('all') || wanted.has(attribute) || wanted.has(group)
    }),
  )
}
