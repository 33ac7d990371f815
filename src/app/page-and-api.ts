import { Hono } from 'hono'
import type { BodyBudget } from '../core/request/body-budget.ts'
import type { Spool } from '../core/spool/spool.ts'
import { createAccess } from '../http/access/access.ts'
import { loadSecret } from '../http/access/origin.ts'
import { type BackupParts, createBackupRoutes } from '../http/backup.ts'
import { releaseBodies } from '../http/guard/body.ts'
import { createLimits } from '../http/guard/body-limits.ts'
import { createDescriptionRoutes, createUpdateRoutes } from '../http/info.ts'
import type { Listening } from '../http/listen.ts'
import { refusalPage, wantsPage } from '../http/page.ts'
import type {
  AppParts,
  Hooks,
  HttpContext,
  HttpEnv,
  MountedRoutes,
  Refusals,
} from '../http/parts.ts'
import { readSafeRedirect } from '../http/print.ts'
import type { Fetcher } from '../http/request-listener.ts'
import { calls, resources } from '../http/resources.ts'
import { refusalJson, retryAfterOf, toFailure } from '../http/server-faults.ts'
import { createTrustRoutes } from '../http/tls/trust.ts'
import type { Plugins } from '../plugins/plugin.ts'
import type { ConfigStore } from '../settings/store.ts'
import { version } from '../system/process.ts'
import { createUpdates } from '../system/updates.ts'
import { PlatenError, quoteShort } from '../words/errors.ts'

/** The parts of the page and the API. */
export type PageParts = Omit<AppParts, 'access' | 'limits' | 'spool' | keyof Hooks> &
  Omit<BackupParts, 'access'> & {
    readonly config: ConfigStore
    readonly plugins: Plugins
    /** The budget for the bodies of all ways in. */
    readonly bodies: BodyBudget
    readonly spool: Spool
    /** Folder that root's units read; undefined = none. */
    readonly runtimeFolder: string | undefined
    /** True on the SD image, which has a start label. */
    readonly isAppliance: boolean
    /** The names and addresses that this computer has now. */
    ownNames(): readonly string[]
    /** The names that plugins answer to. */
    furtherNames(): readonly string[]
    /** Undefined until the server listens. */
    listening(): Listening | undefined
  }

/** The page and the API, with the checks of access before them. */
export async function createPageAndApi(parts: PageParts): Promise<Fetcher> {
  const { stateFolder, listening } = parts
  const updates = createUpdates({ stateFolder, runtimeFolder: parts.runtimeFolder })
  const config = () => parts.config.current
  const secret = loadSecret(stateFolder)
  const about = { version, startLabel: parts.isAppliance, restarts: parts.isSupervised }
  const onConfigChange = (listener: () => void) => parts.config.onChange(listener)
  const routes = await parts.plugins.loadRoutes()
  const access = createAccess({
    config,
    keyed: routes.keyed,
    takesAnyName: routes.takesAnyName,
    secret,
    ownNames: () => parts.ownNames(),
    furtherNames: () => parts.furtherNames(),
    onConfigChange,
    log: parts.log,
    ...about,
  })
  const trust = createTrustRoutes({
    access,
    certificates: () => listening()?.certificates(),
    securePort: () => listening()?.securePort ?? '',
  })
  const backup = createBackupRoutes({ ...parts, access })
  const update = createUpdateRoutes({ access, version, updates })
  const limits = createLimits(() => config().max_body_mb, {}, parts.bodies)
  const app = { ...parts, ...routes.hooks, access, limits }
  const mounted = routes.mount(app)
  return createApp(app, [...mounted, { app: trust }, { app: backup }, { app: update }])
}

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
