import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'

const ROOT = join(import.meta.dirname, '..')
const PATH = /(?:src|test|web|packaging|image|systemd|udev|docs)\/[\w./-]*\w/g

interface Entry {
  readonly file: string
  /** The name by which the code cites it. */
  readonly name: string
  readonly title: string
  readonly lines: readonly string[]
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** Entries of one subject; what stands outside of one belongs to none. */
function entriesOf(file: string): readonly Entry[] {
  return read(file)
    .split(/^(?=## )/m)
    .slice(1)
    .map((text) => {
      const [heading = '', ...lines] = text.split('\n').filter((line) => line !== '')
      const [, name = '', title = ''] = /^## `([a-z0-9-]+)`: (.+)$/.exec(heading) ?? []
      return { file, name, title, lines }
    })
}

const files = globSync('docs/decisions/*.md', { cwd: ROOT }).filter(
  (file) => basename(file) !== 'README.md',
)
const entries = files.flatMap(entriesOf)
const names = new Set(entries.map(({ name }) => name))

t.test('an entry has a name of its own, a title and a text', (t) => {
  t.ok(entries.length > 50)
  t.equal(names.size, entries.length)
  for (const { file, name, title, lines } of entries) {
    t.ok(name !== '' && title !== '' && lines.length > 0, `${basename(file)} ${name}`)
  }
  t.end()
})

t.test('every path that decisions and architecture name exists', (t) => {
  for (const file of [...files, 'docs/architecture.md', 'CONTRIBUTING.md']) {
    for (const [path] of read(file).matchAll(PATH)) {
      t.ok(existsSync(join(ROOT, path)), `${file}: ${path}`)
    }
  }
  t.end()
})

t.test('the code cites every decision, and none that is not there', (t) => {
  const sources = globSync('{src,test,web,packaging,image}/**/*.{ts,js,cjs,sh,css}', {
    cwd: ROOT,
  }).filter((file) => file !== 'test/decisions.test.ts')
  const scripts = globSync('packaging/{lib,debian}/*', { cwd: ROOT })
  const cited = new Set<string>()
  for (const file of [...sources, ...scripts, ...files, 'docs/architecture.md']) {
    const text = read(file).replace(/\n\s*(?:\/\/|#|\*)?\s*/g, ' ')
    for (const [, list = ''] of text.matchAll(/[Dd]ecisions? ((?:`[a-z0-9-]+`(?:, | and )?)+)/g)) {
      for (const [, name = ''] of list.matchAll(/`([a-z0-9-]+)`/g)) {
        t.ok(names.has(name), `${file} cites ${name}`)
        if (!files.includes(file)) cited.add(name)
      }
    }
  }
  for (const name of names) t.ok(cited.has(name), `${name} is cited by the code`)
  t.end()
})
