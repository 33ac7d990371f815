import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { listInputs, readGraph } from './graph.ts'
import { digest, listParts, listUsual } from './parts.ts'
import { PassedParts } from './passed.ts'
import { findReason, runPart } from './run-parts.ts'
import { listTests } from './tiers.ts'

const ROOT = join(import.meta.dirname, '../..')

t.test('every test file is run by make test or by a part', async (t) => {
  const graph = await readGraph(ROOT)
  const parts = listParts(graph)
  const usual = listUsual(graph)
  const reached = new Set(parts.flatMap(({ entries }) => entries))
  const image = ['image', 'boot', 'emergency'].map((name) => `test/image/${name}.test.ts`)
  const left = listTests(graph).filter((file) => !usual.includes(file) && !reached.has(file))
  t.same(
    left.filter((file) => !image.includes(file)),
    [],
  )
  t.equal(new Set(parts.map(({ name }) => name)).size, parts.length)
  for (const entry of reached) t.ok(existsSync(join(ROOT, entry)), entry)
  t.ok(parts.some(({ name }) => name === 'test/plugins/source/mqtt.test.ts, long'))
  t.ok(parts.some(({ name }) => name === 'test/core/races/races.test.ts, many histories'))
})

t.test('a part has another digest when something that it reaches changes', async (t) => {
  const graph = await readGraph(ROOT)
  const part = { name: 'a', entries: ['test/docs.test.ts'], run: { tests: [] }, minutes: 1 }
  t.equal(digest(ROOT, graph, part), digest(ROOT, graph, part))
  const more = { ...part, entries: [...part.entries, 'test/suite/long.ts'] }
  t.not(digest(ROOT, graph, part), digest(ROOT, graph, more))
  t.ok(listInputs(graph, ['image']).includes('image/mkimage'), 'a folder is all that is in it')
})

t.test('what passed is remembered, and known again when a change is taken back', (t) => {
  const folder = t.testdir()
  const first = new PassedParts(folder)
  t.notOk(first.has('kills', 'a'))
  t.equal(first.lastAt('kills'), 0)
  first.note('kills', 'a', 3)
  first.note('kills', 'b', 4)
  const again = new PassedParts(folder)
  t.ok(again.has('kills', 'a'))
  t.ok(again.has('kills', 'b'))
  t.notOk(again.has('floods', 'b'))
  t.equal(again.minutesOf('kills'), 4)
  t.end()
})

t.test('a part is left out with a reason', (t) => {
  const part = { isPassed: false, expected: 5 }
  t.equal(findReason(part, 10, 35), '')
  t.match(findReason({ ...part, isPassed: true }, 10, 35), 'passed here')
  t.match(findReason(part, 31, 35), '31 of 35 minutes are spent and it takes 5')
  t.equal(findReason({ ...part, apart: 'it installs avahi' }, 0, 35), 'it installs avahi')
  t.equal(findReason({ ...part, apart: 'it installs avahi' }, 0, Number.POSITIVE_INFINITY), '')
  t.end()
})

t.test(
  'a command counts as one test, and one that hangs is ended with all that it started',
  async (t) => {
    const part = (...command: readonly string[]) => ({
      name: 'a part',
      entries: [],
      minutes: 1,
      run: { command },
    })
    t.same(await runPart(part('true'), 60_000), { passed: 1, failed: 0, skips: [] })
    t.same(await runPart(part('false'), 60_000), { passed: 0, failed: 1, skips: [] })
    const hanging = part('sh', '-c', 'sleep 600 & wait')
    t.same(await runPart(hanging, 200), { passed: 0, failed: 1, skips: [] })
  },
)
