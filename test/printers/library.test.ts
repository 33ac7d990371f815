import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import t from 'tap'

const ROOT = join(import.meta.dirname, '../..')
const LIBRARY = join(ROOT, 'src/printers')

const PACKAGES = [
  '#labels',
  'bonjour-service',
  '@serialport/bindings-cpp',
  'koffi',
  'usb',
  'valibot',
]

/** Lists the imports of a file, types too. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?:from |import\()'([\w#@./:-]+)'/g)].map(([, name = '']) => name)
}

t.test('it imports nothing else of the program but the languages of #labels', (t) => {
  for (const file of globSync('**/*.ts', { cwd: LIBRARY })) {
    const whole = join(LIBRARY, file)
    const others = importsOf(whole).filter((name) => {
      const isOwn =
        name.startsWith('.') && !relative(LIBRARY, join(dirname(whole), name)).startsWith('..')
      return !isOwn && !name.startsWith('node:') && !PACKAGES.includes(name)
    })
    t.same(others, [], file)
  }
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
