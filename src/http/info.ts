import { Hono } from 'hono'
import { formatTitles, languages } from '#labels'
import type { Updates } from '../system/updates.ts'
import { PlatenError } from '../words/errors.ts'
import { inEnglish, join, NOTHING, saidJson, say } from '../words/say.ts'
import type { Access } from './access/access.ts'
import { type Calls, route } from './call.ts'
import {
  done,
  flag,
  jobCounts,
  list,
  object,
  ok,
  ref,
  text,
  textAnswer,
  whole,
} from './json-schema.ts'
import type { AppParts, HttpEnv } from './parts.ts'

const BOX = 'The print server'
const SETTINGS = 'Settings'

const health = () =>
  object({ Status: text(), Message: text(), version: text(), warnings: list(text()) }, ['warnings'])

/** Calls about the print server itself, and its own life. */
export const infoCalls = {
  getInfo: {
    method: 'get',
    path: '/info',
    tag: BOX,
    summary: 'What this print server is and has',
    answers: ({ info }) =>
      ok(
        'Facts.',
        object({
          name: text(),
          version: text(),
          host: text(),
          ip: text(),
          names: list(text()),
          port: text(),
          secure_port: text(),
          printer: text('the default printer'),
          available_printers: list(text()),
          languages: list(object({ name: text(), title: text(), makers: text() })),
          formats: {},
          ...info,
          license: text(),
          uptime: whole('seconds'),
          jobs: jobCounts,
        }),
      ),
  },
  getHealth: {
    method: 'get',
    path: '/healthz',
    tag: BOX,
    summary: 'Whether labels can be accepted and printed',
    answers: () => [
      { status: 200, about: 'All is well.', schema: health() },
      { status: 503, about: 'Labels cannot be taken.', schema: health() },
    ],
  },
  shutDown: {
    method: 'get',
    path: '/shutdown',
    tag: BOX,
    summary: 'Stop the print server, or restart it if a service manager does',
    answers: done,
  },
  getMetrics: {
    method: 'get',
    path: '/metrics',
    tag: BOX,
    summary: 'Figures for Prometheus',
    answers: textAnswer('Figures for Prometheus', 'text/plain'),
  },
  getDescription: {
    method: 'get',
    path: '/openapi.json',
    tag: BOX,
    summary: 'This description',
    answers: () => ok('OpenAPI 3.1.', { type: 'object' }),
  },
  getUpdate: {
    method: 'get',
    path: '/update',
    tag: SETTINGS,
    security: 'admin',
    summary: 'Whether the print server can update itself, and the last result',
    answers: () =>
      ok(
        'Updates.',
        object({
          version: text(),
          possible: flag(),
          why_not: text(),
          texts: ref('Texts'),
          last: {},
        }),
      ),
  },
  installUpdate: {
    method: 'post',
    path: '/update',
    tag: SETTINGS,
    security: 'admin',
    summary: 'Install a newer version when no label is being printed',
    answers: () => [{ status: 202, about: 'It looks for one.', schema: ref('Done') }],
  },
} as const satisfies Calls

/** `GET /info`, `/healthz`, `/metrics` and `/shutdown`. */
export function createInfoRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  route(app, infoCalls.getInfo, parts.access.read(), async (c) => {
    const { version, host, ip, names, port, securePort, uptime } = parts.info()
    const printers = parts.printers.list()
    return c.json({
      name: 'platen',
      version,
      host,
      ip,
      names,
      port,
      secure_port: securePort,
      printer: printers.find((printer) => printer.isDefault)?.name ?? '',
      available_printers: printers.map((printer) => printer.name),
      languages: languages.map(({ name, title, makers }) => ({ name, title, makers })),
      formats: formatTitles,
      ...(await parts.pluginInfo()),
      license: 'MIT',
      uptime: Math.floor(uptime),
      jobs: parts.spool.history.counts(),
    })
  })
  route(app, infoCalls.shutDown, parts.access.shutdown(), (c) => {
    // A HEAD asks only what a GET would answer.
    if (c.req.method !== 'HEAD') endAfterAnswer(c.env?.outgoing, parts.shutdown)
    c.header('platen-process', String(process.pid)) // `platen stop` waits for its end
    if (!parts.isSupervised) return c.json({ Status: 'OK', Message: '' })
    const message = say('restarts')
    return c.json({ Status: 'OK', Message: inEnglish(message), ...saidJson(message, NOTHING) })
  })
  addHealth(app, parts)
  addMetrics(app, parts)
  return app
}

/** The client that asked for the end shall still get its answer. */
function endAfterAnswer(
  outgoing: { once(event: 'close', listener: () => void): unknown } | undefined,
  shutdown: () => void,
): void {
  if (outgoing) outgoing.once('close', shutdown)
  else setImmediate(shutdown)
}

/** A real write to the disk at most this often, however many ask. */
const CHECK_MS = 1_000

/** `GET /healthz`: 200 while labels can be taken and are being printed, with `warnings` while the spool fills; else 503. */
function addHealth(app: Hono<HttpEnv>, parts: AppParts): void {
  const now = parts.now ?? Date.now
  let checkedAt = Number.NEGATIVE_INFINITY
  let fault = ''
  route(app, infoCalls.getHealth, parts.access.read(), (c) => {
    // A clock that is set back must not keep an old verdict.
    const age = now() - checkedAt
    if (age >= CHECK_MS || age < 0) {
      fault = findFault(parts)
      checkedAt = now()
    }
    const { version } = parts.info()
    const warnings = parts.spool.filling
      .list()
      .map(({ message, hint }) => inEnglish(join(message, hint)))
    const more = warnings.length === 0 ? {} : { warnings }
    if (fault === '') return c.json({ Status: 'OK', Message: '', version, ...more })
    c.header('Retry-After', '10')
    return c.json({ Status: 'Error', Message: fault, version }, 503)
  })
}

function findFault(parts: AppParts): string {
  try {
    parts.spool.health.check()
  } catch (error) {
    parts.log.error({ err: error }, 'spool check failed')
    return error instanceof PlatenError ? error.message : 'The spool does not answer.'
  }
  return parts.scheduler.isAlive() ? '' : 'The scheduler has stopped: no label will print.'
}

/** `GET /metrics` in the text format that Prometheus reads (version 0.0.4). */
function addMetrics(app: Hono<HttpEnv>, parts: Pick<AppParts, 'access' | 'metrics'>): void {
  route(app, infoCalls.getMetrics, parts.access.read(), async (c) => {
    const text = await parts.metrics.text()
    return c.body(text, 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' })
  })
}

/** `GET /openapi.json`: the box described for programs, made when it is first asked for. `/web/api.html` shows it. */
export function createDescriptionRoutes(
  {
    access,
    info,
    config,
    describedCalls,
  }: Pick<AppParts, 'access' | 'info' | 'config' | 'describedCalls'>,
  calls: Calls,
): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  let text: string | undefined
  route(app, infoCalls.getDescription, access.read(), async (c) => {
    const { describeApi } = await import('./openapi/document.ts')
    const { fields } = config.schema
    text ??= JSON.stringify(describeApi(info().version, calls, await describedCalls(), fields))
    return c.body(text, 200, { 'Content-Type': 'application/json' })
  })
  return app
}

/** The parts that these routes work with. */
interface UpdateParts {
  readonly access: Pick<Access, 'admin'>
  readonly updates: Updates
  readonly version: string
}

/** `GET /update`, what became of the last one, and `POST /update`, which requests one. Both of the admin. */
export function createUpdateRoutes({ access, updates, version }: UpdateParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.use('/update', access.admin())
  route(app, infoCalls.getUpdate, (c) => {
    const hindrance = updates.hindrance()
    return c.json({
      version,
      possible: hindrance === undefined,
      why_not: inEnglish(hindrance ?? NOTHING),
      ...saidJson(hindrance ?? NOTHING, NOTHING),
      last: updates.last(),
    })
  })
  route(app, infoCalls.installUpdate, (c) => {
    const hindrance = updates.hindrance()
    if (hindrance !== undefined) throw new PlatenError('UPDATE_NONE', hindrance)
    try {
      updates.request()
    } catch (cause) {
      throw new PlatenError('STATE_UNWRITABLE', say('updateUnsaved'), { cause })
    }
    const message = join(say('looksForUpdate'), say('comesBack'))
    return c.json({ Status: 'OK', Message: inEnglish(message), ...saidJson(message, NOTHING) }, 202)
  })
  return app
}
