import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Hono } from 'hono'
import type { HttpContext, HttpEnv } from './context.ts'
import type { AppParts } from './parts.ts'

const SCRIPT = 'text/javascript; charset=utf-8'
const FONT = 'font/woff2' // compressed already

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': SCRIPT,
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': FONT,
}

/** Libraries of the page: what npm calls them, and a file beside that where it is another one that is wanted. */
const LIBRARIES: Readonly<Record<string, readonly [string, string?]>> = {
  'uqr.js': ['uqr'],
  // The encoders alone: with its drawing and fonts bwip-js is three times as long.
  'bwipp.js': ['bwip-js/generic', './bwipp.mjs'],
}

/** Where a library of the page lies: the build takes it into its scripts, a server from source sends it. */
export function locateLibrary(name: string): string | undefined {
  const [library, beside] = (Object.hasOwn(LIBRARIES, name) && LIBRARIES[name]) || []
  if (library === undefined) return undefined
  const found = import.meta.resolve(library)
  return fileURLToPath(beside === undefined ? found : new URL(beside, found))
}

/** Is there as long as the page is not bundled. */
const FROM_SOURCE = 'jsconfig.json'

/** A file of the page, packed once for as long as it stays the same. */
interface Packed {
  readonly etag: string
  readonly body: Promise<Uint8Array<ArrayBuffer>>
}

/**
 * `GET /` and the files of `web/` under `/web/`. Only names that are in the folder at the start are served, so none
 * can lead out of it.
 */
export function createWebRoutes(parts: Pick<AppParts, 'access' | 'webFolder'>): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const packs = new Map<string, Packed>()
  const names = new Set(listNames(parts.webFolder))
  const isSource = existsSync(join(parts.webFolder, FROM_SOURCE))
  app.get('/', parts.access.read(), (c) => sendFile(c, join(parts.webFolder, 'index.html'), packs))
  app.get('/web/:name{.+}', parts.access.read(), (c) => {
    const name = c.req.param('name')
    if (names.has(name)) return sendFile(c, join(parts.webFolder, name), packs)
    const library = isSource ? locateLibrary(name) : undefined
    return library === undefined ? c.notFound() : sendFile(c, library, packs)
  })
  return app
}

/** Those of the folder and of the folders in it, with `/` on every system. */
function listNames(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter((name) => extname(name) in TYPES)
}

/** The file as gzip where the client reads that: browsers take Brotli over https only, and most boxes have plain http. */
async function sendFile(
  c: HttpContext,
  file: string,
  packs: Map<string, Packed>,
): Promise<Response> {
  const content = await readFile(file)
  const type = TYPES[extname(file)] ?? SCRIPT
  const isPacked = type !== FONT && takesGzip(c.req.header('accept-encoding'))
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  const etag = isPacked ? `"${hash}-gzip"` : `"${hash}"`
  c.header('ETag', etag)
  c.header('Vary', 'Accept-Encoding')
  // The page must be the one of this version: a browser may keep it, but asks each time.
  c.header('Cache-Control', 'no-cache')
  if (isKnown(c.req.header('if-none-match'), etag)) return c.body(null, 304)
  if (!isPacked) return c.body(new Uint8Array(content), 200, { 'Content-Type': type })
  const known = packs.get(file)
  const packed = known?.etag === etag ? known : { etag, body: pack(content) }
  packs.set(file, packed)
  c.header('Content-Encoding', 'gzip')
  return c.body(await packed.body, 200, { 'Content-Type': type })
}

async function pack(content: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await promisify(gzip)(content, { level: 9 }))
}

/** RFC 9110, 12.5.3: named, and not with a weight of 0. */
function takesGzip(header = ''): boolean {
  return header
    .toLowerCase()
    .split(',')
    .some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)|$)/.test(coding))
}

/** Weak comparison of a list of tags (RFC 9110, 13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
