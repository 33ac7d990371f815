import { mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { upsLikeZpl } from '../label-makers/raw.ts'
import { findClosedPort, listen } from '../listen.ts'
import { drawLabel, LIMIT_MS, LONG, openBench, ZPL } from './bench.ts'
import { openTab, skipReason, type Tab, takePicture } from './chromium.ts'
import { LONG_NAME } from './server.ts'

t.setTimeout(LIMIT_MS)

/** Folder in which the pictures lie afterwards, for people to look at. */
const FOLDER = join(import.meta.dirname, '../../.tap/screens')
const AXE = readFileSync(
  join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'),
  'utf8',
)

const SIZES = {
  laptop: { width: 1366, height: 650 },
  desk: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const

/** The same layout, so that axe-core would find the same a second time; it takes most of the time here. */
const LOOKS_LIKE_LAPTOP: readonly Size[] = ['desk']

/** Lists axe-core's findings about the page, by rule and place. */
const faultsOf = (rules: readonly string[]): string => `axe.run(document, {
  runOnly: ${JSON.stringify(rules)},
}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target)))`
const FAULTS = faultsOf(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'])
/** All that other colors of the same page can change. */
const FAULTS_OF_COLOR = faultsOf(['color-contrast', 'link-in-text-block'])

const OVERHANG = 'document.documentElement.scrollWidth - innerWidth'

/** A view, and how to come into the state that is looked at. */
type State = readonly [name: string, hash: string, enter: (page: Page) => Promise<unknown>]

const file = (name: string, text: string | Buffer) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(text),
})

const STATES: readonly State[] = [
  ['labels', '', (page) => page.locator('.history .job').first().waitFor()],
  [
    'tray',
    '',
    async (page) => {
      const files = [
        file('ship.zpl', ZPL),
        file('order-17.zpl', ZPL),
        file('notes.txt', 'Dear all'),
      ]
      await page.setInputFiles('#files', files)
      await page.locator('.tray-item.refused').waitFor()
      await page.locator('.tray-item img').nth(1).waitFor()
    },
  ],
  [
    'more',
    '',
    async (page) => {
      await page.locator('#more-button').click()
      // Below the last label nothing lies half beneath the menu, which would count as too small to press.
      await page.locator('.history .job .menu summary').last().click()
    },
  ],
  [
    'none-found',
    '',
    async (page) => {
      await page.locator('#find').fill('nothing is called so')
      await page.locator('#jobs-empty').waitFor()
    },
  ],
  [
    'label',
    '',
    async (page) => {
      await page.locator('.history .thumb').first().click()
      await page.locator('#label-dialog[open]').waitFor()
    },
  ],
  [
    'move-all',
    '',
    async (page) => {
      await page.locator('[data-action=move-all]').first().click()
      await page.locator('#move-all-dialog[open]').waitFor()
    },
  ],
  [
    'log',
    '#settings',
    async (page) => {
      await page.locator('#log summary').click()
      await page.locator('.log li').first().waitFor()
    },
  ],
  [
    'printer-change',
    '#printers',
    async (page) => {
      await page.locator('[data-action=change]').nth(1).click()
      await page.locator('#printer-dialog[open]').waitFor()
    },
  ],
  ['printers', '#printers', (page) => page.locator('#view-printers .card').first().waitFor()],
  ['printer-add', '#printers/add', (page) => page.locator('.add-form input').first().waitFor()],
  ['sources', '#sources', (page) => page.locator('#view-sources .card').first().waitFor()],
  ['shipping', '#shipping', (page) => page.locator('#view-shipping summary').first().waitFor()],
  ['settings', '#settings', (page) => page.locator('.settings-form').waitFor()],
]

/** Forms of a shop's page, by what the print server answers them with. */
interface Form {
  readonly printer: string
  readonly labels: readonly Buffer[]
  /** Content of the answer once its script has drawn it. */
  readonly there: string
}

/** A printer of that name that loses each label in the middle. */
async function addLossy(t: Test, url: string, name: string): Promise<void> {
  const lossy = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  const uri = `socket://127.0.0.1:${await listen(t, lossy)}`
  const body = JSON.stringify({ name, uri, language: 'zpl', dpi: 203 })
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${url}/printers`, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(await answer.text())
}

async function post(url: string, body: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json', Prefer: 'wait=1' }
  await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Labels in every state that a page may show. */
async function fill(url: string): Promise<void> {
  const label = (text: string): string =>
    Buffer.from(`^XA^FO50,50^A0N,40,40^FDSHIP TO^FS^FO50,99^FD${text}^FS^XZ`).toString('base64')
  const names = ['Marta Sample', 'Jan de Vries', '1Z999AA10123456784', 'Order 4711']
  for (const [i, title] of names.entries()) {
    await post(url, { label: label(title), title, printer: 'Bench 1', copies: 1 + (i % 2) })
  }
  await post(url, {
    label: label('x'),
    title: 'A long name of a label '.repeat(4),
    printer: LONG_NAME,
  })
  for (const title of [
    'Erika Muster',
    'Paul Probe',
    'Order 4712',
    'Order 4713',
    'O 5',
    'O 6',
    'O 7',
  ]) {
    await post(url, { label: label(title), title, printer: 'Switched off', expire_after: 86_400 })
  }
  await fetch(`${url}/printers/${encodeURIComponent('Bench 1')}/test`, { method: 'POST' })
  const long = LONG.toString('base64')
  await post(url, { label: long, title: 'Cut in the middle', printer: 'Loose cable' })
}

/** The bar that prints is one line, and its button is in sight. */
async function judgeBar(page: Page, height: number): Promise<string[]> {
  const boxOf = async (selector: string) => await page.locator(selector).boundingBox()
  const [print, bar] = [await boxOf('#print'), await boxOf('.bench-line')]
  const bottom = (print?.y ?? height) + (print?.height ?? 0)
  return [
    ...(bottom > height ? [`Print ends at ${bottom}`] : []),
    ...((bar?.height ?? 99) > 60 ? [`the bar is ${bar?.height} px high`] : []),
  ]
}

/** The pages beside the first one, and one that is not there. */
const SMALL = { help: '/web/help.html', api: '/web/api.html', trust: '/trust', nowhere: '/nothing' }

type Size = keyof typeof SIZES
const COLORS = ['light', 'dark'] as const

/** A tab on such a screen. */
async function openEye(browser: Browser, url: string, size: Size): Promise<Tab> {
  const isPhone = size === 'phone'
  return await openTab(browser, url, {
    viewport: SIZES[size],
    reducedMotion: 'reduce',
    bypassCSP: true,
    hasTouch: isPhone,
    isMobile: isPhone,
  })
}

/** Looks at the page in light and dark: takes pictures for people, and lists what is wrong. */
async function judge(page: Page, name: string, size: Size): Promise<string[]> {
  await page.evaluate('document.fonts.ready')
  const isLoaded = await page.evaluate<boolean>('"axe" in window')
  if (!isLoaded) await page.evaluate(AXE)
  const found: string[] = []
  for (const colorScheme of COLORS) {
    await page.emulateMedia({ colorScheme })
    await takePicture(page, join(FOLDER, `${name}-${size}-${colorScheme}.png`))
    // What is scrolled half beneath the head of the page counts as too small to press.
    const place = await page.evaluate<number>('scrollY')
    await page.evaluate('scrollTo(0, 0)')
    const faults = LOOKS_LIKE_LAPTOP.includes(size)
      ? []
      : await page.evaluate<string[]>(colorScheme === 'light' ? FAULTS : FAULTS_OF_COLOR)
    const overhang = await page.evaluate<number>(OVERHANG)
    await page.evaluate(`scrollTo(0, ${place})`)
    found.push(
      ...faults.map((fault) => `${name}, ${size}, ${colorScheme}: ${fault}`),
      ...(overhang > 0
        ? [`${name}, ${size}, ${colorScheme}: ${overhang} px wider than the window`]
        : []),
    )
  }
  return found
}

/** Sends a form from a page of a shop, and waits for the answer to be drawn. */
async function submit(page: Page, url: string, { printer, labels, there }: Form): Promise<void> {
  await page.goto('about:blank')
  const fields = labels.map(
    (label) => `<input type="hidden" name="label[]" value="${label.toString('base64')}">`,
  )
  await page.setContent(
    `<form method="post" action="${url}/">${fields.join('')}
    <input type="hidden" name="printer" value="${printer}"><button>Print</button></form>`,
  )
  await page.getByRole('button').click()
  await page.locator(there).first().waitFor()
}

/** Every state, once loaded, at each of the sizes. */
async function look(
  browser: Browser,
  url: string,
  sizes: readonly [Size, ...Size[]],
  forms: Readonly<Record<string, Form>>,
) {
  const faults: string[] = []
  await using tab = await openEye(browser, url, sizes[0])
  const { page } = tab
  const judgeAll = async (name: string): Promise<void> => {
    for (const size of sizes) {
      await page.setViewportSize(SIZES[size])
      faults.push(...(await judge(page, name, size)))
      if (name === 'tray') faults.push(...(await judgeBar(page, SIZES[size].height)))
    }
  }
  for (const [name, hash, enter] of STATES) {
    await page.goto('about:blank')
    await page.setViewportSize(SIZES[sizes[0]])
    await page.goto(`${url}/${hash}`)
    await page.locator('#printer:not([disabled])').waitFor({ state: 'attached' })
    if (hash === '') await page.locator('.job').first().waitFor()
    await enter(page)
    await judgeAll(name)
  }
  for (const [name, path] of Object.entries(SMALL)) {
    await page.goto(`${url}${path}`)
    await page.locator('h1').first().waitFor()
    await judgeAll(name)
  }
  for (const [name, form] of Object.entries(forms)) {
    await submit(page, url, form)
    await judgeAll(name)
  }
  return { faults, complaints: tab.complaints }
}

t.test('every state of the page, in pictures', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t, {
    queues: [{ type: 'beanstalkd', endpoint: '127.0.0.1:9', tube: 'labels' }],
    use_ssl: true,
    secure_port: String(await findClosedPort()),
  })
  mkdirSync(FOLDER, { recursive: true })
  await fill(rig.url)
  const labels = [await drawLabel(browser), Buffer.from(upsLikeZpl)]
  const formsOf = (lossy: string) => ({
    answer: { printer: 'Bench 1', labels, there: '.answer-jobs .paper img' },
    'answer-waits': { printer: 'Switched off', labels, there: '.answer-jobs li:last-child .todo' },
    'answer-cut': { printer: lossy, labels: [LONG], there: 'text="It came out"' },
    'answer-refused': { printer: 'Bench 1', labels: [Buffer.from('Dear all')], there: 'summary' },
  })
  for (const sizes of [['laptop', 'desk'], ['phone']] as const) {
    await addLossy(t, rig.url, `Lost at ${sizes[0]}`)
    const forms = formsOf(`Lost at ${sizes[0]}`)
    const { faults, complaints } = await look(browser, rig.url, sizes, forms)
    t.same(faults, [], sizes.join(' and '))
    t.same(complaints, [])
  }
})

t.test('nothing is there yet, in pictures', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)
  mkdirSync(FOLDER, { recursive: true })
  for (const size of ['laptop', 'phone'] as const) {
    await using tab = await openEye(browser, rig.url, size)
    for (const view of ['labels', 'sources']) {
      await tab.page.locator(`#to-${view}`).click()
      await tab.page.locator(`#view-${view} .empty .drawn:visible`).waitFor()
      t.same(await judge(tab.page, `no-${view}`, size), [])
    }
    await tab.page.goto(`${rig.url}/trust`)
    t.same(await judge(tab.page, 'trust-off', size), [])
    t.same(tab.complaints, [])
  }
})
