import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { type Calls, route } from './call.ts'
import { done, json, textAnswer } from './json-schema.ts'
import { smallPage, wantsPage } from './page.ts'
import type { AppParts, HttpEnv } from './parts.ts'

const TAG = 'The print server'

/** The calls about whether a browser can print here. */
export const canPrintCalls = {
  showCanPrint: {
    method: 'get',
    path: '/can-print',
    tag: TAG,
    summary: 'Whether this browser can print, as a page',
    answers: textAnswer('Whether this browser can print, as a page', 'text/html'),
  },
  getCanPrintScript: {
    method: 'get',
    path: '/can-print.js',
    tag: TAG,
    summary: 'The same as a script for pages of shops',
    answers: textAnswer('The same as a script for pages of shops', 'text/javascript'),
  },
  canPrint: {
    method: 'post',
    path: '/can-print',
    tag: TAG,
    security: 'none',
    summary: 'Whether the page that sends this may print; nothing is printed',
    content: json({ type: 'object' }),
    isBodyOptional: true,
    answers: done,
  },
} as const satisfies Calls

/**
 * "Can this browser print?": `GET /can-print`, the page; `GET /can-print.js`, the script that other pages include; `POST
 * /can-print`, which whoever may print may send and which prints nothing.
 */
export function createCanPrintRoutes(parts: Pick<AppParts, 'access' | 'webFolder'>): Hono<HttpEnv> {
  const { access, webFolder } = parts
  const app = new Hono<HttpEnv>()
  route(app, canPrintCalls.showCanPrint, access.read(), (c) =>
    c.html(
      smallPage(['Can this browser print?', 'canPrint'], PAGE, { script: 'can-print-page.js' }),
    ),
  )
  // Any page may have it; that the box goes by its own name was checked before.
  route(app, canPrintCalls.getCanPrintScript, async (c) => {
    const script = await readFile(join(webFolder, 'can-print.js'))
    const headers = {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-cache',
    }
    return c.body(new Uint8Array(script), 200, headers)
  })
  route(app, canPrintCalls.canPrint, access.print(), (c) => {
    if (!wantsPage(c.req.header('accept'), c.req.header('sec-fetch-mode')))
      return c.json({ Status: 'OK', Message: '' })
    const to = c.req.header('origin') ?? ''
    return c.html(
      smallPage(
        ['This browser can print', 'canPrintYes'],
        html`<p data-to="${to}" data-t="formArrived">A form of the other window arrived. Nothing was printed. You can close this window.</p>`,
        { script: 'can-print-answer.js' },
      ),
    )
  })
  return app
}

const PAGE = html`<div id="can-print"><p data-t="needsScripts">This page needs scripts.</p></div>
<h2 data-t="shopTitle">For the pages of your shop</h2>
<p data-t="shopText">The result above is for the pages of the print server. A shop checks its own pages with the script
<a href="/can-print.js" download>can-print.js</a>: copy it to the shop, and put this into a page:</p>
<pre>&lt;div id="can-print"&gt;&lt;/div&gt;
&lt;script src="can-print.js" data-box="https://printserver.local:8443" data-into="#can-print"&gt;&lt;/script&gt;</pre>
<h2 data-t="policiesTitle">Policies for many computers</h2>
<p data-t="policiesText">With these, browsers no longer ask for permission to reach the local network.</p>
<div id="policies"></div>
<script src="/can-print.js"></script>`
