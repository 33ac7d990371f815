import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Route } from 'playwright-core'
import t from 'tap'
import { until } from '../until.ts'
import { focused, LIMIT_MS, openBench, tabTo } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

t.test('shipping, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)

  await t.test('a label of the local carrier is bought, printed and void again', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#shipping`)
    const { page } = tab
    await page.getByText('Buy a label to try it').click()
    await page.getByRole('button', { name: 'Show prices' }).click()
    await page.getByRole('button', { name: 'Buy and print: Own van' }).click()
    await page.locator('#notice .tone-good', { hasText: 'is bought' }).waitFor()
    const card = page.locator('.card', { hasText: 'local VAN' })
    await card.waitFor()
    t.match(await card.textContent(), /PL9\d{16}.*7\.21 USD.*1 sent to the printer.*by the page/)
    await card.getByRole('button', { name: /^Void/ }).click()
    await card.locator('.badge', { hasText: 'void' }).waitFor()
    t.equal(await card.getByRole('button').count(), 0)
    t.same(tab.complaints, [])
  })

  await t.test('a price has the comma of the language', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#shipping`, { locale: 'de-DE' })
    const { page } = tab
    await page.locator('.card', { hasText: '7,21 USD' }).first().waitFor()
    t.equal(await page.locator('.card', { hasText: '7.21' }).count(), 0)
    t.same(tab.complaints, [])
  })

  await t.test('the keyboard alone buys a label and voids it', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#shipping`)
    const { page } = tab
    await page.locator('.card .badge', { hasText: 'void' }).waitFor()
    t.ok(await tabTo(page, 'details:has([name=weight]) > summary'))
    await page.keyboard.press('Enter')
    t.ok(await tabTo(page, 'form:has([name=weight]) [type=submit]'))
    await page.keyboard.press('Enter')
    t.equal(await focused(page, 'closest(".cards") !== null', true), true, 'on the first price')
    t.ok(await tabTo(page, '[aria-label$="Own van"]'))
    await page.keyboard.press('Enter')
    await page.locator('#notice .tone-good', { hasText: 'is bought' }).waitFor()
    t.ok(await tabTo(page, '[aria-label^=Void]'))
    await page.keyboard.press('Enter')
    await page.locator('.card .badge', { hasText: 'void' }).nth(1).waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('the time of what was bought yesterday has its day', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await page.clock.install()
    await page.locator('#to-shipping').click()
    const facts = page.locator('.card .facts', { hasText: 'by the page' }).first()
    t.match(await facts.textContent(), / · \d\d:\d\d$/)
    await page.clock.fastForward('24:00:00')
    await facts.getByText(/ · \w+ \d+, \d\d:\d\d$/).waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('a purchase whose answer was lost is not made again', async (t) => {
    const list = async () => (await (await fetch(`${rig.url}/shipping/shipments`)).json()) as []
    const before = (await list()).length
    await using tab = await openTab(browser, `${rig.url}/#shipping`)
    const { page } = tab
    await page.getByText('Buy a label to try it').click()
    const buy = async () => {
      await page.getByRole('button', { name: 'Show prices' }).click()
      await page.getByRole('button', { name: 'Buy and print: Own van' }).click()
    }
    let isLost = false
    await page.route('**/shipping/calls', async (route) => {
      if (isLost || !route.request().postData()?.includes('Submit')) return await route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    })
    await buy()
    await page.locator('#notice .tone-bad').waitFor()
    t.equal((await list()).length, before + 1)
    await buy()
    await page.locator('#notice .tone-good', { hasText: 'is bought' }).waitFor()
    t.equal((await list()).length, before + 1, 'the one that was bought')
    await buy()
    await until('another one', async () => (await list()).length === before + 2 || undefined)
  })

  await t.test('what is wrong is told in a sentence', async () => {
    await using tab = await openTab(browser, `${rig.url}/#shipping`)
    const { page } = tab
    await page.getByText('Buy a label to try it').click()
    await page.locator('input[name=weight]').fill('nothing')
    await page.getByRole('button', { name: 'Show prices' }).click()
    await page.locator('#notice .tone-bad', { hasText: 'weight: got "nothing"' }).waitFor()
    await page.getByText('Prices of the local carrier').click()
    const table = page.locator('textarea[name=rates]')
    // The page's security policy forbids Playwright's own waiting for an expression.
    await until('the prices', async () => (await table.inputValue()) || undefined)
    const rates = await table.inputValue()
    await table.fill(`${rates}\nSHIP,Ship,*,*,70,free,0,9`)
    await page.getByRole('button', { name: 'Save prices' }).click()
    await page.locator('#notice .tone-bad', { hasText: 'price: got "free"' }).waitFor()
    await table.fill(`${rates}\nSHIP,Slow ship,*,*,70,1.00,0,9`)
    await page.getByRole('button', { name: 'Save prices' }).click()
    await page.locator('#notice .tone-good', { hasText: 'are saved' }).waitFor()
    await page.locator('input[name=weight]').fill('3')
    await page.getByRole('button', { name: 'Show prices' }).click()
    await page.getByRole('heading', { name: 'Slow ship' }).waitFor()
  })

  await t.test(
    'an account of a carrier is saved, shown without its secrets, and removed',
    async (t) => {
      await using tab = await openTab(browser, `${rig.url}/#shipping`)
      const { page } = tab
      await page.getByText('Accounts with carriers').click()
      // Not by its label: with its choices inside, the label's text is no longer "Carrier".
      await page.locator('select[name=account-carrier]').selectOption('FedEx-REST')
      await page.getByLabel('Secret key', { exact: true }).waitFor()
      await page.getByLabel('Name of the account').fill('fedex-main')
      await page.getByLabel('API key', { exact: true }).fill('an-api-key')
      await page.getByRole('button', { name: 'Save the account' }).click()
      await page.locator('#notice .tone-bad', { hasText: 'Secret key is missing' }).waitFor()
      await page.getByLabel('Secret key', { exact: true }).fill('a-secret-key')
      await page.getByRole('button', { name: 'Save the account' }).click()
      await page.locator('#notice .tone-good', { hasText: 'fedex-main is saved' }).waitFor()
      const card = page.locator('.card', { hasText: 'fedex-main' })
      t.match(await card.textContent(), /FedEx-REST · 2 secrets kept/)
      t.notMatch(await page.content(), /a-secret-key|an-api-key/)
      await card.getByRole('button', { name: 'Remove the account fedex-main' }).click()
      await card.waitFor({ state: 'detached' })
      t.same(tab.complaints, [])
    },
  )

  await t.test('prices that were typed outlive a fold of their panel', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#shipping`)
    const { page } = tab
    const panel = page.getByText('Prices of the local carrier')
    await panel.click()
    const table = page.locator('textarea[name=rates]')
    await until('the prices', async () => (await table.inputValue()) || undefined)
    const typed = `${await table.inputValue()}\nVAN2,Typed,*,*,70,1.00,0,9`
    await table.fill(typed)
    await panel.click()
    const heard = page.waitForResponse('**/rates')
    await panel.click()
    await (await heard).finished()
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))')
    t.equal(await table.inputValue(), typed)
    t.same(tab.complaints, [])
  })

  await t.test('the fields of an account are those of the carrier that is chosen', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#shipping`)
    const { page } = tab
    await page.getByText('Accounts with carriers').click()
    const fields = page.locator('details:has([name=account-carrier]) .addresses input')
    await fields.first().waitFor()
    const carrier = page.locator('select[name=account-carrier]')
    const names = async () =>
      await Promise.all((await fields.all()).map((field) => field.getAttribute('name')))
    await carrier.selectOption('FedEx-REST')
    await page.getByLabel('Secret key', { exact: true }).waitFor()
    const wanted = await names()
    const { promise: late, resolve } = Promise.withResolvers<Route>()
    await page.route('**/shipping/carriers/*', resolve, { times: 1 })
    await carrier.selectOption('EasyPost')
    const held = await late
    const next = page.waitForResponse('**/shipping/carriers/*')
    await carrier.selectOption('FedEx-REST')
    await (await next).finished()
    const heard = page.waitForResponse('**/shipping/carriers/*')
    await held.continue()
    await (await heard).finished()
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))')
    t.same(await names(), wanted)
    await page.route('**/shipping/carriers/*', (route) => route.abort(), { times: 1 })
    await carrier.selectOption('EasyPost')
    await page.locator('#notice .tone-bad').waitFor()
    t.equal(await fields.count(), 0, 'none of another carrier')
    for (const _ of ['close', 'open']) await page.getByText('Accounts with carriers').click()
    await fields.first().waitFor()
  })

  await t.test('a key is made, shown once, works, and is revoked', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#shipping`)
    const { page } = tab
    await page.getByLabel('Name of the shop or program').fill('My shop')
    await page.getByRole('button', { name: 'Make a key' }).click()
    const key = (await page.locator('#view-shipping code').textContent()) ?? ''
    t.match(key, /^pk_\w{8}_[\w-]{43}$/)
    const rate = { ship_code: '89501', to_code: '50010', weight: 3 }
    const call = async () =>
      await fetch(`${rig.url}/v1`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ carrier: 'local', action: 'GetAllRates', params: rate }),
      })
    t.equal((await call()).status, 200)
    await page.reload()
    const card = page.locator('.card', { hasText: 'My shop' })
    await card.waitFor()
    t.notMatch(await page.locator('#view-shipping').textContent(), key.slice(12))
    await card.getByRole('button', { name: /^Revoke/ }).click()
    await card.waitFor({ state: 'detached' })
    t.equal((await call()).status, 401)
  })

  await t.test('whoever logs in for the accounts is asked for their secrets', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#shipping`)
    const { page } = tab
    await page.getByText('Accounts with carriers').waitFor()
    // The view asks every few seconds, and would ask for the login itself.
    await page.route('**/shipping/shipments', () => undefined)
    const config = (await (await fetch(`${rig.url}/config`)).json()) as object
    const account = { username: 'boss', password: 'Tr0ub4dor&3' }
    const headers = {
      'content-type': 'application/json',
      authorization: `Basic ${btoa(`${account.username}:${account.password}`)}`,
    }
    const put = async (more: object) => {
      const body = JSON.stringify({ ...config, ...more })
      t.equal((await fetch(`${rig.url}/config`, { method: 'PUT', headers, body })).status, 200)
    }
    await put(account)
    await page.getByText('Accounts with carriers').click()
    const login = page.locator('#login-dialog')
    await login.getByLabel('User name').fill(account.username)
    await login.getByLabel('Password').fill(account.password)
    await login.getByRole('button', { name: 'Log in' }).click()
    await login.waitFor({ state: 'hidden' })
    const secret = page.locator('details:has([name=account-carrier]) .addresses input').first()
    await secret.waitFor({ timeout: 20_000 })
    await put({})
  })

  await t.test('a key is not called revoked where nobody logged in for it', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#shipping`)
    const { page } = tab
    await page.getByLabel('Name of the shop or program').fill('Kept shop')
    await page.getByRole('button', { name: 'Make a key' }).click()
    const card = page.locator('.card', { hasText: 'Kept shop' })
    await card.waitFor()
    // The view asks every few seconds, and would ask for the login itself.
    await page.route('**/shipping/shipments', () => undefined)
    const config = (await (await fetch(`${rig.url}/config`)).json()) as object
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ ...config, username: 'boss', password: 'Tr0ub4dor&3' })
    await fetch(`${rig.url}/config`, { method: 'PUT', headers, body })
    const revoke = card.getByRole('button', { name: /^Revoke/ })
    await revoke.click()
    const login = page.locator('#login-dialog')
    await login.getByLabel('Password').waitFor()
    await page.keyboard.press('Escape')
    await login.waitFor({ state: 'hidden' })
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))')
    t.equal(await page.locator('#notice').textContent(), '')
    await revoke.click()
    await login.getByLabel('User name').fill('boss')
    await login.getByLabel('Password').fill('Tr0ub4dor&3')
    await login.getByRole('button', { name: 'Log in' }).click()
    await page.locator('#notice', { hasText: 'The key of Kept shop is revoked.' }).waitFor()
  })
})

t.test('the login behind a fault of shipping, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)
  const config = (await (await fetch(`${rig.url}/config`)).json()) as object
  const keys = join(t.testdirName, 'keys.json')
  writeFileSync(keys, 'damaged')
  await using tab = await openTab(browser, `${rig.url}/#shipping`)
  const { page } = tab
  await page.locator('#view-shipping .why').waitFor()
  rmSync(keys)
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ ...config, username: 'boss', password: 'Tr0ub4dor&3' })
  await fetch(`${rig.url}/config`, { method: 'PUT', headers, body })
  await page.locator('#view-shipping .login').waitFor({ timeout: 20_000 })
})
