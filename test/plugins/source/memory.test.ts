import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openMemory } from '../../../src/plugins/source/memory.ts'
import { keepFile } from '../../../src/settings/write.ts'

t.test('notes of the sources are there after a restart', (t) => {
  const file = join(t.testdir(), 'sources.json')
  const memory = openMemory(keepFile(file))
  t.equal(memory.recall('mqtt a'), undefined)
  memory.remember('mqtt a', 'one')
  memory.remember('mqtt b', 'two')
  memory.remember('mqtt a', 'three')
  const again = openMemory(keepFile(file))
  t.equal(again.recall('mqtt a'), 'three')
  t.equal(again.recall('mqtt b'), 'two')
  t.end()
})

t.test('the oldest of too many notes are dropped', (t) => {
  const memory = openMemory()
  for (let index = 0; index < 201; index += 1) memory.remember(`mqtt ${index}`, 'x')
  t.equal(memory.recall('mqtt 0'), undefined)
  t.equal(memory.recall('mqtt 1'), 'x')
  t.equal(memory.recall('mqtt 200'), 'x')
  t.end()
})

t.test('a damaged file is an empty one; one that cannot be written changes nothing', (t) => {
  const file = join(t.testdir(), 'sources.json')
  for (const text of ['{"mqtt a": "o', 'null', '[1]', '{"mqtt a": 1}']) {
    writeFileSync(file, text)
    t.equal(openMemory(keepFile(file)).recall('mqtt a'), undefined, text)
  }
  t.equal(openMemory(keepFile(t.testdirName)).recall('mqtt a'), undefined, 'a folder')
  const memory = openMemory(keepFile(file))
  memory.remember('mqtt a', 'one')
  t.same(JSON.parse(readFileSync(file, 'utf8')), { 'mqtt a': 'one' })
  const broken = openMemory({
    load: () => undefined,
    save: () => {
      throw new Error('the disk is full')
    },
  })
  t.throws(() => broken.remember('mqtt a', 'one'), /disk is full/)
  t.equal(broken.recall('mqtt a'), undefined)
  t.end()
})
