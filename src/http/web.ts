import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import type { HttpContext, HttpEnv } from './context.ts'
import type { AppParts } from './parts.ts'

const SCRIPT = 'text/javascript; charset=utf-8'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': SCRIPT,
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** Libraries of the page. The build copies them beside its files; from source they lie where npm puts them. */
export const LIBRARIES: Readonly<Record<string, string>> = { 'uqr.js': 'uqr' }

/**
 * `GET /` and the files of `web/` under `/web/`. Only names that are in the folder at the start are served, so no name
 * can lead out of it.
 */
export function createWebRoutes(parts: Pick<AppParts, 'access' | 'webFolder'>): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const names = new Set(readdirSync(parts.webFolder).filter((name) => extname(name) in TYPES))
  app.get('/', parts.access.read(), (c) => sendFile(c, parts.webFolder, 'index.html'))
  app.get('/web/:name', parts.access.read(), (c) => {
    const name = c.req.param('name')
    if (names.has(name)) return sendFile(c, parts.webFolder, name)
    const library = Object.hasOwn(LIBRARIES, name) ? LIBRARIES[name] : undefined
    if (library === undefined) return c.notFound()
    return sendFile(c, '', fileURLToPath(import.meta.resolve(library)))
  })
  return app
}

async function sendFile(c: HttpContext, folder: string, name: string): Promise<Response> {
  const content = await readFile(join(folder, name))
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
  c.header('ETag', etag)
  // The page must be the one of this version: a browser may keep it, but asks each time.
  c.header('Cache-Control', 'no-cache')
  if (isKnown(c.req.header('if-none-match'), etag)) return c.body(null, 304)
  return c.body(new Uint8Array(content), 200, { 'Content-Type': TYPES[extname(name)] ?? SCRIPT })
}

/** Weak comparison of a list of tags (RFC 9110, 13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
