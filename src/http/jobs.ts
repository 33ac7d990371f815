import { Hono } from 'hono'
import * as v from 'valibot'
import { languages, nameCodes } from '#labels'
import { isMoving, type Job, jobJson, NO_LABEL, seqOf } from '../core/job.ts'
import { readValue } from '../core/request/field-values.ts'
import { PlatenError, quoteShort } from '../words/errors.ts'
import { inEnglish, join, NOTHING, type Sentences, saidJson, say } from '../words/say.ts'
import { type CallFields, type Calls, route } from './call.ts'
import {
  countsJson,
  describeCanceled,
  describeMoved,
  historyJson,
  JOB_QUERY,
  listJobs,
} from './job-list.ts'
import { countsOfPrinter, list, object, ok, ref, text, whole } from './json-schema.ts'
import type { AppParts, HttpContext, HttpEnv } from './parts.ts'
import { readBodyFields } from './read-fields.ts'

const TAG = 'Labels'
const A_PRINTER = 'the name of a printer'
const A_FLAG = 'true or false'

/** A label has a handful of bar codes; a PDF417 says the most. */
const CODES_MOST = { codes: 20, characters: 2_000 }
const CODES = `at most ${CODES_MOST.codes} strings of at most ${CODES_MOST.characters} characters`

const printerName = v.pipe(v.string(A_PRINTER), v.nonEmpty(A_PRINTER))
const jobId = v.pipe(
  v.string('the id of a job'),
  v.check((id) => seqOf(id) !== undefined, 'the id of a job'),
)
const box = v.optional(
  v.pipe(
    printerName,
    v.description('the paired print server that it is at: `id` of `GET /peers`; with `move`'),
  ),
)
const attempts = v.optional(
  v.pipe(
    v.number('the number that the job has'),
    v.safeInteger('the number that the job has'),
    v.description('the `attempts` that the client saw: refused when they have changed'),
  ),
)

const jobAfterIt = () =>
  ok('The job after it.', object({ Status: text(), Message: text(), job: ref('Job') }))
const told = { Status: text(), Message: text(), texts: ref('Texts') }

/** `/jobs` and everything below. */
export const jobCalls = {
  listJobs: {
    method: 'get',
    path: '/jobs',
    tag: TAG,
    summary: 'Labels, the newest first unless `order` says otherwise',
    query: JOB_QUERY,
    answers: () => ok('Labels.', list(ref('Job'))),
  },
  countJobs: {
    method: 'get',
    path: '/jobs/counts',
    tag: TAG,
    summary: 'How many labels each printer has',
    answers: () =>
      ok('Counts.', object({ not_completed: whole(), printers: list(countsOfPrinter) })),
  },
  getJob: {
    method: 'get',
    path: '/jobs/:id',
    tag: TAG,
    summary: 'One label',
    answers: () => ok('The job, and the states that it has been through.', ref('TracedJob')),
  },
  getPreview: {
    method: 'get',
    path: '/jobs/:id/preview.png',
    tag: TAG,
    summary: 'The picture of a label that was drawn here',
    answers: () => [{ status: 200, about: 'A picture.', type: 'image/png', schema: {} }],
  },
  getLabel: {
    method: 'get',
    path: '/jobs/:id/label.bin',
    tag: TAG,
    summary: 'A raw label as received, for a page that draws it',
    answers: () => [
      { status: 200, about: 'Its bytes.', type: 'application/octet-stream', schema: {} },
    ],
  },
  getLabelLines: {
    method: 'get',
    path: '/jobs/:id/label',
    tag: TAG,
    summary: 'The first lines of a label',
    answers: () => ok('Text.', object({ format: text(), bytes: whole(), lines: list(text()) })),
  },
  cancelWaitingJobs: {
    method: 'post',
    path: '/jobs/cancel',
    tag: TAG,
    summary: 'Cancel everything that waits for a printer',
    body: v.object({
      printer: printerName,
      last: v.optional(v.pipe(jobId, v.description('the newest label to cancel'))),
    }),
    answers: () => ok('How many.', object({ ...told, canceled: whole(), remaining: whole() })),
  },
  moveWaitingJobs: {
    method: 'post',
    path: '/jobs/move',
    tag: TAG,
    summary: 'Move everything that waits for a printer to another one',
    body: v.object({ printer: printerName, to: printerName, box }),
    answers: () => ok('How many.', object({ ...told, moved: whole(), remaining: whole() })),
  },
  cancelJob: {
    method: 'post',
    path: '/jobs/:id/cancel',
    tag: TAG,
    summary: 'Cancel a label',
    body: v.object({}),
    answers: jobAfterIt,
  },
  releaseJob: {
    method: 'post',
    path: '/jobs/:id/release',
    tag: TAG,
    summary: 'Print a held label',
    body: v.object({
      attempts,
      anyway: v.optional(
        v.pipe(
          v.boolean(A_FLAG),
          v.description('true: also when a paired print server may have it and does not answer'),
        ),
        false,
      ),
    }),
    answers: jobAfterIt,
  },
  reprintJob: {
    method: 'post',
    path: '/jobs/:id/reprint',
    tag: TAG,
    summary: 'Print a label again, or move it to another printer',
    body: v.object({
      printer: v.nullish(v.pipe(v.string(A_PRINTER), v.description('another printer'))),
      box,
      move: v.optional(
        v.pipe(
          v.boolean(A_FLAG),
          v.description('true: only while it waits, so that it prints once'),
        ),
        false,
      ),
      after: v.optional(v.pipe(jobId, v.description('the newest reprint that the client saw'))),
    }),
    answers: jobAfterIt,
  },
  nameJobByCodes: {
    method: 'post',
    path: '/jobs/:id/codes',
    tag: TAG,
    summary: 'Name a label without a name',
    body: v.object({
      codes: v.pipe(
        v.array(
          v.pipe(
            v.string(CODES),
            v.maxLength(CODES_MOST.characters, CODES),
            v.description('of a bar code'),
          ),
          CODES,
        ),
        v.maxLength(CODES_MOST.codes, CODES),
      ),
    }),
    answers: jobAfterIt,
  },
  resolveJob: {
    method: 'post',
    path: '/jobs/:id/resolve',
    tag: TAG,
    summary: 'Say whether a label of unknown fate came out',
    body: v.object({ printed: v.boolean(A_FLAG), attempts }),
    answers: jobAfterIt,
  },
} as const satisfies Calls

/** `/jobs` and everything below: the history, previews, and what a person decides about a job. */
export function createJobRoutes(parts: AppParts): Hono<HttpEnv> {
  const { spool } = parts
  const app = new Hono<HttpEnv>()
  app.use('/jobs', parts.access.labels())
  const follow = parts.access.follow()
  route(app, jobCalls.countJobs, parts.access.labels(), (c) => c.json(countsJson(spool)))
  route(app, jobCalls.getJob, follow, (c) => {
    const job = findJob(c, parts)
    return c.json({ ...jobJson(job), history: historyJson(job) })
  })
  route(app, jobCalls.getPreview, follow, (c) => {
    const job = findJob(c, parts)
    const preview = spool.history.preview(job.id)
    if (preview === undefined) {
      throw new PlatenError('PREVIEW_NONE', say('noPicture'))
    }
    // A released job may be rendered again, for other settings.
    c.header('Cache-Control', 'private, max-age=60')
    return c.body(new Uint8Array(preview), 200, { 'Content-Type': 'image/png' })
  })
  route(app, jobCalls.getLabel, follow, (c) => {
    const label = readRaw(findJob(c, parts), parts)
    // Never as a page or a script of the box: its content comes from the sender.
    c.header('Content-Disposition', 'attachment')
    c.header('Cache-Control', 'private, max-age=60')
    return c.body(new Uint8Array(label), 200, { 'Content-Type': 'application/octet-stream' })
  })
  app.use('/jobs/*', parts.access.labels())
  route(app, jobCalls.listJobs, (c) => listJobs(c, parts))

  route(app, jobCalls.getLabelLines, (c) => {
    const job = findJob(c, parts)
    const label = keptLabel(job, parts)
    // A start label holds the PIN: only its paper shows it.
    const lines = job.format === 'start' ? [] : labelLines(label)
    return c.json({ format: job.format, bytes: job.labelBytes, lines })
  })
  addMoves(app, parts)
  return app
}

/** Printers' languages, as they came; a page draws these labels itself. */
const RAW: readonly string[] = languages.map(({ name }) => name)
const RAW_BYTES = 4 * 2 ** 20

/** The bytes of a raw label, for the page to draw. @throws PlatenError PREVIEW_NONE, JOB_LABEL_GONE */
function readRaw(job: Job, parts: AppParts): Uint8Array {
  if (!RAW.includes(job.format) || job.labelBytes > RAW_BYTES) {
    const detail = `This label (${job.format}, ${job.labelBytes} bytes) is not drawn by a page.`
    throw new PlatenError('PREVIEW_NONE', say('noPicture'), { detail })
  }
  return keptLabel(job, parts)
}

/** @throws PlatenError JOB_LABEL_GONE */
function keptLabel(job: Job, { spool }: AppParts): Uint8Array {
  const label = spool.history.label(job.id)
  if (label !== undefined) return label
  throw new PlatenError('JOB_LABEL_GONE', say('labelGone'))
}

/** Adds what a person does with a job. */
function addMoves(app: Hono<HttpEnv>, parts: AppParts): void {
  const { intake, scheduler } = parts
  const read = <F extends CallFields>(c: HttpContext, { body }: { readonly body: F }) =>
    readBodyFields(c, parts.limits.body(), body)
  const { cancelWaitingJobs, moveWaitingJobs, releaseJob, reprintJob } = jobCalls
  route(app, cancelWaitingJobs, async (c) => cancelAll(c, parts, await read(c, cancelWaitingJobs)))
  route(app, moveWaitingJobs, async (c) => moveAll(c, parts, await read(c, moveWaitingJobs)))
  route(app, jobCalls.cancelJob, async (c) => {
    const id = idOf(c)
    if (isOnItsWay(id, parts)) return moved(c, await elsewhere(parts).takeBack(id, 'cancel', false))
    return moved(c, await scheduler.cancel(id))
  })
  route(app, releaseJob, async (c) => {
    const id = idOf(c)
    const { attempts, anyway } = await read(c, releaseJob)
    if (isOnItsWay(id, parts))
      return moved(c, await elsewhere(parts).takeBack(id, 'release', anyway))
    return moved(c, await scheduler.release(id, attempts))
  })
  route(app, reprintJob, async (c) => {
    const { printer, box, move, after } = await read(c, reprintJob)
    refuseStartLabel(parts.spool.history.get(idOf(c)))
    const name = printer?.trim() ? readValue('printer', printer) : undefined
    if (box !== undefined) {
      return moved(c, await elsewhere(parts).move(idOf(c), box, wantPrinter(name)))
    }
    if (move) wantPrinter(name)
    const wish = { isMove: move, ...(after !== undefined && { after }) }
    return moved(c, intake.reprint(idOf(c), name, wish))
  })
  route(app, jobCalls.nameJobByCodes, async (c) => {
    const { codes } = await read(c, jobCalls.nameJobByCodes)
    const name = nameCodes(codes)
    const job = findJob(c, parts)
    return moved(c, name === '' || job.title ? job : parts.spool.entitle(job.id, name))
  })
  route(app, jobCalls.resolveJob, async (c) => {
    const { printed, attempts } = await read(c, jobCalls.resolveJob)
    return moved(c, await scheduler.resolve(idOf(c), printed, attempts))
  })
}

/** A label that moves needs a place to go. @throws PlatenError FIELD_INVALID */
function wantPrinter(name: string | undefined): string {
  if (name !== undefined) return name
  throw new PlatenError('FIELD_INVALID', 'printer: got nothing, wanted the printer for the label.')
}

/**
 * All that waits for a printer, also for one that was removed since. @throws PlatenError FIELD_INVALID, PRINTER_UNKNOWN,
 * JOB_UNKNOWN
 */
async function cancelAll(
  c: HttpContext,
  parts: AppParts,
  { printer: name, last }: v.InferOutput<(typeof jobCalls.cancelWaitingJobs)['body']>,
): Promise<Response> {
  const { scheduler, spool } = parts
  const printer = findCrowded(parts, name)
  const end = last === undefined ? undefined : spool.history.givenSeq(last)
  // The labels that the client saw may be those of a spool that was replaced since, and its numbers others' here.
  if (last !== undefined && end === undefined) throw new PlatenError('JOB_UNKNOWN', NO_LABEL)
  const { canceled } = await scheduler.cancelWaiting(printer, end)
  const remaining = spool.line.countUnfinished(printer)
  const message = describeCanceled(canceled, remaining)
  return c.json({ ...done(message), canceled, remaining })
}

/** Moves all to another printer. @throws PlatenError FIELD_INVALID, PRINTER_UNKNOWN, SPOOL_FULL */
async function moveAll(
  c: HttpContext,
  parts: AppParts,
  { printer: from, to, box }: v.InferOutput<(typeof jobCalls.moveWaitingJobs)['body']>,
): Promise<Response> {
  const printer = findCrowded(parts, from)
  if (box !== undefined) return await moveAllAway(c, parts, printer, { to, box })
  const { moved, foreign } = await parts.intake.moveWaiting(printer, to)
  const remaining = parts.spool.line.countUnfinished(printer)
  const message = describeMoved(moved, foreign, remaining, to)
  return c.json({ ...done(message), moved, remaining })
}

/** Handed over to another print server, which has not yet said whether it has it. */
function isOnItsWay(id: string, { spool }: AppParts): boolean {
  const job = spool.history.get(id)
  return job !== undefined && isMoving(job)
}

/** @throws PlatenError FIELD_INVALID where labels do not leave this print server */
function elsewhere(parts: AppParts): NonNullable<AppParts['elsewhere']> {
  if (parts.elsewhere !== undefined) return parts.elsewhere
  throw new PlatenError('FIELD_INVALID', 'box: this print server knows no others.')
}

/** To a printer of another print server. @throws PlatenError FIELD_INVALID, PEER_*, PRINTER_UNKNOWN */
async function moveAllAway(
  c: HttpContext,
  parts: AppParts,
  printer: string,
  { to, box }: { readonly to: string; readonly box: string },
): Promise<Response> {
  const {
    moved,
    foreign,
    message: end,
    where,
  } = await elsewhere(parts).moveWaiting(printer, box, to)
  const remaining = parts.spool.line.countUnfinished(printer)
  const message = join(describeMoved(moved, foreign, remaining, where), end)
  return c.json({ ...done(message), moved, remaining })
}

function done(message: Sentences): object {
  return { Status: 'OK', Message: inEnglish(message), ...saidJson(message, NOTHING) }
}

/** A printer, or one that was removed while labels waited for it. */
function findCrowded({ spool, printers }: AppParts, name: string): string {
  if (spool.line.countUnfinished(name) > 0 || printers.get(name) !== undefined) return name
  throw new PlatenError('PRINTER_UNKNOWN', say('namedNone', { name: quoteShort(name) }))
}

function moved(c: HttpContext, job: Job): Response {
  return c.json({ Status: 'OK', Message: '', job: jobJson(job) })
}

function idOf(c: HttpContext): string {
  return c.req.param('id') ?? ''
}

function findJob(c: HttpContext, parts: AppParts): Job {
  const id = idOf(c)
  const job = parts.spool.history.look(id)
  if (job === undefined) throw new PlatenError('JOB_UNKNOWN', NO_LABEL)
  return job
}

const LINES = 10
const BYTES = 2_048

/** The first lines of a label, fit for a page: at most 10 lines and 2 KB, what is not printable ASCII as a dot. */
function labelLines(label: Uint8Array): readonly string[] {
  const text = Buffer.from(label.subarray(0, BYTES)).toString('latin1')
  return text
    .split(/\r\n|\r|\n/, LINES)
    .map((line) => line.replaceAll('\t', ' ').replace(/[^\x20-\x7e]/g, '·'))
}

/**
 * A start label shows the PIN, and who may see that paper is decided where it is printed: see `guardStartLabel`.
 * @throws PlatenError FIELD_INVALID
 */
function refuseStartLabel(job: Job | undefined): void {
  if (job?.format !== 'start') return
  throw new PlatenError('FIELD_INVALID', say('startShowsPin'), { hint: say('nothingToDo') })
}
