import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** The browser that people have, with its permissions and policies. */
export const CHROMIUM = '/usr/bin/chromium'
/** The same engine without a browser around it: the tests of a page take two thirds of the time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'
const LIMIT_MS = 120_000 // of one wait, on a busy machine

/** The reason why the tests of the page cannot run here, or false. */
export const skipReason: string | false =
  ![CHROMIUM, HEADLESS_SHELL].every((program) => existsSync(program)) &&
  `${CHROMIUM} or ${HEADLESS_SHELL} is missing: apt-get install chromium chromium-headless-shell`

/** Starts Debian's Chromium with a profile of its own that talks to nobody but the page. */
export async function openChromium(...more: readonly string[]): Promise<Browser> {
  return await openChromiumAt(HEADLESS_SHELL, ...more)
}

/** The same of another program: the whole browser, or what starts it. */
export async function openChromiumAt(
  executablePath: string,
  ...more: readonly string[]
): Promise<Browser> {
  return await chromium.launch({
    executablePath,
    timeout: LIMIT_MS,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  })
}

/** A picture of the page. A busy Chromium can lose the frame that it was about to give; it has the next one. */
export async function takePicture(page: Page, path?: string): Promise<Buffer> {
  const take = (): Promise<Buffer> => page.screenshot(path === undefined ? {} : { path })
  return await take().catch((error: Error) => {
    if (!error.message.includes('Unable to capture screenshot')) throw error
    return take()
  })
}

/** A tab with the page open, and what its console complained about. */
export interface Tab extends AsyncDisposable {
  readonly page: Page
  /** Errors in the console and uncaught ones; refusals by the server are not among them. */
  readonly complaints: string[]
  /** Requests that left for another server than ours. */
  readonly strays: string[]
}

/** Opens the page in a fresh profile, so that no test sees another's cookies or choices. */
export async function openTab(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(LIMIT_MS)
  const page = await context.newPage()
  const complaints: string[] = []
  const strays: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const isRefusal = /the server responded with a status of (4\d\d|50[23])/.test(message.text())
    if (message.type() === 'error' && !isRefusal) complaints.push(message.text())
  })
  page.on('request', (request) => {
    const { origin, protocol, href } = new URL(request.url())
    const isLocal = protocol === 'blob:' || protocol === 'data:'
    if (origin !== new URL(url).origin && !isLocal) strays.push(href)
  })
  await page.goto(url)
  return {
    page,
    complaints,
    strays,
    async [Symbol.asyncDispose]() {
      // The page may be asking once more, and an answer that a test bends is gone with it.
      if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
    },
  }
}
