import { Hono } from 'hono'
import type { HttpEnv } from './context.ts'
import type { AppParts } from './parts.ts'

/** `GET /metrics` in the text format that Prometheus reads (version 0.0.4). */
export function createMetricsRoutes(parts: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.get('/metrics', parts.access.read(), async (c) => {
    const text = await parts.metrics.text()
    return c.body(text, 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' })
  })
  return app
}
