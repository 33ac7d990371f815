import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { hasEnded, type Job } from '../core/job.ts'
import type { PlatenError } from '../words/errors.ts'
import type { FailureCode } from '../words/failures.ts'
import { inEnglish, type Sentences, textsOf } from '../words/say.ts'
import type { PrintVerdict } from './answer.ts'
import { type Calls, route } from './call.ts'
import { textAnswer } from './json-schema.ts'
import type { AppParts, HttpContext, HttpEnv } from './parts.ts'
import { forPeople } from './server-faults.ts'
import { listWordsFiles, makeWordsFile } from './words-files.ts'

const XHTML = 'application/xhtml+xml'

/**
 * True when the client is a browser that goes to a page: it asks for text/html, no less than for JSON, and for XHTML, as
 * every browser does and no library: those of Java and Delphi ask for text/html by themselves.
 * Decision `page-as-written`.
 */
export function wantsPage(accept: string | undefined, mode: string | undefined): boolean {
  const isNavigation = mode === undefined ? qualityOf(accept, XHTML) > 0 : mode === 'navigate'
  if (!isNavigation) return false
  const html = qualityOf(accept, 'text/html')
  return html > 0 && html >= qualityOf(accept, 'application/json') && !isJsonFirst(accept)
}

/** The weight of a media range that is named, 0 when it is not (RFC 9110, 12.4.2). */
function qualityOf(accept: string | undefined, type: string): number {
  const range = ranges(accept).find((range) => range.type === type)
  return range?.quality ?? 0
}

/** JSON before HTML at the same weight: the client names what it likes best first. */
function isJsonFirst(accept: string | undefined): boolean {
  const all = ranges(accept)
  const json = all.find((range) => range.type === 'application/json')
  const html = all.find((range) => range.type === 'text/html')
  if (!json || !html || json.quality !== html.quality) return false
  return all.indexOf(json) < all.indexOf(html)
}

function ranges(accept = ''): readonly { readonly type: string; readonly quality: number }[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';')
    const weight = parameters.map((text) => /^\s*q\s*=\s*([01](?:\.\d*)?)\s*$/i.exec(text)?.[1])
    return { type: type.trim().toLowerCase(), quality: Number(weight.find(Boolean) ?? 1) }
  })
}

/** Without the page's script, a word for each state with its key in the page's texts; never the name of the state. */
const WORDS: Readonly<Record<Job['state'], PageText>> = {
  pending: ['Waiting its turn', 'waitingTurn'],
  'pending-held': ['On hold', 'onHold'],
  processing: ['Printing', 'printing'],
  'processing-stopped': ['Printer needs help', 'printerHelp'],
  canceled: ['Canceled', 'canceled'],
  aborted: ['Did not print', 'didNotPrint'],
  completed: ['Sent to the printer', 'sent'],
}

/** A wrong address; all else was refused by the one that is there. */
const NOWHERE: ReadonlySet<FailureCode> = new Set(['ROUTE_UNKNOWN', 'METHOD_REFUSED'])

/** English words and the key under which the texts of the page have them. */
type PageText = readonly [words: string, key: string]

/** HTML whose texts are escaped. */
export type Markup = ReturnType<typeof html>

/** The answer to a browser that posted labels without `redirect_url`; its script follows the jobs. */
export function answerPage(
  verdict: PrintVerdict,
  jobs: readonly Job[],
  secretOf: (id: string) => string,
): Markup {
  const isDone = jobs.every(hasEnded)
  const done: PageText = isDone ? ['Done', 'done'] : ['On its way', 'onItsWay']
  const title: PageText = verdict.Status === 'Error' ? ['A label needs you', 'needsAPerson'] : done
  return smallPage(
    title,
    html`${explain(verdict.message, verdict.hint)}
<ol class="answer-jobs">
${jobs.map((job) => jobItem(job, secretOf(job.id)))}</ol>`,
    { script: 'answer.js' },
  )
}

/** The answer to a browser whose request was refused; `onward` is where it wanted to go after printing. */
export function refusalPage(failure: PlatenError, onward: string | undefined): Markup {
  const link = linkFrom(failure, onward)
  const isNowhere = NOWHERE.has(failure.code)
  const { message, hint, detail } = forPeople(failure)
  return smallPage(
    isNowhere ? ['Nothing here', 'nothingHere'] : ['Not accepted', 'notTaken'],
    html`${explain(message, hint)}
<details><summary data-t="details">Details</summary>
<p class="facts">${detail}</p>
<p class="code">${failure.code}</p></details>`,
    { link },
  )
}

function linkFrom({ code }: PlatenError, onward: string | undefined): Markup | '' {
  if (onward !== undefined)
    return html`<a href="${onward}" rel="noreferrer" data-t="goOnWithout">Go on without it</a> `
  if (!NOWHERE.has(code)) return ''
  return html`<a href="/web/help.html" data-t="help">Help</a> <a href="/web/api.html" data-t="allCalls">All calls</a> `
}

interface SmallPageOptions {
  /** Goes before the link to `/`. */
  readonly link?: Markup | ''
  /**
   * The one module script of the page, in `/web/`; it imports small-texts.js. With two of them that share it, WebKit runs one
   * before the texts have been loaded.
   */
  readonly script?: string
}

/**
 * A separate small page that links back to `/`. It comes in English; what has `data-t` is in the texts of the page under
 * that key, from which its script takes the language of the browser.
 */
export function smallPage(
  [title, titleKey]: PageText,
  body: Markup,
  { link = '', script = 'small-texts.js' }: SmallPageOptions = {},
): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – platen</title>
<link rel="icon" href="/web/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/web/styles/base.css">
<link rel="stylesheet" href="/web/styles/answer.css">
<script type="module" src="/web/${script}"></script>
</head>
<body>
<header class="top"><a class="brand" href="/"><img src="/web/icon.svg" alt="" width="28" height="28">platen</a></header>
<main class="answer">
<h1 data-t="${titleKey}">${title}</h1>
${body}
<p class="links">${link}<a href="/" data-t="allLabels">All labels</a></p>
</main>
</body>
</html>
`
}

function jobItem(job: Job, secret: string): Markup {
  const [words, key] = WORDS[job.state]
  return html`<li data-job="${job.id}" data-secret="${secret}" data-ended="${String(hasEnded(job))}">
<strong class="words" data-t="${key}">${words}</strong>
<span class="printer">${job.printer}</span>
${explain(job.message, job.hint)}</li>
`
}

/** Says what happened and what to do, as far as there is something to say. */
function explain(message: Sentences, hint: Sentences): readonly (Markup | '')[] {
  return [paragraph(message, 'why'), paragraph(hint, 'todo')]
}

function paragraph(sentences: Sentences, name: string): Markup | '' {
  const said = JSON.stringify(textsOf(sentences))
  const text = inEnglish(sentences)
  return text === '' ? '' : html`<p class="${name}" data-said="${said}">${text}</p>`
}

const SCRIPT = 'text/javascript; charset=utf-8'
const FONT = 'font/woff2' // compressed already

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '.css': 'text/css; charset=utf-8',
    '.html': 'text/html; charset=utf-8',
    '.js': SCRIPT,
    '.json': 'application/json',
    '.png': 'image/png',
    '.svg': 'image/svg+xml',
    '.webmanifest': 'application/manifest+json',
    '.woff2': FONT,
  }),
)

/** Libraries of the page: what npm calls them, and a file beside that where it is another one that is wanted. */
const LIBRARIES: ReadonlyMap<string, readonly [string, string?]> = new Map(
  Object.entries({
    'uqr.js': ['uqr'],
    // The encoders alone: with its drawing and fonts bwip-js is three times as long.
    'bwipp.js': ['bwip-js/generic', './bwipp.mjs'],
  }),
)

/** Finds where a library of the page lies: the build takes it into its scripts, a server from source sends it. */
export function locateLibrary(name: string): string | undefined {
  if (name === 'format.js') return fileURLToPath(new URL('../words/format.js', import.meta.url))
  const [library, beside] = LIBRARIES.get(name) ?? []
  if (library === undefined) return undefined
  const found = import.meta.resolve(library)
  return fileURLToPath(beside === undefined ? found : new URL(beside, found))
}

/** Is there as long as the page is not bundled. */
const FROM_SOURCE = 'jsconfig.json'

/** A file of the page, packed once for as long as it stays the same. */
interface PackedFile {
  readonly etag: string
  readonly body: Promise<Uint8Array<ArrayBuffer>>
}

/** The page. */
export const pageCalls = {
  getPage: {
    method: 'get',
    path: '/',
    tag: 'The print server',
    summary: 'The page',
    answers: textAnswer('The page', 'text/html'),
  },
  getPageFile: {
    method: 'get',
    path: '/web/:name{.+}',
    tag: 'The print server',
    summary: 'A file of the page',
    answers: textAnswer('A file of the page', '*/*'),
  },
} as const satisfies Calls

/**
 * `GET /` and the files of `web/` under `/web/`. Only names that are in the folder at the start are served, so none
 * can lead out of it.
 */
export function createWebRoutes(parts: Pick<AppParts, 'access' | 'webFolder'>): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const packs = new Map<string, PackedFile>()
  const names = new Set(listNames(parts.webFolder))
  const isSource = existsSync(join(parts.webFolder, FROM_SOURCE))
  const made = new Set(isSource ? listWordsFiles() : [])
  route(app, pageCalls.getPage, parts.access.read(), async (c) =>
    sendFile(c, 'index.html', await readFile(join(parts.webFolder, 'index.html')), packs),
  )
  route(app, pageCalls.getPageFile, parts.access.read(), async (c) => {
    const name = c.req.param('name') ?? ''
    if (made.has(name)) return sendFile(c, name, Buffer.from(await makeWordsFile(name)), packs)
    const library = isSource ? locateLibrary(name) : undefined
    const file = names.has(name) ? join(parts.webFolder, name) : library
    return file === undefined ? c.notFound() : sendFile(c, name, await readFile(file), packs)
  })
  return app
}

/** Lists the files of the folder and its subfolders, with `/` on every system. */
function listNames(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter((name) => TYPES.has(extname(name)))
}

/** The file as gzip where the client reads that: browsers take Brotli over https only, and most boxes have plain http. */
async function sendFile(
  c: HttpContext,
  name: string,
  content: Buffer,
  packs: Map<string, PackedFile>,
): Promise<Response> {
  const type = TYPES.get(extname(name)) ?? SCRIPT
  const isPacked = type !== FONT && takesGzip(c.req.header('accept-encoding'))
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  const etag = isPacked ? `"${hash}-gzip"` : `"${hash}"`
  c.header('ETag', etag)
  c.header('Vary', 'Accept-Encoding')
  // The page must be the one of this version: a browser may keep it, but asks each time.
  c.header('Cache-Control', 'no-cache')
  if (isKnown(c.req.header('if-none-match'), etag)) return c.body(null, 304)
  if (!isPacked) return c.body(new Uint8Array(content), 200, { 'Content-Type': type })
  const known = packs.get(name)
  const packed = known?.etag === etag ? known : { etag, body: pack(content) }
  packs.set(name, packed)
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
