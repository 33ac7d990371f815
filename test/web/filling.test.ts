import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Spool } from '../../src/core/spool/spool.ts'
import { serve } from '../../src/http/server.ts'
import { findOffUri, formBody, type Rig, startRig, ZPL64 } from '../http/rig.ts'
import { LIMIT_MS } from './bench.ts'
import { openChromium, openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

/** The print server with a printer that is off and takes ten labels at most, and its page. */
async function openShop(t: Test): Promise<{ rig: Rig; url: string }> {
  const webFolder = join(import.meta.dirname, '../../web')
  const rig = startRig(t, {
    printers: { 'Bench 3': await findOffUri() },
    bench: { openSpool: (given) => new Spool({ ...given, shares: { printerJobs: 10 } }) },
    parts: { webFolder },
  })
  const listener = await serve(rig.app, { host: '127.0.0.1', port: 0 })
  t.teardown(async () => {
    rig.stopping.abort()
    await listener.close(0)
  })
  return { rig, url: `http://127.0.0.1:${listener.address.port}` }
}

async function fill(rig: Rig): Promise<void> {
  const body = formBody(['label', ZPL64], ['printer', 'Bench 3'], ['copies', '9'])
  await rig.call('/', { ...body, headers: { prefer: 'wait=0' } })
}

t.test(
  'the page tells which printer is full, until it is no longer',
  { skip: skipReason },
  async (t) => {
    const browser = await openChromium()
    t.teardown(() => browser.close())
    const { rig, url } = await openShop(t)
    await using tab = await openTab(browser, url)
    const { page } = tab
    const notice = page.locator('#filling')
    await page.locator('#printer option', { hasText: 'Bench 3' }).waitFor({ state: 'attached' })
    t.equal(await notice.isVisible(), false)
    await fill(rig)
    await notice
      .getByText('9 labels wait for Bench 3: its share of the print server is 90 % full.')
      .waitFor()
    await page.reload()
    await notice.getByText('press "Cancel all" on its card').waitFor()
    await notice.getByRole('link', { name: 'Show printers' }).press('Enter')
    // The list of labels has a button of that name, too.
    const printers = page.locator('#view-printers')
    await printers.getByRole('button', { name: 'Cancel all: Bench 3' }).press('Enter')
    await page.getByRole('button', { name: 'Cancel them all' }).press('Enter')
    await notice.waitFor({ state: 'hidden' })
    t.equal(rig.bench.spool.history.counts().canceled, 9)
    t.same(tab.complaints, [])
  },
)
