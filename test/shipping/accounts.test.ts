import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Accounts, readAccount } from '../../src/shipping/accounts.ts'
import { karrio } from '../../src/shipping/carriers/karrio/index.ts'
import { ups } from '../../src/shipping/carriers/ups/index.ts'

t.test('an account is written for its owner alone, and shown without what is in it', (t) => {
  const own = join(t.testdir(), 'accounts')
  const accounts = new Accounts({ own, credentials: undefined })
  t.same(accounts.list(), [])
  const shown = accounts.save('ups-main', ups, { client_id: 'id', client_secret: ' secret ' })
  t.same(shown, {
    ...{ name: 'ups-main', carrier: 'UPS-REST', fixed: false },
    fields: ['client_id', 'client_secret'],
  })
  const file = join(own, 'ups-main.json')
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.same(JSON.parse(readFileSync(file, 'utf8')), {
    ...{ carrier: 'UPS-REST', client_id: 'id', client_secret: 'secret' },
  })
  accounts.save('ups-main', ups, { account_number: 'A1B2C3' })
  t.match(readAccount({ account: 'ups-main' }, ups, { own, credentials: undefined }), {
    ...{ client_secret: 'secret', account_number: 'A1B2C3' },
  })
  accounts.remove('ups-main')
  t.same(accounts.list(), [])
  t.throws(() => accounts.remove('ups-main'), { code: 'FIELD_INVALID' })
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
