import t from 'tap'
import { readBarcodes } from 'zxing-wasm/reader'
import { loadReader } from '../labels/barcodes.ts'
import { LIMIT_MS, openBench, SOURCE } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const TEXTS = [
  'http://a.b/',
  'http://packing.local/',
  'https://printserver-abcd.packing.example/labels',
  'http://[fd00:aaaa:bbbb:cccc::5]:8080/',
  `https://${'long-name.'.repeat(20)}example/`,
]

t.test('where the page is found, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t, { host: '' }, {}, SOURCE)

  await t.test('a scanner reads the code of every length of address', async (t) => {
    await loadReader()
    await using tab = await openTab(browser, rig.url)
    for (const text of TEXTS) {
      const draw = `import('/web/printers/address.js').then((m) => {
        const code = m.drawCode(${JSON.stringify(text)})
        code.id = 'scanned'
        code.style = 'position: fixed; inset: 0; width: 400px; height: 400px; background: white; z-index: 9'
        document.getElementById('scanned')?.remove()
        document.body.append(code)
      })`
      await tab.page.evaluate(draw)
      await tab.page.locator('#scanned path').waitFor({ state: 'attached' })
      const picture = await tab.page.locator('#scanned').screenshot()
      const found = await readBarcodes(new Blob([new Uint8Array(picture)]), { formats: ['QRCode'] })
      t.same(
        found.map((code) => code.text),
        [text],
      )
    }
    t.same(tab.complaints, [])
  })

  await t.test('every view shows the address and its code; the bar opens it large', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const info = (await (await fetch(`${rig.url}/info`)).json()) as { ip: string; port: string }
    const address = `http://${info.ip}:${info.port}/`
    for (const view of ['labels', 'printers', 'sources', 'settings']) {
      await page.locator(`#to-${view}`).click()
      await page.locator('#foot').getByText(address).waitFor()
      await page.locator('#foot').scrollIntoViewIfNeeded()
      await page.locator('#foot svg.qr path').waitFor()
    }
    await page.locator('#share button').click()
    await page.locator('#address-dialog').getByText(address).waitFor()
    const width = await page.evaluate<number>(
      "document.querySelector('#address-dialog .qr').getBoundingClientRect().width",
    )
    t.ok(width > 300, `${width} pixels wide`)
    await page.locator('#address-dialog .qr path').waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('the address is one that others can open', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const find = (info: object, origin: string) => {
      const here = { origin, hostname: new URL(origin).hostname }
      const call = `m.findAddress(${JSON.stringify(info)}, ${JSON.stringify(here)})`
      return tab.page.evaluate(`import('/web/printers/address.js').then((m) => ${call})`)
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
