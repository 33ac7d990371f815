import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import t from 'tap'
import { convert } from '#labels'
import { makePagesTiff } from '../pictures/make-pages-tiff.ts'

const ROOT = join(import.meta.dirname, '../..')
const LIBRARY = join(ROOT, 'src/labels')

/** Lists the imports of a file, types too. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?:from |import |import\()'([\w#@./:-]+)'/g)].map(
    ([, name = '']) => name,
  )
}

t.test('it imports nothing else of the program', (t) => {
  for (const file of globSync('**/*.ts', { cwd: LIBRARY })) {
    const whole = join(LIBRARY, file)
    const others = importsOf(whole).filter((name) => {
      if (!name.startsWith('.')) return name.startsWith('#')
      return relative(LIBRARY, join(dirname(whole), name)).startsWith('..')
    })
    t.same(others, [], file)
  }
  t.end()
})

t.test('the program imports nothing of it but its interface and its entries', (t) => {
  const files = globSync('**/*.ts', { cwd: join(ROOT, 'src') })
  const inner = files.filter((file) => {
    if (file.startsWith('labels/')) return false
    return importsOf(join(ROOT, 'src', file)).some((name) => /(?:^|\/)labels\//.test(name))
  })
  t.same(inner, [])
  t.end()
})

t.test('the example of its README runs, and says what stands there', (t) => {
  const text = readFileSync(join(LIBRARY, 'README.md'), 'utf8')
  const [, example = '', output] = /```ts\n(.*?)```\n\n```\n(.*?)```/s.exec(text) ?? []
  // A file of the tests, so that its types are checked too.
  const file = join(import.meta.dirname, 'readme-example.ts')
  t.equal(example, readFileSync(file, 'utf8'))
  const { stdout, stderr } = spawnSync(process.execPath, [file], { cwd: ROOT, encoding: 'utf8' })
  t.equal(stdout, output, stderr)
  t.end()
})

t.test('it converts each page of a file, and passes what is in the language already', async (t) => {
  const pages = await convert(await makePagesTiff(), { language: 'epl', labelHeight: 3 })
  t.ok(pages.length > 1)
  for (const { bytes } of pages) t.match(Buffer.from(bytes).toString('latin1'), /^\r?\nN\r?\n.*P1/s)
  const raw = Buffer.from('^XA^FO50,50^A0N,50^FDHello^FS^XZ')
  t.same(await convert(raw, { language: 'zpl' }), [{ bytes: raw, preview: undefined, notes: [] }])
  await t.rejects(convert(raw, { language: 'tspl' }), { name: 'LabelFault', code: 'LABEL_REFUSED' })
  await t.rejects(convert(Buffer.from(' '), { language: 'zpl' }), { code: 'LABEL_EMPTY' })
})
