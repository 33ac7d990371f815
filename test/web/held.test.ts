import type { Locator, Page, Route } from 'playwright-core'
import t from 'tap'
import { TcpSink } from '../devices/tcp-sink.ts'
import { gives, Receiver } from '../plugins/source/receiver.ts'
import { choosePrinter, LIMIT_MS, openBench, print, ZPL } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const JUNK = 'AAAA!AAA'

const cardWith = (page: Page, text: string): Locator =>
  page.locator('.job', { hasText: text }).first()

const buttonsOf = (card: Locator): Promise<string[]> =>
  card.locator('.job-buttons button').allTextContents()

t.test('labels that cannot print as they are, in Chromium', { skip: skipReason }, async (t) => {
  const label = ZPL.toString('base64')
  const labels = [JUNK, { id: 'n', label, printer: 'Nope' }, { id: 'm', label, printer: 'Gone' }]
  const receiver = await Receiver.open(t, gives({ labels }), gives({}))
  const { rig, browser } = await openBench(t, {
    heart_beat_url: `${receiver.origin}/beat`,
    heart_beat_interval: 1,
  })

  await t.test(
    'a message that is not a label says so in plain words and can be canceled',
    async (t) => {
      await using tab = await openTab(browser, rig.url)
      const card = cardWith(tab.page, 'something through the heartbeat that is not a label')
      await card.locator('.state', { hasText: 'Cannot be printed' }).waitFor()
      t.match(await card.locator('.facts').first().textContent(), /^from the heartbeat/)
      t.match(
        await card.locator('.todo').textContent(),
        /^Nothing is lost: tell whoever sends labels/,
      )
      const details = card.locator('details p')
      t.equal(await details.isVisible(), false, 'the technical words are folded away')
      await card.locator('summary').click()
      await details.waitFor()
      t.match(await details.textContent(), /"!" at offset 4 is not base64/)
      t.notMatch(await card.getAttribute('aria-label'), /unknown/i)
      t.same(await buttonsOf(card), ['Cancel'])
      const id = (await card.getAttribute('id'))?.slice('job-'.length)
      const refused = await fetch(`${rig.url}/jobs/${id}/release`, { method: 'POST' })
      t.equal(refused.status, 409)
      t.match(await refused.json(), { code: 'JOB_STATE', Message: /not a label/ })
      await card.getByRole('button', { name: /^Cancel/ }).click()
      const gone = tab.page.locator(`#job-${id}`)
      await gone.locator('.state', { hasText: 'Canceled' }).waitFor()
      t.same(await buttonsOf(gone), [])
      t.same(tab.complaints, [])
    },
  )

  await t.test('a label for a printer that is not here goes to another one', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const card = cardWith(page, 'none here is named "Nope"')
    await card.locator('.state', { hasText: 'On hold' }).waitFor()
    t.same(await buttonsOf(card), ['Print on another printer…', 'Cancel'])
    const id = await card.getAttribute('id')
    await card.getByRole('button', { name: /^Print on another printer/ }).click()
    await page.locator('#choose-dialog .choice', { hasText: 'Bench 1' }).click()
    const fresh = page.locator('.history .job', { hasText: 'Bench 1' }).locator('.state').first()
    await fresh.filter({ hasText: 'Sent to the printer' }).waitFor()
    const old = page.locator(`#${id}`)
    await old.locator('.why', { hasText: 'Moved to Bench 1.' }).waitFor()
    t.match(await old.locator('.state').textContent(), 'Canceled')
    t.same(await buttonsOf(old), ['Other printer…'])
    t.same(tab.complaints, [])
  })

  await t.test('once its printer is there, a label can be released', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const found = cardWith(tab.page, 'none here is named "Gone"')
    await found.getByRole('button', { name: /^Print on another printer/ }).waitFor()
    const card = tab.page.locator(`#${await found.getAttribute('id')}`)
    const body = JSON.stringify({ name: 'Gone', uri: 'file:gone', language: 'zpl' })
    const headers = { 'content-type': 'application/json' }
    const added = await fetch(`${rig.url}/printers`, { method: 'POST', headers, body })
    t.equal(added.status, 201)
    await card.getByRole('button', { name: /^Release and print/ }).click()
    await card.locator('.state', { hasText: 'Sent to the printer' }).waitFor()
  })

  await t.test('a label that waits for a printer that is off goes to another one', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const card = await print(page, 'Switched off', ZPL, 'Waiting for the printer')
    t.same(await buttonsOf(card), ['Other printer…', 'Cancel'])
    await card.getByRole('button', { name: /^Other printer/ }).click()
    const choices = page.locator('#choose-dialog .choice')
    await choices.first().waitFor()
    t.equal(await choices.filter({ hasText: 'Switched off' }).count(), 0, 'not its own')
    await choices.filter({ hasText: 'Bench 1' }).click()
    await card.locator('.state', { hasText: 'Canceled' }).waitFor()
    t.match(await card.locator('.why').textContent(), 'Moved to Bench 1.')
  })

  await t.test(
    'a paired box that answers late is for the label that it was asked for',
    async (t) => {
      const headers = { 'content-type': 'application/json', prefer: 'wait=0' }
      for (const title of ['Stays here', 'Goes away']) {
        const body = JSON.stringify({ label, title, printer: 'Switched off' })
        await fetch(rig.url, { method: 'POST', headers, body })
      }
      await using tab = await openTab(browser, rig.url)
      const { page } = tab
      const idOf = async (title: string) =>
        (await cardWith(page, title).getAttribute('id'))?.slice('job-'.length)
      await cardWith(page, 'Stays here').waitFor()
      // As the server answers that has another one beside it.
      const far = { name: 'Far bench', state: 'idle', message: '' }
      const peer = { id: 'far', name: 'Far box', message: '', hint: '', printers: [far] }
      const waiting: Route[] = []
      let hasCome = Promise.withResolvers<void>()
      await page.route('**/peers', (route) => {
        waiting.push(route)
        hasCome.resolve()
      })
      const choose = async (title: string) => {
        hasCome = Promise.withResolvers()
        await cardWith(page, title)
          .getByRole('button', { name: /^Other printer/ })
          .click()
        await hasCome.promise
      }
      await choose('Stays here')
      await page.keyboard.press('Escape')
      await page.locator('#choose-dialog').waitFor({ state: 'hidden' })
      await choose('Goes away')
      for (const route of waiting) {
        const heard = page.waitForResponse('**/peers')
        await route.fulfill({ json: { name: 'Here', possible: true, peers: [peer] } })
        await heard
      }
      const { promise: moved, resolve } = Promise.withResolvers<string>()
      await page.route('**/reprint', async (route) => {
        resolve(route.request().url())
        await route.abort()
      })
      const choices = page.locator('#choose-dialog .choice', { hasText: 'Far bench' })
      await choices.first().click()
      t.match(await moved, `/jobs/${await idOf('Goes away')}/reprint`)
      for (const title of ['Stays here', 'Goes away']) {
        await fetch(`${rig.url}/jobs/${await idOf(title)}/cancel`, { method: 'POST' })
      }
    },
  )

  await t.test('a label that opens late does not take the place of the next one', async (t) => {
    const headers = { 'content-type': 'application/json' }
    for (const title of ['Seen late', 'Seen next']) {
      const body = JSON.stringify({ label, title, printer: 'Bench 1' })
      await fetch(rig.url, { method: 'POST', headers, body })
    }
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const first = Promise.withResolvers<Route>()
    await page.route('**/label', first.resolve, { times: 1 })
    await cardWith(page, 'Seen late').locator('.thumb').click()
    const late = await first.promise
    await cardWith(page, 'Seen next').locator('.thumb').click()
    const dialog = page.locator('#label-dialog')
    await dialog.locator('pre').waitFor()
    const heard = page.waitForResponse('**/label')
    await late.continue()
    await (await heard).finished()
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))')
    t.equal(await dialog.locator('h2').textContent(), 'Seen next')
    t.same(tab.complaints, [])
  })

  await t.test('a label that prints while its new printer is chosen prints once', async (t) => {
    const sink = await TcpSink.openFor(t)
    await sink.down()
    const body = JSON.stringify({ name: 'Comes on', uri: sink.uri, language: 'zpl' })
    const headers = { 'content-type': 'application/json' }
    const added = await fetch(`${rig.url}/printers`, { method: 'POST', headers, body })
    t.equal(added.status, 201)
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const card = await print(page, 'Comes on', ZPL, 'Waiting for the printer')
    await card.getByRole('button', { name: /^Other printer/ }).click()
    const choice = page.locator('#choose-dialog')
    await choice.locator('.choice', { hasText: 'Bench 1' }).waitFor()
    await sink.up()
    await choice.waitFor({ state: 'hidden' })
    await card.locator('.state', { hasText: 'Sent to the printer' }).waitFor()
    t.match(
      await page.locator('#notice').textContent(),
      /^The label (is being|has been) printed on/,
    )
    const id = (await card.getAttribute('id'))?.slice('job-'.length)
    const move = JSON.stringify({ printer: 'Bench 1', move: true })
    const late = await fetch(`${rig.url}/jobs/${id}/reprint`, {
      method: 'POST',
      headers,
      body: move,
    })
    t.equal(late.status, 409)
    const jobs = (await (await fetch(`${rig.url}/jobs`)).json()) as { reprint_of: string }[]
    t.equal(jobs.filter((job) => job.reprint_of === id).length, 0)
    t.same(tab.complaints, [])
  })

  await t.test('two who press the same button at the same time get one copy', async (t) => {
    await using one = await openTab(browser, rig.url)
    await using two = await openTab(browser, rig.url)
    const card = await print(one.page, 'Bench 1', ZPL, 'Sent to the printer')
    const id = await card.getAttribute('id')
    const other = two.page.locator(`#${id}`)
    await other.locator('.state', { hasText: 'Sent to the printer' }).waitFor()
    // Held back until both have pressed: none of the two could know of the other's copy.
    const press = async ({ page }: { readonly page: Page }): Promise<Route> => {
      const { promise, resolve } = Promise.withResolvers<Route>()
      await page.route('**/reprint', resolve)
      await page
        .locator(`#${id}`)
        .getByRole('button', { name: /^Reprint/ })
        .click()
      return await promise
    }
    const presses = [await press(one), await press(two)]
    await Promise.all(presses.map((route) => route.continue()))
    const told = /^The label was printed again on Bench 1 just before\./
    await Promise.any(
      [one, two].map(({ page }) => page.locator('#notice', { hasText: told }).waitFor()),
    )
    const jobs = (await (await fetch(`${rig.url}/jobs`)).json()) as { reprint_of: string }[]
    t.equal(jobs.filter((job) => `job-${job.reprint_of}` === id).length, 1)
  })

  await t.test('a file that is not a label is not taken, in plain words first', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Bench 1')
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear all') }
    await page.setInputFiles('#files', file)
    await page.locator('.tray-outcome .state', { hasText: 'Cannot be printed' }).waitFor()
    t.equal(await page.locator('#print').isDisabled(), true, 'said at the drop')
    const said = (await page.locator('.tray-outcome > p').allTextContents()).join(' ')
    t.match(said, /This is not a label that can be printed here\..*Send one of these formats: ZPL/s)
    t.notMatch(said, /base64|bytes begin/)
  })
})
