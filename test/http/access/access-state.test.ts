import { randomBytes } from 'node:crypto'
import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { parseBasic, warnOfHalfCredentials } from '../../../src/http/access/credentials.ts'
import { LoginLimit } from '../../../src/http/access/login-limit.ts'
import { loadSecret } from '../../../src/http/access/secret.ts'
import { Sessions } from '../../../src/http/access/session.ts'
import { shorten } from '../../../src/http/access/shorten.ts'
import { createPageTokens } from '../../../src/http/access/token.ts'

const ADMIN = { username: 'admin', password: '1234' }

t.test('a session ends after twelve hours', (t) => {
  let now = 0
  const sessions = new Sessions(() => now)
  const id = sessions.open(ADMIN)
  now = 12 * 3_600_000 - 1
  t.ok(sessions.has(id, ADMIN))
  now++
  t.notOk(sessions.has(id, ADMIN))
  t.end()
})

t.test('a changed password ends every session', (t) => {
  const sessions = new Sessions(() => 0)
  const id = sessions.open(ADMIN)
  t.notOk(sessions.has(id, { ...ADMIN, password: 'new' }))
  t.notOk(sessions.has(id, ADMIN), 'for good')
  t.end()
})

t.test('the hundred and first session ends the oldest', (t) => {
  const sessions = new Sessions(() => 0)
  const ids = Array.from({ length: 101 }, () => sessions.open(ADMIN))
  t.strictSame(
    ids.map((id) => sessions.has(id, ADMIN)),
    [false, ...Array(100).fill(true)],
  )
  t.end()
})

t.test('wrong passwords are forgotten one by one, and after a right one', (t) => {
  let now = 0
  const limit = new LoginLimit(() => now)
  for (now = 0; now < 5_000; now += 1_000) limit.fail('a')
  t.equal(limit.waitMs('a'), 55_000)
  t.equal(limit.waitMs('b'), 0)
  now = 60_000
  t.equal(limit.waitMs('a'), 0)
  limit.fail('a')
  t.equal(limit.waitMs('a'), 1_000)
  limit.clear('a')
  t.equal(limit.waitMs('a'), 0)
  t.end()
})

t.test('a thousand networks are remembered, those that failed last', (t) => {
  const limit = new LoginLimit(() => 0)
  for (let i = 0; i < 5; i++) limit.fail('old')
  for (let i = 0; i < 999; i++) limit.fail(`n${i}`)
  t.ok(limit.waitMs('old') > 0)
  limit.fail('one more')
  t.equal(limit.size, 1_000)
  t.equal(limit.waitMs('old'), 0)
  t.end()
})

t.test('a page token belongs to one cookie of one box', (t) => {
  const [ours, theirs] = [createPageTokens(randomBytes(32)), createPageTokens(randomBytes(32))]
  const [cookie, other] = [ours.issue(), ours.issue()]
  t.ok(ours.isIssued(cookie))
  t.ok(ours.belongs(ours.tokenOf(cookie), cookie))
  t.notOk(ours.belongs(ours.tokenOf(other), cookie))
  t.notOk(ours.belongs(undefined, cookie))
  t.notOk(ours.belongs('', cookie))
  for (const bad of [undefined, '', '.', 'a.b', theirs.issue(), `${cookie}x`, `x${cookie}`]) {
    t.notOk(ours.isIssued(bad), String(bad))
  }
  t.end()
})

t.test('Basic credentials are read as RFC 7617 has them', (t) => {
  const encode = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  t.strictSame(parseBasic(encode('a:b:ü')), { username: 'a', password: 'b:ü' })
  t.strictSame(parseBasic(encode('a')), { username: 'a', password: '' })
  t.strictSame(parseBasic(encode('a:b').replace('Basic', 'basic')), {
    username: 'a',
    password: 'b',
  })
  for (const none of [undefined, '', 'Bearer x', 'Basic', 'Basic !!']) {
    t.equal(parseBasic(none), undefined, String(none))
  }
  t.end()
})

t.test('one of the two keys alone is said, and never its value', (t) => {
  t.match(warnOfHalfCredentials({ password: 'geheim' }), /password without username/)
  t.notMatch(warnOfHalfCredentials({ password: 'geheim' }), /geheim/)
  t.match(warnOfHalfCredentials({ username: 'admin', password: '' }), /username without password/)
  t.equal(warnOfHalfCredentials(ADMIN), undefined)
  t.equal(warnOfHalfCredentials({}), undefined)
  t.end()
})

t.test('the secret is made once, for its owner only', async (t) => {
  const folder = join(t.testdir(), 'state')
  const secret = await loadSecret(folder)
  t.equal(secret.length, 32)
  t.equal((await stat(join(folder, 'secret'))).mode & 0o777, 0o600)
  t.strictSame(Buffer.from(await loadSecret(folder)), Buffer.from(secret))
})

t.test('a damaged secret is made anew, an unwritable folder is said', async (t) => {
  const folder = t.testdir({ secret: 'short', file: '' })
  t.equal((await loadSecret(folder)).length, 32)
  t.equal((await readFile(join(folder, 'secret'))).length, 32)
  await chmod(join(folder, 'secret'), 0o600)
  await t.rejects(loadSecret(join(folder, 'file')), {
    code: 'STATE_UNWRITABLE',
    message: /Cannot write .*secret/,
  })
})

t.test('what a request says is shown short and plain', (t) => {
  t.equal(shorten('evil\u0000\u202e<b>'), 'evil??<b>')
  t.equal(shorten('x'.repeat(100)), `${'x'.repeat(80)}…`)
  t.end()
})
