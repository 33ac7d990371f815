import { Hono } from 'hono'
import { PlatenError } from '../errors.ts'
import type { HttpEnv } from './context.ts'
import type { AppParts } from './parts.ts'

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
    const warnings = parts.spool.fillings().map(({ message, hint }) => `${message} ${hint}`)
    const more = warnings.length === 0 ? {} : { warnings }
    if (fault === '') return c.json({ Status: 'OK', Message: '', version, ...more })
    c.header('Retry-After', '10')
    return c.json({ Status: 'Error', Message: fault, version }, 503)
  })
  return app
}

function findFault(parts: AppParts): string {
  try {
    parts.spool.check()
  } catch (error) {
    parts.log.error({ err: error }, 'spool check failed')
    return error instanceof PlatenError ? error.message : 'The spool does not answer.'
  }
  return parts.scheduler.isAlive() ? '' : 'The scheduler has stopped: no label will print.'
}
