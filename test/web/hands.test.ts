import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { choosePrinter, LIMIT_MS, openBench, ZPL } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const label = ZPL.toString('base64')

const cardOf = (page: Page, title: string): Locator => page.locator('.job', { hasText: title })

t.test('keys and presses while the labels change, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)

  /** A label that waits for the printer that is off, unless it names another one. */
  async function send(title: string, printer = 'Switched off'): Promise<void> {
    const headers = { 'Content-Type': 'application/json', Prefer: 'wait=0' }
    const body = JSON.stringify({ label, title, printer })
    t.equal((await fetch(rig.url, { method: 'POST', headers, body })).ok, true)
  }

  await t.test('a button goes on after an answer that makes no sense', async (t) => {
    await send('Nonsense')
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Switched off')
    await page.setInputFiles('#files', { name: 'a.zpl', mimeType: 'text/plain', buffer: ZPL })
    await page.locator('#printer-state .state').waitFor()
    for (const [path, button] of [
      ['**/cancel', cardOf(page, 'Nonsense').locator('[data-action=cancel]')],
      ['**/test', page.locator('#test')],
      [`${rig.url}/`, page.locator('#print')],
    ] as const) {
      // As of something in between.
      await page.route(path, (route) => route.fulfill({ status: 502, json: null }), { times: 1 })
      const fault = page.waitForEvent('pageerror')
      await button.click()
      await fault
      const again = page.waitForRequest(path)
      await button.click()
      await again
    }
    await cardOf(page, 'Nonsense').locator('.state', { hasText: 'Canceled' }).waitFor()
    t.equal(new Set(tab.complaints).size, 1, 'nothing else is broken')
  })
})
