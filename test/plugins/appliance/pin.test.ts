import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ensurePin } from '../../../src/plugins/appliance/pin.ts'
import { ConfigStore } from '../../../src/settings/store.ts'
import { keepFile } from '../../../src/settings/write.ts'
import { loadConfig } from '../../settings/all.ts'

function start(t: Test, config: object) {
  const folder = t.testdir({ 'config.json': JSON.stringify(config) })
  const file = join(folder, 'config.json')
  const told: string[] = []
  const faults: unknown[] = []
  const begin = async () => {
    const store = new ConfigStore(file, loadConfig(file))
    const kept = keepFile(join(folder, 'pin'))
    const onNew = () => told.push('new')
    const fault = (error: unknown) => faults.push(error)
    return { store, pin: await ensurePin({ store, kept, onNew, fault }) }
  }
  return {
    begin,
    faults,
    restart: async () => (await begin()).pin(),
    told,
    file,
    read: () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>,
  }
}

t.test('a box without a password gets a PIN that stays', async (t) => {
  const { restart, file, read } = start(t, { port: '9000' })
  const pin = await restart()
  t.match(pin, /^\d{8}$/)
  t.match(read(), { username: 'admin', password: pin, port: '9000' })
  t.equal(await restart(), pin)
  writeFileSync(file, '{"port":"9001"}') // another configuration was imported
  t.equal(await restart(), pin)
  t.match(read(), { password: pin, port: '9001' })
})

t.test('a note of the PIN that lost its content is as good as none', async (t) => {
  for (const left of ['', '\0'.repeat(8), '1234567']) {
    const { restart, told, file, read } = start(t, {})
    writeFileSync(join(file, '../pin'), left)
    const pin = await restart()
    t.match(pin, /^\d{8}$/)
    t.match(read(), { username: 'admin', password: pin })
    t.equal(await restart(), pin)
    t.strictSame(told, ['new'], 'the start label is told')
  }
})

t.test('a note of the PIN that cannot be read or written stops no start', async (t) => {
  const { restart, faults, file, read } = start(t, { username: 'anna', password: 'chosen' })
  const note = join(file, '../pin')
  const draft = join(file, `../.pin.${process.pid}.tmp`)
  t.equal(await restart(), undefined)
  mkdirSync(draft) // as a full disk: nothing can be written
  t.equal(await restart(), undefined)
  t.strictSame(faults, [], 'and nothing has to be')
  writeFileSync(note, '12345678')
  t.equal(await restart(), undefined)
  t.match(faults, [{ code: 'STATE_UNWRITABLE' }])
  rmSync(note)
  mkdirSync(note)
  t.equal(await restart(), undefined)
  t.match(faults.slice(1), [
    { message: /pin cannot be read/ },
    { message: /pin cannot be written/ },
  ])
  t.match(read(), { username: 'anna', password: 'chosen' })
})

t.test("a password that somebody chose stays, and is nobody's PIN", async (t) => {
  const { restart, read } = start(t, { username: 'anna', password: 'chosen' })
  t.equal(await restart(), undefined)
  t.match(read(), { username: 'anna', password: 'chosen' })
})

t.test('half of the credentials is made whole', async (t) => {
  const named = start(t, { username: 'anna' })
  const pin = await named.restart()
  t.match(named.read(), { username: 'anna', password: pin })
  const nameless = start(t, { password: 'chosen' })
  t.equal(await nameless.restart(), undefined)
  t.match(nameless.read(), { username: 'admin', password: 'chosen' })
})

t.test('a password that somebody chooses uses the PIN up for good', async (t) => {
  const { begin, restart, told, file, read } = start(t, {})
  const { store, pin } = await begin()
  const first = pin()
  await store.put({ ...store.masked(), password: 'chosen' })
  t.equal(pin(), undefined)
  await store.put({ ...store.masked(), password: first })
  t.equal(pin(), undefined, 'not even when it is typed in again')
  await store.put({ ...store.masked(), password: 'chosen' })
  t.equal(await restart(), undefined)
  t.strictSame(told, [])
  for (const without of ['{}', '{"username":"admin"}']) {
    writeFileSync(file, without) // somebody took the password out by hand
    const second = await restart()
    t.match(second, /^\d{8}$/)
    t.not(second, first)
    t.match(read(), { username: 'admin', password: second })
    t.equal(await restart(), second, 'which stays')
  }
  t.strictSame(told, ['new'], 'the start label is told')
})

t.test('a password that was written into the file uses it up at the next start', async (t) => {
  const { restart, file } = start(t, {})
  const first = await restart()
  writeFileSync(file, '{"username":"admin","password":"chosen"}')
  t.equal(await restart(), undefined)
  writeFileSync(file, '{}')
  t.not(await restart(), first)
})
