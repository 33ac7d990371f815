import type { CDPSession, Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { choosePrinter, LIMIT_MS, openBench, print, ZPL } from './bench.ts'
import { skipReason } from './chromium.ts'
import type { Rig } from './server.ts'

t.setTimeout(LIMIT_MS)

/** Milliseconds between the keys of a scanner, and of a person who types quickly. */
const [SCANNER_MS, PERSON_MS] = [5, 90]

/**
 * Types as a scanner does: each key is down, and up 2 ms later. The times are those of the events, whatever the machine
 * makes of them.
 */
async function type(cdp: CDPSession, text: string, end = 'Enter', gapMs = SCANNER_MS) {
  let at = Date.now() / 1_000
  const sent: Promise<unknown>[] = []
  const key = (name: string, more: object): void => {
    sent.push(
      cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', key: name, timestamp: at, ...more }),
      cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', key: name, timestamp: at + 0.002 }),
    )
    at += gapMs / 1_000
  }
  for (const letter of text) {
    const code = letter === ' ' ? 32 : letter.toUpperCase().charCodeAt(0)
    key(letter, { text: letter, windowsVirtualKeyCode: code })
  }
  if (end === 'Enter') key('Enter', { text: '\r', windowsVirtualKeyCode: 13 })
  if (end === 'Tab') key('Tab', { windowsVirtualKeyCode: 9 })
  await Promise.all(sent)
  // Later events must not be earlier.
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, at * 1_000 - Date.now())))
}

/** The state that a key could have changed: values, what is open, where the page is; and what was pressed meanwhile. */
const SEEN = `JSON.stringify({
  hash: location.hash,
  values: [...document.querySelectorAll('input, select, textarea')].map((one) => [one.id || one.name, one.checked, one.value]),
  open: document.querySelectorAll('details[open], dialog[open]').length,
  expanded: [...document.querySelectorAll('[aria-expanded]')].map((one) => one.getAttribute('aria-expanded')),
  pressed: window.pressed,
})`

const WATCH = `window.pressed = []
for (const type of ['click', 'change', 'submit'])
  addEventListener(type, (event) => pressed.push(type + ' ' + (event.target.id || event.target.textContent)), true)`

/** Elements of each view once it is drawn. */
const DRAWN = {
  labels: '.job',
  printers: '.card',
  sources: '.card',
  shipping: 'summary',
  settings: '.settings-form',
} as const
const VIEWS = ['labels', 'printers', 'sources', 'shipping', 'settings'] as const
const CONTROLS =
  'a[href], button:not(:disabled), input, select:not(:disabled), textarea, summary, [tabindex]'

async function countJobs({ url }: Rig): Promise<number> {
  return ((await (await fetch(`${url}/jobs?limit=500`)).json()) as unknown[]).length
}

async function openPage(page: Page, { url }: Rig): Promise<CDPSession> {
  await page.goto(url)
  await page.evaluate(WATCH)
  return await page.context().newCDPSession(page)
}

/** Scans while the control has the focus, and says it when anything has changed. */
async function scanAt(
  t: Test,
  at: { page: Page; cdp: CDPSession; control: Locator; code: string },
): Promise<void> {
  const { page, cdp, control, code } = at
  await control.focus()
  const before = await page.evaluate(SEEN)
  await type(cdp, code, code.length % 2 === 0 ? 'Enter' : 'Tab')
  // What a key does late is done by then.
  await page.evaluate('new Promise((done) => setTimeout(done, 60))')
  const after = await page.evaluate(SEEN)
  if (after === before) return
  const name = await control.evaluate((one) => (one as unknown as { outerHTML: string }).outerHTML)
  t.equal(after, before, name.slice(0, 200))
}

t.test('a scanner at the page', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(rig.url)
  await print(page, 'Bench 1', ZPL, 'Sent to the printer')
  const title = 'PL90363224004697685'
  const body = JSON.stringify({
    printer: 'Bench 1',
    title,
    label: Buffer.from('^XA^FO9,9^FDscanned^FS^XZ').toString('base64'),
  })
  const headers = { 'Content-Type': 'application/json', Prefer: 'wait=20' }
  await fetch(rig.url, { method: 'POST', headers, body })

  await t.test('it presses, types and chooses nothing, whatever has the focus', async (t) => {
    for (const view of VIEWS) {
      const cdp = await openPage(page, rig)
      await page.evaluate(`location.hash = '#${view}'`)
      await page.locator(`#view-${view}:not([hidden]) ${DRAWN[view]}`).first().waitFor()
      const jobs = await countJobs(rig)
      let tried = 0
      for (const control of await page.locator(CONTROLS).all()) {
        if (!(await control.isVisible())) continue
        await scanAt(t, { page, cdp, control, code: `NOT A LABEL ${tried}` })
        tried += 1
      }
      t.ok(tried > 10, `${view}: ${tried} controls`)
      t.equal(await countJobs(rig), jobs, `${view}: no label`)
    }
  })

  await t.test(
    'its label opens, with a second scan the next one, and nothing is appended',
    async (t) => {
      const cdp = await openPage(page, rig)
      await page.locator('.history .job').first().waitFor()
      await page.locator('#find').focus()
      for (const code of [title, `420787011234${title.slice(2)}`.slice(0, 40), title]) {
        await type(cdp, code)
        if (code === title) {
          await page.locator('#label-dialog[open] h2', { hasText: title }).waitFor()
          t.equal(await page.locator('#find').inputValue(), title)
        }
      }
      // On a button that prints, too.
      await page.locator('#label-dialog button', { hasText: 'Reprint' }).focus()
      const jobs = await countJobs(rig)
      await type(cdp, title)
      await page.locator('#label-dialog[open] h2', { hasText: title }).waitFor()
      t.equal(await countJobs(rig), jobs)
      await page.keyboard.press('Escape')
      await type(cdp, 'UNKNOWN-4711')
      await page
        .locator('#notice', { hasText: 'No label here has the bar code UNKNOWN-4711.' })
        .waitFor()
    },
  )

  await t.test('a person types, chooses and presses as ever', async (t) => {
    const cdp = await openPage(page, rig)
    await page.locator('#find').focus()
    await type(cdp, 'hello world', '', PERSON_MS)
    t.equal(await page.locator('#find').inputValue(), 'hello world')
    await page.locator('#find').fill('')
    await choosePrinter(page, 'Bench 1')
    await page.locator('#printer').focus()
    await type(cdp, 'L', '', PERSON_MS)
    for (;;) if ((await page.locator('#printer').inputValue()).startsWith('L')) break
    await page.locator('#more-button').focus()
    await type(cdp, ' ', '', PERSON_MS)
    await page.locator('#more-button[aria-expanded=true]').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('#more-button[aria-expanded=false]').waitFor()
  })
})
