import { Hono } from 'hono'
import type { PlatenError } from '../errors.ts'
import type { Job } from '../jobs/job.ts'
import { checkPackList } from '../render/pack-list/check.ts'
import { parseJson } from '../request/bounded-json.ts'
import { tidyTitle } from '../request/field-values.ts'
import { RequestFields } from '../request/request-fields.ts'
import { judgeJobs, statusOf, waitForJobs } from './answer.ts'
import { readText, wantJson } from './body.ts'
import type { HttpContext, HttpEnv } from './context.ts'
import type { AppParts } from './parts.ts'
import { readPrintHead } from './print-body.ts'
import { retryAfterOf } from './refusal.ts'

/**
 * `POST /packlist`: an order as JSON, printed for a packer. The answer has the seed's two keys and no other (2.7),
 * also when it is a refusal. `?printer=NAME` chooses the printer.
 */
export function createPackListRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.post('/packlist', parts.access.print(), async (c) => {
    const jobs = await acceptPackList(c, parts)
    const settled = await waitForJobs(c, parts, jobs, parts.limits.bounds.waitSeconds)
    const { Status, Message } = judgeJobs(settled, (name) => parts.printers.get(name))
    return c.json({ Status, Message }, statusOf(settled))
  })
  return app
}

/** The answer to a pack list that is refused, in the shape of the seed. The hint goes with the sentence. */
export function refusePackList(c: HttpContext, failure: PlatenError): Response {
  const { status, hint } = failure
  const retryAfter = retryAfterOf(status)
  if (retryAfter !== undefined) c.header('Retry-After', retryAfter)
  return c.json({ Status: 'Error', Message: `${failure.message} ${hint}` }, status)
}

async function acceptPackList(c: HttpContext, parts: AppParts): Promise<readonly Job[]> {
  const body = parts.limits.body()
  wantJson(c, 'The pack list')
  const text = await readText(c, body)
  const { orderNumber } = checkPackList(parseJson(text, body.bounds))
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

/** True for the paths whose errors have the seed's two keys. */
export function isPackListPath(path: string): boolean {
  return path === '/packlist'
}
