import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { runKey } from '../../../src/http/access/key-command.ts'
import { Keys } from '../../../src/http/access/keys.ts'

const command = (verb: 'add' | 'list' | 'revoke', keyName = '', scopes = '') => ({
  verb,
  keyName,
  scopes,
})

t.test('a key is shown once and kept as its hash', (t) => {
  const folder = t.testdir()
  const keys = new Keys(folder)
  const { key, shown } = keys.add('shop')
  t.match(key, /^pk_[a-z2-9]{8}_[\w-]{43}$/)
  t.same(shown.scopes, ['rate', 'ship', 'track', 'print'])
  const file = join(folder, 'keys.json')
  t.equal(statSync(file).mode & 0o777, 0o600)
  const text = readFileSync(file, 'utf8')
  t.notOk(text.includes(key.slice(12)), 'nothing of the secret')
  t.match(text, /"sha256": "[0-9a-f]{64}"/)
  t.end()
})

t.test('only a whole key is found, and none after it is revoked', (t) => {
  const keys = new Keys(t.testdir())
  const { key } = keys.add('shop')
  const other = keys.add('van').key
  t.equal(keys.find(key)?.name, 'shop')
  t.equal(keys.find(other)?.name, 'van')
  for (const wrong of ['', key.slice(0, -1), `${key}x`, key.toUpperCase(), ` ${key}`]) {
    t.equal(keys.find(wrong), undefined, wrong)
  }
  keys.revoke('shop')
  t.equal(keys.find(key), undefined)
  t.throws(() => keys.revoke('shop'), { code: 'KEY_UNKNOWN' })
  t.equal(keys.find(other)?.name, 'van')
  t.end()
})

t.test('what another process writes counts at once', (t) => {
  const folder = t.testdir()
  const server = new Keys(folder)
  t.same(server.list(), [])
  const { key } = new Keys(folder).add('shop')
  t.equal(server.find(key)?.name, 'shop')
  new Keys(folder).revoke('shop')
  t.equal(server.find(key), undefined)
  t.end()
})

t.test('commands that change the keys at once lose none and bring none back', async (t) => {
  const folder = t.testdir()
  const module = new URL('../../../src/http/access/keys.ts', import.meta.url)
  const run = promisify(execFile)
  const work = (who: string) => `
    import { Keys } from ${JSON.stringify(module)}
    const keys = new Keys(${JSON.stringify(folder)})
    for (let n = 0; n < 10; n += 1) {
      keys.add('${who} ' + n)
      keys.add('${who} passing')
      keys.revoke('${who} passing')
    }`
  const node = (who: string) => run(process.execPath, ['--input-type=module', '-e', work(who)])
  await Promise.all(['a', 'b', 'c'].map(node))
  const names = new Keys(folder).list().map(({ name }) => name)
  t.equal(names.length, 30)
  t.notOk(names.some((name) => name.endsWith('passing')))
  t.same(readdirSync(folder), ['keys.json'])
})

t.test(
  'a command that was killed while it changed the keys holds up the next for a moment',
  (t) => {
    const folder = t.testdir({ 'keys.json.turn': '' })
    t.equal(runKey(command('add', 'shop'), folder).code, 0)
    t.same(readdirSync(folder), ['keys.json'])
    t.end()
  },
)

t.test('names are bounded and each stands once', (t) => {
  const keys = new Keys(t.testdir())
  for (const name of ['', ' shop', 'a\nb', 'x'.repeat(41), '<b>']) {
    t.throws(() => keys.add(name), { code: 'FIELD_INVALID' }, JSON.stringify(name))
  }
  keys.add('Läden 1')
  t.throws(() => keys.add('Läden 1'), { code: 'FIELD_INVALID' })
  t.end()
})

t.test('when a key was used is noted, at most once a minute on disk', (t) => {
  const folder = t.testdir()
  let now = Date.parse('2026-11-23T10:00:00Z')
  const keys = new Keys(folder, () => now)
  const { key } = keys.add('shop')
  const stored = keys.find(key)
  if (stored === undefined) throw new Error('the key is not found')
  t.equal(keys.list()[0]?.last_used, '')
  keys.used(stored)
  now += 30_000
  keys.used(stored)
  t.equal(keys.list()[0]?.last_used, '2026-11-23T10:00:30.000Z')
  t.equal(new Keys(folder).list()[0]?.last_used, '2026-11-23T10:00:00.000Z')
  now += 60_000
  keys.used(stored)
  t.equal(new Keys(folder).list()[0]?.last_used, '2026-11-23T10:01:30.000Z')
  writeFileSync(join(folder, 'keys-used.json'), 'broken')
  t.equal(new Keys(folder).list()[0]?.last_used, '')
  t.end()
})

t.test('a key is good though it cannot be noted when it was used', (t) => {
  const folder = t.testdir()
  let now = 1_000
  const keys = new Keys(folder, () => now)
  const { key } = keys.add('shop')
  const found = keys.find(key)
  if (found === undefined) throw new Error('no key')
  keys.used(found)
  // As a full disk: the file cannot be replaced.
  rmSync(join(folder, 'keys-used.json'))
  mkdirSync(join(folder, 'keys-used.json/in-the-way'), { recursive: true })
  now += 61_000
  t.doesNotThrow(() => keys.used(found))
  t.equal(keys.list()[0]?.last_used, new Date(now).toISOString())
  const started = new Keys(folder, () => now)
  t.equal(started.list()[0]?.last_used, '', 'nor can that be read at the next start')
  t.doesNotThrow(() => started.used(found))
  t.end()
})

t.test('a damaged file of keys is a fault, and never lets anybody in', (t) => {
  for (const text of ['', '{}', '[{"id":"x"}]', '[null]', '[1']) {
    const folder = t.testdir({ 'keys.json': text })
    t.throws(() => new Keys(folder).find('pk_x'), { code: 'CONFIG_BROKEN' }, text)
  }
  const unreadable = t.testdir({ 'keys.json': {} })
  t.match(runKey(command('list'), unreadable), {
    code: 1,
    text: /keys\.json cannot be read \(EISDIR\)\. Give the user of the print server/,
  })
  t.end()
})

t.test('platen key add prints the key and nothing else', (t) => {
  const folder = t.testdir()
  const { code, text } = runKey(command('add', 'shop'), folder)
  t.equal(code, 0)
  t.match(text, /^pk_[a-z2-9]{8}_[\w-]{43}\n$/)
  t.equal(new Keys(folder).find(text.trim())?.name, 'shop')
  t.match(
    runKey(command('list'), folder).text,
    /^shop {2}pk_\w{8}_… {2}rate,ship,track,print {2}made /,
  )
  t.match(runKey(command('add', 'shop'), folder), { code: 1, text: /is there already/ })
  t.match(runKey(command('revoke', 'shop'), folder), { code: 0, text: /revoked/ })
  t.match(runKey(command('revoke', 'shop'), folder), { code: 1, text: /No API key/ })
  t.match(runKey(command('list'), folder), { code: 0, text: /no API key yet/ })
  t.equal(runKey(command('add', 'reader', 'rate, track'), folder).code, 0)
  t.same(new Keys(folder).list()[0]?.scopes, ['rate', 'track'])
  t.match(runKey(command('add', 'x', 'root'), folder), { code: 1, text: /no scope "root"/ })
  t.end()
})
