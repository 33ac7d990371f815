import { Hono } from 'hono'
import { checkPackList, isLanguageType, unpackLabel } from '#labels'
import type { Job } from '../core/job.ts'
import { callLabels, throwExplained } from '../core/label-faults.ts'
import { parseExact } from '../core/request/bounded-json.ts'
import { tidyTitle } from '../core/request/field-values.ts'
import {
  beginsJson,
  beginsRaw,
  ChoosingReader,
  FormReader,
  RawReader,
} from '../core/request/form.ts'
import { JsonReader } from '../core/request/json.ts'
import { MultipartReader } from '../core/request/multipart.ts'
import type { RequestReader } from '../core/request/reader.ts'
import { RequestFields } from '../core/request/request-fields.ts'
import { freeIfWhole } from '../system/memory.ts'
import { PlatenError, quoteShort } from '../words/errors.ts'
import { inEnglish } from '../words/say.ts'
import { answerJson, settleJobs } from './answer.ts'
import { type Calls, route } from './call.ts'
import { ACCEPTED, PREFER, printFields } from './field-schemas.ts'
import { readBody, releaseBody } from './guard/body.ts'
import type { BodyLimits } from './guard/body-limits.ts'
import { json, list, object, ok, type Parameter, type Schema, text } from './json-schema.ts'
import { answerPage, wantsPage } from './page.ts'
import type { AppParts, HttpContext, HttpEnv, Refusals } from './parts.ts'
import { retryAfterOf } from './server-faults.ts'
import { contentTypeOf, isJson, readText, readWhole, wantJson } from './whole-body.ts'

const TAG = 'Print'

/** The calls that print; their fields are checked by the one table of fields, whatever kind of body they came in. */
export const printCalls = {
  printLabels: {
    method: 'post',
    path: '/',
    tag: TAG,
    summary: 'Print labels; those of one request are accepted together or not at all',
    parameters: describePrintQuery,
    headers: PREFER,
    content: describePrintBodies,
    answers: () => [
      ...ACCEPTED(),
      { status: 303, about: 'The labels are kept; `redirect_url` was asked for.' },
    ],
  },
  checkLabel: {
    method: 'post',
    path: '/labels/check',
    tag: TAG,
    summary: 'Check whether a file can be printed; nothing is kept',
    content: () => ({ 'application/octet-stream': { description: 'the file' } }),
    answers: () => ok('It prints.', object({ Status: text(), Message: text(), format: text() })),
  },
  printPackList: {
    method: 'post',
    path: '/packlist',
    tag: TAG,
    refusal: 'SeedRefusal',
    summary: 'Print the pack list of an order',
    parameters: describePackListQuery,
    headers: PREFER,
    content: json({ type: 'object', description: 'An order; see docs/api.md.' }),
    answers: () =>
      ACCEPTED().map((one) => ({ ...one, schema: object({ Status: text(), Message: text() }) })),
  },
} as const satisfies Calls

function describePrintQuery(): readonly Parameter[] {
  return Object.entries(printFields()).map(([name, schema]) => ({
    name,
    schema,
    about: 'the same as the field of the body',
  }))
}

function describePackListQuery(): readonly Parameter[] {
  const fields = printFields()
  return (['printer', 'idempotency_key'] as const).map((name) => ({
    name,
    schema: fields[name] ?? text(),
    about: 'as of `POST /`',
  }))
}

function describePrintBodies(): Readonly<Record<string, Schema>> {
  const fields = printFields()
  const label = { description: 'a label as base64 (JSON, form) or a file (multipart)', ...text() }
  return {
    'application/json': {
      type: 'object',
      properties: { label, labels: list(text()), ...fields },
    },
    'application/x-www-form-urlencoded': {
      type: 'object',
      properties: { label: text('base64'), ...fields },
    },
    'multipart/form-data': {
      type: 'object',
      properties: { label: { description: 'a file' }, ...fields },
    },
    'application/octet-stream': { description: 'a single label; the fields are in the query' },
  }
}

/** `POST /`: labels in, jobs out. The labels of a request are accepted together or not at all. And `/packlist`, `/labels/check`. */
export function createPrintRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  route(app, printCalls.printLabels, parts.access.print(), async (c) => {
    const { jobs, redirect } = await acceptLabels(c, parts)
    releaseBody(c)
    // From here on the labels are safe, and no answer is 4xx or 5xx.
    if (redirect !== undefined) {
      c.header('Location', redirect)
      return c.body(null, 303)
    }
    const { settled, verdict, status } = await settleJobs(c, parts, jobs)
    const { jobSecret } = parts.access
    if (wantsPage(c.req.header('accept'), c.req.header('sec-fetch-mode')))
      return c.html(answerPage(verdict, settled, jobSecret), status)
    return c.json(answerJson(verdict, settled, jobSecret), status)
  })
  addPackList(app, parts)
  addLabelCheck(app, parts)
  return app
}

/** A function of its own, so that the labels are gone from memory while the client waits. */
async function acceptLabels(
  c: HttpContext,
  parts: AppParts,
): Promise<{ readonly jobs: readonly Job[]; readonly redirect: string | undefined }> {
  const body = parts.limits.body()
  const known = await parts.findSender(c)
  const fields = new RequestFields(body.bounds)
  // A refusal may show a link onward, so it must know the fields.
  c.set('fields', fields)
  try {
    readPrintHead(c, body, fields)
    await readPrintBody(c, body, fields)
    const { labels, titles, options, copies, idempotencyKey, redirectUrl } = fields.request()
    const redirect = redirectUrl === undefined ? undefined : checkRedirect(redirectUrl)
    const { jobs } = await parts.intake.takeTogether({
      labels,
      titles,
      options,
      copies,
      source: 'http',
      ...known,
      network: parts.access.networkOf(c),
      client: () => c.req.raw.signal,
      ...(idempotencyKey !== undefined && {
        idempotencyKey,
        sender: known?.sender ?? parts.access.keySender(c),
      }),
    })
    c.set('fields', undefined)
    return { jobs, redirect }
  } finally {
    fields.freeLabels()
  }
}

/**
 * The Location for a redirect_url: an absolute http or https address without a user name or password. It is passed on
 * unchanged; only spaces and characters beyond ASCII are escaped, as a browser would, because a header cannot hold them.
 * @throws PlatenError REDIRECT_INVALID
 */
function checkRedirect(url: string): string {
  const parsed = /^https?:\/\/[^/?#\\]/i.test(url) && !/\p{Cc}/u.test(url) ? URL.parse(url) : null
  if (parsed === null) {
    throw new PlatenError(
      'REDIRECT_INVALID',
      `redirect_url: got ${quoteShort(url)}, wanted an absolute http:// or https:// address.`,
    )
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new PlatenError(
      'REDIRECT_INVALID',
      `redirect_url: the address of ${parsed.host} holds a user name or password; wanted none.`,
    )
  }
  return /^[\x21-\x7e]+$/.test(url) ? url : parsed.href
}

/** The address for a link onward when a request is refused: only one that a redirect would have used. */
export function readSafeRedirect(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  try {
    return checkRedirect(url)
  } catch (error) {
    if (error instanceof PlatenError) return undefined
    throw error
  }
}

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'
/** Media types of a body that is one label; its bytes decide which. */
const RAW = /^(image\/.+|text\/plain|application\/(octet-stream|pdf|gzip|x-gzip))$/

/**
 * Reads what comes before the body: the header Idempotency-Key, and the query, whose fields are those of a form. The body
 * may repeat them, not contradict them.
 * @throws PlatenError FIELD_INVALID, TOO_MANY_FIELDS, BODY_BROKEN
 */
function readPrintHead(c: HttpContext, { bounds }: BodyLimits, fields: RequestFields): void {
  fields.enter('header')
  fields.addText('idempotency_key', c.req.header('idempotency-key') ?? '')
  fields.enter('address')
  const query = /\?([^#]*)/.exec(c.req.url)?.[1]
  if (query) {
    const reader = new FormReader(fields, bounds)
    reader.push(Buffer.from(query))
    reader.end()
  }
  fields.enter('body')
}

/**
 * Reads a print request in any of its forms into `fields`.
 * @throws PlatenError BODY_TYPE, BODY_BROKEN, BODY_TOO_LARGE, BODY_TIMEOUT, TOO_MANY_FIELDS, FIELD_INVALID
 */
async function readPrintBody(
  c: HttpContext,
  limits: BodyLimits,
  fields: RequestFields,
): Promise<void> {
  const reader = openReader(c, limits, fields)
  try {
    await readBody(c, limits, (chunk) => {
      reader.push(chunk)
      // The readers copy what they keep.
      freeIfWhole(chunk)
    })
    reader.end()
  } finally {
    reader.free?.()
  }
}

function openReader(c: HttpContext, { bounds }: BodyLimits, fields: RequestFields): RequestReader {
  const { type, parameters } = contentTypeOf(c)
  if (isJson(type)) return new JsonReader(fields, bounds)
  if (type === MULTIPART) return new MultipartReader(parameters.get('boundary'), fields, bounds)
  if (type === FORM || type === '') {
    const charset = readCharset(parameters.get('charset'))
    return new ChoosingReader((first) => {
      if (type === '' && beginsJson(first)) return new JsonReader(fields, bounds)
      if (beginsRaw(first)) return new RawReader(fields)
      return new FormReader(fields, bounds, charset)
    })
  }
  if (RAW.test(type) || isLanguageType(type)) {
    return new RawReader(fields)
  }
  throw new PlatenError(
    'BODY_TYPE',
    `The request has the Content-Type ${quoteShort(type)}; wanted ${FORM}, ${MULTIPART} (curl -F label=@FILE), application/json, or application/octet-stream for a body that is a label.`,
  )
}

/** ISO 8859-1 means windows-1252 on the web (Encoding Standard, 4.2). */
function readCharset(charset = 'utf-8'): 'utf-8' | 'windows-1252' {
  const name = charset.toLowerCase()
  if (['utf-8', 'utf8', 'us-ascii', 'ascii'].includes(name)) return 'utf-8'
  if (['iso-8859-1', 'latin1', 'windows-1252', 'cp1252'].includes(name)) return 'windows-1252'
  throw new PlatenError(
    'BODY_TYPE',
    `The form has the charset ${quoteShort(charset)}, wanted utf-8.`,
    { hint: 'Send the form as UTF-8.' },
  )
}

/**
 * `POST /packlist`: an order as JSON, printed for a packer. The answer has the specification's two keys and no other,
 * also when it is a refusal. `?printer=NAME` chooses the printer.
 */
function addPackList(app: Hono<HttpEnv>, parts: AppParts): void {
  route(app, printCalls.printPackList, parts.access.print(), async (c) => {
    const { verdict, status } = await settleJobs(c, parts, await acceptPackList(c, parts))
    const { Status, message } = verdict
    return c.json({ Status, Message: inEnglish(message) }, status)
  })
}

/** Refuses pack lists in the shape of the specification. */
export const packListRefusals: Refusals = {
  owns: (path) => path === '/packlist',
  answer: refusePackList,
}

/** Answers a pack list that is refused; the hint goes with the sentence. */
function refusePackList(c: HttpContext, failure: PlatenError): Response {
  const { status, hint } = failure
  const retryAfter = retryAfterOf(status)
  if (retryAfter !== undefined) c.header('Retry-After', retryAfter)
  return c.json({ Status: 'Error', Message: `${failure.whole} ${hint}` }, status)
}

async function acceptPackList(c: HttpContext, parts: AppParts): Promise<readonly Job[]> {
  const body = parts.limits.body()
  wantJson(c, 'The pack list')
  const text = await readText(c, body)
  const order = parseExact(text, body.bounds)
  const { orderNumber } = await checkPackList(order).catch(throwExplained)
  const fields = new RequestFields(body.bounds)
  readPrintHead(c, body, fields)
  const printer = fields.value('printer')
  const idempotencyKey = fields.value('idempotency_key')
  return parts.intake.acceptDocument({
    format: 'packlist',
    body: Buffer.from(text),
    title: tidyTitle(fields.value('title') ?? orderNumber),
    options: printer === undefined ? {} : { printer },
    source: 'packlist',
    network: parts.access.networkOf(c),
    ...(idempotencyKey !== undefined && { idempotencyKey, sender: parts.access.keySender(c) }),
  }).jobs
}

/**
 * `POST /labels/check`: what a file is, and whether it prints, before anybody prints it; nothing is kept. The page asks
 * for files that were dropped on it, so that they are judged by the code that judges them when they print.
 */
function addLabelCheck(app: Hono<HttpEnv>, parts: Pick<AppParts, 'access' | 'limits'>): void {
  route(app, printCalls.checkLabel, parts.access.operate(), async (c) => {
    const label = await readWhole(c, parts.limits.body())
    const { format } = callLabels(() => unpackLabel(label))
    return c.json({ Status: 'OK', Message: '', format })
  })
}
