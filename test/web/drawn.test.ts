import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import bwipJs from 'bwip-js/node'
import t from 'tap'
import { languageNames, pictureFormats } from '#labels'
import { upsLikeZpl } from '../label-makers/raw.ts'
import { choosePrinter, LIMIT_MS, openBench, print, SOURCE } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const CARRIERS = join(import.meta.dirname, '../preview/labels')

/** Returns what the module of the page says about a label, and how long it took. */
const drawing = (bytes: Uint8Array, format = 'zpl') => `(async () => {
  const { drawLabel } = await import('/web/labels/preview.js')
  const bytes = Uint8Array.from(atob('${Buffer.from(bytes).toString('base64')}'), (c) => c.charCodeAt(0))
  const begun = performance.now()
  const size = { format: '${format}', width_in: 4, height_in: 6, dpi: 203 }
  const { url, warnings } = await drawLabel(bytes, size)
  const ms = performance.now() - begun
  const picture = new Image()
  picture.src = url
  await picture.decode()
  const again = (await drawLabel(bytes, size)).url === url
  return { ms, warnings, again, width: picture.naturalWidth, height: picture.naturalHeight }
})()`

interface Seen {
  readonly ms: number
  readonly warnings: readonly string[]
  readonly again: boolean
  readonly width: number
  readonly height: number
}

t.test('the page draws raw labels itself, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t, {}, {}, SOURCE)

  await t.test('a raw label is a picture on its card and in its dialog', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page, complaints, strays } = tab
    const card = await print(page, 'Bench 1', Buffer.from(upsLikeZpl), 'Sent to the printer')
    const thumb = card.locator('.thumb img')
    await thumb.waitFor()
    t.match(await thumb.getAttribute('src'), /^blob:/)
    t.equal(await thumb.getAttribute('title'), 'About how it will look')
    await card.locator('.thumb').click()
    await page.locator('.drawn-label img').waitFor()
    t.match(await page.locator('.drawn-label').textContent(), 'About how it will look')
    t.same([complaints, strays], [[], []], 'within the rules for content, and from no other server')
  })

  await t.test('a bar code that runs off the paper is told on the card', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page } = tab
    const label = Buffer.from(
      '^XA^PW812^LL1218^FO700,100^BY3^BCN,100,Y,N,N^FD1Z999AA10123456784^FS^XZ',
    )
    const card = await print(page, 'Bench 1', label, 'Sent to the printer')
    await card.locator('.alarm', { hasText: 'runs off the paper' }).waitFor()
    await page.reload()
    await page.locator('.history .alarm', { hasText: 'runs off the paper' }).first().waitFor()
    t.same(tab.complaints, [])
  })

  await t.test('a picture without a name is named after its bar code', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const { page, complaints } = tab
    const picture = await bwipJs.toBuffer({
      bcid: 'code128',
      text: '1Z999AA10123456784',
      scale: 3,
      height: 20,
      paddingwidth: 20,
      paddingheight: 60,
      backgroundcolor: 'ffffff',
    })
    await choosePrinter(page, 'Bench 1')
    const file = { name: 'label.png', mimeType: 'image/png', buffer: picture }
    await page.setInputFiles('#files', file)
    await page.locator('.tray-item .facts', { hasText: 'PNG' }).waitFor()
    await page.locator('#print').click()
    await page.locator('.history .job-name', { hasText: '1Z999AA10123456784' }).waitFor()
    t.same(complaints, [])
  })

  await t.test(
    'the first picture takes as long as loading it, the next ones a moment',
    async (t) => {
      await using tab = await openTab(browser, rig.url)
      for (const name of ['ups.zpl', 'fedex.zpl', 'usps.zpl']) {
        const bytes = readFileSync(join(CARRIERS, name))
        const seen = await tab.page.evaluate<Seen>(drawing(bytes))
        t.comment(`${name}: ${Math.round(seen.ms)} ms`)
        t.match(seen, { again: true, width: 812, height: 1218 })
      }
    },
  )

  await t.test(
    'a label of a language without a drawer has no picture, which is no fault',
    async (t) => {
      await using tab = await openTab(browser, rig.url)
      const none = await tab.page.evaluate<string>(`import('/web/labels/preview.js')
      .then(({ drawLabel }) => drawLabel(new Uint8Array(9), { format: 'other', dpi: 203 }))
      .then((picture) => typeof picture)`)
      t.equal(none, 'undefined')
      const formats = [...pictureFormats, 'pdf', 'packlist', 'test', 'start', 'unknown', '']
      const raw = await tab.page.evaluate<string[]>(`import('/web/labels/words.js')
      .then(({ isRaw }) => ${JSON.stringify([...languageNames, ...formats])}.filter(isRaw))`)
      t.same(raw, languageNames, 'the page knows a language by what it is not')
    },
  )

  await t.test('a label that never ends costs its own picture only', async (t) => {
    await using tab = await openTab(browser, rig.url)
    const endless = Buffer.from(`^XA${'^FO0,0^GB32000,32000,32000^FS'.repeat(15_000)}^XZ`)
    const seen = await tab.page.evaluate<Seen>(drawing(endless))
    t.match(seen.warnings.join(' '), /too large to draw whole/)
    t.match(await tab.page.evaluate<Seen>(drawing(upsLikeZpl)), { width: 812, warnings: [] })
  })

  await t.test(
    'a thread that takes too long is ended, and the next label has a new one',
    async (t) => {
      await using tab = await openTab(browser, rig.url)
      const { page } = tab
      // The limit of a label, 10 seconds, is over at once.
      await page.evaluate(`window.wait = setTimeout
      window.setTimeout = (done, ms) => wait(done, ms === 10000 ? 0 : ms)`)
      const said = await page.evaluate<string>(
        `${drawing(upsLikeZpl)}.catch((error) => error.message)`,
      )
      t.equal(said, 'This label takes too long to draw. It prints all the same.')
      await page.evaluate('window.setTimeout = wait')
      t.match(await page.evaluate<Seen>(drawing(upsLikeZpl)), { width: 812, height: 1218 })
    },
  )
})
