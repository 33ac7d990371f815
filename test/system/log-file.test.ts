import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { LogFile } from '../../src/system/log.ts'

t.test('a full log file is renamed, and the oldest goes', (t) => {
  const folder = join(t.testdir(), 'state')
  const log = new LogFile(join(folder, 'platen.log'), 20)
  for (let line = 0; line < 12; line += 1) log.write(`line ${line} 0123456789\n`)
  const names = ['platen.log', 'platen.log.1', 'platen.log.2', 'platen.log.3']
  t.same(readdirSync(folder).sort(), names)
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'))
  t.match(texts[0], /^line 10 .*\nline 11 .*\n$/)
  t.match(texts[3], /^line 4 .*\nline 5 /)
  t.end()
})

t.test('a log goes on where the program before left it', (t) => {
  const folder = t.testdir({ 'platen.log': 'x'.repeat(30) })
  new LogFile(join(folder, 'platen.log'), 20).write('new\n')
  t.equal(readFileSync(join(folder, 'platen.log'), 'utf8'), 'new\n')
  t.end()
})

t.test('a log that cannot be written disturbs nothing', (t) => {
  const folder = t.testdir()
  writeFileSync(join(folder, 'file'), '')
  new LogFile(join(folder, 'file', 'platen.log')).write('lost\n')
  t.end()
})
