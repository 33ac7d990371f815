import type { Page } from 'playwright-core'
import t from 'tap'
import { OPERATIONS } from '../../src/plugins/ipp/protocol.ts'
import { findClosedPort } from '../listen.ts'
import { makeRequest } from '../plugins/ipp/ask.ts'
import { gives, Receiver } from '../plugins/source/receiver.ts'
import { choosePrinter, LIMIT_MS, newCard, openBench, print, ZPL } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const cardOf = (page: Page, name: string) =>
  page.locator('#view-sources .card', { has: page.getByRole('heading', { name }) })

t.test('sources and what they bring, in Chromium', { skip: skipReason }, async (t) => {
  const endpoint = `127.0.0.1:${await findClosedPort()}`
  const receiver = await Receiver.open(t, gives({}))
  const { rig, browser } = await openBench(t, {
    duplicate_guard_minutes: 30,
    queues: [{ type: 'beanstalkd', endpoint, tube: 'labels', printer: 'Bench 1' }],
    heart_beat_url: `${receiver.origin}/beat`,
    heart_beat_interval: 1,
    share_printers: true,
    qz_tray: true,
    qz_port: await findClosedPort(),
  })

  await t.test('each source is shown with its state, last contact and last error', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await page.locator('#to-sources').click()
    const queue = cardOf(page, 'beanstalkd queue')
    await queue.locator('.state', { hasText: 'Not connected' }).waitFor()
    t.match(await queue.textContent(), `${endpoint} refuses connections`)
    t.match(await queue.textContent(), /tried again automatically.*tube labels.*to Bench 1/)
    const beat = cardOf(page, 'Heartbeat')
    await beat.locator('.state', { hasText: 'Connected' }).waitFor()
    t.match(await beat.textContent(), /last contact \d/)
    t.same(tab.complaints, [])
  })

  await t.test('each way in of another product is shown with what to change there', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#sources`)
    const { page } = tab
    const qz = cardOf(page, 'QZ Tray')
    await qz.locator('.state', { hasText: 'Open' }).waitFor()
    t.match(await qz.textContent(), /not used yet.*qz\.websocket\.connect\(\{ host: '[\d.]+'/)
    const off = cardOf(page, 'PrintNode')
    await off.locator('.state', { hasText: 'Off' }).waitFor()
    await off.getByRole('link').click()
    await page.locator('#group-doors[open]').getByLabel('PrintNode', { exact: true }).check()
    await page
      .locator('#group-doors')
      .getByLabel('Raw port', { exact: true })
      .fill(new URL(rig.url).port)
    await page.getByRole('button', { name: 'Save' }).click()
    const clash = page.getByText('Another setting uses this port already')
    await clash.waitFor()
    t.same(tab.complaints, [])
  })

  await t.test(
    'jobs of print dialogs that wait for their document are shown and canceled',
    async (t) => {
      await using tab = await openTab(browser, `${rig.url}/#sources`)
      const { page } = tab
      const createIncoming = () =>
        fetch(`${rig.url}/ipp/print/bench-1`, {
          method: 'POST',
          headers: { 'content-type': 'application/ipp' },
          body: Uint8Array.from(makeRequest({ operation: OPERATIONS.createJob })),
        })
      for (let n = 0; n < 2; n += 1) await createIncoming()
      const waiting = page.locator('.doors', { hasText: '2 jobs of print dialogs wait' })
      await waiting.getByRole('button', { name: 'Cancel these jobs' }).click()
      await page.getByText('jobs of print dialogs wait').waitFor({ state: 'hidden' })
      t.same(await (await fetch(`${rig.url}/dialogs`)).json(), { waiting: 0 })
      t.same(tab.complaints, [])
    },
  )

  await t.test('its Test button says in a sentence what was reached', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#sources`)
    const { page } = tab
    await cardOf(page, 'Heartbeat').getByRole('button', { name: /^Test/ }).click()
    await page.locator('#notice .tone-good').waitFor()
    t.match(await page.locator('#notice').textContent(), /127\.0\.0\.1/)
    await cardOf(page, 'beanstalkd').getByRole('button', { name: /^Test/ }).click()
    await page.locator('#notice', { hasText: `${endpoint} refuses connections` }).waitFor()
  })

  await t.test('a queue is tested as it stands in the form, before it is saved', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#settings/sources`)
    const { page } = tab
    const row = page.locator('.row', { hasText: 'beanstalkd' }).first()
    await row.locator('summary').click()
    const other = `127.0.0.1:${await findClosedPort()}`
    await row.getByLabel('Endpoint').fill(other)
    await row.getByRole('button', { name: /^Test/ }).click()
    await row.locator('.tone-bad', { hasText: `${other} refuses connections` }).waitFor()
    await page.getByRole('button', { name: 'Add a queue' }).click()
    const fresh = page.locator('.row[open]').last()
    await fresh.getByLabel('Type').selectOption('sqs')
    await fresh.getByRole('button', { name: /^Test/ }).click()
    await fresh.locator('.tone-bad', { hasText: 'queues[1].url' }).waitFor()
    await page.getByRole('button', { name: 'Test: heartbeat' }).click()
    await page.locator('.source-test .tone-good').waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('the settings of every type of queue are on the form', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#settings/sources`)
    const { page } = tab
    await page.getByRole('button', { name: 'Add a queue' }).click()
    const row = page.locator('.row[open]').last()
    const type = row.getByLabel('Type')
    const types: string[] = []
    for (const option of await type.locator('option[value]:not([value=""])').all()) {
      types.push((await option.getAttribute('value')) ?? '')
    }
    t.ok(types.includes('sqs') && types.includes('beanstalkd'), types.join())
    for (const name of types) {
      await type.selectOption(name)
      t.ok((await row.locator('.field:visible').count()) > 5, `${name} has keys of its own`)
    }
    await type.selectOption('mqtt')
    const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
    await row.getByLabel('Certificate authority').fill(pem)
    t.equal(await row.getByLabel('Certificate authority').inputValue(), pem, 'line ends stay')
  })

  await t.test('a label that was printed a moment ago waits for one press', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await print(page, 'Bench 1', ZPL, 'Sent to the printer')
    const twin = await print(page, 'Bench 1', ZPL, 'Same label again')
    t.match(await twin.locator('.why').textContent(), /already printed at \d\d:\d\d/)
    t.equal(await twin.getByRole('button', { name: /^Do not print/ }).count(), 1)
    await twin.getByRole('button', { name: /^Print anyway/ }).click()
    await twin.locator('.state', { hasText: 'Sent to the printer' }).waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('a command that changes the printer is told quietly', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Bench 1')
    const label = Buffer.from('^XA^KLE^FO50,50^A0N,40,40^FDSave^FS^XZ')
    const file = { name: 'save.zpl', mimeType: 'text/plain', buffer: label }
    await page.setInputFiles('#files', file)
    const click = () => page.locator('#print').click()
    const card = await newCard(page, click, 'Sent to the printer')
    await card.getByText('The label holds commands that change the printer itself.').waitFor()
    await card.locator('.more-details summary').click()
    await card.getByText('^KL changes the language').waitFor()
    t.equal(await card.locator('.tone-quiet').count(), 1)
    t.equal(await page.locator('#attention').isVisible(), false)
  })
})
