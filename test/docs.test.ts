import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import {
  describeApi,
  describeConfig,
  describeErrors,
  describeShipping,
  PLUGIN_BOUNDS,
} from '../packaging/docs.ts'
import { describeBounds } from '../src/http/bounds.ts'
import { components } from '../src/http/openapi/components.ts'
import { calls } from '../src/http/resources.ts'
import { PARAMS } from '../src/plugins/shipping/call-fields.ts'
import { HELP } from '../src/system/flags.ts'
import { FAILURES } from '../src/words/failures.ts'
import { ENGLISH } from '../src/words/say.ts'
import { describeSchema } from './settings/all.ts'

function read(name: string): string {
  return readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')
}

t.test('docs/config.md says what the code does; else run make docs', (t) => {
  t.equal(read('config.md'), describeConfig())
  for (const { key } of describeSchema()) t.match(read('config.md'), `| \`${key}\` |`)
  t.end()
})

t.test('docs/errors.md says what the code does; else run make docs', (t) => {
  t.equal(read('errors.md'), describeErrors())
  t.end()
})

t.test('docs/api.md tells the bounds that the code keeps; else run make docs', (t) => {
  t.equal(read('api.md'), describeApi(read('api.md')))
  for (const { name, value } of describeBounds(PLUGIN_BOUNDS))
    t.match(read('api.md'), `| \`${name}\` | ${value} |`)
  t.end()
})

t.test('docs/shipping.md has every name of a call; else run make docs', (t) => {
  const text = read('shipping.md')
  t.equal(text, describeShipping(text))
  for (const name of [...Object.keys(PARAMS), 'packages[].weight', 'customs[].value']) {
    t.match(text, `| \`${name}\` |`)
  }
  t.end()
})

t.test('docs/api.md names every key of a printer and a label', (t) => {
  const rows = read('api.md').split('\n')
  for (const [call, schema] of [
    ['GET /printers', 'Printer'],
    ['GET /jobs/ID', 'TracedJob'],
  ] as const) {
    const row = rows.find((each) => each.startsWith(`| \`${call}\` |`)) ?? ''
    for (const key of Object.keys(Object(components()[schema]?.['properties'])))
      t.match(row, new RegExp(`\\b${key}\\b`), `${call}: ${key}`)
  }
  t.end()
})

t.test('docs/api.md names every reason of a label', (t) => {
  const code = read('../src/core/job.ts')
  const [, union = ''] = /export type JobReason =\n((?: {2}\| '.*'\n)+)/.exec(code) ?? []
  const reasons = [...union.matchAll(/'(.+)'/g)].map(([, reason = '']) => reason)
  t.ok(reasons.includes('platen-moved'))
  const [, section = ''] = read('api.md').split('### States and reasons')
  // In JSON the list is empty then.
  for (const reason of reasons.filter((one) => one !== 'none'))
    t.match(section.split('\n## ')[0], `\`${reason}\``, reason)
  t.end()
})

t.test('docs/api.md names every key of what saved settings and a restore answer', (t) => {
  const rows = read('api.md').split('\n')
  for (const call of ['PUT /config', 'POST /backup']) {
    const [method = '', path = ''] = call.split(' ')
    const operation = Object.values(calls).find(
      (one) => one.path === path && one.method === method.toLowerCase(),
    )
    const row = rows.find((each) => each.startsWith(`| \`${call}\` |`)) ?? ''
    const keys = Object.keys(
      Object(operation?.answers({ settings: [], info: {} })[0]?.schema?.['properties']),
    )
    t.ok(keys.includes('warnings'), call)
    for (const key of keys) t.match(row, `"${key}"`, `${call}: ${key}`)
  }
  t.end()
})

const ROOT = join(import.meta.dirname, '..')

/** Lists the targets of links that end in `#…`: the headings, in GitHub's notation of anchors. */
function anchorsOf(markdown: string): readonly string[] {
  const headings = withoutCode(markdown).matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Blocks and words of code hold no links and no headings. */
function withoutCode(markdown: string): string {
  return markdown
    .replace(/^ *```[\s\S]*?^ *```$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.slice(1, -1).replace(/[[\]()<>#]/g, ''))
}

/** Addresses inside the project that a page links to or shows. */
function linksOf(markdown: string): readonly string[] {
  const found = withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)
  return [...found]
    .map(([, link, address]) => link ?? address ?? '')
    .filter((link) => !/^[a-z]+:/.test(link))
}

t.test('every link of the pages leads to a file and a heading that are there', (t) => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
  t.ok(pages.length > 10)
  for (const page of pages) {
    for (const link of linksOf(readFileSync(join(ROOT, page), 'utf8'))) {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : normalize(join(dirname(page), path))
      t.ok(existsSync(join(ROOT, target)), `${page}: ${link} is there`)
      if (anchor === undefined || !statSync(join(ROOT, target)).isFile()) continue
      const anchors = anchorsOf(readFileSync(join(ROOT, target), 'utf8'))
      t.ok(anchors.includes(anchor), `${page}: ${link} names a heading`)
    }
  }
  t.end()
})

t.test('every page of docs is found from the README', (t) => {
  const found = new Set<string>()
  const follow = (page: string): void => {
    for (const link of linksOf(readFileSync(join(ROOT, page), 'utf8'))) {
      const target = join(dirname(page), link.replace(/#.*/, ''))
      if (!target.endsWith('.md') || found.has(target)) continue
      found.add(target)
      if (target.endsWith('README.md')) follow(target)
    }
  }
  follow('README.md')
  for (const page of globSync('docs/**/*.md', { cwd: ROOT })) t.ok(found.has(page), page)
  t.end()
})

t.test('the pages name only commands that make has', (t) => {
  const targets = readFileSync(join(ROOT, 'Makefile'), 'utf8').matchAll(/^([a-z0-9-]+):/gm)
  const known = [...targets].map(([, name]) => name)
  for (const page of globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })) {
    const named = readFileSync(join(ROOT, page), 'utf8').matchAll(/(?:`|^)make ([a-z0-9-]+)/gm)
    for (const [, name] of named) t.ok(known.includes(name), `${page}: make ${name}`)
  }
  t.end()
})

t.test('man page and completion know every command and flag of --help', (t) => {
  const file = (name: string) => readFileSync(join(ROOT, 'packaging', name), 'utf8')
  const man = file('platen.1').replaceAll('\\-', '-')
  for (const [word] of HELP.matchAll(/(?<=^ {2}platen )[a-z]+|(?<!-)--[a-z-]+/gm)) {
    t.match(man, new RegExp(word.startsWith('--') ? `${word}\\b` : `^\\.BI? ${word}\\b`, 'm'), word)
    t.match(file('platen.bash-completion'), new RegExp(`(?<![a-z-])${word}\\b`), word)
  }
  t.end()
})

t.test('every failure has a meaning, a status and a hint', (t) => {
  for (const [code, { status }] of Object.entries(FAILURES)) {
    const english: Readonly<Record<string, string>> = ENGLISH
    t.ok(english[`${code}.meaning`], code)
    t.ok(english[`${code}.hint`], code)
    t.ok(status >= 400 && status < 600, code)
  }
  t.end()
})
