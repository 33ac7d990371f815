import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { ensurePin } from '../../src/config/pin.ts'
import { ConfigStore } from '../../src/config/store.ts'
import { keepFile } from '../../src/config/write.ts'

function start(t: Test, config: object) {
  const folder = t.testdir({ 'config.json': JSON.stringify(config) })
  const file = join(folder, 'config.json')
  const restart = () =>
    ensurePin(new ConfigStore(file, loadConfig(file)), keepFile(join(folder, 'pin')))
  return {
    restart,
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
