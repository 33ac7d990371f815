import { PlatenError } from '../../errors.ts'
import {
  GROUPS,
  type IppGroup,
  readFirst,
  readNumber,
  readText,
  readTexts,
} from '../../ipp/message.ts'
import { hasEnded, type Job } from '../../jobs/job.ts'
import { describeJob, selectOfJob } from './job-attributes.ts'
import type { IppJob } from './jobs.ts'
import type { Answer, Asked, OperationParts } from './operation.ts'
import { Refusal, STATUS } from './protocol.ts'

export async function cancelJob(parts: OperationParts, asked: Asked): Promise<Answer> {
  const job = findJob(parts, asked)
  if (!(await cancel(parts, job))) {
    throw new Refusal('notPossible', `Job ${job.id} has ended or is being printed.`)
  }
  return { status: STATUS.ok, groups: [] }
}

export async function cancelMyJobs(parts: OperationParts, asked: Asked): Promise<Answer> {
  const user = readText(asked.message.groups[0], 'requesting-user-name')
  for (const job of parts.jobs.list(asked.shared.printer.name, asked.client)) {
    if (job.user === user && job.endedAt === 0) await cancel(parts, job)
  }
  return { status: STATUS.ok, groups: [] }
}

/** Its labels that have not begun wait until somebody releases them. */
export async function holdJob(parts: OperationParts, asked: Asked): Promise<Answer> {
  const job = findJob(parts, asked)
  const waiting = job.labels.filter(({ state }) => state === 'pending')
  if (!(await forEach(waiting, (id) => parts.scheduler.hold(id)))) {
    throw new Refusal('notPossible', `Job ${job.id} has no label that waits to be printed.`)
  }
  return { status: STATUS.ok, groups: [] }
}

/** What is held for another reason is decided at the box. */
export async function releaseJob(parts: OperationParts, asked: Asked): Promise<Answer> {
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

export function getJobAttributes(parts: OperationParts, asked: Asked): Answer {
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

export function getJobs({ jobs }: OperationParts, asked: Asked): Answer {
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
export function findJob({ jobs }: OperationParts, { message, client }: Asked): IppJob {
  const [operation] = message.groups
  const ofUri = /\/(\d{1,15})$/.exec(readText(operation, 'job-uri') ?? '')?.[1]
  const id = ofUri === undefined ? readNumber(operation, 'job-id') : Number(ofUri)
  if (id === undefined) throw new Refusal('badRequest', 'wanted job-id or job-uri')
  const job = jobs.find(id, client)
  if (job === undefined) throw new Refusal('notFound', `There is no job ${id}.`)
  return job
}

const TOLD = ['job-id', 'job-uri', 'job-state', 'job-state-reasons', 'job-state-message']

export function tellJob(
  job: IppJob,
  { shared, place }: Asked,
  wanted: readonly string[] = TOLD,
): IppGroup {
  const attributes = selectOfJob(describeJob(job, shared, place), job, wanted)
  return { tag: GROUPS.job, attributes }
}
