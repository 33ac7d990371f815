import { Hono } from 'hono'
import { SHIP_PATHS } from './access/access.ts'
import type { HttpEnv } from './context.ts'
import type { AppParts } from './parts.ts'

/** `GET /openapi.json`: the box described for programs, made when it is first asked for. `/web/api.html` shows it. */
export function createDescriptionRoutes({ access, info }: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  let text: string | undefined
  app.get('/openapi.json', access.read(), async (c) => {
    const { describeApi } = await import('../openapi/document.ts')
    text ??= JSON.stringify(describeApi({ version: info().version, shipPaths: SHIP_PATHS }))
    return c.body(text, 200, { 'Content-Type': 'application/json' })
  })
  return app
}
