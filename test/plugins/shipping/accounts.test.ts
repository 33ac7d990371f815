import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { karrio } from '../../../src/carriers/karrio/index.ts'
import { ups } from '../../../src/carriers/ups/index.ts'
import { Accounts, readAccount } from '../../../src/plugins/shipping/accounts.ts'

t.test('an account is written for its owner alone, and shown without what is in it', (t) => {
  const own = join(t.testdir(), 'accounts')
  const accounts = new Accounts({ own, credentials: undefined })
  t.same(accounts.list(), [])
  const shown = accounts.save('ups-main', ups, { client_id: 'id', client_secret: ' secret ' })
  t.same(shown, {
    name: 'ups-main',
    carrier: 'UPS-REST',
    fixed: false,
    fields: ['client_id', 'client_secret'],
  })
  const file = join(own, 'ups-main.json')
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.same(JSON.parse(readFileSync(file, 'utf8')), {
    carrier: 'UPS-REST',
    client_id: 'id',
    client_secret: 'secret',
  })
  accounts.save('ups-main', ups, { account_number: 'A1B2C3' })
  t.match(readAccount({ account: 'ups-main' }, ups, { own, credentials: undefined }), {
    client_secret: 'secret',
    account_number: 'A1B2C3',
  })
  accounts.remove('ups-main')
  t.same(accounts.list(), [])
  t.throws(() => accounts.remove('ups-main'), { code: 'FIELD_INVALID' })
  t.end()
})

t.test('a file that was written by hand keeps what the page does not change', (t) => {
  const own = t.testdir()
  // As docs/shipping.md has it.
  const text =
    '{ "carrier": "UPS", "client_id": "i", "client_secret": "s", "account_number": "A1B2C3" }'
  writeFileSync(join(own, 'ups.json'), text, { mode: 0o600 })
  const folders = { own, credentials: undefined }
  new Accounts(folders).save(
    'ups',
    { ...ups, name: 'UPS-REST' },
    { client_id: 'j', client_secret: 't' },
  )
  const account = readAccount({ account: 'ups' }, ups, folders)
  t.match(account, { client_id: 'j', client_secret: 't', account_number: 'A1B2C3' })
  t.end()
})

t.test('a secret goes only where it was saved for', (t) => {
  const own = join(t.testdir(), 'accounts')
  const folders = { own, credentials: undefined }
  const accounts = new Accounts(folders)
  accounts.save('shop', karrio, { url: 'https://karrio.example.com', key: 'secret' })
  t.throws(() => accounts.save('shop', karrio, { url: 'https://evil.example.com' }), {
    message: /API key is missing/,
  })
  t.throws(() => accounts.save('shop', ups, { client_id: 'x' }), { message: /Client secret/ })
  t.throws(() => readAccount({ account: 'shop' }, ups, folders), { message: /one of "karrio"/ })
  t.match(readAccount({ account: 'shop' }, karrio, folders), { key: 'secret' })
  t.end()
})

t.test(
  'odd names and values are refused in a sentence; what the service manager passes is fixed',
  (t) => {
    const folder = t.testdir({ credentials: {}, own: {} })
    const credentials = join(folder, 'credentials')
    writeFileSync(join(credentials, 'platen-account-fixed'), '{"key":"k"}', { mode: 0o600 })
    const accounts = new Accounts({ own: join(folder, 'own'), credentials })
    t.same(accounts.list(), [{ name: 'fixed', carrier: '', fields: ['key'], fixed: true }])
    const save =
      (name: string, secret: unknown = 's') =>
      () =>
        accounts.save(name, ups, { client_id: 'i', client_secret: secret })
    for (const name of ['', '../x', 'a/b', '.hidden', 'x'.repeat(41)]) {
      t.throws(save(name), { code: 'FIELD_INVALID' }, name)
    }
    t.throws(save('fixed'), { message: /service manager/ })
    t.throws(() => accounts.remove('fixed'), { code: 'FIELD_INVALID' })
    t.throws(save('good', { a: 1 }), { message: /Client secret is not one line/ })
    t.throws(save('good', 'a\nb'), { message: /Client secret is not one line/ })
    writeFileSync(join(folder, 'own', 'broken.json'), 'nonsense', { mode: 0o600 })
    t.match(accounts.list(), [{ name: 'broken', fields: [] }, { name: 'fixed' }])
    t.end()
  },
)

t.test('which credentials a call goes with', (t) => {
  const folder = t.testdir({ credentials: {}, own: {} })
  const [own, credentials] = ['own', 'credentials'].map((name) => join(folder, name)) as [
    string,
    string,
  ]
  const keep = (file: string, text: string, mode = 0o600): void =>
    writeFileSync(join(folder, file), text, { mode })
  keep('credentials/platen-account-both', '{"key":"of the service manager"}')
  keep('own/both.json', '{"key":"of the box"}')
  keep('own/mine.json', '{"client_id":"i","client_secret":"s","carrier":"UPS-REST"}')
  keep('own/blank.json', '{"client_id":"i","carrier":""}')
  keep('own/odd.json', '{"client_id":"i","carrier":5}')
  keep('own/list.json', '["secret"]')
  keep('own/open.json', '{"client_id":"i"}', 0o640)
  keep('own/large.json', `{"client_id":"${'x'.repeat(16 * 1024)}"}`)
  const exact = '{"client_id":"'
  keep('own/full.json', `${exact}${'x'.repeat(16 * 1024 - exact.length - 2)}"}`)
  const read = (
    params: Readonly<Record<string, unknown>>,
    owner = ups,
    folders = { own, credentials },
  ) => readAccount(params, owner, folders)
  t.match(read({ account: 'both' }), { key: 'of the service manager' })
  t.match(readAccount({ account: 'both' }, ups, { own, credentials: undefined }), {
    key: 'of the box',
  })
  t.same(read({ account: 'mine', client_id: 'other', account_number: 12 }), {
    client_id: 'i',
    client_secret: 's',
    account_number: '12',
  })
  for (const account of [undefined, null, '']) {
    t.same(read({ account, client_id: 'i', key: '', child_key: true, other: 'x' }), {
      client_id: 'i',
    })
  }
  for (const account of ['blank', 'odd']) t.same(read({ account }), { client_id: 'i' }, account)
  t.equal(read({ account: 'full' })['client_id']?.length, 16 * 1024 - exact.length - 2)
  const refused: readonly (readonly [unknown, number, RegExp])[] = [
    [7, 400, /must be the name of an account/],
    ['../x', 400, /must be the name of an account/],
    ['x'.repeat(41), 400, /must be the name of an account/],
    ['x'.repeat(40), 400, /There is no account/],
    ['none', 400, /There is no account "none"/],
    ['list', 500, /^The file of the account "list" is not a JSON object\.$/],
    ['large', 500, /file of the account is too large/],
    ['open', 500, /wanted mode 0600/],
  ]
  for (const [account, code, message] of refused) {
    if (account === 'open' && process.platform === 'win32') continue
    t.throws(() => read({ account }), { code, message }, `${account}`)
  }
  // Its own address is never taken from a call: a secret would go there.
  t.same(readAccount({ url: 'https://evil.example', key: 'k' }, karrio, { own, credentials }), {
    key: 'k',
  })
  t.end()
})

t.test('an account is one line for each credential, at most a hundred accounts', (t) => {
  const own = join(t.testdir(), 'accounts')
  const accounts = new Accounts({ own, credentials: undefined })
  const save = (name: string, secret: unknown) =>
    accounts.save(name, ups, { client_id: 'i', client_secret: secret })
  save('long', 'x'.repeat(2_048))
  t.throws(() => save('long', 'x'.repeat(2_049)), { message: /is not one line of text/ })
  for (const secret of [5, ['s'], 'a\u0000b', 'a\tb']) {
    t.throws(() => save('odd', secret), { code: 'FIELD_INVALID', message: /not one line/ })
  }
  t.throws(() => save('none', null), { message: 'Client secret is missing.' })
  t.throws(() => save('none', ' '), { message: 'Client secret is missing.' })
  accounts.save('long', ups, { account_number: 'A' })
  t.same(accounts.save('long', ups, { account_number: '' }).fields, ['client_id', 'client_secret'])
  for (let n = 1; n < 100; n += 1) save(`shop-${n}`, 's')
  t.throws(() => save('one-more', 's'), { message: 'There are 100 accounts, the most.' })
  t.match(save('shop-9', 'other'), { name: 'shop-9' }, 'one that is there is still changed')
  t.same(
    accounts.list().map(({ name }) => name),
    ['long', ...Array.from({ length: 99 }, (_, n) => `shop-${n + 1}`)].toSorted(),
  )
  t.end()
})
