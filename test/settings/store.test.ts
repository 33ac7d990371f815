import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type FieldDescription, listSecretKeys } from '../../src/settings/describe.ts'
import { formatFault, readFaults } from '../../src/settings/faults.ts'
import { MASK } from '../../src/settings/masks.ts'
import { ConfigStore } from '../../src/settings/store.ts'
import { doubtHost } from '../../src/system/address.ts'
import { describeSchema, loadConfig } from './all.ts'

function makeStore(t: Test, content: unknown): { store: ConfigStore; file: string } {
  const file = join(t.testdir(), 'config.json')
  writeFileSync(file, JSON.stringify(content), { mode: 0o600 })
  return { store: new ConfigStore(file, loadConfig(file)), file }
}

const ADMIN = { username: 'admin', password: 'geheim' }

t.test('secrets are masked, the defaults are there', (t) => {
  const { store } = makeStore(t, { ...ADMIN, prot: 1 })
  t.match(store.masked(), { username: 'admin', password: MASK, port: '8080', prot: 1 })
  t.notMatch(JSON.stringify(store.masked()), 'geheim')
  t.notOk('password' in makeStore(t, { password: '' }).store.masked(), 'none set, none masked')
  t.end()
})

t.test('what the page got and sends back changes nothing', async (t) => {
  const { store, file } = makeStore(t, {
    ...ADMIN,
    prot: 1,
    printers: [{ name: 'A', uri: 'file:a' }],
  })
  const before = store.current
  const { restart, warnings } = await store.put(JSON.parse(JSON.stringify(store.masked())))
  t.same(restart, [])
  t.same(warnings.map(formatFault), [
    '"prot": unknown key; it is kept but has no effect. Did you mean "port"?',
  ])
  t.same(store.current, before)
  t.match(JSON.parse(readFileSync(file, 'utf8')), { password: 'geheim', prot: 1 })
})

t.test('a change is saved whole, for its owner only, and told', async (t) => {
  const { store, file } = makeStore(t, { ...ADMIN, prot: 1 })
  const told: unknown[] = []
  const stop = store.onChange((config, before) => told.push([before.log_level, config.log_level]))
  const saved = await store.put({
    ...ADMIN,
    password: MASK,
    log_level: 'debug',
    port: 81,
    use_ssl: true,
  })
  t.same(saved.restart, ['port', 'secure_port', 'use_ssl'])
  t.same(told, [['info', 'debug']])
  t.match(store.current, { password: 'geheim', port: '81', secure_port: '8443' })
  t.same(JSON.parse(readFileSync(file, 'utf8')), {
    prot: 1,
    ...ADMIN,
    log_level: 'debug',
    port: 81,
    use_ssl: true,
  })
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.same(readdirSync(join(file, '..')), ['config.json'], 'no draft is left')
  t.same(loadConfig(file).config, store.current)
  stop()
  await store.put({})
  t.equal(told.length, 1)
  t.equal(store.current.password, undefined, 'a key left out goes back to its default')
})

t.test('all faults come at once, by key, and nothing changes', async (t) => {
  const { store, file } = makeStore(t, ADMIN)
  const text = readFileSync(file, 'utf8')
  const error: unknown = await store.put({ port: 'x', host: 1 }).catch((error: unknown) => error)
  t.match(error, {
    code: 'CONFIG_INVALID',
    message: /config.json: host: got 1, .*\nconfig.json: port: got "x", /,
  })
  t.match(readFaults(error), [
    { key: 'host', message: /^got 1, wanted/ },
    { key: 'port', message: /^got "x", wanted/ },
  ])
  t.same(readFaults(new Error('other')), [])
  await t.rejects(store.put([]), { code: 'CONFIG_INVALID', message: /got no object/ })
  t.equal(readFileSync(file, 'utf8'), text)
  t.equal(store.current.username, 'admin')
})

t.test('the mask is not a password', async (t) => {
  const { store } = makeStore(t, {})
  await t.rejects(store.put({ username: 'admin', password: MASK }), {
    code: 'CONFIG_INVALID',
    message: /password: got the mask of a secret that is not set/,
  })
})

const QUEUES = [
  { type: 'mqtt', url: 'mqtt://a:1883', topic: 'l', username: 'u1', password: 'SECRET1' },
  { type: 'mqtt', url: 'mqtt://b:1883', topic: 'l', username: 'u2', password: 'SECRET2' },
  {
    type: 'sqs',
    region: 'eu-west-1',
    url: 'https://sqs.eu-west-1.amazonaws.com/1/q',
    access_key_id: 'k',
    secret_access_key: 'SECRET3',
  },
]

t.test('a queue that is removed or moved leaves every secret with its own queue', async (t) => {
  const orders = [[1, 2], [2, 1, 0], [0, 2], [1], [0, 1, 2]]
  for (const order of orders) {
    const { store, file } = makeStore(t, { queues: QUEUES })
    const masked = store.masked()['queues'] as Record<string, unknown>[]
    t.notMatch(JSON.stringify(masked), 'SECRET')
    const queues = order.map((at) => ({ ...masked[at], printer: 'Bench 1' }))
    await store.put({ ...store.masked(), queues })
    t.same(
      JSON.parse(readFileSync(file, 'utf8')).queues,
      order.map((at) => ({ ...QUEUES[at], printer: 'Bench 1' })),
    )
    await store.put({ ...store.masked(), queues })
    t.match(store.whole()['queues'], [QUEUES[order[0] ?? 0]], 'the same page saves once more')
  }
})

t.test(
  'a bare mask keeps the secret of an entry that did not change, and of no other',
  async (t) => {
    const { store, file } = makeStore(t, { queues: QUEUES })
    const bare = QUEUES.map((queue) =>
      'password' in queue ? { ...queue, password: MASK } : { ...queue, secret_access_key: MASK },
    )
    await store.put({ queues: [bare[2], bare[0]] })
    t.same(JSON.parse(readFileSync(file, 'utf8')).queues, [QUEUES[2], QUEUES[0]])
    const text = readFileSync(file, 'utf8')
    for (const queue of [{ ...bare[0], url: 'mqtt://c:1883' }, bare[1]]) {
      const error: unknown = await store.put({ queues: [queue] }).catch((error: unknown) => error)
      t.match(readFaults(error), [
        {
          key: 'queues[0].password',
          message: /not saved for this entry \(mqtt mqtt:\/\/[bc]:1883\)/,
        },
      ])
    }
    t.equal(readFileSync(file, 'utf8'), text, 'nothing was saved')
  },
)

t.test('a mask of another program run is not a secret', async (t) => {
  const first = makeStore(t, { queues: QUEUES }).store.masked()['queues'] as object[]
  const { store } = makeStore(t, { queues: QUEUES })
  await store.put({ queues: [first[1]] })
  t.same(store.whole()['queues'], [QUEUES[1]], 'an unchanged entry is still known')
  await t.rejects(store.put({ queues: [{ ...first[1], url: 'mqtt://c:1883' }] }), {
    code: 'CONFIG_INVALID',
    message: /queues\[0\]\.password: got the mask/,
  })
})

t.test('a file that a person changed meanwhile is not overwritten', async (t) => {
  const { store, file } = makeStore(t, {})
  writeFileSync(file, '{"port":"99"}')
  await t.rejects(store.put({}), { code: 'CONFIG_INVALID', message: /changed by hand/ })
  t.equal(readFileSync(file, 'utf8'), '{"port":"99"}')
  rmSync(file)
  await store.put({ port: '98' })
  t.match(readFileSync(file, 'utf8'), '98')
})

t.test('a link to the file stays a link', async (t) => {
  const folder = t.testdir({ real: { 'config.json': '{}' } })
  const link = join(folder, 'config.json')
  symlinkSync(join(folder, 'real', 'config.json'), link)
  await new ConfigStore(link, loadConfig(link)).put({ port: '98' })
  t.match(readFileSync(join(folder, 'real', 'config.json'), 'utf8'), '98')
})

t.test('a file that cannot be written or read is said in words', async (t) => {
  const { store, file } = makeStore(t, {})
  rmSync(file)
  mkdirSync(file)
  await t.rejects(store.put({}), { code: 'STATE_UNWRITABLE', message: /cannot be read \(EISDIR\)/ })
  rmSync(join(file, '..'), { recursive: true })
  writeFileSync(join(file, '..'), '')
  await t.rejects(store.put({}), { code: 'STATE_UNWRITABLE', message: /config\.json cannot be/ })
  rmSync(join(file, '..'))
})

t.test('odd entries of a list are left to the check', async (t) => {
  const { store } = makeStore(t, { printers: [{ name: 'A', uri: 'file:a' }] })
  await t.rejects(store.put({ printers: [3, { name: 'A' }] }), {
    message: /printers\[0\]: got 3.*\n.*printers\[1\]\.uri: got nothing/,
  })
  await t.rejects(store.put({ printers: 'x' }), { message: /printers: got "x"/ })
})

t.test('the form of the settings page follows from the schema', (t) => {
  const fields = describeSchema()
  const find = (key: string) => fields.find((field) => field.key === key)
  t.match(find('port'), { type: 'text', default: '8080', restart: true, secret: false })
  t.match(find('password'), { type: 'text', restart: false, secret: true, required: false })
  t.match(find('open_browser'), { type: 'boolean', default: true })
  t.match(find('log_level'), { type: 'choice', choices: ['error', 'warn', 'info', 'debug'] })
  t.match(find('allowed_origins'), { type: 'texts' })
  t.match(find('heart_beat_params'), { type: 'json' })
  t.match(find('expire_after'), { type: 'number' })
  const printer = find('printers')?.fields ?? []
  t.match(printer[0], { key: 'name', type: 'text', required: true })
  t.match(
    printer.find(({ key }) => key === 'language'),
    { type: 'choice', choices: ['zpl', 'epl', 'tspl'] },
  )
  const queue = find('queues')?.fields ?? []
  t.same(
    queue.map(({ key, only }) => [key, only]),
    [
      ['type', undefined],
      ['printer', undefined],
      ['printer_commands', undefined],
      ['ack', undefined],
      ['region', ['sqs']],
      ['url', ['sqs']],
      ['access_key_id', ['sqs']],
      ['secret_access_key', ['sqs']],
      ['redelivered', ['sqs']],
      ['endpoint', ['beanstalkd']],
      ['tube', ['beanstalkd']],
      ['redelivered', ['beanstalkd']],
      ['url', ['mqtt']],
      ['topic', ['mqtt']],
      ['username', ['mqtt']],
      ['password', ['mqtt']],
      ['client_id', ['mqtt']],
      ['status_topic', ['mqtt']],
      ['ca', ['mqtt']],
      ['client_cert', ['mqtt']],
      ['client_key', ['mqtt']],
    ],
  )
  for (const field of fields) t.ok(field.title && field.description.endsWith('.'), field.key)
  t.end()
})

t.test(
  'what still waits for a restart is said at every save, and no more once it is taken back',
  async (t) => {
    const { store } = makeStore(t, ADMIN)
    t.same((await store.put({ ...ADMIN, port: '81' })).restart, ['port'])
    const later = { ...ADMIN, port: '81', log_level: 'debug' }
    t.same((await store.put(later)).restart, ['port'], 'still not in effect')
    t.same((await store.put(ADMIN)).restart, [], 'this is what runs')
  },
)

t.test('the log is told every secret key, those of printers and queues too', (t) => {
  t.same([...new Set(listSecretKeys(describeSchema()))].toSorted(), [
    'client_key',
    'password',
    'printnode_webhook_secret',
    'result_secret',
    'secret_access_key',
  ])
  const [field] = describeSchema()
  if (field === undefined) throw new Error('no key')
  const token: FieldDescription = { ...field, key: 'broker_password', secret: true }
  const queues: FieldDescription = { ...field, key: 'queues', fields: [field, token] }
  t.same(listSecretKeys([queues]), ['broker_password'])
  t.end()
})

t.test('a host that is not of this computer is refused, and nothing is saved', async (t) => {
  const { store, file } = makeStore(t, { port: '81' })
  const before = readFileSync(file, 'utf8')
  const error: unknown = await store
    .put({ host: '192.0.2.1', port: '82' })
    .catch((error: unknown) => error)
  t.match(error, {
    code: 'CONFIG_INVALID',
    message: /^config\.json: host: got "192\.0\.2\.1", wanted .* this computer has .*127\.0\.0\.1/,
  })
  t.match(readFaults(error), [{ key: 'host' }])
  t.equal(readFileSync(file, 'utf8'), before)
  t.match(store.current, { host: 'localhost', port: '81' })
  t.same((await store.put({ host: '127.0.0.1' })).restart, ['host', 'port'])
})

t.test('a host that stays does not keep other settings from being saved', async (t) => {
  const { store } = makeStore(t, { ...ADMIN, host: '192.0.2.1' })
  const saved = await store.put({ ...ADMIN, host: '192.0.2.1', port: '82' })
  t.same(saved, { restart: ['port'], warnings: [] })
})

t.test('a name that cannot be looked up now is saved, with a warning', async (t) => {
  const file = join(t.testdir(), 'config.json')
  const lookUp = () => Promise.reject(Object.assign(new Error('no network'), { code: 'EAI_AGAIN' }))
  const doubt = (host: string) => doubtHost(host, { lookUp })
  const store = new ConfigStore(file, loadConfig(file), doubt)
  const { warnings } = await store.put({ host: 'bench.example' })
  t.match(warnings.map(formatFault), [/^host: "bench\.example" could not be looked up now/])
  t.equal(loadConfig(file).config.host, 'bench.example')
})

t.test('what is saved while a host is looked up stays', async (t) => {
  const file = join(t.testdir(), 'config.json')
  writeFileSync(file, JSON.stringify({ ...ADMIN, log_level: 'debug' }), { mode: 0o600 })
  const looked = Promise.withResolvers<undefined>()
  const store = new ConfigStore(file, loadConfig(file), () => looked.promise)
  const { log_level: _, ...shown } = store.masked()
  const saving = store.put({ ...shown, host: 'bench.example', max_body_mb: 20 })
  // Another page adds a printer and is told that it is there.
  await store.put({ ...store.masked(), printers: [{ name: 'A', uri: 'file:a' }], max_body_mb: 8 })
  looked.resolve(undefined)
  await saving
  const kept = { host: 'bench.example', printers: [{ name: 'A' }], password: 'geheim' }
  t.match(store.current, kept)
  t.match(loadConfig(file).config, kept)
  t.match(store.current, { max_body_mb: 20, log_level: 'info' }, 'the rest as it was wanted')
})
