import type { RequestReceipt } from '../core/intake/requests.ts'
import { hasEnded, type Job, jobJson } from '../core/job.ts'
import type { KnownPrinter } from '../core/printers/status.ts'
import { TimeLimit } from '../system/wait.ts'
import type { FailureCode } from '../words/failures.ts'
import { hintOf, inEnglish, join, NOTHING, type Sentences, saidJson, say } from '../words/say.ts'
import type { AppParts, HttpContext } from './parts.ts'

/** The reason why a label will not print without a person. */
interface LabelTrouble {
  readonly message: Sentences
  readonly code: FailureCode | ''
  readonly hint: Sentences
}

/** The part of the answer to a print that stands beside its jobs. */
export interface PrintVerdict extends LabelTrouble {
  /** `Error` = at least one label will not print without a person. */
  readonly Status: 'OK' | 'Error'
}

/** The status of a printer that was taken out of the settings while its labels waited. */
const GONE = {
  message: join(say('goneFromSettings'), say('kept')),
  hint: say('addOrPrint'),
}

const FINE: PrintVerdict = { Status: 'OK', message: NOTHING, code: '', hint: NOTHING }

/**
 * Judges the jobs of one request as they are now: aborted and canceled ones, held ones, and those whose printer is
 * stopped need a person.
 */
export function judgeJobs(
  jobs: readonly Job[],
  printerOf: (name: string) => KnownPrinter | undefined,
): PrintVerdict {
  const found = jobs.map((job) => findTrouble(job, printerOf))
  const troubles = found.filter((trouble) => trouble !== undefined)
  const [first] = troubles
  if (!first) return FINE
  const number = found.indexOf(first) + 1
  // The other labels may have other troubles, so the sentence says whose it is.
  const count =
    jobs.length > 1
      ? join(
          say('needPerson', { n: troubles.length, all: jobs.length }),
          say('aboutLabel', { number }),
        )
      : NOTHING
  return { ...first, Status: 'Error', message: join(count, first.message) }
}

/** 200 once nothing will change any more, else 202 (RFC 9110, 15.3.3). */
export function statusOf(jobs: readonly Job[]): 200 | 202 {
  return jobs.every(hasEnded) ? 200 : 202
}

/** The JSON of design.md 3.1; `code` and `hint` are there when there is something to say, `secret` lets the sender follow. */
export function answerJson(
  verdict: PrintVerdict,
  jobs: readonly Job[],
  secretOf: (id: string) => string,
): Record<string, unknown> {
  const { Status, message, code, hint } = verdict
  const more = Status === 'OK' ? {} : { code, hint: inEnglish(hint), ...saidJson(message, hint) }
  return {
    Status,
    Message: inEnglish(message),
    ...more,
    jobs: jobs.map((job) => ({ ...jobJson(job), secret: secretOf(job.id) })),
  }
}

function findTrouble(
  job: Job,
  printerOf: (name: string) => KnownPrinter | undefined,
): LabelTrouble | undefined {
  const { code, hint } = job
  switch (job.state) {
    case 'completed':
      return undefined
    case 'aborted':
      return { message: some(job.message) ?? say('labelFailed'), code, hint }
    case 'canceled':
      // Another printer has it.
      if (job.reasons.includes('platen-moved')) return undefined
      return {
        message: some(job.message) ?? say('isCanceled'),
        code: code || 'JOB_CANCELED',
        hint: some(hint) ?? hintOf('JOB_CANCELED'),
      }
    case 'pending-held':
      return { message: some(job.message) ?? say('labelHeld'), code, hint }
    case 'processing-stopped':
      return stopped(job, printerOf(job.printer))
    case 'pending':
    case 'processing':
      return findStop(job, printerOf(job.printer))
  }
}

/** A job that waits or prints is in trouble when its printer is: it continues once a person has seen to it. */
function findStop(job: Job, printer: KnownPrinter | undefined): LabelTrouble | undefined {
  // Not by the job's reasons: behind others it keeps printer-stopped until its turn, when all is well again.
  const isStopped = printer === undefined || printer.status.state === 'stopped'
  return isStopped ? stopped(job, printer) : undefined
}

function stopped(job: Job, printer: KnownPrinter | undefined): LabelTrouble {
  // The label in front has the sentence; those behind it wait for the same reason.
  const status = printer?.status ?? GONE
  const code = codeOf(printer)
  return {
    message:
      some(job.message) ??
      some(status.message) ??
      say('hasStopped', { printer: JSON.stringify(job.printer) }),
    code: job.code || code,
    hint: some(job.hint) ?? some(status.hint) ?? hintOf(code),
  }
}

/** The sentences, or undefined where there are none. */
function some(sentences: Sentences): Sentences | undefined {
  return sentences.length === 0 ? undefined : sentences
}

function codeOf(printer: KnownPrinter | undefined): FailureCode {
  if (printer === undefined) return 'PRINTER_UNKNOWN'
  return printer.status.reasons.includes('offline') ? 'PRINTER_OFFLINE' : 'PRINTER_STOPPED'
}

/** Jobs that were accepted, with what the answer says of them once they have been waited for. */
export async function settleJobs(
  c: HttpContext,
  parts: Pick<AppParts, 'intake' | 'limits' | 'log' | 'printers' | 'stopping'>,
  jobs: readonly Job[],
) {
  const settled = await waitForJobs(c, parts, jobs)
  const verdict = judgeJobs(settled, (name) => parts.printers.get(name))
  return { settled, verdict, status: statusOf(settled) }
}

/**
 * The jobs as they are once all have ended, the client's patience has, or the client has gone: they go on all the
 * same. Never throws: after the commit no failure may make a client send its labels again.
 */
async function waitForJobs(
  c: HttpContext,
  parts: Pick<AppParts, 'intake' | 'limits' | 'log' | 'stopping'>,
  jobs: readonly Job[],
): Promise<readonly Job[]> {
  const { seconds, applied } = readWait(c.req.header('prefer'), parts.limits.bounds.waitSeconds)
  if (applied !== undefined) c.header('Preference-Applied', applied)
  if (seconds === 0) return jobs
  using patience = new TimeLimit(seconds * 1_000, parts.stopping, c.req.raw.signal)
  try {
    const ids = jobs.map((job) => job.id)
    return await parts.intake.ended(ids, patience.signal)
  } catch (error) {
    parts.log.error({ err: error }, 'wait failed')
    return jobs
  }
}

/** Answers a call that printed something: with its jobs, as long as the client waits for them. */
export async function answerAccepted(
  c: HttpContext,
  parts: Parameters<typeof settleJobs>[1] & Pick<AppParts, 'access'>,
  { jobs }: Pick<RequestReceipt, 'jobs'>,
): Promise<Response> {
  const { settled, verdict, status } = await settleJobs(c, parts, jobs)
  return c.json(answerJson(verdict, settled, parts.access.jobSecret), status)
}

/** The time that a client wants to wait for its jobs, and what the answer says of that wish. */
export interface WaitWish {
  readonly seconds: number
  /** The header Preference-Applied, or undefined when nothing was asked. */
  readonly applied: string | undefined
}

const DEFAULT_SECONDS = 2

/** Reads `Prefer: wait=N` and `respond-async` (RFC 7240, 4.1 and 4.3); what cannot be read is ignored, as it says. */
export function readWait(prefer: string | undefined, maxSeconds: number): WaitWish {
  const wishes = (prefer ?? '').split(',').map((wish) => wish.split(';', 1)[0]?.trim() ?? '')
  const wait = wishes.map((wish) => /^wait\s*=\s*"?(\d{1,9})"?$/i.exec(wish)?.[1]).find(Boolean)
  if (wait !== undefined) {
    const seconds = Math.min(Number(wait), maxSeconds)
    return { seconds, applied: `wait=${seconds}` }
  }
  if (wishes.some((wish) => wish.toLowerCase() === 'respond-async')) {
    return { seconds: 0, applied: 'respond-async' }
  }
  return { seconds: DEFAULT_SECONDS, applied: undefined }
}
