import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, createServer as listenRaw } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { poll } from '../until.ts'
import {
  choosePrinter,
  drawLabel,
  drop,
  focused,
  LIMIT_MS,
  LONG,
  newCard,
  openBench,
  print,
  printTest,
  tabTo,
  ZPL,
} from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

/** A printer that takes short commands, and breaks off in each long label. */
async function addBreaksOff(t: Test, url: string): Promise<void> {
  const printer = listenRaw((socket) => {
    let bytes = 0
    socket.on('error', () => undefined)
    socket.on('data', ({ length }) => {
      bytes += length
      if (bytes > 10_000) socket.resetAndDestroy()
    })
  }).listen(0, '127.0.0.1')
  t.teardown(() => printer.close())
  await once(printer, 'listening')
  const uri = `socket://127.0.0.1:${(printer.address() as AddressInfo).port}`
  const headers = { 'content-type': 'application/json' }
  const entry = JSON.stringify({ name: 'Breaks off', uri, language: 'zpl' })
  await fetch(`${url}/printers`, { method: 'POST', headers, body: entry })
}

t.test('the labels on the page, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)
  const picture = await drawLabel(browser)

  await t.test('a dropped picture is shown before, and after as it was printed', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Bench 1')
    await drop(page, 'label.png', 'image/png', picture)
    const before = page.getByAltText('label.png, as it was sent')
    await before.waitFor()
    t.match(await before.getAttribute('src'), /^blob:/)
    const click = () => page.getByRole('button', { name: 'Print on Bench 1' }).click()
    const card = await newCard(page, click, 'Sent to the printer')
    const after = page.getByAltText('label.png, as it was printed')
    await after.waitFor()
    await card.locator('.thumb img').waitFor()
    await card.locator('.thumb').click()
    await page.locator('#label-dialog img').waitFor()
    const width = await page.evaluate<number>(`(async () => {
      const large = document.querySelector('#label-dialog img')
      await large.decode()
      return large.naturalWidth
    })()`)
    t.ok(width > 400, `${width} dots wide`)
    t.same(tab.complaints, [])
    t.same(tab.strays, [])
  })

  await t.test('the test label prints, and its picture is on the page', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const card = await printTest(tab.page)
    t.match(await card.locator('.job-name').textContent(), /Test label/)
    await card.locator('.thumb img').waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('the keyboard alone prints, opens a label and comes back to it', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Bench 1')
    // From now on, so that it is in place long before it is needed.
    const choosing = page.waitForEvent('filechooser')
    t.ok(await tabTo(page, '#test'))
    const outline = 'getComputedStyle(document.activeElement).outlineStyle'
    t.equal(await page.evaluate(outline), 'solid', 'the focus is visible')
    await newCard(page, () => page.keyboard.press('Enter'), 'Sent to the printer')
    t.ok(await tabTo(page, '#files'))
    await page.keyboard.press('Enter')
    const chooser = await choosing
    await chooser.setFiles({ name: 'k.zpl', mimeType: 'text/plain', buffer: ZPL })
    await page.locator('.tray-item').waitFor()
    t.ok(await tabTo(page, '#print'))
    await page.keyboard.press('Enter')
    await page.locator('.tray-outcome .state', { hasText: 'Sent to the printer' }).waitFor()
    t.equal(await focused(page, 'id', 'files'), 'files', 'ready for the next label')
    t.ok(await tabTo(page, '.job .thumb'))
    const label = 'getAttribute("aria-label")'
    const opened = await page.evaluate(`document.activeElement.${label}`)
    await page.keyboard.press('Enter')
    await page.locator('#label-dialog[open]').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#label-dialog').waitFor({ state: 'hidden' })
    t.equal(await focused(page, label, opened), opened)
    t.same(tab.complaints, [])
  })

  await t.test('what a label says is shown as text and never as HTML', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const card = await print(page, '<b>Bold & "quoted"</b>', ZPL, 'Sent to the printer')
    t.match(await card.locator('.facts').textContent(), '<b>Bold & "quoted"</b>')
    await card.locator('.thumb').click()
    const lines = page.locator('#label-dialog pre')
    await lines.waitFor()
    t.match(await lines.textContent(), '^FD<i>Hello</i>^FS')
    t.equal(await page.locator('#label-dialog i, .job b').count(), 0)
  })

  await t.test(
    'a label for a printer that is off waits, says why, and can be canceled',
    async (t) => {
      await using tab = await openTab(browser, rig.url)
      const card = await print(tab.page, 'Switched off', ZPL, 'Waiting for the printer')
      t.match(await card.locator('.todo').textContent(), /cable/)
      await tab.page.locator('#printer-state .state', { hasText: 'Not connected' }).waitFor()
      await card.getByRole('button', { name: /^Cancel/ }).click()
      await card.locator('.state', { hasText: 'Canceled' }).waitFor()
      t.equal(await card.locator('.todo').count(), 0)
      t.same(tab.complaints, [])
    },
  )

  await t.test(
    'a label cut off in the middle asks, and the word of a person ends it',
    async (t) => {
      await using tab = await openTab(browser, rig.url)
      const { page } = tab
      const card = await print(page, 'Loose cable', LONG, 'Did it come out?')
      await page.locator('#attention', { hasText: '1 label needs you' }).click()
      t.match(await page.evaluate('document.activeElement.className'), /needs-person/)
      t.equal(await card.getByRole('button', { name: /^Print again/ }).count(), 1)
      await card.getByRole('button', { name: /^It came out/ }).click()
      await card.locator('.state', { hasText: 'Printed' }).waitFor()
      t.equal(await page.locator('#attention').isVisible(), false)
      t.same(tab.complaints, [])
    },
  )

  await t.test('a press whose answer comes behind the events hides nothing', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await addBreaksOff(t, rig.url)
    await page.locator('#printer option', { hasText: 'Breaks off' }).waitFor({ state: 'attached' })
    const card = await print(page, 'Breaks off', LONG, 'Did it come out?')
    const id = (await card.getAttribute('id'))?.slice('job-'.length)
    const read = async () =>
      (await (await fetch(`${rig.url}/jobs/${id}`)).json()) as { attempts: number; state: string }
    const { attempts } = await read()
    await page.route('**/resolve', async (route) => {
      const response = await route.fetch()
      await poll('the second attempt', async () => {
        const job = await read()
        return job.attempts > attempts && job.state === 'pending-held'
      })
      await sleep(500)
      await route.fulfill({ response })
    })
    const answered = page.waitForResponse('**/resolve')
    await card.getByRole('button', { name: /^Print again/ }).click()
    await (await answered).finished()
    await sleep(500)
    await card.locator('.state', { hasText: 'Did it come out?' }).waitFor({ timeout: 1_000 })
    await fetch(`${rig.url}/jobs/${id}/cancel`, { method: 'POST' })
    await fetch(`${rig.url}/printers/Breaks%20off`, { method: 'DELETE' })
    t.same(tab.complaints, [])
  })

  await t.test('an answer in the large is for the attempt that was seen there', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await addBreaksOff(t, rig.url)
    const headers = { 'content-type': 'application/json' }
    await page.locator('#printer option', { hasText: 'Breaks off' }).waitFor({ state: 'attached' })
    const card = await print(page, 'Breaks off', LONG, 'Did it come out?')
    const id = (await card.getAttribute('id'))?.slice('job-'.length)
    const read = async () =>
      (await (await fetch(`${rig.url}/jobs/${id}`)).json()) as { attempts: number; state: string }
    const { attempts } = await read()
    await card.locator('.thumb').click()
    const dialog = page.locator('#label-dialog')
    await dialog.getByRole('button', { name: 'It came out' }).waitFor()
    // Somebody else has it printed again, and it is cut off again.
    const body = JSON.stringify({ printed: false })
    await fetch(`${rig.url}/jobs/${id}/resolve`, { method: 'POST', headers, body })
    await poll('the second attempt', async () => {
      const job = await read()
      return job.attempts > attempts && job.state === 'pending-held'
    })
    const known = page.waitForResponse(/\/jobs\?.*state=not-completed/)
    await page.evaluate("dispatchEvent(new Event('online'))")
    await (await known).finished()
    await sleep(500)
    await dialog.getByRole('button', { name: 'It came out' }).click()
    await page.locator('#notice .tone-bad').waitFor()
    t.equal((await read()).state, 'pending-held')
    await fetch(`${rig.url}/jobs/${id}/cancel`, { method: 'POST' })
    t.same(tab.complaints, [])
  })

  await t.test('a printed label prints again, on another printer too', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const card = await print(page, 'Bench 1', ZPL, 'Sent to the printer')
    await card.locator('.menu summary').click()
    await card.getByRole('button', { name: /^Other printer/ }).click()
    const choose = () => page.locator('#choose-dialog button', { hasText: 'Bold' }).click()
    const again = await newCard(page, choose, 'Sent to the printer')
    t.match(await again.locator('.facts').textContent(), /Bold.*printed again/)
  })

  await t.test(
    'of several files the one that is not a label is refused, the others print',
    async (t) => {
      await using tab = await openTab(browser, rig.url)
      const { page } = tab
      await choosePrinter(page, 'Bench 1')
      await page.setInputFiles('#files', [
        { name: 'invoice.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') },
        { name: 'order.zpl', mimeType: 'text/plain', buffer: ZPL },
      ])
      const click = () => page.getByRole('button', { name: 'Print 2 labels on Bench 1' }).click()
      await newCard(page, click, 'Sent to the printer')
      const refused = page.locator('.tray-item', { hasText: 'invoice.pdf' })
      await refused.locator('.state', { hasText: 'Not accepted' }).waitFor()
      t.match(await refused.locator('details').textContent(), /PDF/)
      t.not(await refused.locator('.todo').textContent(), '')
    },
  )

  await t.test('a label that is pasted as text can be printed', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Bench 1')
    // Its first lines stand there until it is drawn.
    const known = Promise.withResolvers<void>()
    await page.route('**/labels/check', async (route) => {
      await known.promise
      await route.continue()
    })
    await page.locator('#to-sources').click()
    await page.locator('#view-sources h2').first().waitFor()
    await page.evaluate(`{
      const data = new DataTransfer()
      data.setData('text/plain', ${JSON.stringify(ZPL.toString())})
      const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true })
      document.body.dispatchEvent(paste)
    }`)
    t.match(await page.locator('.tray-picture pre').textContent(), '^FD<i>Hello</i>^FS')
    known.resolve()
    await newCard(page, () => page.locator('#print').click(), 'Sent to the printer')
  })

  await t.test('a file that comes while others are sent waits for its own press', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Bench 1')
    await drop(page, 'first.zpl', 'text/plain', ZPL)
    const asked = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    let sent = 0
    await page.route(`${rig.url}/`, async (route) => {
      if (route.request().method() === 'POST') sent += 1
      asked.resolve()
      await goOn.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Print on Bench 1' }).click()
    await asked.promise
    await choosePrinter(page, 'Switched off')
    await drop(page, 'second.zpl', 'text/plain', ZPL)
    await page.getByText('second.zpl').waitFor()
    goOn.resolve()
    await page.locator('.tray-item', { hasText: 'first.zpl' }).locator('.state').waitFor()
    t.ok(await page.getByRole('button', { name: 'Print on Switched off' }).isEnabled())
    const second = page.locator('.tray-item', { hasText: 'second.zpl' })
    t.equal(await second.locator('.tray-outcome').textContent(), '')
    t.equal(sent, 1)
    t.same(tab.complaints, [])
  })

  await t.test('a label whose answer was lost prints once, whatever was tried since', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Bench 1')
    const label = Buffer.from(`^XA^FX${'.'.repeat(777)}^FS^FO50,50^FDLost^FS^XZ`)
    await drop(page, 'lost.zpl', 'text/plain', label)
    let isThere = true
    await page.route(`${rig.url}/`, async (route) => {
      if (route.request().method() !== 'POST') return await route.continue()
      if (isThere) await route.fetch()
      await route.abort()
    })
    const refused = page.locator('.tray-item .state', { hasText: 'Not accepted' })
    const press = async (printer: string) => {
      await choosePrinter(page, printer)
      await page.getByRole('button', { name: `Print on ${printer}` }).click()
    }
    await press('Bench 1')
    await refused.waitFor()
    isThere = false
    await press('Switched off')
    await page.locator('.tray-item', { hasText: 'Sending' }).waitFor({ state: 'hidden' })
    await refused.waitFor()
    await page.unroute(`${rig.url}/`)
    await press('Bench 1')
    await page.locator('.tray-item .state', { hasText: 'Sent to the printer' }).waitFor()
    const jobs = (await (await fetch(`${rig.url}/jobs?limit=200`)).json()) as { bytes: number }[]
    t.equal(jobs.filter(({ bytes }) => bytes === label.length).length, 1)
  })

  await t.test('a label whose answer broke off can be sent again, and prints once', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Bench 1')
    const label = Buffer.from(`^XA^FX${'.'.repeat(779)}^FS^FO50,50^FDCut^FS^XZ`)
    await drop(page, 'cut.zpl', 'text/plain', label)
    await page.route(`${rig.url}/`, async (route) => {
      if (route.request().method() !== 'POST') return await route.continue()
      const answer = (await (await route.fetch()).body()).subarray(0, 50)
      await route.fulfill({ status: 202, contentType: 'application/json', body: answer })
    })
    await page.locator('#print').click()
    await page.locator('.tray-item .state', { hasText: 'Not accepted' }).waitFor()
    await page.unroute(`${rig.url}/`)
    await page.locator('#print').click()
    await page.locator('.tray-item .state', { hasText: 'Sent to the printer' }).waitFor()
    const jobs = (await (await fetch(`${rig.url}/jobs?limit=200`)).json()) as { bytes: number }[]
    t.equal(jobs.filter(({ bytes }) => bytes === label.length).length, 1)
    t.same(tab.complaints, [])
  })

  await t.test('the printer that was chosen is remembered', async (t) => {
    await using tab = await openTab(browser, rig.url)
    await choosePrinter(tab.page, 'Switched off')
    await tab.page.reload()
    await tab.page.locator('#printer:not([disabled])').waitFor()
    t.equal(await tab.page.locator('#printer').inputValue(), 'Switched off')
  })

  await t.test('a form on a foreign page gets a page that follows its labels', async (t) => {
    await using tab = await openTab(browser, 'about:blank')
    const { page } = tab
    await page.setContent(`<form method="post" action="${rig.url}/">
      <input name="label" value="${ZPL.toString('base64')}">
      <input name="printer" value="Bench 1"><button>Print</button></form>`)
    await page.locator('button').click()
    await page.locator('.answer .state', { hasText: 'Sent to the printer' }).waitFor()
    await page.locator('h1', { hasText: 'Done' }).waitFor()
    t.equal(page.url(), `${rig.url}/`)
    t.same(tab.complaints, [])
  })

  await t.test('what a label needs is decided on the page that answers a form', async (t) => {
    await using tab = await openTab(browser, 'about:blank')
    const { page } = tab
    await page.setContent(`<form method="post" action="${rig.url}/">
      <input name="label" value="${ZPL.toString('base64')}">
      <input name="printer" value="Switched off"><button>Print</button></form>`)
    await page.locator('button').click()
    await page.locator('.answer-buttons button', { hasText: 'Cancel' }).click()
    await page.locator('.answer .state', { hasText: 'Canceled' }).waitFor()
    t.equal(await page.locator('.answer-buttons button').count(), 0)
    t.same(tab.complaints, [])
  })

  await t.test('older labels are a press away, newest first', async (t) => {
    const body = JSON.stringify({ label: ZPL.toString('base64'), copies: 45, printer: 'Bench 1' })
    const headers = { 'Content-Type': 'application/json', Prefer: 'wait=60' }
    await fetch(rig.url, { method: 'POST', headers, body })
    await using tab = await openTab(browser, rig.url)
    const older = tab.page.getByRole('button', { name: 'Older labels' })
    await older.waitFor()
    const count = await tab.page.locator('.job').count()
    await older.click()
    await tab.page.locator('.job').nth(count).waitFor()
    const times = await tab.page.evaluate<string[]>(
      "[...document.querySelectorAll('.history .job time')].map((time) => time.dateTime)",
    )
    t.same(times, times.toSorted().reverse())
  })

  await t.test('a page that is open overnight says the day of its labels', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await page.clock.install()
    await page.reload()
    const time = (await printTest(page)).locator('time')
    t.match(await time.textContent(), /^\d\d:\d\d$/)
    await page.clock.fastForward('24:00:00')
    await time.getByText(/^\w+ \d+, \d\d:\d\d$/).waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('what is told while the page asks again outlives the older answer', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await page.locator('.job').first().waitFor()
    const asked = Promise.withResolvers<void>()
    const told = Promise.withResolvers<void>()
    await page.route('**/printers', async (route) => {
      if (route.request().method() !== 'GET') return await route.continue()
      const response = await route.fetch()
      const [first, ...others] = (await response.json()) as { name: string }[]
      asked.resolve()
      await told.promise
      await route.fulfill({ response, json: [first, ...others, { ...first, name: 'Answered' }] })
    })
    await page.evaluate("dispatchEvent(new Event('online'))")
    await asked.promise
    const body = JSON.stringify({ name: 'Late', uri: 'file:late', language: 'zpl' })
    const headers = { 'content-type': 'application/json' }
    t.equal((await fetch(`${rig.url}/printers`, { method: 'POST', headers, body })).status, 201)
    const names = page.locator('#printer option')
    await names.filter({ hasText: 'Late' }).waitFor({ state: 'attached' })
    told.resolve()
    await names.filter({ hasText: 'Answered' }).waitFor({ state: 'attached' })
    t.equal(await names.filter({ hasText: 'Late' }).count(), 1)
    t.same(tab.complaints, [])
  })

  await t.test('a label that is long gone leaves the page, which goes on', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const card = await print(page, 'Switched off', ZPL, 'Waiting for the printer')
    const gone = (await card.getAttribute('id'))?.slice('job-'.length) ?? ''
    // As the server answers once its row is gone, while this page was asleep.
    await page.route('**/jobs?*', async (route) => {
      const response = await route.fetch()
      const jobs = (await response.json()) as { id: string }[]
      await route.fulfill({ response, json: jobs.filter(({ id }) => id !== gone) })
    })
    await page.route(`**/jobs/${gone}`, async (route) => {
      const response = await route.fetch({ url: `${rig.url}/jobs/none-1` })
      t.equal(response.status(), 404)
      await route.fulfill({ response })
    })
    await page.evaluate("dispatchEvent(new Event('online'))")
    await card.waitFor({ state: 'detached' })
    await page.locator('#connection').waitFor({ state: 'hidden' })
    t.ok((await page.locator('.job').count()) > 0)
    await fetch(`${rig.url}/jobs/${gone}/cancel`, { method: 'POST' })
  })

  for (const [what, hasHead] of [
    ['all of a stream', false],
    ['what is in a stream', true],
  ] as const) {
    await t.test(`it goes on behind a proxy that holds back ${what}`, async (t) => {
      const proxy = createServer((incoming, outgoing) => {
        const { method, url, headers } = incoming
        const passed = request(`${rig.url}${url}`, { method, headers }, (reply) => {
          const isHeld = url === '/events'
          if (isHeld && !hasHead) return
          outgoing.writeHead(reply.statusCode ?? 502, reply.headers).flushHeaders()
          if (!isHeld) reply.pipe(outgoing)
        })
        passed.on('error', () => outgoing.destroy())
        outgoing.on('close', () => passed.destroy())
        incoming.pipe(passed)
      })
      proxy.listen(0, '127.0.0.1')
      await once(proxy, 'listening')
      t.teardown(() => proxy.close().closeAllConnections())
      const { port } = proxy.address() as AddressInfo
      await using tab = await openTab(browser, `http://127.0.0.1:${port}`)
      await tab.page.locator('#jobs-empty:not([hidden]), .job').first().waitFor()
      await sleep(5_000) // all that the page asks for at its start has come
      const body = JSON.stringify({
        label: ZPL.toString('base64'),
        title: what,
        printer: 'Bench 1',
      })
      const headers = { 'Content-Type': 'application/json' }
      await fetch(rig.url, { method: 'POST', headers, body })
      await tab.page.locator('.job', { hasText: what }).waitFor()
      t.equal(await tab.page.locator('#connection').isVisible(), false)
    })
  }

  await t.test('it says when the print server is gone, and comes back by itself', async (t) => {
    await using tab = await openTab(browser, rig.url)
    await tab.page.locator('.job').first().waitFor()
    t.equal(await tab.page.locator('#connection').isVisible(), false)
    await rig.stop()
    await tab.page.locator('#connection', { hasText: 'Not connected' }).waitFor()
    await rig.start()
    await tab.page.locator('#connection').waitFor({ state: 'hidden' })
    await printTest(tab.page)
  })
})
