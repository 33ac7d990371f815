import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { ENGLISH } from '../../src/words/say.ts'
import { listLanguages, readTexts } from '../words.ts'
import { LIMIT_MS, openBench } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

const ROOT = join(import.meta.dirname, '../..')

/** A button that a sentence names, in quotes. */
const BUTTON = /"([A-Z][^"]+)"/g

t.test('every language calls buttons by their names', (t) => {
  const english = Object.entries(ENGLISH)
  for (const language of listLanguages()) {
    const texts = readTexts(language)
    for (const [key, text] of english.filter(
      ([key]) => !key.includes('.') || key.endsWith('.hint'),
    )) {
      const own = texts[key]
      if (own === undefined) continue
      for (const [, button] of text.matchAll(BUTTON)) {
        const names = english.filter(([, words]) => words === button).map(([key]) => texts[key])
        const isNamed = names.some((name) => name !== undefined && own.includes(name))
        t.ok(isNamed, `${language}: ${key} names ${button}`)
      }
    }
  }
  t.end()
})

/** A text of HTML as it is read: `{1}` for the first element that stands in it. */
function asText(html: string): string {
  let elements = 0
  let depth = 0
  const parts = html.split(/(<[^>]*>)/).map((part) => {
    if (!part.startsWith('<')) return depth === 0 ? part : ''
    if (part.startsWith('</')) depth -= 1
    const place = depth === 0 && !part.startsWith('</') ? `{${++elements}}` : ''
    if (!part.startsWith('</')) depth += 1
    return place
  })
  return parts.join('').replaceAll('&amp;', '&').replaceAll('&lt;', '<').replace(/\s+/g, ' ').trim()
}

/** Each element with `data-t`: its key, and what it says without the script. */
function* markedTexts(html: string): Iterable<readonly [key: string, text: string]> {
  for (const { 1: tag, 2: key, index, 0: head } of html.matchAll(
    /<(\w+)[^<>]*\sdata-t="(\w+)"[^<>]*>/g,
  )) {
    const rest = html.slice(index + head.length)
    yield [key ?? '', asText(rest.slice(0, rest.search(new RegExp(`</${tag}>`))))]
  }
}

t.test(
  'what HTML says without a script is what the texts say, and no text is without a use',
  (t) => {
    const english = Object.fromEntries(
      Object.entries(ENGLISH)
        .filter(([key]) => key.startsWith('page.'))
        .map(([key, text]) => [key.slice('page.'.length), text]),
    )
    const pages = ['src/http/page.ts', 'src/http/can-print.ts', 'src/http/tls/trust.ts']
    const used = new Set<string>()
    for (const file of ['web/index.html', 'web/help.html', 'web/api.html', ...pages]) {
      for (const [key, text] of markedTexts(readFileSync(join(ROOT, file), 'utf8'))) {
        t.equal(english[key], text, `${file}: ${key}`)
        used.add(key)
      }
    }
    const web = readdirSync(join(ROOT, 'web'), { recursive: true, encoding: 'utf8' })
    const code = [
      ...web.filter((name) => /\.(?:js|html)$/.test(name)),
      ...pages.map((name) => `../${name}`),
    ].map((name) => readFileSync(join(ROOT, 'web', name), 'utf8'))
    const words = new Set(code.join('\n').match(/(?<=['"])\w+(?=['"])/g))
    t.same(
      Object.keys(english).filter((key) => !words.has(key)),
      [],
      'no text is without a use',
    )
    t.end()
  },
)

/** Lists texts that are cut off or stick out of the window. */
const OVERFLOW = `[...document.querySelectorAll('button, .state, h2, h3, .bar a, label, .badge, .help, .facts')]
  .filter((element) => element.checkVisibility() && !element.closest('.strip, .unseen') &&
    !element.matches('.unseen, .drop, .chip strong, .code'))
  .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline')
  .map((element) => element.textContent)`

const SIZES = [
  { width: 360, height: 740 },
  { width: 1366, height: 650 },
]

/** Each view, and what is there once it is drawn; all that is folded is unfolded. */
const VIEWS = [
  ['/#labels', '.history .job'],
  ['/#printers', '#view-printers .card'],
  ['/#sources', '#view-sources .card'],
  ['/#shipping', '#view-shipping details'],
  ['/#settings', '#view-settings .update, #view-settings .backup'],
  ['/trust', 'main h1'],
  ['/can-print', '#can-print li'],
  ['/web/help.html', 'main h1'],
  ['/web/api.html', '#calls details'],
] as const

async function checkView(t: Test, page: Page, what: string): Promise<void> {
  await page.evaluate(
    "for (const each of document.querySelectorAll('.group, .shipping-parts > details, .add-printer')) each.open = true",
  )
  for (const size of SIZES) {
    await page.setViewportSize(size)
    const where = `${what} at ${size.width}`
    t.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, where)
    t.same(await page.evaluate(OVERFLOW), [], `${where}: nothing is cut off`)
  }
}

t.test(
  'every language fits, on a phone and on a desk, in Chromium',
  { skip: skipReason },
  async (t) => {
    const { rig, browser } = await openBench(t, {
      queues: [{ type: 'beanstalkd', endpoint: '127.0.0.1:9', tube: 'labels' }],
    })
    const body = JSON.stringify({ label: Buffer.from('^XA^FO9,9^FDx^FS^XZ').toString('base64') })
    const headers = { 'Content-Type': 'application/json', Prefer: 'wait=1' }
    await fetch(rig.url, { method: 'POST', headers, body })
    const off = JSON.stringify({ ...JSON.parse(body), printer: 'Switched off', copies: 2 })
    await fetch(rig.url, { method: 'POST', headers, body: off })
    for (const locale of ['en-US', 'es-ES', 'de-AT', 'fr-FR', 'pl-PL', 'zh-CN']) {
      await using tab = await openTab(browser, rig.url, { locale })
      const { page } = tab
      for (const [path, there] of VIEWS) {
        // A hash alone changes the view of the page that is open.
        await page.goto(`${rig.url}${path}`)
        await page.locator(`html[lang=${locale.slice(0, 2)}]`).waitFor({ state: 'attached' })
        await page.locator(there).first().waitFor()
        await checkView(t, page, `${locale} ${path}`)
      }
      t.same(tab.complaints, [])
    }
  },
)
