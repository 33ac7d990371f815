import type { Browser, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { openChromium, takePicture } from './chromium.ts'
import { type Rig, startRig } from './server.ts'

/** Milliseconds that a file of tests may take on a slow machine. */
export const LIMIT_MS = 900_000

/** Serves the page's modules one by one; the bundle has them in one. */
export const SOURCE = 'packaging/launcher/platen.js'

/** The server, with `more` in its configuration and `env` in its environment, and the browser that all tests of a file share. */
export async function openBench(
  t: Test,
  more: object = {},
  env: Readonly<Record<string, string>> = {},
  entry?: string,
): Promise<{ rig: Rig; browser: Browser }> {
  const rig = await startRig(t.testdir(), more, env, entry)
  t.teardown(() => rig[Symbol.asyncDispose]())
  const browser = await openChromium()
  t.teardown(() => browser.close())
  return { rig, browser }
}

/** A label picture, drawn by the browser itself. */
export async function drawLabel(browser: Browser): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 812, height: 1218 } })
  page.setDefaultTimeout(120_000)
  await page.setContent('<h1>SHIP TO</h1><p>Marta Sample<br>480 Harbor St</p><hr>')
  const png = await takePicture(page)
  await page.close()
  return png
}

/** Drops a file on the page as a hand would. */
export async function drop(page: Page, name: string, type: string, bytes: Buffer): Promise<void> {
  const data = await page.evaluateHandle(`(() => {
    const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (c) => c.charCodeAt(0))
    const data = new DataTransfer()
    data.items.add(new File([bytes], '${name}', { type: '${type}' }))
    return data
  })()`)
  await page.locator('#drop').dispatchEvent('drop', { dataTransfer: data })
}

/** Chooses in the dropdown of printers, once it is there. */
export async function choosePrinter(page: Page, name: string): Promise<void> {
  await page.locator('#printer:not([disabled])').waitFor()
  await page.locator('#printer').selectOption(name)
}

/** Returns the card that `act` brings to the top of the list, once it says `words`. */
export async function newCard(
  page: Page,
  act: () => Promise<void>,
  words: string,
): Promise<Locator> {
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
export async function print(
  page: Page,
  printer: string,
  bytes: Buffer,
  words: string,
): Promise<Locator> {
  await choosePrinter(page, printer)
  await page.setInputFiles('#files', { name: 'a.zpl', mimeType: 'text/plain', buffer: bytes })
  return await newCard(page, () => page.locator('#print').click(), words)
}

/** Presses Tab until the focus is on what the selector says; false when it never comes there. */
export async function tabTo(page: Page, selector: string): Promise<boolean> {
  for (let presses = 0; presses < 60; presses++) {
    const isThere = await page.evaluate(`document.activeElement.matches('${selector}')`)
    if (isThere === true) return true
    await page.keyboard.press('Tab')
  }
  return false
}

/** Reads a property of the element with the focus, once that is `wanted`, or else after a minute. */
export async function focused(page: Page, what: string, wanted: unknown): Promise<unknown> {
  const end = performance.now() + 60_000
  for (;;) {
    const seen = await page.evaluate(`document.activeElement.${what}`)
    if (seen === wanted || performance.now() > end) return seen
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Presses *Print Test Label* and waits for its card. */
export async function printTest(page: Page): Promise<Locator> {
  await choosePrinter(page, 'Bench 1')
  const click = () => page.getByRole('button', { name: 'Print Test Label' }).click()
  return await newCard(page, click, 'Sent to the printer')
}

/** A label of 2 MB, for a printer to lose in the middle; all of it is one comment, which is drawn in no time. */
export const LONG = Buffer.from(`^XA^FX${'filler '.repeat(300_000)}^FS^XZ`)

/** A raw label whose text would be HTML, were it read so. */
export const ZPL = Buffer.from('^XA^FO50,50^A0N,40,40^FD<i>Hello</i>^FS^XZ')
