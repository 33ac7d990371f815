import bwip from 'bwip-js'
import t from 'tap'
import { LIMIT_MS, openBench } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

/** One for each size of code, without runs of digits, which bwip-js packs more tightly than we do. */
const TEXTS = [
  'http://a.b/',
  'http://packing.local/',
  'http://printserver-abcd.local:a/',
  'https://printserver-abcd.packing.example/labels',
  `https://${'long-name.'.repeat(6)}example/`,
  `https://${'long-name.'.repeat(9)}example/`,
]

/** Level M and nothing else, even where a higher one has room. */
const LEVEL = 'eclevel=M fixedeclevel'

t.test('where the page is found, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t, { host: '' })

  await t.test('the code is the one that another maker of codes draws', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const sizes = new Set<number>()
    for (const text of TEXTS) {
      for (let mask = 0; mask < 8; mask++) {
        const [wanted] = bwip.raw('qrcode', text, `${LEVEL} mask=${mask + 1}`)
        const rows = await tab.page.evaluate<boolean[][]>(
          `import('/web/qr.js').then((m) => m.drawQr(${JSON.stringify(text)}, ${mask}))`,
        )
        const pixels = wanted !== undefined && 'pixs' in wanted ? [...wanted.pixs] : []
        t.equal(rows.flat().map(Number).join(''), pixels.join(''), `${text} with mask ${mask}`)
        sizes.add(rows.length)
      }
    }
    t.equal(sizes.size, 6, 'all sizes were drawn')
    const long = `import('/web/qr.js').then((m) => String(m.drawQr('x'.repeat(200))))`
    t.equal(await tab.page.evaluate(long), 'undefined', 'what is too long has none')
  })

  await t.test('every view shows the address and its code; the bar opens it large', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const info = (await (await fetch(`${rig.url}/info`)).json()) as { ip: string; port: string }
    const address = `http://${info.ip}:${info.port}/`
    for (const view of ['labels', 'printers', 'sources', 'settings']) {
      await page.locator(`#to-${view}`).click()
      await page.locator('#foot').getByText(address).waitFor()
      t.ok(await page.locator('#foot svg.qr').isVisible(), view)
    }
    await page.locator('#share button').click()
    await page.locator('#address-dialog').getByText(address).waitFor()
    const width = await page.evaluate<number>(
      "document.querySelector('#address-dialog .qr').getBoundingClientRect().width",
    )
    t.ok(width > 300, `${width} pixels wide`)
    t.same(tab.complaints, [])
  })

  await t.test('the address is one that others can open', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const find = (info: object, origin: string) => {
      const here = { origin, hostname: new URL(origin).hostname }
      const call = `m.findAddress(${JSON.stringify(info)}, ${JSON.stringify(here)})`
      return tab.page.evaluate(`import('/web/address.js').then((m) => ${call})`)
    }
    const box = { host: '', ip: '10.0.0.5', port: '8080' }
    t.equal(await find(box, 'http://printserver.local'), 'http://printserver.local/')
    const names = ['printserver-1a2b.local', 'printserver.local']
    t.equal(
      await find({ ...box, names }, 'http://printserver.local'),
      'http://10.0.0.5/',
      'of two boxes now this one has the short name, now the other',
    )
    t.equal(await find(box, 'http://localhost:8080'), 'http://10.0.0.5:8080/')
    t.equal(await find({ ...box, ip: 'fd00::5' }, 'http://[::1]:8080'), 'http://[fd00::5]:8080/')
    t.equal(await find({ ...box, host: 'localhost' }, 'http://localhost:8080'), undefined)
    t.equal(await find({ ...box, ip: '127.0.0.1' }, 'http://localhost:8080'), undefined)
  })
})

t.test('a box whose name another one has shows its own', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t, { host: '' })
  await using tab = await openTab(browser, rig.url)
  const { page } = tab
  // As avahi names the second of two boxes; test/image/names.test.ts has real ones.
  await page.route('**/info', async (route) => {
    const response = await route.fetch()
    const info = (await response.json()) as object
    await route.fulfill({ json: { ...info, names: ['printserver-1a2b-2.local'] } })
  })
  await page.reload()
  await page.locator('#foot').getByText('or http://printserver-1a2b-2.local/').waitFor()
  await page.locator('#share button').click()
  await page.locator('#address-dialog').getByText('or http://printserver-1a2b-2.local/').waitFor()
  t.same(tab.complaints, [])
})

t.test('a server for its own computer only says so', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)
  await using tab = await openTab(browser, rig.url)
  const foot = tab.page.locator('#foot')
  await foot.getByText(`Only this computer can open ${rig.url}/`).waitFor()
  await foot.getByRole('link', { name: /make Host blank/ }).click()
  await tab.page.getByLabel('Host', { exact: true }).waitFor()
})
