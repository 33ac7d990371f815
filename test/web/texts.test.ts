import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { LIMIT_MS, openBench } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

type Text = string | Readonly<Record<string, string>>
type Texts = Readonly<Record<string, Text>>

const FOLDER = join(import.meta.dirname, '../../web/texts')
const NAMES = readdirSync(FOLDER).map((file) => file.slice(0, -'.js'.length))

async function load(name: string): Promise<Texts> {
  const { texts } = (await import(join(FOLDER, `${name}.js`))) as { texts: Texts }
  return texts
}

/** What a text has to be filled with; each of its plurals may leave out the number. */
function placesOf(text: Text | undefined): readonly string[] {
  const all = typeof text === 'string' ? text : Object.values(text ?? {}).join(' ')
  return [...new Set(all.match(/\{\w+\}/g))].sort()
}

t.test('every language says everything', async (t) => {
  const english = await load('en')
  t.same(NAMES.toSorted(), ['de', 'en', 'es', 'fr', 'pl', 'zh'])
  for (const name of NAMES) {
    const texts = await load(name)
    t.same(Object.keys(texts), Object.keys(english), `${name}: the same keys in the same order`)
    for (const [key, text] of Object.entries(texts)) {
      t.same(placesOf(text), placesOf(english[key]), `${name}: ${key}`)
      if (typeof text === 'string') continue
      const { pluralCategories } = new Intl.PluralRules(name).resolvedOptions()
      const wanted = pluralCategories.filter((form) => form !== 'many' || name === 'pl')
      t.same(Object.keys(text).sort(), wanted.toSorted(), `${name}: ${key} in each plural`)
    }
  }
})

/** What is cut off or sticks out of the window. */
const OVERFLOW = `[...document.querySelectorAll('button, .state, h2, h3, .bar a, label')]
  .filter((element) => element.checkVisibility() && !element.closest('.strip, .unseen') &&
    !element.matches('.unseen, .drop, .chip strong'))
  .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline')
  .map((element) => element.textContent)`

t.test('every language fits on a phone, in Chromium', { skip: skipReason }, async (t) => {
  const { rig, browser } = await openBench(t)
  const body = JSON.stringify({ label: Buffer.from('^XA^FO9,9^FDx^FS^XZ').toString('base64') })
  const headers = { 'Content-Type': 'application/json', Prefer: 'wait=1' }
  await fetch(rig.url, { method: 'POST', headers, body })
  const off = JSON.stringify({ ...JSON.parse(body), printer: 'Switched off', copies: 2 })
  await fetch(rig.url, { method: 'POST', headers, body: off })
  for (const locale of ['en-US', 'es-ES', 'de-AT', 'fr-FR', 'pl-PL', 'zh-CN']) {
    await using tab = await openTab(browser, rig.url, {
      locale,
      viewport: { width: 360, height: 740 },
    })
    const { page } = tab
    await page.locator('.history .job').first().waitFor()
    await page.locator('.group [data-action=move-all]').waitFor()
    t.equal(await page.evaluate('document.documentElement.lang'), locale.slice(0, 2))
    t.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, locale)
    t.same(await page.evaluate(OVERFLOW), [], `${locale}: nothing is cut off`)
    t.same(tab.complaints, [])
  }
})
