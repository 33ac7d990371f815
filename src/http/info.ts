import { Hono } from 'hono'
import { formatTitles, languages } from '#labels'
import type { Updates } from '../system/updates.ts'
import { PlatenError } from '../words/errors.ts'
import { saidJson } from '../words/read-sentences.ts'
import { say } from '../words/say.ts'
import { type Access, SHIP_PATHS } from './access/access.ts'
import type { AppParts, HttpEnv } from './parts.ts'

/** `GET /info` and `GET /shutdown`. */
export function createInfoRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.get('/info', parts.access.read(), async (c) => {
    const { CARRIERS } = await import('../plugins/shipping/carriers.ts')
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
      carriers: CARRIERS.map(({ name, title, tested }) => ({ name, title, tested })),
      license: 'MIT',
      uptime: Math.floor(uptime),
      jobs: parts.spool.history.counts(),
    })
  })
  app.get('/shutdown', parts.access.shutdown(), (c) => {
    // A HEAD asks only what a GET would answer.
    if (c.req.method !== 'HEAD') endAfterAnswer(c.env?.outgoing, parts.shutdown)
    c.header('platen-process', String(process.pid)) // `platen stop` waits for its end
    const Message = parts.isSupervised ? say('restarts') : ''
    return c.json({ Status: 'OK', Message, ...(Message !== '' && saidJson(Message, '')) })
  })
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
export function createHealthRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const now = parts.now ?? Date.now
  let checkedAt = Number.NEGATIVE_INFINITY
  let fault = ''
  app.get('/healthz', parts.access.read(), (c) => {
    // A clock that is set back must not keep an old verdict.
    const age = now() - checkedAt
    if (age >= CHECK_MS || age < 0) {
      fault = findFault(parts)
      checkedAt = now()
    }
    const { version } = parts.info()
    const warnings = parts.spool.filling.list().map(({ message, hint }) => `${message} ${hint}`)
    const more = warnings.length === 0 ? {} : { warnings }
    if (fault === '') return c.json({ Status: 'OK', Message: '', version, ...more })
    c.header('Retry-After', '10')
    return c.json({ Status: 'Error', Message: fault, version }, 503)
  })
  return app
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
export function createMetricsRoutes(parts: Pick<AppParts, 'access' | 'metrics'>): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.get('/metrics', parts.access.read(), async (c) => {
    const text = await parts.metrics.text()
    return c.body(text, 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' })
  })
  return app
}

/** `GET /openapi.json`: the box described for programs, made when it is first asked for. `/web/api.html` shows it. */
export function createDescriptionRoutes({ access, info }: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  let text: string | undefined
  app.get('/openapi.json', access.read(), async (c) => {
    const { describeApi } = await import('./openapi/document.ts')
    text ??= JSON.stringify(describeApi({ version: info().version, shipPaths: SHIP_PATHS }))
    return c.body(text, 200, { 'Content-Type': 'application/json' })
  })
  return app
}

/** What these routes work with. */
interface UpdateParts {
  readonly access: Pick<Access, 'admin'>
  readonly updates: Updates
  readonly version: string
}

/** `GET /update`, what became of the last one, and `POST /update`, which requests one. Both of the admin. */
export function createUpdateRoutes({ access, updates, version }: UpdateParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.use('/update', access.admin())
  app.get('/update', (c) => {
    const hindrance = updates.hindrance()
    return c.json({
      version,
      possible: hindrance === undefined,
      why_not: hindrance ?? '',
      ...saidJson(hindrance ?? '', ''),
      last: updates.last(),
    })
  })
  app.post('/update', (c) => {
    const hindrance = updates.hindrance()
    if (hindrance !== undefined) throw new PlatenError('UPDATE_NONE', hindrance)
    try {
      updates.request()
    } catch (cause) {
      throw new PlatenError('STATE_UNWRITABLE', say('updateUnsaved'), { cause })
    }
    const Message = `${say('looksForUpdate')} ${say('comesBack')}`
    return c.json({ Status: 'OK', Message, ...saidJson(Message, '') }, 202)
  })
  return app
}
