import { randomBytes } from 'node:crypto'
import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import type { Sender } from '../../../src/http/access/addresses.ts'
import { Guesses, LoginLimit } from '../../../src/http/access/login-limit.ts'
import {
  createPageTokens,
  createSign,
  loadSecret,
  shorten,
} from '../../../src/http/access/origin.ts'
import { parseBasic, readCredentials, Sessions } from '../../../src/http/access/session.ts'

const ADMIN = { username: 'admin', password: '1234' }

/** Sessions of the admin. */
function openSessions(now = (): number => 0): Sessions {
  const sessions = new Sessions(now)
  sessions.follow(ADMIN)
  return sessions
}

t.test('a session ends after twelve hours', (t) => {
  let now = 0
  const sessions = openSessions(() => now)
  const id = sessions.open()
  now = 12 * 3_600_000 - 1
  t.ok(sessions.has(id))
  now++
  t.notOk(sessions.has(id))
  t.end()
})

t.test('a changed password ends every session, also when it is changed back', (t) => {
  const sessions = openSessions()
  const ids = [sessions.open(), sessions.open()]
  sessions.follow({ ...ADMIN })
  t.ok(
    ids.every((id) => sessions.has(id)),
    'the same again ends none',
  )
  sessions.follow({ ...ADMIN, password: 'new' })
  t.notOk(ids.some((id) => sessions.has(id)))
  sessions.follow(ADMIN)
  t.notOk(ids.some((id) => sessions.has(id)))
  t.end()
})

t.test('the hundred and first session ends the oldest', (t) => {
  const sessions = openSessions()
  const ids = Array.from({ length: 101 }, () => sessions.open())
  t.strictSame(
    ids.map((id) => sessions.has(id)),
    [false, ...Array(100).fill(true)],
  )
  t.end()
})

const sender = (network: string): Sender => ({ address: network, network, isLoopback: false })

t.test('wrong passwords are forgotten one by one, and after a right one', (t) => {
  let now = 0
  const limit = new LoginLimit(() => now)
  for (now = 0; now < 5_000; now += 1_000) limit.fail(sender('a'))
  now = 59_999
  t.equal(limit.waits(sender('a')), 'own')
  t.equal(limit.waits(sender('b')), undefined)
  now = 60_000
  t.equal(limit.waits(sender('a')), undefined)
  limit.fail(sender('a'))
  t.equal(limit.waits(sender('a')), 'own')
  limit.pass(sender('a'))
  t.equal(limit.waits(sender('a')), undefined)
  t.end()
})

t.test('a thousand networks are remembered, those that failed last', (t) => {
  const limit = new LoginLimit(() => 0)
  for (let i = 0; i < 5; i++) limit.fail(sender('old'))
  for (let i = 0; i < 999; i++) limit.fail(sender(`n${i}`))
  t.equal(limit.waits(sender('old')), 'own')
  limit.fail(sender('one more'))
  t.equal(limit.size, 1_000)
  t.not(limit.waits(sender('old')), 'own')
  t.end()
})

t.test('thirty wrong ones from everywhere make newcomers wait, and nobody else', (t) => {
  let now = 0
  const limit = new LoginLimit(() => now)
  limit.pass(sender('bench'))
  const here = { ...sender('loopback'), isLoopback: true }
  for (let i = 0; i < 29; i++) limit.fail(sender(`n${i}`))
  for (let i = 0; i < 4; i++) limit.fail(here)
  t.equal(limit.waits(sender('new')), undefined, 'those of this machine do not count')
  limit.fail(sender('n29'))
  t.equal(limit.waits(sender('new')), 'all')
  t.equal(limit.waits(sender('bench')), undefined, 'it logged in before')
  t.equal(limit.waits(here), undefined)
  now = 60_000
  t.equal(limit.waits(sender('new')), undefined)
  t.end()
})

t.test('a hundred networks are known, those that logged in last', (t) => {
  const limit = new LoginLimit(() => 0)
  for (let i = 0; i <= 100; i++) limit.pass(sender(`k${i}`))
  for (let i = 0; i < 30; i++) limit.fail(sender(`n${i}`))
  t.equal(limit.waits(sender('k0')), 'all')
  t.equal(limit.waits(sender('k1')), undefined)
  t.end()
})

t.test('wrong passwords are told once for each address and hour', (t) => {
  let now = 0
  const told: string[] = []
  const guesses = new Guesses(
    () => now,
    (address) => told.push(address),
  )
  for (now = 0; now < 3_000; now += 1_000) guesses.note(sender('a'))
  guesses.note(sender('b'))
  now = 60_000
  t.match(guesses.list(), [
    { address: 'b', count: 1, seconds: 57 },
    { address: 'a', count: 3, seconds: 58 },
  ])
  t.strictSame(told, ['a', 'b'])
  const [first] = guesses.list().filter(({ address }) => address === 'a')
  now = 3_600_000
  guesses.note(sender('a'))
  t.strictSame(told, ['a', 'b', 'a'])
  const [second] = guesses.list().filter(({ address }) => address === 'a')
  t.not(second?.id, first?.id)
  t.equal(second?.count, 1)
  t.end()
})

t.test('ten thousand addresses make a hundred and one lines', (t) => {
  const told: string[] = []
  const guesses = new Guesses(
    () => 0,
    (address) => told.push(address),
  )
  for (let i = 0; i < 10_000; i++) guesses.note(sender(`n${i}`))
  t.equal(told.length, 101)
  t.equal(told.at(-1), 'other addresses')
  t.equal(guesses.list().length, 101)
  t.end()
})

t.test('a page token belongs to one cookie of one box', (t) => {
  const make = () => createPageTokens(createSign(randomBytes(32)))
  const [ours, theirs] = [make(), make()]
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

t.test('the secret is made once, for its owner only', async (t) => {
  const folder = join(t.testdir(), 'state')
  const asked = await Promise.all([loadSecret(folder), loadSecret(folder)])
  const secret = asked[0]
  t.strictSame(asked[1], secret, 'though the page and the announcement ask at once')
  t.equal(secret.length, 32)
  t.equal((await stat(join(folder, 'secret'))).mode & 0o777, 0o600)
  t.strictSame(Buffer.from(loadSecret(folder)), Buffer.from(secret))
})

t.test('a damaged secret is made again, an unwritable folder is said', async (t) => {
  const folder = t.testdir({ secret: 'short', file: '' })
  t.equal(loadSecret(folder).length, 32)
  t.equal((await readFile(join(folder, 'secret'))).length, 32)
  await chmod(join(folder, 'secret'), 0o600)
  t.throws(() => loadSecret(join(folder, 'file')), {
    code: 'STATE_UNWRITABLE',
    message: /secret cannot be written/,
  })
})

t.test('what a request says is shown short and plain', (t) => {
  t.equal(shorten('evil\u0000\u202e<b>'), 'evil??<b>')
  t.equal(shorten('x'.repeat(100)), `${'x'.repeat(80)}…`)
  t.end()
})

t.test('user and password of a header (RFC 7617), and both are needed', (t) => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`
  for (const [header, username, password] of [
    [basic('user:secret'), 'user', 'secret'],
    [basic('user:a:b'), 'user', 'a:b'],
    [basic('user:'), 'user', ''],
    [basic(':secret'), '', 'secret'],
    [basic('user'), 'user', ''],
    [basic('Jörg:ß'), 'Jörg', 'ß'],
    [basic('user:secret').replace('Basic', 'bAsIc'), 'user', 'secret'],
  ] as const) {
    t.strictSame(parseBasic(header), { username, password }, header)
  }
  for (const header of [undefined, '', 'Bearer abc', 'Basic', 'Basic ###']) {
    t.equal(parseBasic(header), undefined, `${header}`)
  }
  const both = { username: 'u', password: 'p' }
  t.strictSame(readCredentials(both), both)
  for (const half of [{}, { username: 'u' }, { password: 'p' }, { ...both, password: '' }]) {
    t.equal(readCredentials(half), undefined, JSON.stringify(half))
  }
  t.end()
})
