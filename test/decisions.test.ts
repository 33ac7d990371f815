import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'

const ROOT = join(import.meta.dirname, '..')
const PATH = /(?:src|test|web|packaging|image|systemd|udev|bench|docs)\/[\w./-]*\w/g

interface Entry {
  readonly file: string
  readonly number: number
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
      const [, number = '', title = ''] = /^## (\d+)\. (.+)$/.exec(heading) ?? []
      return { file, number: Number(number), title, lines }
    })
}

const files = globSync('docs/decisions/*.md', { cwd: ROOT }).filter(
  (file) => basename(file) !== 'README.md',
)
const entries = files.flatMap(entriesOf)
const numbers = new Set(entries.map(({ number }) => number))

t.test('an entry has a number of its own, a title and a text', (t) => {
  t.ok(entries.length > 100)
  t.equal(numbers.size, entries.length)
  for (const { file, number, title, lines } of entries) {
    const name = `${basename(file)} ${number}`
    t.ok(number > 0 && title !== '' && lines.length > 0, name)
  }
  t.end()
})

t.test('every path that decisions and architecture name exists', (t) => {
  for (const file of [...files, 'docs/architecture.md', 'CONTRIBUTING.md']) {
    if (!existsSync(join(ROOT, file))) continue
    for (const [path] of read(file).matchAll(PATH)) {
      t.ok(existsSync(join(ROOT, path)), `${file}: ${path}`)
    }
  }
  t.end()
})

t.test('every decision that is cited by its number exists', (t) => {
  for (const { file, number, lines } of entries) {
    for (const [, cited] of lines.join(' ').matchAll(/decision (\d+)/g)) {
      t.ok(numbers.has(Number(cited)), `${basename(file)} ${number} cites ${cited}`)
    }
  }
  const sources = globSync('{src,test,bench,web,packaging,image}/**/*.{ts,js,sh}', { cwd: ROOT })
  for (const file of [...sources, 'packaging/build.js']) {
    for (const [, subject, cited] of read(file).matchAll(/decisions\/([\w-]+)\.md, (\d+)/g)) {
      const there = entriesOf(`docs/decisions/${subject}.md`).some(
        (e) => e.number === Number(cited),
      )
      t.ok(there, `${file} cites ${cited} of ${subject}.md`)
    }
  }
  t.end()
})
