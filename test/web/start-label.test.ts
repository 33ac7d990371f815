import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { LIMIT_MS, openBench } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const CABLE = { name: 'Bench', uri: 'serial:/dev/ttyS91', language: 'zpl' }
const AFAR = { name: 'Hall', uri: 'socket://127.0.0.1:9', language: 'zpl' }

t.test('the start label of the SD image, on the page', { skip: skipReason }, async (t) => {
  const box = { printers: [CABLE, AFAR], printer: 'Bench', host: '127.0.0.1' }
  const { rig, browser } = await openBench(t, box, { PLATEN_APPLIANCE: '1' })
  const pin = readFileSync(join(t.testdirName, 'pin'), 'utf8').trim()

  await t.test('who lost the PIN is led to it, and it comes out on paper only', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#settings`)
    const { page } = tab
    await page
      .locator('#view-settings')
      .getByText('the password is the PIN of the start label')
      .waitFor()
    await page.getByRole('link', { name: 'Print the start label again' }).click()
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Bench' }) })
    await card.getByRole('button', { name: /^Print start label/ }).click()
    await page.locator('#notice', { hasText: /Start label .* Bench.*The PIN is on it/ }).waitFor()
    await page.locator('#to-labels').click()
    const login = page.locator('#jobs-login')
    await login.getByLabel('User name').fill('admin')
    await login.getByLabel('Password').fill(pin)
    await login.getByRole('button', { name: 'Log in' }).click()
    const label = page.locator('.job', { hasText: 'Start label' }).first()
    await label.waitFor()
    await label.locator('.thumb').click()
    await page.locator('dialog[open]').waitFor()
    t.notMatch(await page.content(), pin)
    t.same(tab.complaints, [])
  })

  await t.test('a printer that may stand anywhere has no such button', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#printers`)
    const { page } = tab
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Hall' }) })
    await card.getByRole('button', { name: /^Print Test Label/ }).waitFor()
    t.equal(await card.getByRole('button', { name: /start label/ }).count(), 0)
  })
})
