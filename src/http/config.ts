import { Hono } from 'hono'
import { findUnknownPrinters } from '../config/check.ts'
import { describeSchema } from '../config/describe.ts'
import { readJson } from './body.ts'
import type { HttpEnv } from './context.ts'
import type { AppParts } from './parts.ts'

/** `GET /config`, `PUT /config`, and `GET /config/schema` for the form of the settings page. */
export function createConfigRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.use('/config', parts.access.admin())
  app.use('/config/*', parts.access.admin())
  app.get('/config', (c) => c.json(parts.config.masked()))
  app.get('/log', parts.access.admin(), (c) => c.json({ lines: parts.recentLog?.() ?? [] }))
  app.get('/config/schema', (c) => c.json(describeSchema()))
  app.put('/config', async (c) => {
    const { restart, warnings } = await parts.config.put(await readJson(c, parts.limits.body()))
    const Message =
      restart.length === 0 ? '' : `Takes effect at the next start: ${restart.join(', ')}.`
    return c.json({
      Status: 'OK',
      Message,
      restart,
      warnings: [...warnings, ...warnOfPrinters(parts)],
    })
  })
  return app
}

/** What names a printer that is not here, whether set up by hand or found. */
export function warnOfPrinters({ config, printers }: AppParts): readonly string[] {
  const known = printers.list().map(({ name }) => name)
  return findUnknownPrinters(config.current, known)
}
