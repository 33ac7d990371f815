import t from 'tap'
import { LIMIT_MS, openBench } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const LOGIN = { username: 'boss', password: 'Tr0ub4dor&3' }

t.test('a restart from the page, in Chromium', { skip: skipReason }, async (t) => {
  await t.test('a service is restarted with one press, and the page comes back', async (t) => {
    const { rig, browser } = await openBench(t, LOGIN, { PLATEN_SUPERVISED: '1' })
    await using tab = await openTab(browser, `${rig.url}/#settings`)
    const { page } = tab
    await page.locator('#view-settings').getByLabel('User name').fill(LOGIN.username)
    await page.locator('#view-settings').getByLabel('Password').fill(LOGIN.password)
    await page.locator('#view-settings').getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('button', { name: 'Restart now' }).click()
    await page.locator('#notice', { hasText: 'restarts' }).waitFor()
    await page.locator('#connection').waitFor()
    await rig.stop() // it has ended, and nobody but the test is its service manager
    await rig.start()
    await page.locator('#connection').waitFor({ state: 'hidden' })
  })

  await t.test('where nobody starts it again there is no such button', async (t) => {
    const { rig, browser } = await openBench(t)
    await using tab = await openTab(browser, `${rig.url}/#settings`)
    await tab.page.locator('.backup').waitFor()
    await tab.page.locator('.update').waitFor()
    t.equal(await tab.page.getByRole('button', { name: 'Restart now' }).count(), 0)
  })
})
