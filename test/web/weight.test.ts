import { join } from 'node:path'
import t from 'tap'
import { ENTRIES } from '../e2e/server.ts'
import { upsLikeZpl } from '../label-makers/raw.ts'
import { LIMIT_MS } from './bench.ts'
import { openChromium, skipReason } from './chromium.ts'
import { startRig } from './server.ts'

t.setTimeout(LIMIT_MS)

/** Most bytes of its files, with the heads of the answers. The source comes in twice as many files, with its comments. */
const BYTES_MAX = { bundle: 83_000, source: 157_000 }

/** Opens the labels and waits for the picture of the newest: its label, the interpreter and the thread are not there yet. */
const FIRST_PICTURE = `(async () => {
  const begun = performance.now()
  location.hash = '#labels'
  while (!document.querySelector('.history .thumb img')?.complete) await new Promise(requestAnimationFrame)
  return performance.now() - begun
})()`

t.test('the first look is light, in Chromium', { skip: skipReason }, async (t) => {
  const browser = await openChromium()
  t.teardown(() => browser.close())
  const folder = t.testdir()
  for (const entry of ENTRIES) {
    await t.test(entry, async (t) => {
      await using rig = await startRig(join(folder, entry.replace('/', '-')), {}, {}, entry)
      const context = await browser.newContext()
      const page = await context.newPage()
      page.setDefaultTimeout(LIMIT_MS)
      const network = await context.newCDPSession(page)
      await network.send('Network.enable')
      let bytes = 0
      let requests = 0
      // Only the page's own files: how often it asks for labels meanwhile depends on how busy the machine is.
      const files = new Set<string>()
      network.on('Network.responseReceived', ({ requestId, response }) => {
        const { pathname } = new URL(response.url)
        if (pathname === '/' || pathname.startsWith('/web/')) files.add(requestId)
      })
      network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        if (!files.has(requestId)) return
        bytes += encodedDataLength
        requests += 1
      })
      await page.goto(rig.url)
      await page.locator('#printer:not([disabled])').waitFor()
      await page.locator('#version', { hasText: 'platen' }).waitFor()
      const paint = await page.evaluate<number>(
        "performance.getEntriesByName('first-contentful-paint')[0].startTime",
      )
      t.comment(`${bytes} bytes in ${requests} answers, first paint after ${Math.round(paint)} ms`)
      const max = entry.startsWith('dist/') ? BYTES_MAX.bundle : BYTES_MAX.source
      t.ok(bytes < max, `${bytes} bytes`)
      await context.close()

      const label = Buffer.from(upsLikeZpl).toString('base64')
      const headers = { 'Content-Type': 'application/json' }
      await fetch(rig.url, { method: 'POST', headers, body: JSON.stringify({ label }) })
      const fresh = await (await browser.newContext()).newPage()
      await fresh.goto(`${rig.url}/#printers`)
      await fresh.locator('#view-printers .card').first().waitFor({ timeout: LIMIT_MS })
      const picture = await fresh.evaluate<number>(FIRST_PICTURE)
      t.comment(`the first picture of a raw label after ${Math.round(picture)} ms`)
      await fresh.context().close()
    })
  }
})
