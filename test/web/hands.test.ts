import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { poll } from '../until.ts'
import { choosePrinter, focused, LIMIT_MS, openBench, tabTo, ZPL } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const label = ZPL.toString('base64')

const cardOf = (page: Page, title: string): Locator => page.locator('.job', { hasText: title })

t.test('keys and presses while the labels change, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)

  /** A label that waits for the printer that is off, unless it names another one. */
  async function send(title: string, printer = 'Switched off'): Promise<void> {
    const headers = { 'Content-Type': 'application/json', Prefer: 'wait=0' }
    const body = JSON.stringify({ label, title, printer })
    t.equal((await fetch(rig.url, { method: 'POST', headers, body })).ok, true)
  }

  async function countOpen(printer: string): Promise<number> {
    const query = new URLSearchParams({ printer, state: 'not-completed', limit: '99' })
    return ((await (await fetch(`${rig.url}/jobs?${query}`)).json()) as unknown[]).length
  }

  await t.test('a button goes on after an answer that makes no sense', async (t) => {
    await send('Nonsense')
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Switched off')
    await page.setInputFiles('#files', { name: 'a.zpl', mimeType: 'text/plain', buffer: ZPL })
    await page.locator('#printer-state .state').waitFor()
    for (const [path, button] of [
      ['**/cancel', cardOf(page, 'Nonsense').locator('[data-action=cancel]')],
      ['**/test', page.locator('#test')],
      [`${rig.url}/`, page.locator('#print')],
    ] as const) {
      // As of something in between.
      await page.route(path, (route) => route.fulfill({ status: 502, json: null }), { times: 1 })
      const fault = page.waitForEvent('pageerror')
      await button.click()
      await fault
      const again = page.waitForRequest(path)
      await button.click()
      await again
    }
    await cardOf(page, 'Nonsense').locator('.state', { hasText: 'Canceled' }).waitFor()
    t.equal(new Set(tab.complaints).size, 1, 'nothing else is broken')
  })

  await t.test('a field that a person left is not entered again', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await page.locator('#find').focus()
    await page.locator('#find').blur()
    await send('After the field')
    await cardOf(page, 'After the field').waitFor()
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    )
    t.equal(await page.evaluate('document.activeElement === document.body'), true)
  })

  await t.test('a button keeps the keyboard where the page moves it', async (t) => {
    await send('Moved')
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await cardOf(page, 'Moved').locator('[data-action=cancel]').focus()
    // As the group of a printer that stops goes to the top.
    await page.evaluate(`(() => {
      const group = document.activeElement.closest('.group')
      group.parentElement.prepend(group)
    })()`)
    t.equal(await focused(page, `matches('.job [data-action=cancel]')`, true), true)
  })

  await t.test('the keyboard goes on beside what it made vanish', async (t) => {
    for (const title of ['Focus 1', 'Focus 2']) await send(title)
    for (let n = 0; n < 41; n++) await send(`Old ${n}`, 'Bench 1')
    await poll('the history', async () => (await countOpen('Bench 1')) === 0)
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const press = async (button: Locator) => {
      await button.focus()
      await page.keyboard.press('Enter')
    }
    /** Tells whether the focus comes to an element. */
    const comesTo = (selector: string) => focused(page, `matches('${selector}')`, true)

    await press(page.locator('[data-action=cancel-all]'))
    t.ok(await tabTo(page, '#cancel-all-dialog .danger'))
    await page.keyboard.press('Enter')
    t.equal(await comesTo('.history .job'), true, 'Cancel all, of the last group')
    const close = page.locator('#notice .close')
    await close.waitFor()
    await press(close)
    t.equal(await comesTo('.history .job'), true, 'a notice that is closed')
    await page.locator('#find').fill('nothing such')
    await press(page.getByRole('button', { name: 'Show all labels' }))
    t.equal(await comesTo('.history .job'), true, 'Show all labels')
    await press(page.locator('#older'))
    t.equal(await comesTo('.history .job:last-child'), true, 'Older labels, the last of them')

    const row = cardOf(page, 'Old 40').first()
    await press(row.locator('.menu summary'))
    await press(row.locator('.menu [data-action=elsewhere]'))
    await page.locator('#choose-dialog[open]').waitFor()
    await page.keyboard.press('Escape')
    t.equal(await comesTo('.menu summary'), true, 'Esc, after a menu')

    for (const title of ['Filtered 1', 'Filtered 2']) await send(title)
    await page.locator('#find-state').selectOption('waits')
    await press(cardOf(page, 'Filtered 1').locator('[data-action=cancel]'))
    t.equal(await comesTo('#waiting .job'), true, 'a label that fits no more')

    await page.locator('.chip[data-printer="Loose cable"]').focus()
    await fetch(`${rig.url}/printers/Loose%20cable`, { method: 'DELETE' })
    t.equal(await comesTo('.chip:not([data-printer="Loose cable"])'), true, 'a printer gone')

    await choosePrinter(page, 'Bench 1')
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear all') }
    await page.locator('#files').focus()
    await page.setInputFiles('#files', file)
    await page.locator('.tray-item.refused').waitFor()
    t.equal(await comesTo('#more-button'), true, 'Print, when the file is none')

    await page.locator('#find').click()
    await page.locator('footer').click({ position: { x: 1, y: 1 } })
    await page.locator('#find').evaluate('(find) => (find.hidden = true)')
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))')
    t.equal(await page.evaluate('document.activeElement.tagName'), 'BODY', 'who let go stays so')
    t.same(tab.complaints, [])
  })

  await t.test('a press counts though its button is drawn again meanwhile', async (t) => {
    for (const title of ['Press 1', 'Press 2']) await send(title)
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const group = page.locator('.group', { hasText: 'Switched off' })
    const button = group.locator('[data-action=cancel-all]')
    const question = page.locator('#cancel-all-dialog')
    const drawAgain = async () => {
      const before = await countOpen('Switched off')
      await send(`Press ${before + 1}`)
      await group.locator('h2', { hasText: `${before + 1} labels` }).waitFor()
    }
    await button.hover()
    await page.mouse.down()
    await drawAgain()
    await page.mouse.up()
    await question.locator('button', { hasText: 'Keep them' }).click()
    await button.focus()
    await page.keyboard.down(' ')
    await drawAgain()
    await page.keyboard.up(' ')
    await question.locator('button', { hasText: 'Keep them' }).click()
    await button.hover()
    await page.mouse.down()
    await drawAgain()
    await page.mouse.move(1, 1)
    await page.mouse.up()
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))')
    t.equal(await question.isVisible(), false, 'who moved away has let go of it')
    t.same(tab.complaints, [])
  })

  await t.test('a label that comes while one is asked whether to cancel all stays', async (t) => {
    const read = async (title: string) => {
      const query = new URLSearchParams({ title, limit: '1' })
      const found = (await (await fetch(`${rig.url}/jobs?${query}`)).json()) as { state: string }[]
      return found[0]?.state
    }
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    for (const [view, id] of [
      ['labels', 'cancel-all-dialog'],
      ['printers', 'ask-dialog'],
    ] as const) {
      for (const n of [1, 2]) await send(`Asked in ${view} ${n}`)
      // Else the question would be about what was there before them.
      await cardOf(page, `Asked in ${view} 2`).waitFor({ state: 'attached' })
      await page.evaluate(`location.hash = '${view}'`)
      const shown = page.locator(`#view-${view}`)
      await shown.getByRole('button', { name: 'Cancel all: Switched off' }).click()
      await page.locator(`#${id}[open]`).waitFor()
      await send(`Came in ${view}`)
      await cardOf(page, `Came in ${view}`).waitFor({ state: 'attached' })
      await page.locator(`#${id} .danger`).click()
      await page
        .locator('#notice', { hasText: /canceled\. 1 is being printed or came in/ })
        .waitFor()
      t.equal(await read(`Asked in ${view} 2`), 'canceled')
      t.equal(await read(`Came in ${view}`), 'pending')
      await page.locator('#notice .close').click()
    }
    t.same(tab.complaints, [])
  })
})
