import { Hono } from 'hono'
import { PlatenError, quoteShort } from '../errors.ts'
import type { Job } from '../jobs/job.ts'
import { RequestFields } from '../request/request-fields.ts'
import { answerJson, judgeJobs, statusOf, waitForJobs } from './answer.ts'
import type { HttpContext, HttpEnv } from './context.ts'
import { answerPage, wantsPage } from './page.ts'
import type { AppParts } from './parts.ts'
import { readPrintBody, readPrintHead } from './print-body.ts'

/** `POST /`: labels in, jobs out. All labels of a request are taken or none is. */
export function createPrintRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.post('/', parts.access.print(), async (c) => {
    const { jobs, redirect } = await acceptLabels(c, parts)
    // From here on the labels are safe, and no answer is 4xx or 5xx.
    if (redirect !== undefined) {
      c.header('Location', redirect)
      return c.body(null, 303)
    }
    const settled = await waitForJobs(c, parts, jobs, parts.limits.bounds.waitSeconds)
    const { jobSecret } = parts.access
    const verdict = judgeJobs(settled, (name) => parts.printers.get(name))
    const status = statusOf(settled)
    if (wantsPage(c.req.header('accept'), c.req.header('sec-fetch-mode')))
      return c.html(answerPage(verdict, settled, jobSecret), status)
    return c.json(answerJson(verdict, settled, jobSecret), status)
  })
  return app
}

/** A function of its own, so that the labels are gone from memory while the client waits. */
async function acceptLabels(
  c: HttpContext,
  parts: AppParts,
): Promise<{ readonly jobs: readonly Job[]; readonly redirect: string | undefined }> {
  const body = parts.limits.body()
  const fields = new RequestFields(body.bounds)
  // A refusal may show a link onward, so it must know the fields.
  c.set('fields', fields)
  try {
    readPrintHead(c, body, fields)
    await readPrintBody(c, body, fields)
    const { labels, titles, options, copies, idempotencyKey, redirectUrl } = fields.request()
    const redirect = redirectUrl === undefined ? undefined : checkRedirect(redirectUrl)
    const { jobs } = await parts.intake.take({
      ...{ labels, titles, options, copies },
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

/**
 * The Location for a redirect_url: an absolute http or https address without a user name or password. It is passed on
 * unchanged; only spaces and characters beyond ASCII are escaped, as a browser would, because a header cannot hold them.
 * @throws PlatenError REDIRECT_INVALID
 */
export function checkRedirect(url: string): string {
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
