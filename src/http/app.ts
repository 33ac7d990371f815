import { Hono } from 'hono'
import { PlatenError, quoteShort } from '../words/errors.ts'
import { releaseBodies } from './guard/body.ts'
import { createDescriptionRoutes } from './info.ts'
import { refusalPage, wantsPage } from './page.ts'
import type { AppParts, HttpContext, HttpEnv, MountedRoutes, Refusals } from './parts.ts'
import { readSafeRedirect } from './print.ts'
import { calls, resources } from './resources.ts'
import { refusalJson, retryAfterOf, toFailure } from './server-faults.ts'

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** Creates the HTTP side of the print server, one file a resource. `mounted` are routes of other parts, e.g. of plugins. */
export function createApp(parts: AppParts, mounted: readonly MountedRoutes[] = []): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.use('*', releaseBodies)
  app.use('*', parts.access.headers())
  app.use('*', parts.access.guard())
  for (const { first } of mounted) if (first !== undefined) app.route('/', first)
  for (const { create } of resources) if (create !== undefined) app.route('/', create(parts))
  app.route('/', createDescriptionRoutes(parts, calls))
  for (const one of mounted) app.route('/', one.app)
  app.route('/', parts.access.routes())
  const refusals = [...resources, ...mounted].flatMap((one) => one.refusals ?? [])
  app.onError((error, c) => answerFailure(c, error, parts, refusals))
  app.notFound((c) => answerFailure(c, explainUnknown(c, app), parts, refusals))
  return app
}

/** Answers every error; the server keeps running. */
function answerFailure(
  c: HttpContext,
  error: unknown,
  parts: AppParts,
  refusals: readonly Refusals[],
): Response | Promise<Response> {
  const failure = toFailure(error)
  if (failure.code === 'INTERNAL') {
    parts.log.error({ err: error, method: c.req.method, path: c.req.path }, 'request failed')
  }
  const own = refusals.find((one) => one.owns(c.req.path))
  return own === undefined ? refuse(c, failure) : own.answer(c, failure)
}

/** Makes the answer to a refused request: the common JSON shape, or a small page with the same content. */
function refuse(c: HttpContext, failure: PlatenError): Response | Promise<Response> {
  const { status } = failure
  const retryAfter = retryAfterOf(status)
  if (retryAfter !== undefined) c.header('Retry-After', retryAfter)
  if (!wantsPage(c.req.header('accept'), c.req.header('sec-fetch-mode')))
    return c.json(refusalJson(failure), status)
  const onward = readSafeRedirect(c.get('fields')?.text('redirect_url'))
  return c.html(refusalPage(failure, onward), status)
}

/** Distinguishes a wrong address from a wrong method, for which Allow names the right ones (RFC 9110, 15.5.6). */
function explainUnknown(c: HttpContext, app: Hono<HttpEnv>): PlatenError {
  const allowed = METHODS.filter((method) => hasRoute(app, method, c.req.path))
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
  // RFC 8631: where the calls are described.
  c.header('Link', '</openapi.json>; rel="service-desc", </web/api.html>; rel="service-doc"')
  // A route that is there and found nothing is a wrong address, too.
  if (allowed.length === 0 || allowed.some((one) => one === method)) {
    return new PlatenError('ROUTE_UNKNOWN', `There is nothing at ${quoteShort(c.req.path)}.`)
  }
  const names = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  c.header('Allow', names.join(', '))
  return new PlatenError(
    'METHOD_REFUSED',
    `${c.req.method} does not exist at ${quoteShort(c.req.path)}, wanted ${names.join(' or ')}.`,
  )
}

function hasRoute(app: Hono<HttpEnv>, method: string, path: string): boolean {
  const [found] = app.router.match(method, path)
  return found.some(([[, route]]) => route.method === method)
}
