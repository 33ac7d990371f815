import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { LIMIT_MS, openBench } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const DENVER = { timezoneId: 'America/Denver' }
const NOTE = 'No time zone is chosen, so all times of this print server are UTC'
const TAKE = "Use this computer's time zone (America/Denver)"

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.locator('#notice', { hasText: 'Settings saved' }).waitFor()
}

const readZone = (folder: string): unknown =>
  JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')).time_zone

t.test('the time zone of the SD image, on the page', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t, {}, { PLATEN_APPLIANCE: '1' })
  const folder = t.testdirName
  const pin = readFileSync(join(folder, 'pin'), 'utf8').trim()
  const logIn = async (page: Page) => {
    await page.locator('#view-settings').getByLabel('User name').fill('admin')
    await page.locator('#view-settings').getByLabel('Password').fill(pin)
    await page.locator('#view-settings').getByRole('button', { name: 'Log in' }).click()
  }

  await t.test('it says that there is none, and one press takes that of the browser', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#settings`, DENVER)
    const { page } = tab
    await logIn(page)
    await page.getByText(NOTE).waitFor()
    const zone = page.getByLabel('Time zone')
    t.equal(await zone.inputValue(), '')
    const listed = await page.locator('datalist option').evaluateAll((options) => ({
      first: options[0]?.getAttribute('value'),
      count: options.length,
    }))
    t.equal(listed.first, 'America/Denver', 'its own is offered first')
    t.ok(listed.count > 300, `${listed.count} zones can be chosen`)
    await page.getByRole('button', { name: TAKE }).click()
    t.equal(await zone.inputValue(), 'America/Denver')
    await page.getByText(NOTE).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: TAKE }).waitFor({ state: 'hidden' })
    await save(page)
    t.equal(readZone(folder), 'America/Denver')
    t.same(tab.complaints, [])
  })

  await t.test('an unknown zone is named at its field', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#settings`, DENVER)
    const { page } = tab
    await logIn(page)
    await page.locator('.group summary', { hasText: /^Time$/ }).click()
    const zone = page.getByLabel('Time zone')
    t.equal(await zone.inputValue(), 'America/Denver')
    await zone.fill('Denver')
    await page.getByRole('button', { name: TAKE }).waitFor()
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Type a time zone such as America/Denver.').waitFor()
    await zone.fill('')
    await page.getByText(NOTE).waitFor()
    t.same(tab.complaints, [])
  })
})

t.test('elsewhere no zone is that of the computer', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)
  await using tab = await openTab(browser, `${rig.url}/#settings`, DENVER)
  const { page } = tab
  await page.locator('.group summary', { hasText: /^Time$/ }).click()
  const zone = page.getByLabel('Time zone')
  await zone.waitFor()
  t.equal(await page.getByText(NOTE).isVisible(), false)
  t.equal(await page.getByRole('button', { name: TAKE }).isVisible(), false, 'nothing to mend')
  await zone.fill('Asia/Tokyo')
  await page.getByRole('button', { name: TAKE }).waitFor()
  await save(page)
  t.equal(readZone(t.testdirName), 'Asia/Tokyo')
  t.same(tab.complaints, [])
})
