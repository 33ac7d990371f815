import t from 'tap'
import { choosePrinter, LIMIT_MS, openBench, ZPL } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const BOSS = { username: 'boss', password: 'Tr0ub4dor&3' }

t.test('labels behind a login, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t, BOSS)

  await t.test('a page that is not logged in prints and shows no labels', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const login = page.locator('#jobs-login .login')
    await login.getByRole('heading', { name: 'Log in to see the labels' }).waitFor()
    t.equal(await page.locator('#jobs-empty').isVisible(), false)
    t.equal(await page.locator('#connection').isVisible(), false)
    await choosePrinter(page, 'Bench 1')
    await page.setInputFiles('#files', { name: 'a.zpl', mimeType: 'text/plain', buffer: ZPL })
    await page.locator('#print').click()
    await page.locator('.tray-outcome .state', { hasText: 'Sent to the printer' }).waitFor()
    t.equal(await page.locator('#jobs').isVisible(), false)

    const logIn = async (password: string) => {
      await login.getByLabel('User name').fill(BOSS.username)
      await login.getByLabel('Password').fill(password)
      await login.getByRole('button', { name: 'Log in' }).click()
    }
    await logIn('wrong')
    await login.locator('.fault', { hasText: /password is wrong/ }).waitFor()
    await logIn(BOSS.password)
    await page.locator('.job .state', { hasText: 'Sent to the printer' }).waitFor()
    t.equal(await page.locator('#jobs-login').isVisible(), false)
    const told = page.locator('#notice', { hasText: /1 wrong password came from 127\.0\.0\.1/ })
    await told.getByRole('button', { name: 'Close' }).click()

    await page.locator('#to-settings').click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.locator('#to-labels').click()
    await login.waitFor()
    t.equal(await page.locator('#jobs').isVisible(), false)
    t.same(tab.complaints, [])
  })

  await t.test('... and follows its label on after an answer that was lost', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Bench 1')
    let lost = 0
    await page.route('**/jobs/*', async (route) => {
      lost += 1
      await (lost === 1 ? route.abort() : route.continue())
    })
    await page.setInputFiles('#files', { name: 'a.zpl', mimeType: 'text/plain', buffer: ZPL })
    await page.locator('#print').click()
    await page.locator('.tray-outcome .state', { hasText: 'Sent to the printer' }).waitFor()
    t.ok(lost > 1)
  })

  await t.test('the sources ask for the login too', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#sources`)
    await tab.page.getByRole('heading', { name: 'Log in to see the sources' }).waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('the page after a form follows its own labels without a login', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await page.evaluate(`(() => {
      const form = document.createElement('form')
      form.method = 'post'
      form.action = '/'
      for (const [name, value] of [['label', '${ZPL.toString('base64')}'], ['printer', 'Bench 1']]) {
        const field = document.createElement('input')
        Object.assign(field, { type: 'hidden', name, value })
        form.append(field)
      }
      document.body.append(form)
      form.submit()
    })()`)
    await page.locator('.answer-jobs .state', { hasText: 'Sent to the printer' }).waitFor()
    t.same(tab.complaints, [])
  })
})
