import type { ClientRequest } from 'node:http'
import { PrinterFault } from '../../fault.ts'
import { GROUPS, readNumber, readText } from '../../ipp/message.ts'
import {
  awaitResponse,
  describeRequest,
  encodeQuestion,
  explainSilence,
  type IppResponse,
  OPERATIONS,
  readAnswer,
  type SpoolerAddress,
  type SpoolerLine,
  type SpoolerRequest,
  STATUS,
} from './ipp-client.ts'
import { explainRefusal, nameQueue, REQUESTER, wantAttributes } from './queue.ts'

/** A job of ours in CUPS. */
export interface CupsJob {
  readonly id: number
  /** Tells it from a job of the same number that CUPS made after it forgot ours. */
  readonly uuid: string
}

/** State of a job in CUPS at one moment. */
export interface JobSighting {
  readonly phase: 'waiting' | 'printing' | 'completed' | 'canceled' | 'aborted' | 'gone'
  /** The time when CUPS last began to print it, in its seconds; undefined = it never began. */
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
 * @throws PrinterFault PRINTER_OFFLINE
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
export function describeDocument(path: string, { id }: CupsJob): SpoolerRequest {
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
 * Reads the state of the job.
 * @throws PrinterFault PRINTER_OFFLINE
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
 * @throws PrinterFault PRINTER_OFFLINE
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
  throw new PrinterFault('PRINTER_OFFLINE', `CUPS forgot job ${id}, which it had just made.`)
}

function askForJob(id: number, names: readonly string[]): SpoolerRequest {
  return {
    path: '/jobs',
    operation: OPERATIONS.getJobAttributes,
    attributes: [...nameJob(id), wantAttributes(names)],
  }
}

function nameJob(id: number): SpoolerRequest['attributes'] {
  return [{ name: 'job-uri', tag: 'uri', values: [`ipp://localhost/jobs/${id}`] }, REQUESTER]
}

function gone(isNewLine: boolean): JobSighting {
  return { phase: 'gone', startedAt: undefined, at: Date.now(), isNewLine }
}

/** Meaning of our job's state in CUPS; `again` = CUPS began it more than once, or is about to. */
export type JobVerdict = 'follow' | 'taken' | 'again' | 'canceled' | 'aborted' | 'gone'

/**
 * Judges a job by how it is now and how it was at the look before. A job that was cut in the middle (queue stopped, backend
 * failed, cupsd restarted) goes back to waiting in CUPS and is printed from its beginning, which must not pass unseen.
 */
export function judgeJob(before: JobSighting | undefined, now: JobSighting): JobVerdict {
  const { phase } = now
  if (phase === 'gone' || phase === 'canceled' || phase === 'aborted') return phase
  const isBegun = now.startedAt !== undefined
  if (phase === 'waiting') return isBegun || before?.startedAt !== undefined ? 'again' : 'follow'
  if (!isSameRun(before, now)) return 'again'
  return phase === 'completed' ? 'taken' : 'follow'
}

function isSameRun(before: JobSighting | undefined, now: JobSighting): boolean {
  const isRestarted = before?.startedAt !== undefined && before.startedAt !== now.startedAt
  if (isRestarted) return false
  if (!now.isNewLine) return true
  // cupsd was restarted in between. Its clock counts whole seconds: a run that began in the second of the look before,
  // or later, may be the second one.
  if (before?.startedAt === undefined || now.startedAt === undefined) return false
  return (now.startedAt + 1) * 1_000 <= before.at
}

/** The sentence for a job that did not go well; undefined for those that did. */
export function explainVerdict(verdict: JobVerdict, queue: string): string | undefined {
  switch (verdict) {
    case 'again':
      return `CUPS was stopped or failed in the middle of the label on its queue ${queue}. The label was canceled there, so that it does not print twice.`
    case 'canceled':
      return `The label was canceled in CUPS, on its queue ${queue}.`
    case 'aborted':
      return `CUPS gave the label up on its queue ${queue}: its error log says why.`
    case 'gone':
      return `CUPS no longer knows the label on its queue ${queue}, so nobody can say what became of it (PreserveJobHistory in cupsd.conf must be on).`
    default:
      return undefined
  }
}

const PIECE_BYTES = 65_536 // an abort takes effect between two pieces at the latest

/**
 * A question with a document behind it, sent piece by piece. The spooler acts on it when `finish` ends the document, and
 * throws away what came when the connection breaks before.
 */
export class DocumentUpload {
  readonly #request: ClientRequest
  readonly #address: SpoolerAddress
  readonly #answer: Promise<IppResponse>
  /** Never resolves; rejects when the connection is gone. */
  readonly #broken: Promise<never>
  #hasLeft = false
  #isRefused = false

  constructor(address: SpoolerAddress, question: SpoolerRequest) {
    this.#address = address
    const request = process.getBuiltinModule('node:http').request({
      ...describeRequest(address, question.path),
      agent: false,
    })
    this.#request = request
    request.once('finish', () => {
      this.#hasLeft = true
    })
    this.#answer = awaitResponse(request).then((response) => {
      const { statusCode = 0 } = response
      this.#isRefused = statusCode >= 400 && statusCode < 500
      return readAnswer(response)
    })
    const closed = new Promise((resolve) => request.once('close', resolve))
    this.#broken = closed.then(() => this.#answer).then(explainEarlyAnswer)
    // Told by the next write, or by `finish`.
    for (const promise of [this.#answer, this.#broken]) promise.catch(() => undefined)
    request.write(encodeQuestion(question, 1))
  }

  /** False while its end is still here, and once the spooler refused what came, e.g. for its length (HTTP 413). */
  get mayBeTaken(): boolean {
    return this.#hasLeft && !this.#isRefused
  }

  /**
   * Resolves with every byte taken by the spooler's socket.
   * @throws PrinterFault PRINTER_OFFLINE when the connection broke or was aborted: nothing of the document counts
   */
  async write(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const stop = () => this.abandon()
    signal.addEventListener('abort', stop, { once: true })
    try {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        signal.throwIfAborted()
        await this.#push(bytes.subarray(at, at + PIECE_BYTES))
      }
    } catch (error) {
      this.abandon()
      throw explainSilence(error, this.#address, signal)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /**
   * Ends the document and gives the spooler's word on it. From here on a failure does not prove that it was not taken.
   * @throws PrinterFault PRINTER_OFFLINE
   */
  async finish(signal: AbortSignal): Promise<IppResponse> {
    const stop = () => this.abandon()
    signal.addEventListener('abort', stop, { once: true })
    try {
      signal.throwIfAborted()
      this.#request.end()
      return await this.#answer
    } catch (error) {
      throw explainSilence(error, this.#address, signal)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Breaks the connection off. */
  abandon(): void {
    this.#request.destroy()
  }

  async #push(piece: Uint8Array): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#request.write(piece, (error) => (error ? reject(error) : resolve()))
    // A request that breaks before it was connected forgets the callbacks of its writes.
    await Promise.race([promise, this.#broken])
  }
}

/** The spooler answered before it had the document. */
function explainEarlyAnswer({ status }: IppResponse): never {
  throw new PrinterFault(
    'PRINTER_OFFLINE',
    `CUPS refused the label before it was read (IPP status 0x${status.toString(16).padStart(4, '0')}).`,
  )
}
