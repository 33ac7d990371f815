import { PlatenError } from '../../../errors.ts'
import { GROUPS, readNumber, readText } from '../../../ipp/message.ts'
import type { Question, SpoolerLine } from './ipp/line.ts'
import { OPERATIONS, STATUS } from './ipp/message.ts'
import { explainRefusal, nameQueue, REQUESTER, wantAttributes } from './queue.ts'

/** A job of ours in CUPS. */
export interface CupsJob {
  readonly id: number
  /** Tells it from a job of the same number that CUPS made after it forgot ours. */
  readonly uuid: string
}

/** What CUPS knows of a job at one moment. */
export interface JobSighting {
  readonly phase: 'waiting' | 'printing' | 'completed' | 'canceled' | 'aborted' | 'gone'
  /** When CUPS last began to print it, in its seconds; undefined = it never began. */
  readonly startedAt: number | undefined
  /** Our clock, in milliseconds. */
  readonly at: number
  /** CUPS may have been restarted since the sighting before. */
  readonly isNewLine: boolean
}

/** job-state (RFC 8011, 5.3.7). CUPS's reasons beside it lag behind, so only the number counts. */
const PHASES: Readonly<Record<number, JobSighting['phase']>> = {
  3: 'waiting',
  4: 'waiting',
  5: 'printing',
  6: 'waiting',
  7: 'canceled',
  8: 'aborted',
  9: 'completed',
}

const RAW = 'application/vnd.cups-raw' // passed on as it is by every queue, with a driver or without

/**
 * Makes a job without a document: CUPS prints nothing of it until `describeDocument` has brought the whole label.
 * @throws PlatenError PRINTER_OFFLINE
 */
export async function createJob(
  line: SpoolerLine,
  path: string,
  signal: AbortSignal,
): Promise<CupsJob> {
  const question = {
    path,
    operation: OPERATIONS.createJob,
    attributes: [
      ...nameQueue(path),
      { name: 'job-name', tag: 'name', values: ['label from platen'] } as const,
    ],
  }
  const { status, groups } = await line.ask(question, signal)
  const id = readNumber(
    groups.find(({ tag }) => tag === GROUPS.job),
    'job-id',
  )
  const isMade = status < STATUS.firstFailure && id !== undefined && id > 0
  if (!isMade) throw explainRefusal('a label', status)
  const uuid = await readUuid(line, id, signal)
  return { id, uuid }
}

/** The question that brings the label's bytes behind it. */
export function describeDocument(path: string, { id }: CupsJob): Question {
  return {
    path,
    operation: OPERATIONS.sendDocument,
    attributes: [
      ...nameJob(id),
      { name: 'document-format', tag: 'mimeMediaType', values: [RAW] },
      { name: 'last-document', tag: 'boolean', values: [true] },
    ],
  }
}

/**
 * How the job is now.
 * @throws PlatenError PRINTER_OFFLINE
 */
export async function sightJob(
  line: SpoolerLine,
  job: CupsJob,
  signal: AbortSignal,
): Promise<JobSighting> {
  const wanted = ['job-state', 'job-uuid', 'time-at-processing']
  const { status, groups, isNewLine } = await line.ask(askForJob(job.id, wanted), signal)
  const group = groups.find(({ tag }) => tag === GROUPS.job)
  const isOurs = status < STATUS.firstFailure && readText(group, 'job-uuid') === job.uuid
  if (!isOurs && status < STATUS.firstFailure) return gone(isNewLine)
  if (status === STATUS.notFound) return gone(isNewLine)
  if (status >= STATUS.firstFailure) throw explainRefusal('news of a label', status)
  return {
    phase: PHASES[readNumber(group, 'job-state') ?? 0] ?? 'waiting',
    startedAt: readNumber(group, 'time-at-processing'),
    at: Date.now(),
    isNewLine,
  }
}

/**
 * Takes the job out of CUPS; one that has ended or is not known is as good as canceled.
 * @throws PlatenError PRINTER_OFFLINE
 */
export async function cancelJob(
  line: SpoolerLine,
  { id }: CupsJob,
  signal: AbortSignal,
): Promise<void> {
  const question = { path: '/jobs', operation: OPERATIONS.cancelJob, attributes: nameJob(id) }
  const { status } = await line.ask(question, signal)
  const isDone = status === STATUS.notFound || status === STATUS.notPossible
  if (status >= STATUS.firstFailure && !isDone) throw explainRefusal('to cancel a label', status)
}

async function readUuid(line: SpoolerLine, id: number, signal: AbortSignal): Promise<string> {
  const { groups } = await line.ask(askForJob(id, ['job-uuid']), signal)
  const uuid = readText(
    groups.find(({ tag }) => tag === GROUPS.job),
    'job-uuid',
  )
  if (uuid !== undefined) return uuid
  throw new PlatenError('PRINTER_OFFLINE', `CUPS forgot job ${id}, which it had just made.`)
}

function askForJob(id: number, names: readonly string[]): Question {
  return {
    path: '/jobs',
    operation: OPERATIONS.getJobAttributes,
    attributes: [...nameJob(id), wantAttributes(names)],
  }
}

function nameJob(id: number): Question['attributes'] {
  return [{ name: 'job-uri', tag: 'uri', values: [`ipp://localhost/jobs/${id}`] }, REQUESTER]
}

function gone(isNewLine: boolean): JobSighting {
  return { phase: 'gone', startedAt: undefined, at: Date.now(), isNewLine }
}
