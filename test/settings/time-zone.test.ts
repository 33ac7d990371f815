import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ConfigStore } from '../../src/settings/store.ts'
import { describeSchema, loadConfig } from './all.ts'

function store(t: Test, raw: object): ConfigStore {
  const file = join(t.testdir(), 'config.json')
  writeFileSync(file, JSON.stringify(raw), { mode: 0o600 })
  return new ConfigStore(file, loadConfig(file))
}

const zoneOf = (t: Test, zone: unknown) => store(t, { time_zone: zone }).current.time_zone

t.test('a time zone is a name of the IANA list, spelled as TZ takes it', (t) => {
  t.equal(zoneOf(t, 'America/Denver'), 'America/Denver')
  t.equal(zoneOf(t, 'america/denver'), 'America/Denver', 'TZ would take it for UTC')
  t.equal(zoneOf(t, 'UTC'), 'UTC')
  for (const name of ['Asia/Kathmandu', 'Asia/Katmandu']) {
    t.match(zoneOf(t, name), /^Asia\/Kath?mandu$/, `${name}: old names and new ones`)
  }
  t.equal(zoneOf(t, ''), undefined, 'blank: that of the computer')
  t.equal(store(t, {}).current.time_zone, undefined)
  t.end()
})

t.test('another one is refused with an example', (t) => {
  const wanted = 'wanted a time zone such as "America/Denver": continent and city of the IANA list.'
  for (const bad of ['Denver', 'MST+7', '+05:45', 'America/Denver ', '../etc/passwd']) {
    t.throws(
      () => zoneOf(t, bad),
      { code: 'CONFIG_BROKEN', message: `config.json: time_zone: got "${bad}", ${wanted}` },
      bad,
    )
  }
  t.throws(() => zoneOf(t, 7), { message: `config.json: time_zone: got 7, ${wanted}` })
  t.end()
})

t.test('it is an optional text that needs no restart, and the update reads it', async (t) => {
  const field = describeSchema().find(({ key }) => key === 'time_zone')
  t.match(field, { type: 'text', required: false, restart: false })
  t.notOk(field !== undefined && 'default' in field)
  const box = store(t, {})
  t.notOk('time_zone' in box.masked())
  t.same((await box.put({ time_zone: 'Asia/Tokyo' })).restart, [])
  t.match(box.masked(), { time_zone: 'Asia/Tokyo' }, 'as platen --check-config prints it')
})
