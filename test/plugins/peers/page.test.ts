import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openChromium, openTab, skipReason } from '../../web/chromium.ts'
import { OFF, startBox, WORKING, waiting } from './two-boxes.ts'

t.setTimeout(600_000)

t.test('two boxes are paired and a label moves, in Chromium', { skip: skipReason }, async (t) => {
  const [a, b] = await Promise.all([startBox(t, 'a', [OFF]), startBox(t, 'b', [WORKING])])
  const browser = await openChromium()
  t.teardown(() => browser.close())
  await waiting(a, 'one')

  await using there = await openTab(browser, `${b.server.address}/#settings`)
  await there.page.locator('.boxes button', { hasText: 'Show a code' }).click()
  const code = (await there.page.locator('.pair-code').textContent()) ?? ''
  t.match(code, /^[a-z2-9]{4}-[a-z2-9]{4}$/)

  await using here = await openTab(browser, `${a.server.address}/#settings`)
  const { page } = here
  await page.locator('.boxes button', { hasText: 'Pair with a print server' }).click()
  const dialog = page.locator('#pair-dialog')
  await dialog.locator('[name=address]').fill(b.place)
  await dialog.locator('[name=code]').fill(code)
  await dialog.locator('button[type=submit]').click()
  await page.locator('.boxes li', { hasText: 'Bench 3' }).waitFor()

  await page.goto(a.server.address)
  const card = page.locator('.job').first()
  await card.locator('button', { hasText: 'Other printer' }).click()
  await page.locator('#choose-dialog button', { hasText: 'Bench 3' }).click()
  await page.locator('.job', { hasText: 'Moved to Bench 3' }).waitFor()
  await page.goto(`${a.server.address}/#printers`)
  const change = page.locator('#view-printers .card button', { hasText: 'Change' }).first()
  await change.click()
  const form = page.locator('#printer-dialog')
  await form.locator('summary').click()
  const backup = form.getByLabel('Backup', { exact: true })
  const box: string = (await a.json('/peers')).json.peers[0].name
  await backup.selectOption({ label: `Bench 3 (on ${box})` })
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'hidden' })
  const printers = readFileSync(join(a.folder, 'config.json'), 'utf8')
  t.match(JSON.parse(printers), { printers: [{ backup: 'Bench 3', backup_box: box }] })
  await change.click()
  await form.locator('summary').click()
  t.equal(
    await backup.locator('option:checked').textContent(),
    `Bench 3 (on ${box})`,
    'it is shown',
  )
  await backup.selectOption('')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'hidden' })
  const after = JSON.parse(readFileSync(join(a.folder, 'config.json'), 'utf8'))
  t.notMatch(after.printers[0], { backup_box: String }, 'none is chosen')

  t.same([...here.complaints, ...there.complaints], [])
})
