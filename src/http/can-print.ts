import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { smallPage, wantsPage } from './page.ts'
import type { AppParts, HttpEnv } from './parts.ts'

/**
 * "Can this browser print?": `GET /can-print`, the page; `GET /can-print.js`, the script that other pages include; `POST
 * /can-print`, which whoever may print may send and which prints nothing.
 */
export function createCanPrintRoutes(parts: Pick<AppParts, 'access' | 'webFolder'>): Hono<HttpEnv> {
  const { access, webFolder } = parts
  const app = new Hono<HttpEnv>()
  app.get('/can-print', access.read(), (c) =>
    c.html(
      smallPage(['Can this browser print?', 'canPrint'], PAGE, { script: 'can-print-page.js' }),
    ),
  )
  // Any page may have it; that the box goes by its own name was checked before.
  app.get('/can-print.js', async (c) => {
    const script = await readFile(join(webFolder, 'can-print.js'))
    const headers = {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-cache',
    }
    return c.body(new Uint8Array(script), 200, headers)
  })
  app.post('/can-print', access.print(), (c) => {
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
