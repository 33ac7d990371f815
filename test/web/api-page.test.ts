import t from 'tap'
import { LIMIT_MS, openBench } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

t.test('the page of all calls, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)
  await using tab = await openTab(browser, `${rig.url}/web/api.html`)
  const { page } = tab
  await page.getByRole('heading', { name: 'Shipping', exact: true }).waitFor()
  await page.getByLabel('Find a call').fill('all of a request')
  t.equal(await page.locator('#calls details:visible').count(), 1)
  await page.locator('#calls summary:visible').click()
  const call = page.locator('#calls details:visible')
  await call.getByText('idempotency_key (query)').waitFor()
  t.match(
    await call.textContent(),
    /Body: multipart\/form-data.*Answer 202.*delivery none \| sent/s,
  )
  await page.getByLabel('Find a call').fill('nonsense')
  await page.getByText('Nothing here has these words').waitFor()
  await page.getByLabel('Find a call').fill('')
  t.same(tab.complaints, [])
})
