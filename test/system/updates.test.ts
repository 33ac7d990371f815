import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runUpdate } from '../../src/system/commands.ts'
import { createUpdates } from '../../src/system/updates.ts'
import { spoken } from '../words/spoken.ts'

const RESULT = {
  result: 'updated',
  from: '1.0.0',
  to: '1.1.0',
  message: 'Done.',
  hint: '',
  at: 'now',
}

t.test('an update can be asked for where systemd waits for the wish and a server is known', (t) => {
  const folder = t.testdir({ state: {}, run: {}, sources: {} })
  const [stateFolder, runtimeFolder, sourcesFolder] = ['state', 'run', 'sources'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  const updates = createUpdates({ stateFolder, runtimeFolder, sourcesFolder })
  t.match(spoken(updates.hindrance()), /No update server/)
  writeFileSync(join(sourcesFolder, 'platen-stable.sources'), '')
  t.equal(updates.hindrance(), undefined)
  updates.request()
  t.same(readdirSync(runtimeFolder), ['update-request'])

  const alone = createUpdates({ stateFolder, runtimeFolder: undefined, sourcesFolder })
  t.match(spoken(alone.hindrance()), /not installed as a Debian package/)
  alone.request()
  const gone = createUpdates({ stateFolder, runtimeFolder, sourcesFolder: join(folder, 'none') })
  t.match(spoken(gone.hindrance()), /No update server/)
  t.end()
})

t.test('the last result is read, and damage counts as none', (t) => {
  const stateFolder = t.testdir()
  const updates = createUpdates({ stateFolder, runtimeFolder: undefined })
  t.equal(updates.last().result, 'none')
  const write = (text: string) => writeFileSync(join(stateFolder, 'update.json'), text)
  write(JSON.stringify(RESULT))
  t.same(updates.last(), RESULT)
  for (const damage of ['', '{"result"', 'null', '[]', '{"result":7,"message":{}}']) {
    write(damage)
    t.match(updates.last(), { result: 'none', message: '', at: '' }, damage)
  }
  write(JSON.stringify({ ...RESULT, message: 'x'.repeat(5_000) }))
  t.equal(updates.last().message.length, 1_000)
  t.end()
})

t.test('nobody is told to install by a name that is not ours on the public registry', (t) => {
  const root = join(import.meta.dirname, '../..')
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
  const texts = [
    runUpdate([], '/elsewhere/platen.js').text,
    ...['README.md', ...pages.map((name) => join('docs', name))].map((file) =>
      readFileSync(join(root, file), 'utf8'),
    ),
  ]
  const byName = /npx (?:-\S+ )*platen\b|npm (?:i|install|add|update)(?: -\S+)* platen\b[^-]/
  for (const text of texts) t.notMatch(text, byName)
  t.match('npm install --global platen@latest', byName)
  t.end()
})
