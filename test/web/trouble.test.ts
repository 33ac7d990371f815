import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { findOffUri } from '../http/rig.ts'
import { focused, LIMIT_MS, LONG, openBench, tabTo, ZPL } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const LABEL = ZPL.toString('base64')

interface Told {
  readonly id: string
  readonly created: string
}

async function post(url: string, path: string, body: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', Prefer: 'wait=1' }
  return await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Six printers: two that print, three that break off in mid-label, and one that is off. */
async function listPrinters(t: Test): Promise<object[]> {
  const lossy = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  lossy.listen(0, '0.0.0.0')
  await once(lossy, 'listening')
  t.teardown(() => lossy.close())
  const { port } = lossy.address() as AddressInfo
  const uris = {
    'Bench 1': 'file:bench-1',
    'Bench 2': 'file:bench-2',
    'Bench 3': `socket://127.0.0.1:${port}`,
    'Bench 4': `socket://localhost:${port}`,
    'Bench 5': `socket://127.0.0.2:${port}`,
    'Switched off': await findOffUri(),
  }
  return Object.entries(uris).map(([name, uri]) => ({ name, uri, language: 'zpl', dpi: 203 }))
}

/** 300 labels, three of them held: at the places 150, 200 and 290 from the newest. */
async function fill(url: string): Promise<void> {
  let turn = 0
  for (const [count, title, bench] of [
    [10, 'Held first', 'Bench 3'],
    [89, 'Held second', 'Bench 4'],
    [49, 'Held third', 'Bench 5'],
    [149, undefined, undefined],
  ] as const) {
    for (let sent = 0; sent < count; sent += 50) {
      const printer = `Bench ${(turn++ % 2) + 1}`
      const copies = Math.min(50, count - sent)
      await post(url, '/', { label: LABEL, printer, copies, idempotency_key: `${turn}` })
    }
    if (title === undefined) continue
    await post(url, '/', { label: LONG.toString('base64'), title, printer: bench })
    await untilHeld(url, title)
  }
}

async function untilHeld(url: string, title: string): Promise<void> {
  const query = new URLSearchParams({ title, state: 'pending-held' })
  while (((await (await fetch(`${url}/jobs?${query}`)).json()) as unknown[]).length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The names of the labels that need a person, in their order on the page. */
async function held(page: Page): Promise<string[]> {
  await page.locator('#waiting .job.needs-person').nth(2).waitFor()
  await page.locator('.history .job').nth(30).waitFor()
  return await page.evaluate(
    "[...document.querySelectorAll('.job.needs-person .job-name')].map((name) => name.textContent)",
  )
}

const ALL = ['Held first', 'Held second', 'Held third']

t.test('trouble comes first, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t, { printers: await listPrinters(t) })
  await fill(rig.url)

  await t.test('three of 300 labels are on top, wherever and whenever one looks', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    t.same(await held(page), ALL)
    t.equal(await page.title(), '(3) Label printer')
    await page.reload()
    t.same(await held(page), ALL, 'after a reload')
    const above = `document.querySelector('#waiting').getBoundingClientRect().bottom <=
      document.querySelector('#jobs').getBoundingClientRect().top`
    t.equal(await page.evaluate(above), true, 'above the history')
    await using other = await openTab(browser, rig.url)
    t.same(await held(other.page), ALL, 'in another browser')
    await rig.stop()
    await rig.start()
    await using later = await openTab(browser, rig.url)
    t.same(await held(later.page), ALL, 'after a restart of the server')
    const seen = new Set<unknown>()
    for (let press = 0; press < 3; press++) {
      await later.page.locator('#attention', { hasText: '3 labels need you' }).click()
      seen.add(await later.page.evaluate('document.activeElement.id'))
    }
    t.equal(seen.size, 3, 'the counter goes through them one by one')
    t.same(later.complaints, [])
  })

  await t.test('all that waits for a printer that is off goes to another at once', async (t) => {
    for (const title of ['Order 1', 'Order 2', 'Order 3']) {
      await post(rig.url, '/', { label: LABEL, title, printer: 'Switched off', expire_after: 9999 })
    }
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const group = page.locator('.group', { hasText: 'Switched off is off: 3 labels wait' })
    await group.getByRole('button', { name: /^Move all to/ }).click()
    await page.locator('#move-all-dialog .choice', { hasText: 'Bench 1' }).click()
    await group.waitFor({ state: 'detached' })
    await page.locator('.history .job', { hasText: 'Order 3' }).first().waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('a printer is paused, its labels wait, and it goes on', async (t) => {
    await post(rig.url, `/printers/${encodeURIComponent('Bench 1')}/pause`, {})
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const body = { label: LABEL, title: 'In a pause', printer: 'Bench 1', idempotency_key: 'p' }
    await fetch(rig.url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', Prefer: 'wait=0' },
    })
    const group = page.locator('.group', { hasText: 'In a pause' })
    await group.locator('h2', { hasText: 'Paused' }).waitFor()
    await group.getByRole('button', { name: /^Resume/ }).click()
    await page.locator('.history .job', { hasText: 'In a pause' }).waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('labels are found by name, printer and state', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await page.locator('.history .job').first().waitFor()
    await page.locator('#find').fill('order 2')
    await page.locator('.history .job:visible', { hasText: 'Order 2' }).first().waitFor()
    t.equal(await page.locator('.history .job:visible', { hasNotText: 'Order 2' }).count(), 0)
    await page.locator('#find').fill('')
    await page.locator('.chip', { hasText: 'Bench 4' }).click()
    await page.locator('#waiting .group:visible').first().waitFor()
    t.equal(await page.locator('#waiting .group:visible').count(), 1)
    t.equal(await page.locator('#printer').inputValue(), 'Bench 4', 'and it prints there')
    await page.locator('#find-state').selectOption('printed')
    await page.locator('#jobs-empty', { hasText: 'No label fits' }).waitFor()
    await page.getByRole('button', { name: 'Show all labels' }).click()
    await page.locator('.history .job:visible').first().waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('a day is looked for, and ended labels are rows with a menu', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await page.locator('.history .job').first().waitFor()
    const today = await page.evaluate<string>("new Date().toLocaleDateString('sv')")
    await page.locator('#find-day').fill('2020-02-03')
    await page.locator('#jobs-empty', { hasText: 'No label fits' }).waitFor()
    await page.locator('#find-day').fill(today)
    await page.locator('.history .job:visible').first().waitFor()
    const row = page.locator('.history .job:visible', { hasText: 'Order 3' }).first()
    t.ok(((await row.boundingBox())?.height ?? 999) < 80, 'one line')
    t.same(await row.locator('.job-buttons button').allTextContents(), ['Reprint'])
    t.match(await row.locator('time').getAttribute('datetime'), today.slice(0, 7))
    t.same(tab.complaints, [])
  })

  await t.test('the keyboard alone filters, opens a menu, and moves and cancels all', async (t) => {
    for (const title of ['Key 1', 'Key 2']) {
      await post(rig.url, '/', { label: LABEL, title, printer: 'Switched off', expire_after: 9999 })
    }
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await page.locator('.group', { hasText: 'Switched off is off: 2 labels wait' }).waitFor()
    await page.locator('.history .job').first().waitFor()
    t.ok(await tabTo(page, '.chip[data-printer="Switched off"]'))
    await page.keyboard.press('Enter')
    await page.locator('.chip[data-printer="Switched off"][aria-pressed=true]').waitFor()
    t.equal(
      await focused(page, 'dataset.printer', 'Switched off'),
      'Switched off',
      'it stays there',
    )
    t.ok(await tabTo(page, '[data-action=move-all]'))
    await page.keyboard.press('Enter')
    await page.locator('#move-all-dialog[open]').waitFor()
    await page.keyboard.press('Escape')
    t.equal(await focused(page, 'dataset.action', 'move-all'), 'move-all', 'Esc leads back')
    await page.keyboard.press('Enter')
    t.ok(await tabTo(page, '#move-all-dialog .choice'))
    await page.keyboard.press('Enter')
    await page.locator('.group', { hasText: 'Switched off is off' }).waitFor({ state: 'detached' })
    await page.evaluate('document.querySelector(\'.chip[data-printer=""]\').focus()')
    await page.keyboard.press('Enter')
    await page.locator('.history .job:visible', { hasText: 'Key 2' }).first().waitFor()
    t.ok(await tabTo(page, '.history .menu summary'))
    await page.keyboard.press('Enter')
    t.ok(await tabTo(page, '.menu[open] [data-action=elsewhere]'))
    await page.keyboard.press('Escape')
    t.equal(await focused(page, 'tagName', 'SUMMARY'), 'SUMMARY', 'the menu is closed')
    t.equal(await page.locator('.menu[open]').count(), 0)
    t.same(tab.complaints, [])
  })

  await t.test(
    'of more labels than the page holds it says how many, and none is lost',
    async (t) => {
      for (let sent = 0; sent < 1_300; sent += 100) {
        const body = { label: LABEL, title: `Flood ${sent}`, printer: 'Switched off', copies: 100 }
        await fetch(rig.url, {
          method: 'POST',
          body: JSON.stringify({ ...body, idempotency_key: `flood ${sent}` }),
          headers: { 'Content-Type': 'application/json', Prefer: 'wait=0' },
        })
      }
      await using tab = await openTab(browser, rig.url)
      const { page } = tab
      const group = page.locator('.group', { hasText: 'Switched off is off: 1300 labels wait' })
      await group.waitFor()
      t.equal(
        await page.locator('#waiting .job', { hasText: 'Held' }).count(),
        3,
        'held ones first',
      )
      await page.locator('.chip', { hasText: 'Switched off' }).getByText('1300 wait').waitFor()
      await group.getByRole('button', { name: /^Show \d+ more/ }).click()
      const more = group.getByRole('button', { name: /^[\d,]+ of 1,300 shown/ })
      const flood = (n: number) => group.locator('.job', { hasText: `Flood ${n}` })
      await flood(100).nth(99).waitFor({ state: 'attached' })
      t.equal(await flood(1_100).count(), 0, 'those that print next')
      const before = await group.locator('.job').count()
      await more.click()
      await group
        .locator('.job')
        .nth(before + 150)
        .waitFor({ state: 'attached' })
      await post(rig.url, '/jobs/cancel', { printer: 'Switched off' })
      t.same(tab.complaints, [])
    },
  )

  await t.test(
    'the keyboard alone pauses, cancels all, and says that a label came out',
    async (t) => {
      for (const title of ['Gone 1', 'Gone 2']) {
        await post(rig.url, '/', {
          label: LABEL,
          title,
          printer: 'Switched off',
          expire_after: 9999,
        })
      }
      await using tab = await openTab(browser, rig.url)
      const { page } = tab
      await page.locator('.group', { hasText: 'Switched off is off: 2 labels wait' }).waitFor()
      t.ok(await tabTo(page, '[data-action=pause][aria-label$="Switched off"]'))
      await page.keyboard.press('Enter')
      t.equal(
        await focused(page, 'dataset.action', 'resume'),
        'resume',
        'on the button in its place',
      )
      await page.keyboard.press('Enter')
      t.equal(await focused(page, 'dataset.action', 'pause'), 'pause')
      t.ok(await tabTo(page, '[data-action=cancel-all]'))
      await page.keyboard.press('Enter')
      await page.locator('#cancel-all-dialog[open]').waitFor()
      await page.keyboard.press('Escape')
      t.equal(await focused(page, 'dataset.action', 'cancel-all'), 'cancel-all', 'Esc leads back')
      await page.keyboard.press('Enter')
      t.ok(await tabTo(page, '#cancel-all-dialog .danger'))
      await page.keyboard.press('Enter')
      await page.locator('#notice', { hasText: '2 labels are canceled' }).waitFor()
      await page.reload()
      await page.locator('#attention').waitFor()
      t.ok(await tabTo(page, '#attention'))
      await page.keyboard.press('Enter')
      t.ok(await tabTo(page, '#waiting [data-action=printed]'))
      const id = await page.evaluate<string>("document.activeElement.closest('.job').id")
      await page.keyboard.press('Enter')
      await page.locator(`#waiting #${id}`).waitFor({ state: 'detached' })
      const job = (await (
        await fetch(`${rig.url}/jobs/${id.slice('job-'.length)}`)
      ).json()) as object
      t.match(job, { state: 'completed', reasons: ['platen-resolved-by-person'] })
      t.same(tab.complaints, [])
    },
  )

  await t.test('what a person asks for is shown behind 1,000 newer labels too', async (t) => {
    await post(rig.url, '/', { label: LABEL, title: 'Needle', printer: 'Bench 1' })
    for (let sent = 0; sent < 1_200; sent += 100) {
      const body = { label: LABEL, title: 'Hay', printer: 'Switched off', copies: 100 }
      await fetch(rig.url, {
        method: 'POST',
        body: JSON.stringify({ ...body, idempotency_key: `hay ${sent}` }),
        headers: { 'Content-Type': 'application/json', Prefer: 'wait=0' },
      })
    }
    await post(rig.url, '/jobs/cancel', { printer: 'Switched off' })
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const all = page.locator('.history .job')
    await all.first().waitFor()
    // As a page that has been open for a busy day.
    await page.locator('#find-day').fill(await page.evaluate("new Date().toLocaleDateString('sv')"))
    await all.nth(999).waitFor({ state: 'attached' })
    t.ok((await all.count()) < 1_200, 'the newest of the day')
    await page.locator('#older').click()
    await all.nth(1_199).waitFor({ state: 'attached' })
    await page.locator('#find-day').fill('')
    await page.locator('#find').fill('Needle')
    await page.locator('.history .job:visible', { hasText: 'Needle' }).waitFor()
    await page.locator('#find').fill('')
    const count = await all.count()
    await page.locator('#older').click()
    await all.nth(count + 20).waitFor({ state: 'attached' })
    // That label and those before it, as if they were of yesterday.
    await using fresh = await openTab(browser, rig.url)
    await fresh.page.locator('.history .job').first().waitFor()
    const numberOf = (id: string) => Number(id.split('-')[1])
    const [needle] = (await (await fetch(`${rig.url}/jobs?title=Needle`)).json()) as Told[]
    await fresh.page.route('**/jobs?*', async (route) => {
      const response = await route.fetch()
      const jobs = (await response.json()) as Told[]
      const json = jobs.map(({ created, ...job }) => {
        const isOld = numberOf(job.id) <= numberOf(needle?.id ?? '')
        const at = Date.parse(created) - (isOld ? 86_400_000 : 0)
        return { ...job, created: new Date(at).toISOString() }
      })
      await route.fulfill({ response, json })
    })
    const yesterday = "new Date(Date.now() - 86_400_000).toLocaleDateString('sv')"
    await fresh.page.locator('#find-day').fill(await fresh.page.evaluate(yesterday))
    await fresh.page.locator('.history .job:visible', { hasText: 'Needle' }).waitFor()
    t.same([...tab.complaints, ...fresh.complaints], [])
  })
})
