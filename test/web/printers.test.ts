import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Printer } from '#printers'
import { serve } from '../../src/http/server.ts'
import type { Device, FoundPrinter } from '../../src/printers/device.ts'
import { createFileDevice } from '../../src/printers/devices/file.ts'
import { createSocketDevice } from '../../src/printers/devices/socket/index.ts'
import { findOffUri, formBody, type Rig, startRig, ZPL64 } from '../http/rig.ts'
import { findClosedPort } from '../listen.ts'
import { choosePrinter, drop, focused, LIMIT_MS, tabTo } from './bench.ts'
import { openChromium, openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const VEVOR = { uri: 'usb://VEVOR/Y428BT?port=1-1', makeAndModel: 'VEVOR Y428BT' }
const OFFICE = { uri: 'usb://HP/4?port=1-2', makeAndModel: 'HP', deviceId: 'MFG:HP;MDL:4;CMD:PCL;' }
const NO_RIGHTS = 'platen has no right to use it. Install udev/70-platen.rules.'

/** Sees what the test plugs in. */
function createBus(found: readonly FoundPrinter[]): Device {
  return {
    scheme: 'usb',
    example: 'usb://A/B',
    about: 'For tests.',
    check: () => undefined,
    list: () => Promise.resolve([...found]),
    open: () => Promise.reject(new Error('not for this test')),
    watch: () => undefined,
  }
}

/** The real print server with USB printers as the test says, and its page. */
async function openShop(
  t: Test,
  found: readonly FoundPrinter[] = [],
): Promise<{ rig: Rig; url: string }> {
  const folder = t.testdir()
  const devices = [
    createBus(found),
    createSocketDevice({ confirmMs: 100 }),
    createFileDevice(folder),
  ]
  const webFolder = join(import.meta.dirname, '../../web')
  const printers = { 'Switched off': await findOffUri() }
  const rig = startRig(t, { printers, bench: { folder, devices }, parts: { webFolder } })
  const listener = await serve(rig.app, { host: '127.0.0.1', port: 0 })
  t.teardown(async () => {
    rig.stopping.abort()
    await listener.close(0)
  })
  return { rig, url: `http://127.0.0.1:${listener.address.port}` }
}

const cardOf = (page: Page, name: string) =>
  page.locator('#view-printers .card', {
    has: page.getByRole('heading', { name, exact: true }),
  })

const say = (page: Page, text: string | RegExp) =>
  page.locator('#notice', { hasText: text }).waitFor()

async function search(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Search the network' }).click()
}

t.test('the printers on the page, in Chromium', { skip: skipReason }, async (t) => {
  const browser: Browser = await openChromium()
  t.teardown(() => browser.close())

  await t.test('an unknown printer asks its language, and one press is the answer', async (t) => {
    const { url } = await openShop(t, [VEVOR])
    await using tab = await openTab(browser, `${url}/#printers`)
    const { page } = tab
    await search(page)
    const card = cardOf(page, 'VEVOR Y428BT')
    await card.getByText('What language does VEVOR Y428BT speak?').waitFor()
    t.equal(await card.getByRole('button', { name: /Calibrate/ }).count(), 0)
    await card.getByRole('button', { name: /speaks TSPL/ }).click()
    await say(page, 'VEVOR Y428BT speaks TSPL. Print a test label on it now.')
    await card.getByText('TSPL · 203 dpi').waitFor()
    t.equal(await card.locator('.languages').count(), 0)
    t.same(tab.complaints, [])
  })

  await t.test('an office printer is shown, added only by hand, and can be removed', async (t) => {
    const { url } = await openShop(t, [OFFICE])
    await using tab = await openTab(browser, `${url}/#printers`)
    const { page } = tab
    const found = page.locator('.found .card')
    await search(page)
    await found.getByText('prints no shipping labels').waitFor()
    await found.getByRole('button', { name: 'Add HP 4' }).click()
    await say(page, 'HP 4 is added. Now choose its language.')
    await page.locator('.found .card').waitFor({ state: 'detached' })
    const card = cardOf(page, 'HP 4')
    await card.getByRole('button', { name: /^Remove/ }).click()
    await page.getByRole('button', { name: 'Keep it' }).click()
    await card.getByRole('button', { name: /^Remove/ }).click()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await say(page, 'HP 4 is removed.')
    await found.waitFor()
    const known = page.locator('.cards').first().getByText('HP 4')
    await known.waitFor({ state: 'detached' })
    t.equal(await known.count(), 0)
  })

  await t.test('a printer that may not be used says why and what to do', async (t) => {
    const { url } = await openShop(t, [{ ...VEVOR, hindrance: NO_RIGHTS }])
    await using tab = await openTab(browser, `${url}/#printers`)
    await search(tab.page)
    const card = cardOf(tab.page, 'VEVOR Y428BT')
    await card.getByText(NO_RIGHTS).waitFor()
    await card.locator('.state', { hasText: 'Needs a person' }).waitFor()
  })

  await t.test('name, size and dots are changed; a wrong one is told at its field', async (t) => {
    const { url, rig } = await openShop(t)
    await using tab = await openTab(browser, `${url}/#printers`)
    await using other = await openTab(browser, `${url}/#printers`)
    const { page } = tab
    await cardOf(page, 'Bench 2')
      .getByRole('button', { name: /^Change/ })
      .click()
    const dialog = page.locator('#printer-dialog')
    await dialog.getByLabel('Dots per inch').fill('7')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('[aria-invalid]').waitFor()
    t.match(await dialog.getByLabel('Dots per inch').getAttribute('aria-invalid'), 'true')
    await dialog.getByLabel('Dots per inch').fill('300')
    await dialog.getByLabel('Label width').fill('2')
    await dialog.getByLabel('Label height').fill('1')
    await dialog.getByLabel('Name').fill('Bench <2>')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await say(page, 'Bench <2> is changed.')
    // Another page hears of it by itself, and the old name is gone there.
    await cardOf(other.page, 'Bench <2>').getByText('300 dpi · labels of 2 × 1 inches').waitFor()
    await cardOf(other.page, 'Bench 2').waitFor({ state: 'detached' })
    t.match(rig.bench.printers.get('Bench <2>'), { dpi: 300, labelWidth: 2, labelHeight: 1 })
    t.same(tab.complaints, [])
  })

  await t.test(
    'a file for a printer that is renamed goes to no other bench by itself',
    async (t) => {
      const { url, rig } = await openShop(t)
      await using tab = await openTab(browser, url)
      const { page } = tab
      await choosePrinter(page, 'Bench 2')
      await drop(page, 'a.zpl', 'text/plain', Buffer.from(ZPL64, 'base64'))
      await page.getByRole('button', { name: 'Print on Bench 2' }).waitFor()
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ name: 'Bench B' })
      const put = await rig.call('/printers/Bench%202', { method: 'PUT', headers, body })
      t.equal(put.status, 200)
      await page.locator('#printer-state', { hasText: 'Choose a printer' }).waitFor()
      t.ok(await page.locator('#print').isDisabled())
      t.ok(await page.locator('#test').isDisabled())
      await choosePrinter(page, 'Bench B')
      await page.getByRole('button', { name: 'Print on Bench B' }).click()
      await page.locator('.tray-outcome .state', { hasText: 'Sent to the printer' }).waitFor()
      t.ok(await page.locator('#test').isEnabled())
      t.same(tab.complaints, [])
    },
  )

  await t.test('labels are not hidden behind a printer that is renamed', async (t) => {
    const { url, rig } = await openShop(t)
    for (const printer of ['Bench 1', 'Bench 2']) {
      await rig.call('/', formBody(['label', ZPL64], ['printer', printer], ['title', printer]))
    }
    await using tab = await openTab(browser, url)
    const { page } = tab
    const other = page.locator('.job', { hasText: 'Bench 1' })
    await other.waitFor()
    await page.locator('.chip', { hasText: 'Bench 2' }).click()
    await other.waitFor({ state: 'hidden' })
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'Bench B' })
    const put = await rig.call('/printers/Bench%202', { method: 'PUT', headers, body })
    t.equal(put.status, 200)
    await page.locator('.chip', { hasText: 'Bench B' }).waitFor()
    await other.waitFor()
    await page.locator('.chip[aria-pressed=true]', { hasText: 'All printers' }).waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('what was saved is told so, though the look at it is lost', async (t) => {
    const { url } = await openShop(t)
    await using tab = await openTab(browser, `${url}/#printers`)
    const { page } = tab
    const lose = () => page.route(/\/jobs\?limit=/, (route) => route.abort(), { times: 1 })
    await cardOf(page, 'Bench 2')
      .getByRole('button', { name: /^Change/ })
      .click()
    const dialog = page.locator('#printer-dialog')
    await dialog.getByLabel('Name').fill('Bench B')
    await lose()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await say(page, 'Bench B is changed.')
    await page.locator('.add-printer summary').click()
    const form = page.locator('.add-form')
    await form.locator('[name=name]').fill('New bench')
    await form.locator('[name=address]').fill(`127.0.0.1:${await findClosedPort()}`)
    await form.getByRole('button', { name: 'Add printer' }).click()
    await form.getByText('Nothing answers').waitFor()
    await lose()
    await form.getByRole('button', { name: 'Add printer all the same' }).click()
    await say(page, 'New bench is added')
  })

  await t.test('a view that cannot be opened now says that nobody answers', async (t) => {
    const { url } = await openShop(t)
    await using tab = await openTab(browser, url)
    const { page } = tab
    await page.locator('#version', { hasText: 'platen' }).waitFor()
    await page.route('**/info', (route) => route.abort(), { times: 1 })
    await page.locator('#to-printers').click()
    await say(page, 'The print server does not answer.')
  })

  await t.test('what was changed elsewhere while the form was open stays', async (t) => {
    const { url, rig } = await openShop(t)
    await using tab = await openTab(browser, `${url}/#printers`)
    const { page } = tab
    await cardOf(page, 'Bench 2')
      .getByRole('button', { name: /^Change/ })
      .click()
    const dialog = page.locator('#printer-dialog')
    const dots = dialog.getByLabel('Dots per inch')
    await dots.waitFor()
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ language: 'tspl', label_width: 2, backup: 'Bench 1' })
    const put = await rig.call('/printers/Bench%202', { method: 'PUT', headers, body })
    t.equal(put.status, 200)
    await dots.fill('300')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await say(page, 'Bench 2 is changed.')
    t.match(rig.bench.printers.get('Bench 2'), {
      dpi: 300,
      language: 'tspl',
      labelWidth: 2,
      backup: { printer: 'Bench 1' },
    })
    t.same(tab.complaints, [])
  })

  await t.test('a printer with labels waiting is not removed, and the page says so', async (t) => {
    const { url, rig } = await openShop(t)
    const fields = formBody(['label', ZPL64], ['printer', 'Switched off'])
    await rig.call('/', { ...fields, headers: { prefer: 'wait=0' } })
    await using tab = await openTab(browser, `${url}/#printers`)
    const { page } = tab
    await cardOf(page, 'Switched off')
      .getByRole('button', { name: /^Remove/ })
      .click()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await say(page, '1 label waits for Switched off. It cannot be removed now.')
    t.equal(await cardOf(page, 'Switched off').count(), 1)
  })

  await t.test(
    'all that waits for a printer is canceled by keyboard, after a question',
    async (t) => {
      const { url, rig } = await openShop(t)
      const fields = formBody(['label', ZPL64], ['printer', 'Switched off'], ['copies', '40'])
      await rig.call('/', { ...fields, headers: { prefer: 'wait=0' } })
      await using tab = await openTab(browser, `${url}/#printers`)
      const { page } = tab
      const button = cardOf(page, 'Switched off').getByRole('button', { name: /^Cancel all/ })
      await button.press('Enter')
      await page.getByText('Cancel all labels of Switched off?').waitFor()
      // The next press may come before the browser says that the question is closed.
      await page.evaluate(`(async () => {
        document.querySelector('#ask-dialog [autofocus]').click()
        for (let turn = 0; turn < 50; turn++) await undefined
        document.activeElement.click()
      })()`)
      await page.locator('#ask-dialog[open]').waitFor()
      t.equal(rig.bench.spool.history.counts().pending, 40)
      await page.getByRole('button', { name: 'Cancel them all' }).press('Enter')
      await say(page, 'Switched off: 40 labels are canceled.')
      t.equal(rig.bench.spool.history.counts().canceled, 40)
      await cardOf(page, 'Switched off')
        .getByRole('button', { name: /^Remove/ })
        .click()
      await page.getByRole('button', { name: 'Remove it' }).click()
      await say(page, 'Switched off is removed.')
      t.same(tab.complaints, [])
    },
  )

  await t.test('another printer becomes the default', async (t) => {
    const { url, rig } = await openShop(t)
    await using tab = await openTab(browser, `${url}/#printers`)
    const { page } = tab
    await cardOf(page, 'Bench 2')
      .getByRole('button', { name: /^Make default/ })
      .click()
    await say(page, 'Labels that name no printer now go to Bench 2.')
    await cardOf(page, 'Bench 2').getByText('Default', { exact: true }).waitFor()
    const before = cardOf(page, 'Bench 1').getByText('Default', { exact: true })
    await before.waitFor({ state: 'detached' })
    t.equal(await before.count(), 0)
    t.equal(rig.bench.printers.resolve(undefined).name, 'Bench 2')
  })

  await t.test('Calibrate measures the labels', async (t) => {
    const { url, rig } = await openShop(t)
    await using tab = await openTab(browser, `${url}/#printers`)
    const { page } = tab
    await cardOf(page, 'Bench 1')
      .getByRole('button', { name: /^Calibrate/ })
      .click()
    await say(page, 'Calibrating Bench 1')
    t.equal(String(rig.printed('bench-1')[0]).startsWith('~JC'), true)
  })

  await t.test('another roll than the settings say is told where the packer stands', async (t) => {
    const { url, rig } = await openShop(t)
    await using tab = await openTab(browser, url)
    const { page } = tab
    await page.locator('#printer-state .state', { hasText: 'Ready' }).waitFor()
    const [first, ...rest] = rig.bench.printers.list()
    const media = { lengthDots: 406, tracking: 'gap' } as const
    const printer = { ...first, labelHeight: 6, media } as Printer
    rig.bench.printers.configure([printer, ...rest], 'Bench 1')
    await page.getByText('Bench 1 has labels of 2 inches, and the settings say 6').first().waitFor()
    await page.locator('#printer-state').getByRole('button', { name: 'Calibrate' }).click()
    await say(page, 'Calibrating Bench 1')
    await page.locator('#to-printers').click()
    const button = cardOf(page, 'Bench 1').locator('.primary')
    t.equal(await button.textContent(), 'Calibrate')
    t.same(tab.complaints, [])
  })

  await t.test('a slow line is told of with the minutes that a picture takes', async (t) => {
    const { url } = await openShop(t)
    await using tab = await openTab(browser, `${url}/#printers/add`)
    const { page } = tab
    const form = page.locator('.add-form')
    await form.getByLabel('Name').fill('Old one')
    await form.getByLabel('Address').fill('/dev/ttyS77?baud=9600')
    await form.getByLabel('Language').selectOption('epl')
    await form.getByRole('button', { name: 'Add printer' }).click()
    await say(page, 'Old one is added. Print a test label on it now.')
    await cardOf(page, 'Old one').getByText('a picture takes about 2 minutes').waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('the address of a printer is read as people write it', async (t) => {
    const { url } = await openShop(t)
    await using tab = await openTab(browser, url)
    const read = (address: string) =>
      tab.page.evaluate(`import('/web/printers/add-printer.js').then((m) => m.toUri('${address}'))`)
    t.equal(await read('192.168.1.50'), 'socket://192.168.1.50:9100')
    t.equal(await read('printer.lan:6101'), 'socket://printer.lan:6101')
    t.equal(await read('fe80::1'), 'socket://[fe80::1]:9100')
    t.equal(await read('socket://10.0.0.7:9100'), 'socket://10.0.0.7:9100')
    t.equal(await read('COM3'), 'serial:COM3')
    t.equal(await read('file:bench'), 'file:bench')
  })

  await t.test('where no printer is the default the page says so, until one is', async (t) => {
    const { url, rig } = await openShop(t)
    await rig.call(`/printers/${encodeURIComponent('Bench 1')}`, { method: 'DELETE' })
    await using tab = await openTab(browser, url)
    const { page } = tab
    await page.locator('#no-default', { hasText: 'No printer is the default' }).waitFor()
    t.ok(await tabTo(page, '#no-default a'))
    await page.keyboard.press('Enter')
    await page.locator('#view-printers .no-default:visible').waitFor()
    t.ok(await tabTo(page, '[data-action=default]'))
    await page.keyboard.press('Enter')
    await say(page, 'Labels that name no printer now go to')
    await page.locator('#view-printers .no-default').waitFor({ state: 'hidden' })
    for (const name of ['Bench 2', 'Switched off']) {
      await rig.call(`/printers/${encodeURIComponent(name)}`, { method: 'DELETE' })
    }
    await page.locator('#view-printers .empty', { hasText: 'No printer yet' }).waitFor()
    t.ok(await page.locator('#view-printers .empty .drawn').isVisible(), 'a drawing')
    t.same(tab.complaints, [])
  })

  await t.test('the keyboard alone answers the question, and Esc leads back', async (t) => {
    const { url } = await openShop(t, [VEVOR])
    await using tab = await openTab(browser, `${url}/#printers`)
    const { page } = tab
    await search(page)
    await cardOf(page, 'VEVOR Y428BT').locator('.languages').waitFor()
    const top = 'scrollTo(0, 0); document.activeElement.blur()'
    await page.evaluate(top)
    t.ok(await tabTo(page, '[data-action=epl]'))
    await page.keyboard.press('Enter')
    await say(page, 'VEVOR Y428BT speaks EPL.')
    await page.evaluate(top)
    t.ok(await tabTo(page, '.card:last-child [data-action=change]'))
    const label = 'getAttribute("aria-label")'
    const left = await page.evaluate(`document.activeElement.${label}`)
    await page.keyboard.press('Enter')
    await page.locator('#printer-dialog[open]').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#printer-dialog').waitFor({ state: 'hidden' })
    t.equal(await focused(page, label, left), left)
  })

  await t.test('the keyboard stays where it was when a card is drawn again or gone', async (t) => {
    const { url, rig } = await openShop(t)
    await using tab = await openTab(browser, `${url}/#printers`)
    const { page } = tab
    const label = 'getAttribute("aria-label")'
    await page.getByRole('button', { name: 'Change…: Bench 1' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('#printer-dialog[open]').waitFor()
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ dpi: 600 })
    await rig.call('/printers/Bench%201', { method: 'PUT', headers, body })
    await cardOf(page, 'Bench 1').getByText('600 dpi').waitFor()
    await page.keyboard.press('Escape')
    t.equal(await focused(page, label, 'Change…: Bench 1'), 'Change…: Bench 1')
    await page.getByRole('button', { name: 'Remove: Bench 1' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove it' }).press('Enter')
    await say(page, 'Bench 1 is removed.')
    t.equal(await focused(page, 'querySelector("h3")?.textContent', 'Bench 2'), 'Bench 2')
    t.same(tab.complaints, [])
  })

  await t.test('what only the admin may do asks for the password, and is done then', async (t) => {
    const { url, rig } = await openShop(t)
    await using tab = await openTab(browser, `${url}/#printers`)
    const { page } = tab
    const config = await (await rig.call('/config')).json()
    const body = JSON.stringify({
      ...(config as object),
      username: 'boss',
      password: 'Tr0ub4dor&3',
    })
    const headers = { 'content-type': 'application/json' }
    await rig.call('/config', { method: 'PUT', headers, body })
    const makeDefault = cardOf(page, 'Bench 2').getByRole('button', { name: /^Make default/ })
    await makeDefault.click()
    await page.locator('#login-dialog[open]').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#login-dialog').waitFor({ state: 'hidden' })
    t.equal(rig.bench.printers.resolve(undefined).name, 'Bench 1', 'nothing was changed')
    await makeDefault.click()
    await page.locator('#login-dialog').getByLabel('User name').fill('boss')
    await page.locator('#login-dialog').getByLabel('Password').fill('Tr0ub4dor&3')
    await page.locator('#login-dialog').getByRole('button', { name: 'Log in' }).click()
    await say(page, 'Labels that name no printer now go to Bench 2.')
    t.same(tab.complaints, [])
  })
})
