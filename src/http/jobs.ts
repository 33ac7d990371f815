import { Hono } from 'hono'
import { languages, nameCodes } from '#labels'
import type { Wish } from '../core/intake/reprint.ts'
import { type Job, jobJson, NO_LABEL, seqOf } from '../core/job.ts'
import { checkSpelling, readValue } from '../core/request/field-values.ts'
import { PlatenError, quoteShort } from '../words/errors.ts'
import { saidJson } from '../words/read-sentences.ts'
import { say } from '../words/say.ts'
import { readObject } from './body.ts'
import { countsJson, describeCanceled, describeMoved, historyJson, listJobs } from './job-list.ts'
import type { AppParts, HttpContext, HttpEnv } from './parts.ts'
import { isOnItsWay, takeBack } from './peers.ts'

/** `/jobs` and everything below: the history, previews, and what a person decides about a job. */
export function createJobRoutes(parts: AppParts): Hono<HttpEnv> {
  const { spool } = parts
  const app = new Hono<HttpEnv>()
  app.use('/jobs', parts.access.labels())
  const follow = parts.access.follow()
  app.get('/jobs/counts', parts.access.labels(), (c) => c.json(countsJson(spool)))
  app.get('/jobs/:id', follow, (c) => {
    const job = findJob(c, parts)
    return c.json({ ...jobJson(job), history: historyJson(job) })
  })
  app.get('/jobs/:id/preview.png', follow, (c) => {
    const job = findJob(c, parts)
    const preview = spool.history.preview(job.id)
    if (preview === undefined) {
      throw new PlatenError('PREVIEW_NONE', say('noPicture'))
    }
    // A released job may be rendered again, for other settings.
    c.header('Cache-Control', 'private, max-age=60')
    return c.body(new Uint8Array(preview), 200, { 'Content-Type': 'image/png' })
  })
  app.get('/jobs/:id/label.bin', follow, (c) => {
    const label = readRaw(findJob(c, parts), parts)
    // Never as a page or a script of the box: its content comes from the sender.
    c.header('Content-Disposition', 'attachment')
    c.header('Cache-Control', 'private, max-age=60')
    return c.body(new Uint8Array(label), 200, { 'Content-Type': 'application/octet-stream' })
  })
  app.use('/jobs/*', parts.access.labels())
  app.get('/jobs', (c) => listJobs(c, parts))

  app.get('/jobs/:id/label', (c) => {
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

/** What a person does with a job. */
function addMoves(app: Hono<HttpEnv>, parts: AppParts): void {
  const { intake, scheduler } = parts
  app.post('/jobs/cancel', async (c) => cancelAll(c, parts, await readMove(c, parts)))
  app.post('/jobs/move', async (c) => moveAll(c, parts, await readMove(c, parts)))
  app.post('/jobs/:id/cancel', async (c) => {
    const id = idOf(c)
    if (isOnItsWay(id, parts)) return moved(c, await takeBack(id, parts, 'cancel', false))
    return moved(c, await scheduler.cancel(id))
  })
  app.post('/jobs/:id/release', async (c) => {
    const [id, body] = [idOf(c), await readMove(c, parts)]
    const attempts = readAttempts(body)
    if (isOnItsWay(id, parts)) {
      return moved(c, await takeBack(id, parts, 'release', body.anyway === true))
    }
    return moved(c, await scheduler.release(id, attempts))
  })
  app.post('/jobs/:id/reprint', async (c) => {
    const body = await readMove(c, parts)
    const { printer } = body
    if (printer !== undefined && printer !== null && typeof printer !== 'string') {
      throw new PlatenError('FIELD_INVALID', `printer: got a ${typeof printer}, wanted a name.`)
    }
    refuseStartLabel(parts.spool.history.get(idOf(c)))
    const name = printer?.trim() ? readValue('printer', printer) : undefined
    if (body.box !== undefined) {
      const box = readName('box', body.box)
      return moved(c, await (await parts.peers()).move(idOf(c), box, readName('printer', name)))
    }
    return moved(c, intake.reprint(idOf(c), name, readWish(body, name)))
  })
  app.post('/jobs/:id/codes', async (c) => {
    const name = nameCodes(readCodes((await readMove(c, parts)).codes))
    const job = findJob(c, parts)
    return moved(c, name === '' || job.title ? job : parts.spool.entitle(job.id, name))
  })
  app.post('/jobs/:id/resolve', async (c) => {
    const body = await readMove(c, parts)
    const { printed } = body
    if (typeof printed !== 'boolean') {
      const seen = printed === undefined ? 'nothing' : `a ${typeof printed}`
      throw new PlatenError('FIELD_INVALID', `printed: got ${seen}, wanted true or false.`)
    }
    return moved(c, await scheduler.resolve(idOf(c), printed, readAttempts(body)))
  })
}

/** All that waits for a printer, also for one that was removed since. @throws PlatenError FIELD_INVALID, PRINTER_UNKNOWN, JOB_UNKNOWN */
async function cancelAll(
  c: HttpContext,
  parts: AppParts,
  { printer: name, last }: MoveBody,
): Promise<Response> {
  const { scheduler, spool } = parts
  const printer = readCrowded(parts, name)
  const seen = readSeen('last', last)
  const end = seen === undefined ? undefined : spool.history.givenSeq(seen)
  // The labels that the client saw may be those of a spool that was replaced since, and its numbers others' here.
  if (seen !== undefined && end === undefined) throw new PlatenError('JOB_UNKNOWN', NO_LABEL)
  const { canceled } = await scheduler.cancelWaiting(printer, end)
  const remaining = spool.line.countUnfinished(printer)
  const Message = describeCanceled(canceled, remaining)
  return c.json({ Status: 'OK', Message, ...saidJson(Message, ''), canceled, remaining })
}

/** The same, to another printer. @throws PlatenError FIELD_INVALID, PRINTER_UNKNOWN, SPOOL_FULL */
async function moveAll(
  c: HttpContext,
  parts: AppParts,
  { printer: from, to, box }: MoveBody,
): Promise<Response> {
  const printer = readCrowded(parts, from)
  if (box !== undefined) return await moveAllAway(c, parts, printer, { to, box })
  const { moved, foreign } = await parts.intake.moveWaiting(printer, readName('to', to))
  const remaining = parts.spool.line.countUnfinished(printer)
  const Message = describeMoved(moved, foreign, remaining, String(to))
  return c.json({ Status: 'OK', Message, ...saidJson(Message, ''), moved, remaining })
}

/** To a printer of another print server. @throws PlatenError FIELD_INVALID, PEER_*, PRINTER_UNKNOWN */
async function moveAllAway(
  c: HttpContext,
  parts: AppParts,
  printer: string,
  goal: Pick<MoveBody, 'to' | 'box'>,
): Promise<Response> {
  const [to, box] = [readName('to', goal.to), readName('box', goal.box)]
  const peers = await parts.peers()
  const { moved, foreign, message } = await peers.moveWaiting(printer, { box, printer: to })
  const remaining = parts.spool.line.countUnfinished(printer)
  const where = `${to} on ${peers.resolve(box).name}`
  const Message = [describeMoved(moved, foreign, remaining, where), message]
    .filter(Boolean)
    .join(' ')
  return c.json({ Status: 'OK', Message, ...saidJson(Message, ''), moved, remaining })
}

/** A printer, or one that was removed while labels waited for it. */
function readCrowded({ spool, printers }: AppParts, value: unknown): string {
  const name = readName('printer', value)
  if (spool.line.countUnfinished(name) > 0 || printers.get(name) !== undefined) return name
  throw new PlatenError('PRINTER_UNKNOWN', say('namedNone', { name: quoteShort(name) }))
}

function readName(key: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  const seen = value === undefined ? 'nothing' : `a ${typeof value}`
  throw new PlatenError('FIELD_INVALID', `${key}: got ${seen}, wanted the name of a printer.`)
}

function moved(c: HttpContext, job: Job): Response {
  return c.json({ Status: 'OK', Message: '', job: jobJson(job) })
}

const MOVE_KEYS = [
  'printer',
  'to',
  'box',
  'anyway',
  'printed',
  'move',
  'after',
  'last',
  'attempts',
  'codes',
] as const

/** What the body of a move may hold. */
type MoveBody = { readonly [Key in (typeof MOVE_KEYS)[number]]?: unknown }

/** A label has a handful of bar codes; a PDF417 says the most. */
const CODES_MOST = { codes: 20, characters: 2_000 }

/** What a page has read in the bar codes of a picture. @throws PlatenError FIELD_INVALID */
function readCodes(codes: unknown): readonly string[] {
  const isOne = (code: unknown) => typeof code === 'string' && code.length <= CODES_MOST.characters
  if (Array.isArray(codes) && codes.length <= CODES_MOST.codes && codes.every(isOne)) return codes
  const { codes: most, characters } = CODES_MOST
  const wanted = `wanted at most ${most} strings of at most ${characters} characters`
  throw new PlatenError('FIELD_INVALID', `codes: ${wanted}.`)
}

/** @throws PlatenError FIELD_INVALID */
function readWish({ move = false, after }: MoveBody, printer: string | undefined): Wish {
  if (typeof move !== 'boolean') {
    throw new PlatenError('FIELD_INVALID', `move: got a ${typeof move}, wanted true or false.`)
  }
  if (move && printer === undefined) {
    throw new PlatenError(
      'FIELD_INVALID',
      'printer: got nothing, wanted the printer for the label.',
    )
  }
  const seen = readSeen('after', after)
  return seen === undefined ? { isMove: move } : { isMove: move, after: seen }
}

/** The newest job that the client saw. @throws PlatenError FIELD_INVALID */
function readSeen(key: string, id: unknown): string | undefined {
  if (id === undefined) return undefined
  if (typeof id === 'string' && seqOf(id) !== undefined) return id
  throw new PlatenError('FIELD_INVALID', `${key}: wanted the id of a job.`)
}

/** The number of attempts that the client saw. @throws PlatenError FIELD_INVALID */
function readAttempts({ attempts }: MoveBody): number | undefined {
  if (attempts === undefined || Number.isSafeInteger(attempts)) return attempts as number
  throw new PlatenError('FIELD_INVALID', 'attempts: wanted the number that the job has.')
}

async function readMove(c: HttpContext, parts: AppParts): Promise<MoveBody> {
  const body = await readObject(c, parts.limits.body())
  checkSpelling(Object.keys(body), MOVE_KEYS)
  return body
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
