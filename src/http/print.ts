import { Hono } from 'hono'
import type { Job } from '../jobs/job.ts'
import { RequestFields } from '../request/request-fields.ts'
import { wantsPage } from './accepts.ts'
import { answerJson, judgeJobs, statusOf } from './answer.ts'
import { readPrintBody, readPrintHead } from './body/print-body.ts'
import type { HttpContext, HttpEnv } from './context.ts'
import type { Limits } from './limits.ts'
import { answerPage } from './page.ts'
import type { AppParts } from './parts.ts'
import { checkRedirect } from './redirect.ts'
import { waitForJobs } from './wait.ts'

/** `POST /`: labels in, jobs out. All labels of a request are taken or none is. */
export function createPrintRoutes(parts: AppParts, limits: Limits): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.post('/', parts.access.print(), async (c) => {
    const { jobs, redirect } = await acceptLabels(c, parts, limits)
    // From here on the labels are safe, and no answer is 4xx or 5xx.
    if (redirect !== undefined) {
      c.header('Location', redirect)
      return c.body(null, 303)
    }
    const settled = await waitForJobs(c, parts, jobs, limits.bounds.waitSeconds)
    const { jobSecret } = parts.access
    const verdict = judgeJobs(settled, (name) => parts.printers.get(name))
    const status = statusOf(settled)
    if (wantsPage(c.req.header('accept')))
      return c.html(answerPage(verdict, settled, jobSecret), status)
    return c.json(answerJson(verdict, settled, jobSecret), status)
  })
  return app
}

/** A function of its own, so that the labels are gone from memory while the client waits. */
async function acceptLabels(
  c: HttpContext,
  parts: AppParts,
  limits: Limits,
): Promise<{ readonly jobs: readonly Job[]; readonly redirect: string | undefined }> {
  const body = limits.body()
  const fields = new RequestFields(body.bounds)
  // A refusal may show a link onward, so it must know the fields.
  c.set('fields', fields)
  try {
    readPrintHead(c, body, fields)
    await readPrintBody(c, body, fields)
    const { labels, options, copies, idempotencyKey, redirectUrl } = fields.request()
    const redirect = redirectUrl === undefined ? undefined : checkRedirect(redirectUrl)
    const { jobs } = await parts.intake.take({
      labels,
      options,
      copies,
      source: 'http',
      network: parts.access.networkOf(c),
      ...(idempotencyKey !== undefined && { idempotencyKey, sender: parts.access.keySender(c) }),
    })
    c.set('fields', undefined)
    return { jobs, redirect }
  } finally {
    fields.freeLabels()
  }
}
