import { Hono } from 'hono'
import { unpackLabel } from '../render/unpack.ts'
import { readBody } from './body.ts'
import type { HttpContext, HttpEnv } from './context.ts'
import type { AppParts } from './parts.ts'

/**
 * `POST /labels/check`: what a file is, and whether it prints, before anybody prints it; nothing is kept. The page asks
 * for files that were dropped on it, so that they are judged by the code that judges them when they print.
 */
export function createLabelCheckRoutes(parts: Pick<AppParts, 'access' | 'limits'>): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.post('/labels/check', parts.access.operate(), async (c) => {
    const { format } = unpackLabel(await readLabel(c, parts))
    return c.json({ Status: 'OK', Message: '', format })
  })
  return app
}

/** @throws PlatenError as `readBody` */
async function readLabel(c: HttpContext, { limits }: Pick<AppParts, 'limits'>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  await readBody(c, limits.body(), (chunk) => chunks.push(chunk))
  return Buffer.concat(chunks)
}
