import type { Browser, Locator, Page } from 'playwright-core'
import t from 'tap'
import { openChromium, openTab, skipReason } from './chromium.ts'
import { LONG_NAME, type Rig, startRig } from './server.ts'

/** A label picture, drawn by the browser itself. */
async function drawLabel(browser: Browser): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 812, height: 1218 } })
  await page.setContent('<h1>SHIP TO</h1><p>Marta Sample<br>480 Harbor St</p><hr>')
  const png = await page.screenshot()
  await page.close()
  return png
}

/** Drops a file on the page as a hand would. */
async function drop(page: Page, name: string, type: string, bytes: Buffer): Promise<void> {
  const data = await page.evaluateHandle(`(() => {
    const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (c) => c.charCodeAt(0))
    const data = new DataTransfer()
    data.items.add(new File([bytes], '${name}', { type: '${type}' }))
    return data
  })()`)
  await page.locator('#drop').dispatchEvent('drop', { dataTransfer: data })
}

async function choosePrinter(page: Page, name: string): Promise<void> {
  await page.locator('#printer:not([disabled])').waitFor()
  await page.locator('#printer').selectOption(name)
}

/** What `act` brings to the top of the list, once it says `words`. */
async function newCard(page: Page, act: () => Promise<void>, words: string): Promise<Locator> {
  await page.locator('#jobs-empty:not([hidden]), .job').first().waitFor()
  const old = await page.locator('.job').all()
  const ids = await Promise.all(old.map((card) => card.getAttribute('id')))
  await act()
  const fresh = page.locator(`.job${ids.map((id) => `:not(#${id})`).join('')}`)
  const card = page.locator(`#${await fresh.getAttribute('id')}`)
  await card.locator('.state', { hasText: words }).waitFor()
  return card
}

/** Sends a file through the page and waits for what its card says. */
async function print(page: Page, printer: string, bytes: Buffer, words: string): Promise<Locator> {
  await choosePrinter(page, printer)
  await page.setInputFiles('#files', { name: 'a.zpl', mimeType: 'text/plain', buffer: bytes })
  return await newCard(page, () => page.locator('#print').click(), words)
}

async function printTest(page: Page): Promise<Locator> {
  await choosePrinter(page, 'Bench 1')
  const click = () => page.getByRole('button', { name: 'Print Test Label' }).click()
  return await newCard(page, click, 'Sent to the printer')
}

const ZPL = Buffer.from('^XA^FO50,50^A0N,40,40^FD<i>Hello</i>^FS^XZ')

t.setTimeout(120_000)

t.test('the page in Chromium', { skip: skipReason }, async (t) => {
  const rig: Rig = await startRig(t.testdir())
  const browser = await openChromium()
  t.teardown(async () => {
    await browser.close()
    await rig[Symbol.asyncDispose]()
  })
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
    t.match(await card.locator('.facts').textContent(), /Test label/)
    await card.locator('.thumb img').waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('the keyboard alone prints, opens a label and comes back to it', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const active = (what: string) => page.evaluate(`document.activeElement.${what}`)
    const tabTo = async (selector: string) => {
      for (let presses = 0; presses < 30; presses++) {
        if (await active(`matches('${selector}')`)) return
        await page.keyboard.press('Tab')
      }
      t.fail(`Tab never reaches ${selector}`)
    }
    await choosePrinter(page, 'Bench 1')
    // From now on, so that it is in place long before it is needed.
    const choosing = page.waitForEvent('filechooser')
    await tabTo('#test')
    const outline = 'getComputedStyle(document.activeElement).outlineStyle'
    t.equal(await page.evaluate(outline), 'solid', 'the focus is visible')
    await newCard(page, () => page.keyboard.press('Enter'), 'Sent to the printer')
    await tabTo('#files')
    await page.keyboard.press('Enter')
    const chooser = await choosing
    await chooser.setFiles({ name: 'k.zpl', mimeType: 'text/plain', buffer: ZPL })
    await page.locator('.tray-item').waitFor()
    await tabTo('#print')
    await page.keyboard.press('Enter')
    await page.locator('.tray-outcome .state', { hasText: 'Sent to the printer' }).waitFor()
    await tabTo('.job .thumb')
    const opened = await active('getAttribute("aria-label")')
    await page.keyboard.press('Enter')
    await page.locator('#label-dialog[open]').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#label-dialog').waitFor({ state: 'hidden' })
    t.equal(await active('getAttribute("aria-label")'), opened)
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
    'a label for a printer that is off waits, says why, and can be cancelled',
    async (t) => {
      await using tab = await openTab(browser, rig.url)
      const card = await print(tab.page, 'Switched off', ZPL, 'Waiting for the printer')
      t.match(await card.locator('.todo').textContent(), /cable/)
      await tab.page.locator('#printer-state .state', { hasText: 'Not connected' }).waitFor()
      await card.getByRole('button', { name: /^Cancel/ }).click()
      await card.locator('.state', { hasText: 'Cancelled' }).waitFor()
      t.equal(await card.locator('.todo').count(), 0)
      t.same(tab.complaints, [])
    },
  )

  await t.test(
    'a label cut off in the middle asks, and the word of a person ends it',
    async (t) => {
      await using tab = await openTab(browser, rig.url)
      const { page } = tab
      const long = Buffer.from(`^XA${'^FX filler^FS\n'.repeat(150_000)}^XZ`)
      const card = await print(page, 'Loose cable', long, 'Did it come out?')
      await page.locator('#attention', { hasText: '1 label needs you' }).click()
      t.match(await page.evaluate('document.activeElement.className'), /needs-person/)
      t.equal(await card.getByRole('button', { name: /^Print again/ }).count(), 1)
      await card.getByRole('button', { name: /^It came out/ }).click()
      await card.locator('.state', { hasText: 'Printed' }).waitFor()
      t.equal(await page.locator('#attention').isVisible(), false)
      t.same(tab.complaints, [])
    },
  )

  await t.test('a printed label prints again, on another printer too', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const card = await print(page, 'Bench 1', ZPL, 'Sent to the printer')
    await card.getByRole('button', { name: /^Other printer/ }).click()
    const choose = () => page.locator('#choose-dialog button', { hasText: 'Bold' }).click()
    const again = await newCard(page, choose, 'Sent to the printer')
    t.match(await again.locator('.facts').textContent(), /Bold.*printed again/)
  })

  await t.test('a file that is no label is refused with what to do', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    await choosePrinter(page, 'Bench 1')
    await drop(page, 'invoice.pdf', 'application/pdf', Buffer.from('%PDF-1.7\n1 0 obj'))
    await page.locator('#print').click()
    await page.locator('.tray-outcome .state', { hasText: 'Not taken' }).waitFor()
    t.match(await page.locator('.tray-outcome .why').textContent(), /PDF/)
    t.not(await page.locator('.tray-outcome .todo').textContent(), '')
  })

  await t.test('a wrong setting is told at its field; a right one is saved', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#settings`)
    const { page } = tab
    await page.locator('.settings-form').waitFor()
    await page.locator('.group summary', { hasText: 'Where this page is found' }).click()
    const port = page.getByLabel(/^Port/).first()
    const good = await port.inputValue()
    await port.fill('80a')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.locator('[aria-invalid]').waitFor()
    t.equal(await port.getAttribute('aria-invalid'), 'true')
    t.equal(await page.evaluate('document.activeElement.value'), '80a')
    t.match(await page.locator('.fault-summary').textContent(), /1 setting needs/)
    await port.fill(good)
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.locator('#notice', { hasText: 'Settings saved' }).waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('a network printer is added with its name and address', async (t) => {
    await using tab = await openTab(browser, `${rig.url}/#settings/add`)
    const { page } = tab
    const form = page.locator('.add-form')
    await form.waitFor()
    await form.locator('[name=name]').fill('New bench')
    await form.locator('[name=address]').fill('127.0.0.1')
    await form.getByRole('button', { name: 'Add printer' }).click()
    await page.locator('#notice', { hasText: 'New bench is added' }).waitFor()
    await page.locator('.row summary', { hasText: 'New bench – socket://127.0.0.1:9100' }).waitFor()
    await page.getByLabel('Default printer').selectOption('New bench')
    await page.locator('#to-labels').click()
    await choosePrinter(page, 'New bench')
    t.same(tab.complaints, [])
  })

  await t.test('a phone shows all of it without scrolling sideways', async (t) => {
    await using tab = await openTab(browser, rig.url, { viewport: { width: 360, height: 740 } })
    const { page } = tab
    const overhang = 'document.documentElement.scrollWidth - innerWidth'
    await print(page, LONG_NAME, ZPL, 'Sent to the printer')
    t.equal(await page.evaluate(overhang), 0)
    const small = `[...document.querySelectorAll('main button')].filter((button) =>
      button.checkVisibility() && button.getBoundingClientRect().height < 44).length`
    t.equal(await page.evaluate(small), 0, 'every button is as high as a thumb')
    await page.locator('#to-settings').click()
    await page.locator('.settings-form').waitFor()
    await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
    t.equal(await page.evaluate(overhang), 0)
  })

  await t.test('it is dark where the system is, and its text keeps its contrast', async (t) => {
    for (const colorScheme of ['dark', 'light'] as const) {
      await using tab = await openTab(browser, rig.url, { colorScheme })
      await tab.page.locator('.job').first().waitFor()
      const worst = await tab.page.evaluate<number>(WORST_CONTRAST)
      t.ok(worst >= 4.5, `${colorScheme}: the worst contrast is ${worst.toFixed(2)}`)
      const ground = await tab.page.evaluate<string>(
        'getComputedStyle(document.body).backgroundColor',
      )
      const brightness = Number(/\d+/.exec(ground)?.[0])
      t.equal(brightness < 64, colorScheme === 'dark')
    }
  })

  await t.test('no state is told in the words of programmers', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const words = await tab.page.evaluate<string[]>(ALL_WORDS)
    t.equal(words.length, 28)
    for (const word of words) t.notMatch(word, /pending|processing|aborted|completed|undefined/i)
  })

  await t.test('the address of a printer is read as people write it', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const read = (address: string) =>
      tab.page.evaluate(`import('/web/add-printer.js').then((m) => m.toUri('${address}'))`)
    t.equal(await read('192.168.1.50'), 'socket://192.168.1.50:9100')
    t.equal(await read('printer.lan:6101'), 'socket://printer.lan:6101')
    t.equal(await read('fe80::1'), 'socket://[fe80::1]:9100')
    t.equal(await read('socket://10.0.0.7:9100'), 'socket://10.0.0.7:9100')
    t.equal(await read('file:bench'), 'file:bench')
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

  await t.test('older labels are a press away, newest first', async (t) => {
    const body = JSON.stringify({ label: ZPL.toString('base64'), copies: 45, printer: 'Bench 1' })
    const headers = { 'Content-Type': 'application/json' }
    await fetch(rig.url, { method: 'POST', headers, body })
    await using tab = await openTab(browser, rig.url)
    const older = tab.page.getByRole('button', { name: 'Older labels' })
    await older.waitFor()
    const count = await tab.page.locator('.job').count()
    await older.click()
    await tab.page.locator('.job').nth(count).waitFor()
    const times = await tab.page.evaluate<string[]>(
      "[...document.querySelectorAll('.job time')].map((time) => time.dateTime)",
    )
    t.same(times, times.toSorted().reverse())
  })

  await t.test('with a password set, the settings ask for it and show it to nobody', async (t) => {
    await using first = await openTab(browser, `${rig.url}/#settings`)
    await first.page.locator('.group summary', { hasText: 'Who may change' }).click()
    await first.page.getByLabel('User name').fill('boss')
    await first.page.getByLabel('Password').fill('Tr0ub4dor&3')
    await first.page.getByRole('button', { name: 'Save settings' }).click()
    await first.page.locator('#notice', { hasText: 'Settings saved' }).waitFor()
    await using tab = await openTab(browser, `${rig.url}/#settings`)
    const { page } = tab
    const logIn = async (password: string) => {
      await page.getByLabel('User name').fill('boss')
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Log in' }).click()
    }
    await logIn('wrong')
    await page.locator('.login .fault', { hasText: /password/i }).waitFor()
    await logIn('Tr0ub4dor&3')
    await page.locator('.group summary', { hasText: 'Who may change' }).click()
    t.match(await page.getByLabel('Password').inputValue(), /^\*+$/)
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.locator('#notice', { hasText: 'Settings saved' }).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.locator('.login').waitFor()
    t.same(tab.complaints, [])
  })

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

/** The words of every state with every delivery. */
const ALL_WORDS = `import('/web/words.js').then(({ jobWords }) => {
  const states = ['pending', 'pending-held', 'processing', 'processing-stopped', 'canceled', 'aborted', 'completed']
  return states.flatMap((state) => ['none', 'sent', 'confirmed', 'unknown'].map((delivery) =>
    jobWords({ state, delivery, reasons: [], message: '', hint: '' }).words))
})`

/** The lowest contrast (WCAG 2.2, 1.4.3) of any text on the page with the ground behind it. */
const WORST_CONTRAST = `(() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number)
  const light = ([r, g, b]) => [r, g, b]
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0)
  const groundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const ground = parse(getComputedStyle(at).backgroundColor)
      if ((ground[3] ?? 1) > 0) return ground
    }
    return [255, 255, 255]
  }
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
  const contrasts = [...document.querySelectorAll('body *')]
    .filter((element) => element.checkVisibility() && hasText(element) && !element.matches('option, :disabled'))
    .map((element) => [light(parse(getComputedStyle(element).color)), light(groundOf(element))])
    .map(([a, b]) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05))
  return Math.min(...contrasts)
})()`
