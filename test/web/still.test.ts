import type { Page } from 'playwright-core'
import t from 'tap'
import { choosePrinter, LIMIT_MS, openBench, print, ZPL } from './bench.ts'
import { skipReason } from './chromium.ts'
import type { Rig } from './server.ts'

t.setTimeout(LIMIT_MS)

async function post({ url }: Rig, title: string, printer = 'Bench 1'): Promise<void> {
  const label = Buffer.from(`^XA^FO9,9^FD${title}^FS^XZ`).toString('base64')
  const headers = { 'Content-Type': 'application/json', Prefer: 'wait=20' }
  const body = JSON.stringify({ printer, title, label })
  const answer = await fetch(url, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(await answer.text())
}

const card = (page: Page, title: string) => page.locator('.job', { hasText: title }).first()

async function topOf(page: Page, title: string): Promise<number> {
  return (await card(page, title).boundingBox())?.y ?? Number.NaN
}

t.test('a list under a hand', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(rig.url)
  await print(page, 'Bench 1', ZPL, 'Sent to the printer')
  for (const title of ['first', 'second']) {
    await post(rig, title)
    await card(page, title).waitFor()
  }

  await t.test('nothing moves while the mouse is on it, and what came is counted', async (t) => {
    await card(page, 'first').hover()
    const before = await topOf(page, 'first')
    await post(rig, 'third')
    await post(rig, 'fourth')
    await page.locator('#held-back:not([hidden])', { hasText: '2 new labels' }).waitFor()
    t.equal(await topOf(page, 'first'), before)
    t.equal(await card(page, 'third').count(), 0)
    await page.locator('#held-back').click()
    await card(page, 'fourth').waitFor()
    t.ok((await topOf(page, 'first')) > before, 'it has moved now')
    t.ok(await page.locator('#held-back').isHidden())
  })

  await t.test('it goes on when the mouse leaves it, and when it rests', async (t) => {
    await card(page, 'first').hover()
    await post(rig, 'fifth')
    await page.locator('#held-back:not([hidden])').waitFor()
    await page.mouse.move(1, 1)
    await card(page, 'fifth').waitFor()
    await card(page, 'first').hover()
    await post(rig, 'sixth')
    await card(page, 'sixth').waitFor()
    t.pass('without another move of the mouse')
  })

  await t.test('a press on a row that has just moved presses nothing', async (t) => {
    await page.mouse.move(1, 1)
    const jobs = async () =>
      ((await (await fetch(`${rig.url}/jobs?limit=500`)).json()) as []).length
    // A finger gives no sign before it is there: it meets the row that has come under it.
    const press = (title: string) =>
      page.evaluate((title) => {
        type Found = {
          textContent: string
          querySelector(selector: string): { click(): void } | null
        }
        const found = (
          globalThis as unknown as { document: { querySelectorAll(s: string): Iterable<Found> } }
        ).document.querySelectorAll('.job')
        const button = [...found]
          .find((one) => one.textContent.includes(title))
          ?.querySelector('[data-action=reprint]')
        const scope = globalThis as unknown as {
          PointerEvent: new (type: string, init: object) => object
          MouseEvent: new (type: string, init: object) => object
        }
        const target = button as unknown as { dispatchEvent(event: object): boolean }
        target.dispatchEvent(
          new scope.PointerEvent('pointerdown', { bubbles: true, pointerType: 'touch' }),
        )
        target.dispatchEvent(
          new scope.MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }),
        )
      }, title)
    const before = await jobs()
    await page.evaluate(`new Promise((done) => {
      new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame(done)))
        .observe(document.querySelector('#jobs'), { childList: true })
      fetch('/', { method: 'POST', headers: { 'Content-Type': 'application/json', Prefer: 'wait=0' },
        body: ${JSON.stringify(JSON.stringify({ printer: 'Bench 1', title: 'seventh', label: 'XlhBXkZPOSw5XkZEc2V2ZW50aF5GU15YWg==' }))} })
    })`)
    await press('first')
    await page.locator('#notice', { hasText: 'so nothing was pressed' }).waitFor()
    t.equal(await jobs(), before + 1, 'only the one that came')
    await new Promise((resolve) => setTimeout(resolve, 400))
    await press('first')
    await page.locator('#notice', { hasText: 'on its way' }).waitFor()
    t.equal(await jobs(), before + 2)
  })
})

t.test('what was pressed can be taken back', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(rig.url)

  await t.test('Undo brings a canceled label back', async (t) => {
    await fetch(`${rig.url}/printers/Bench%201/pause`, { method: 'POST' })
    const label = Buffer.from('^XA^FO9,9^FDundone^FS^XZ').toString('base64')
    const headers = { 'Content-Type': 'application/json', Prefer: 'wait=0' }
    const body = JSON.stringify({ printer: 'Bench 1', title: 'undone', label })
    await fetch(rig.url, { method: 'POST', headers, body })
    await card(page, 'undone').locator('[data-action=cancel]').click()
    await page
      .locator('#notice', { hasText: 'undone is canceled.' })
      .locator('[data-action=undo]')
      .click()
    await page.locator('#waiting .job', { hasText: 'undone' }).waitFor()
    const jobs = (await (await fetch(`${rig.url}/jobs?title=undone`)).json()) as { state: string }[]
    t.same(jobs.map(({ state }) => state).sort(), ['canceled', 'pending'])
  })
})

t.test('a label of another language', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t, {
    printers: [
      { name: 'Bench 1', uri: 'file:bench-1', language: 'zpl', dpi: 203 },
      { name: 'Old Eltron', uri: 'file:eltron', language: 'epl', dpi: 203 },
    ],
  })
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(rig.url)
  const epl = Buffer.from('N\nA50,50,0,4,1,1,N,"Hello"\nP1\n')

  await t.test('is told before it prints, with the printer that speaks it', async (t) => {
    await choosePrinter(page, 'Bench 1')
    await page.setInputFiles('#files', { name: 'a.epl', mimeType: 'text/plain', buffer: epl })
    const warning = page.locator('.tray-item .alarm')
    await warning.getByText('The label is EPL, and Bench 1 prints ZPL.').waitFor()
    await page.getByRole('button', { name: 'Print on Old Eltron instead' }).click()
    await warning.waitFor({ state: 'hidden' })
    t.equal(await page.locator('#printer').inputValue(), 'Old Eltron')
  })

  await t.test('is not moved to a printer that cannot print it', async (t) => {
    await fetch(`${rig.url}/printers/Old%20Eltron/pause`, { method: 'POST' })
    const headers = { 'Content-Type': 'application/json', Prefer: 'wait=0' }
    const body = JSON.stringify({
      printer: 'Old Eltron',
      title: 'old',
      label: epl.toString('base64'),
    })
    const answer = await fetch(rig.url, { method: 'POST', headers, body })
    const { jobs } = (await answer.json()) as { jobs: { id: string }[] }
    await page.goto(`${rig.url}/#labels`)
    await card(page, 'old').locator('[data-action=elsewhere]').click()
    const choice = page.locator('#choose-dialog .choice', { hasText: 'Bench 1' })
    await choice.getByText('The label is EPL, and Bench 1 prints ZPL.').waitFor()
    t.ok(await choice.isDisabled())
    const moved = await fetch(`${rig.url}/jobs/${jobs[0]?.id}/reprint`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ printer: 'Bench 1', move: true }),
    })
    t.equal(moved.status, 409)
    t.match(await moved.json(), {
      code: 'PRINTER_LANGUAGE',
      Message: 'The label is EPL, and Bench 1 prints ZPL.',
    })
  })
})
