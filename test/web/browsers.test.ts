import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { upsLikeZpl } from '../label-makers/raw.ts'
import { findClosedPort, listen } from '../listen.ts'
import { LIMIT_MS, LONG } from './bench.ts'
import { type Driver, type Engine, KEYS, openEngine, skipReason } from './engines.ts'
import { type Rig, startRig } from './server.ts'

t.setTimeout(LIMIT_MS)

const require = createRequire(import.meta.url)
const ENGINES: readonly Engine[] = ['Firefox', 'WebKit']

const ZPL = '^XA^FO50,50^A0N,40,40^FDHello^FS^XZ'

/** A page of another site, with the clients that shops include. */
async function serveShop(t: Test): Promise<string> {
  const files: Readonly<Record<string, string>> = {
    '/can-print.js': readFileSync(join(import.meta.dirname, '../../web/can-print.js'), 'utf8'),
    '/qz-tray.js': readFileSync(require.resolve('qz-tray'), 'utf8'),
  }
  const scripts = Object.keys(files).map((name) => `<script src="${name}"></script>`)
  const server = createServer((request, response) => {
    const script = files[request.url ?? '']
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript')
    response.end(script ?? `<!doctype html><title>Shop</title>${scripts.join('')}`)
  })
  return `http://localhost:${await listen(t, server)}`
}

async function post(url: string, printer: string, title: string, label: string): Promise<void> {
  const body = JSON.stringify({ printer, title, label: Buffer.from(label).toString('base64') })
  const headers = { 'Content-Type': 'application/json', Prefer: 'wait=0' }
  const answer = await fetch(url, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(await answer.text())
}

/** An expression: something that the selector finds says these words. */
const says = (selector: string, words: string): string =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].some((one) => one.textContent.includes(${JSON.stringify(words)}))`
const has = (selector: string): string =>
  `document.querySelector(${JSON.stringify(selector)}) !== null`

/** The page of the box, from its first look to its last view. */
async function usePage(t: Test, driver: Driver, rig: Rig): Promise<void> {
  await t.test('a label that comes while the page is open appears and moves on', async (t) => {
    await driver.goto(rig.url)
    await driver.until(has('#printer:not([disabled])'))
    await driver.until(has('#to-labels[aria-current=page]'))
    await driver.until(has('#jobs-empty:not([hidden])'))
    await post(rig.url, 'Bench 1', 'Live', upsLikeZpl.toString())
    await driver.until(says('.history .job .job-name', 'Live'))
    await driver.until(says('.history .job .state', 'Sent to the printer'))
    await driver.until('document.querySelector(".history .thumb img")?.naturalWidth > 100')
    t.same(driver.complaints(), [])
  })

  await t.test('a chosen file is drawn and prints', async (t) => {
    const file = join(t.testdir(), 'order.zpl')
    writeFileSync(file, upsLikeZpl)
    await driver.choose('#files', [file])
    await driver.until('document.querySelector(".tray-item img")?.naturalWidth > 100')
    await driver.click('#print')
    await driver.until(says('.tray-outcome .state', 'Sent to the printer'))
    t.same(driver.complaints(), [])
  })

  await t.test('a label that was cut off is answered for', async (t) => {
    await post(rig.url, 'Loose cable', 'Cut', LONG.toString('latin1'))
    await driver.until(says('.needs-person .job-name', 'Cut'))
    await driver.click('.needs-person [data-action=printed]')
    await driver.until(says('.history .job .state', 'Printed'))
    t.equal(await driver.evaluate(has('.needs-person')), false)
    t.same(driver.complaints(), [])
  })

  await t.test('the keyboard opens a label and comes back to it', async (t) => {
    await driver.evaluate('document.querySelector("#find-day").focus()')
    for (let presses = 0; presses < 20; presses++) {
      if (await driver.evaluate('document.activeElement.matches(".thumb:has(img)")')) break
      await driver.press(KEYS.tab)
    }
    t.equal(
      await driver.evaluate('getComputedStyle(document.activeElement).outlineStyle'),
      'solid',
      'the focus is visible',
    )
    await driver.press(KEYS.enter)
    await driver.until(has('#label-dialog[open] img'))
    await driver.press(KEYS.escape)
    await driver.until(`!${has('#label-dialog[open]')}`)
    await driver.until('document.activeElement.matches(".thumb:has(img)")')
    t.same(driver.complaints(), [])
  })

  await t.test('every other view opens', async (t) => {
    const views = {
      printers: '.card',
      sources: '.card',
      shipping: 'summary',
      settings: '.settings-form',
    }
    for (const [view, there] of Object.entries(views)) {
      await driver.click(`#to-${view}`)
      await driver.until(has(`#view-${view}:not([hidden]) ${there}`))
    }
    t.same(driver.complaints(), [])
  })
}

/** A scanner's keys come one right after the other, which WebDriver does within the browser. */
async function scan(t: Test, driver: Driver, rig: Rig): Promise<void> {
  await t.test('a scanner presses, types and chooses nothing', async (t) => {
    for (const view of ['labels', 'printers', 'sources', 'shipping', 'settings']) {
      await driver.goto(`${rig.url}/#${view}`)
      await driver.until(has(`#view-${view}:not([hidden])`))
      const drawn = '.job, .card, .shipping-parts summary, .settings-form'
      await driver.until(
        `document.querySelector('#view-${view}')?.querySelector('${drawn}') !== null`,
      )
      const all = await driver.evaluate<number>(WATCH)
      t.ok(all > 10, `${view}: ${all} controls`)
      for (let n = 0; n < all; n += 1) await scanAt(t, { driver, rig, n })
    }
  })
}

/** Scans at one control of the view; again where the machine was so busy that the keys came as slowly as a person's. */
async function scanAt(t: Test, at: { driver: Driver; rig: Rig; n: number }): Promise<void> {
  const { driver, rig, n } = at
  for (let tries = 0; tries < 20; tries += 1) {
    const jobs = await countJobs(rig)
    await driver.evaluate(`(keys = [], pressed = [], controls[${n}].focus(), was = ${SEEN}, true)`)
    await driver.press(...`Code ${n} none`, n % 2 === 0 ? KEYS.enter : KEYS.tab)
    await driver.evaluate('new Promise((done) => setTimeout(() => done(true), 70))')
    const isQuick = await driver.evaluate<boolean>(
      'keys.every((at, n) => n === 0 || at - keys[n - 1] < 45)',
    )
    const [pressed, isSame] = [
      await driver.evaluate<string[]>('pressed'),
      await driver.evaluate<boolean>(`${SEEN} === was`),
    ]
    if (isQuick) {
      const isClean = pressed.length === 0 && isSame && (await countJobs(rig)) === jobs
      if (!isClean)
        t.fail(`${pressed.join()} at ${await driver.evaluate(`controls[${n}].outerHTML`)}`)
      return
    }
    if (await driver.evaluate(has('dialog[open]'))) await driver.press(KEYS.escape)
  }
  t.comment('the machine was too busy for a scanner')
}

/** The state that a key could have changed. */
const SEEN = `[location.hash, document.querySelectorAll('dialog[open], details[open]').length,
  ...[...document.querySelectorAll('input, select, textarea')].map((one) => [one.checked, one.value])].join()`

/** Collects the times of keys and what is pressed or chosen; gives how many controls there are. */
const WATCH = `(() => {
  window.keys = []
  window.pressed = []
  window.was = ''
  addEventListener('keydown', ({ timeStamp }) => keys.push(timeStamp), true)
  for (const type of ['click', 'change', 'submit']) addEventListener(type, ({ target }) => {
    // A text that is as it was before may have been changed twice.
    const isText = type === 'change' && !target.matches('select, [type=checkbox], [type=radio], [type=file]')
    if (!isText) pressed.push(type + ' ' + target.outerHTML.slice(0, 99))
  }, true)
  window.controls = [...document.querySelectorAll(${JSON.stringify('a[href], button:not(:disabled), input, select:not(:disabled), textarea, summary, [tabindex]')})]
    .filter((one) => one.getClientRects().length > 0)
  return controls.length
})()`

async function countJobs({ url }: Rig): Promise<number> {
  return ((await (await fetch(`${url}/jobs?limit=500`)).json()) as unknown[]).length
}

/** Does what the pages of another site do. */
async function useShop(t: Test, driver: Driver, rig: Rig, shop: string, qz: number) {
  await t.test('a page of a shop prints by script, and may know so before', async (t) => {
    await driver.goto(shop)
    const report = await driver.evaluate<{
      verdict: string
      checks: { id: string; result: string }[]
    }>(`platenCanPrint.check({ box: '${rig.url}' })`)
    t.equal(report.verdict, 'pass')
    t.match(
      report.checks.find(({ id }) => id === 'fetch'),
      { result: 'pass' },
    )
    const fields = `new URLSearchParams({ label: btoa(${JSON.stringify(ZPL)}), title: 'By script' })`
    const print = `fetch('${rig.url}/', { method: 'POST', body: ${fields} }).then((answer) => answer.json())`
    t.match(await driver.evaluate(print), { Status: 'OK', jobs: [{ format: 'zpl' }] })
  })

  await t.test('... through the unmodified client of QZ Tray', async (t) => {
    const at = { host: '127.0.0.1', usingSecure: false, port: { secure: [1], insecure: [qz] } }
    const connect = `qz.websocket.connect(${JSON.stringify(at)}).then(() => qz.printers.find())`
    t.match(await driver.evaluate(connect), ['Bench 1'])
    const print = `qz.print(qz.configs.create('Bench 1', { jobName: 'By QZ' }), [${JSON.stringify(ZPL)}])`
    await driver.evaluate(`${print}.then(() => true)`)
    const jobs = (await (await fetch(`${rig.url}/jobs`)).json()) as { title: string }[]
    t.match(jobs[0], { title: 'By QZ' })
  })

  await t.test('... and by a form, whose answer follows the label', async (t) => {
    await driver.evaluate(`(() => {
      const form = Object.assign(document.createElement('form'), { method: 'post', action: '${rig.url}/' })
      form.append(Object.assign(document.createElement('textarea'), { name: 'label', value: btoa(${JSON.stringify(ZPL)}) }))
      form.append(Object.assign(document.createElement('button'), { id: 'go', textContent: 'Print' }))
      document.body.append(form)
      return true
    })()`)
    await driver.click('#go')
    await driver.until(says('.answer-jobs .state', 'Sent to the printer'))
    await driver.until('document.querySelector(".answer-jobs .paper img")?.naturalWidth > 100')
    t.same(driver.complaints(), [])
  })
}

for (const engine of ENGINES) {
  t.test(`the page and those of shops, in ${engine}`, { skip: skipReason(engine) }, async (t) => {
    const folder = t.testdir()
    const [shop, qz] = [await serveShop(t), await findClosedPort()]
    const rig = await startRig(join(folder, 'state'), {
      qz_tray: true,
      qz_port: qz - 1,
      allowed_origins: [shop],
    })
    t.teardown(() => rig[Symbol.asyncDispose]())
    const driver = await openEngine(engine, join(folder, 'profile'))
    t.teardown(() => driver[Symbol.asyncDispose]())
    await usePage(t, driver, rig)
    await scan(t, driver, rig)
    await useShop(t, driver, rig, shop, qz)
  })
}
