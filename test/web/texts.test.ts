import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { describeSchema, type FieldDescription } from '../../src/settings/describe.ts'
import { FAILURES } from '../../src/words/errors.ts'
import { listForms } from '../../src/words/format.ts'
import { ENGLISH } from '../../src/words/say.ts'
import { LIMIT_MS, openBench } from './bench.ts'
import { openTab, skipReason } from './chromium.ts'

t.setTimeout(LIMIT_MS)

type Text = string | Readonly<Record<string, string>>
type Texts = Readonly<Record<string, Text>>

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'web/texts')
const LANGUAGES = ['de', 'en', 'es', 'fr', 'pl', 'zh']
/** What a language is cut into: the first look, and what comes later. */
const PARTS = ['', '-views', '-settings', '-small']
/** What the server says, in English there. */
const SERVER = ['-server', '-refused', '-setup']

async function load(file: string): Promise<Texts> {
  const { texts } = (await import(join(FOLDER, `${file}.js`))) as { texts: Texts }
  return texts
}

/** What a text has to be filled with; each of its plurals may leave out the number. */
function placesOf(text: Text | undefined): readonly string[] {
  const all = typeof text === 'string' ? text : Object.values(text ?? {}).join(' ')
  return [...new Set(all.match(/\{\w+\}/g))].sort()
}

/** The keys under which the fields of the settings are translated. */
function fieldKeys(fields: readonly FieldDescription[], around = ''): readonly string[] {
  return fields.flatMap(({ key, only, fields: inner = [] }) => {
    const path = [around, only?.[0] ?? '', key].filter((part) => part !== '').join('.')
    return [`field.${path}`, `help.${path}`, ...fieldKeys(inner, key)]
  })
}

/** Each text has to be filled with the same, and has the plurals of its language. */
function checkTexts(t: Test, name: string, texts: Texts, english: Texts): void {
  const { pluralCategories } = new Intl.PluralRules(name).resolvedOptions()
  const forms = pluralCategories.filter((form) => form !== 'many' || name === 'pl').toSorted()
  for (const [key, text] of Object.entries(texts)) {
    t.same(placesOf(text), placesOf(english[key]), `${name}: ${key}`)
    if (typeof text === 'string') continue
    t.same(Object.keys(text).sort(), forms, `${name}: ${key} in each plural`)
  }
}

t.test('every language says everything', async (t) => {
  const files = LANGUAGES.flatMap((name) =>
    [...PARTS, ...(name === 'en' ? [] : SERVER)].map((part) => `${name}${part}.js`),
  )
  t.same(readdirSync(FOLDER).toSorted(), files.toSorted())
  for (const part of PARTS) {
    const english = await load(`en${part}`)
    const fields = part === '-settings' ? fieldKeys(describeSchema()) : []
    for (const name of LANGUAGES) {
      const texts = await load(`${name}${part}`)
      const wanted = name === 'en' ? [] : fields
      t.same(Object.keys(texts), [...Object.keys(english), ...wanted], `${name}${part}: the keys`)
      checkTexts(t, name, texts, english)
    }
  }
})

t.test('every language says whether the browser can print', async (t) => {
  const script = readFileSync(join(ROOT, 'web/can-print.js'), 'utf8')
  const window: { platenCanPrint?: { ENGLISH: Texts } } = {}
  const page = { window, document: {}, location: {}, HTMLScriptElement: Object }
  new Function(...Object.keys(page), script)(...Object.values(page))
  const english = window.platenCanPrint?.ENGLISH ?? {}
  t.ok(english['pass'])
  for (const name of LANGUAGES.filter((name) => name !== 'en')) {
    const { words } = (await import(join(ROOT, `web/can-print-${name}.js`))) as { words: Texts }
    t.same(Object.keys(words), Object.keys(english), name)
    checkTexts(t, name, words, english)
  }
})

/** What the server says, by key: its sentences, and the hints that go with codes. */
const SAID: Texts = Object.fromEntries(
  Object.entries(ENGLISH)
    .filter(([key]) => !key.includes('.') || key.endsWith('.hint'))
    .map(([key, template]) => {
      const forms = listForms(template)
      const text = forms.size === 1 ? template : Object.fromEntries(forms)
      return [key.replace('.hint', ''), text]
    }),
)

t.test('every language says what the server says, and calls buttons by their names', async (t) => {
  const english = { ...(await load('en')), ...(await load('en-settings')) }
  const buttons = Object.entries(english).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const codes = Object.keys(await load('de-server')).filter((key) => key in FAILURES)
  for (const name of LANGUAGES.filter((name) => name !== 'en')) {
    const own = { ...(await load(name)), ...(await load(`${name}-settings`)) }
    const texts: Record<string, Text> = {}
    for (const part of SERVER) Object.assign(texts, await load(`${name}${part}`))
    const keys = [...Object.keys(SAID).filter((key) => !(key in FAILURES)), ...codes]
    t.same(Object.keys(texts).toSorted(), keys.toSorted(), `${name}: the keys`)
    checkTexts(t, `${name}`, texts, SAID)
    for (const [key, text] of Object.entries(texts)) {
      const named = [...JSON.stringify(SAID[key]).matchAll(/\\"([A-Z][^"\\]+)\\"/g)]
      for (const [, button] of named) {
        const words = buttons.filter(([, english]) => english === button).map(([key]) => own[key])
        const isNamed = words.some((word) => JSON.stringify(text).includes(String(word)))
        t.ok(words.length > 0 && isNamed, `${name}: ${key} names ${button}`)
      }
    }
  }
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
  async (t) => {
    const english: Record<string, Text> = {}
    for (const part of PARTS) Object.assign(english, await load(`en${part}`))
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
      ...web.filter((name) => /\.(?:js|html)$/.test(name) && !name.startsWith('texts/')),
      ...pages.map((name) => `../${name}`),
    ].map((name) => readFileSync(join(ROOT, 'web', name), 'utf8'))
    const words = new Set(code.join('\n').match(/(?<=['"])\w+(?=['"])/g))
    t.same(
      Object.keys(english).filter((key) => !words.has(key)),
      [],
      'no text is without a use',
    )
  },
)

/** What is cut off or sticks out of the window. */
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
