import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { isReached, readGraph } from './graph.ts'
import { isUnit, listChanged, pickUnits } from './tiers.ts'

/** A project of these files under git, the first commit on main. */
function makeProject(t: Test, files: Readonly<Record<string, string>>) {
  const root = t.testdir()
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root })
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  git('init', '-q', '-b', 'main')
  for (const [name, text] of Object.entries(files)) write(name, text)
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  return { root, git, write }
}

const FILES = {
  'src/sum.ts': "import type { One } from './one.ts'\nexport const sum = (a: One) => a\n",
  'src/one.ts': 'export type One = 1\n',
  'src/page.ts':
    "export const folder = new URL('../web', import.meta.url)\nexport const word = 'docs'\n",
  'src/worker.ts': "import { sum } from './sum.ts'\nsum(1)\n",
  'web/a/page.js': '',
  'docs/a.md': '',
  'docs/b.md': '',
  'package.json': '{}',
  'test/sum.test.ts': "import { sum } from '../src/sum.ts'\nsum(1)\n",
  'test/page.test.ts': "import { folder } from '../src/page.ts'\nfolder.href\n",
  'test/docs.test.ts': "import { join } from 'node:path'\njoin('..', 'docs/a.md')\n",
  'test/thread.test.ts': "new Worker(new URL('../src/worker.ts', import.meta.url))\n",
  'test/start.ts': "import 'node:child_process'\nexport const start = 'dist/main.js'\n",
  'test/start.test.ts': "import { start } from './start.ts'\nstart.trim()\n",
  'src/main.ts': '',
}

t.test('a test is reached by what it imports, names and starts', async (t) => {
  const { root } = makeProject(t, FILES)
  const graph = await readGraph(root)
  const reaches = (changed: string) =>
    graph.files.filter((file) => file.endsWith('.test.ts') && isReached(graph.reach(file), changed))
  t.same(reaches('src/sum.ts'), ['test/sum.test.ts', 'test/thread.test.ts'])
  t.same(reaches('src/one.ts'), [], 'a type alone changes nothing that runs')
  t.same(reaches('web/a/page.js'), ['test/page.test.ts', 'test/start.test.ts'])
  t.same(reaches('docs/a.md'), ['test/docs.test.ts'])
  t.same(reaches('docs/b.md'), [])
  t.same(reaches('src/main.ts'), ['test/start.test.ts'], 'the bundle is made of it')
  t.equal(reaches('package.json').length, 5)
  t.notOk(isUnit(graph.reach('test/start.test.ts')))
  t.equal(pickUnits(graph).length, 4)
  t.same(pickUnits(graph, ['docs/a.md', 'src/main.ts']), ['test/docs.test.ts'])
})

t.test('what was changed is committed on a branch, edited, or new', (t) => {
  const { root, git, write } = makeProject(t, FILES)
  t.same(listChanged(root), [])
  git('checkout', '-q', '-b', 'work')
  write('docs/a.md', 'committed')
  git('commit', '-q', '-a', '-m', 'second')
  write('docs/b.md', 'edited')
  write('docs/c.md', 'new')
  t.same(listChanged(root).toSorted(), ['docs/a.md', 'docs/b.md', 'docs/c.md'])
  git('branch', '-q', '-D', 'main')
  t.same(listChanged(root).toSorted(), ['docs/b.md', 'docs/c.md'], 'a clone without main')
  t.end()
})
