import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const ROOT = join(import.meta.dirname, '../..')

/** Returns the answer to the update script: `02:30 in Asia/Tokyo`, and whether that is night. */
function ask(config: string, at: string): { readonly time: string; readonly isNight: boolean } {
  const program = join(ROOT, 'packaging/lib/ask-server.cjs')
  // Of a computer whose own zone is Shanghai.
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'night', at], {
    input: config,
    encoding: 'utf8',
    env: { ...process.env, TZ: 'Asia/Shanghai' },
  })
  if (status !== 0 && status !== 3) throw new Error(`status ${status}: ${stderr}`)
  return { time: stdout.trim(), isNight: status === 0 }
}

const inZone = (zone: string) => JSON.stringify({ port: '8080', time_zone: zone })

t.test('the night is from 2:00 to 5:00 where the box is', (t) => {
  for (const [zone, at, time, isNight] of [
    ['UTC', '2026-11-21T01:59:59Z', '01:59', false],
    ['UTC', '2026-11-21T02:00:00Z', '02:00', true],
    ['UTC', '2026-11-21T04:59:59Z', '04:59', true],
    ['UTC', '2026-11-21T05:00:00Z', '05:00', false],
    ['America/Los_Angeles', '2026-11-21T02:30:00Z', '18:30', false],
    ['America/Los_Angeles', '2026-11-21T10:30:00Z', '02:30', true],
    ['Asia/Shanghai', '2026-11-21T02:30:00Z', '10:30', false],
    ['Asia/Kathmandu', '2026-11-20T20:15:00Z', '02:00', true],
    ['Asia/Kathmandu', '2026-11-20T20:14:59Z', '01:59', false],
    ['UTC', '2026-11-21T00:10:00Z', '00:10', false], // 24:10 is what other cycles say
  ] as const) {
    t.same(ask(inZone(zone), at), { time: `${time} in ${zone}`, isNight }, at)
  }
  t.end()
})

t.test('on the days when the clocks are changed too', (t) => {
  const zone = 'America/Denver'
  // 8 March 2026: after 1:59 comes 3:00.
  t.same(ask(inZone(zone), '2026-03-08T08:59:59Z'), { time: `01:59 in ${zone}`, isNight: false })
  t.same(ask(inZone(zone), '2026-03-08T09:00:00Z'), { time: `03:00 in ${zone}`, isNight: true })
  t.same(ask(inZone(zone), '2026-03-08T11:00:00Z'), { time: `05:00 in ${zone}`, isNight: false })
  // 1 November: after 1:59 comes 1:00.
  t.same(ask(inZone(zone), '2026-11-01T08:30:00Z'), { time: `01:30 in ${zone}`, isNight: false })
  t.same(ask(inZone(zone), '2026-11-01T09:00:00Z'), { time: `02:00 in ${zone}`, isNight: true })
  t.same(ask(inZone(zone), '2026-11-01T12:00:00Z'), { time: `05:00 in ${zone}`, isNight: false })
  t.end()
})

t.test('without a zone, or with settings that cannot be read, the computer has its own', (t) => {
  const at = '2026-11-20T19:00:00Z'
  for (const config of ['{}', '{"time_zone":""}', '{"time_zone":"Mars"}', '{', '[]', 'null']) {
    t.same(ask(config, at), { time: '03:00', isNight: true }, config)
  }
  t.end()
})

t.test('the timer meets the night once, in every zone and with every delay', (t) => {
  const unit = readFileSync(join(ROOT, 'systemd/platen-update.timer'), 'utf8')
  const read = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1]
  t.equal(read('OnCalendar'), '*-*-* 00/3:00:00 UTC', 'as systemd writes it back: update compares')
  t.equal(read('FixedRandomDelay'), 'yes')
  t.equal(read('Persistent'), 'no')
  const delayMost = Number(read('RandomizedDelaySec')?.replace('min', ''))
  t.ok(delayMost > 120 && delayMost < 179, 'with its accuracy of a minute less than three hours')
  for (const offset of [-480, -210, 0, 330, 345, 480, 765]) {
    for (let delay = 0; delay <= delayMost; delay++) {
      const minutes = Array.from({ length: 8 }, (_, n) => (n * 180 + delay + offset + 1440) % 1440)
      const nights = minutes.filter((minute) => minute >= 120 && minute < 300)
      if (nights.length !== 1) t.fail(`${nights.length} tries: offset ${offset}, delay ${delay}`)
    }
  }
  t.end()
})

t.test(
  'a press of the button while another update runs leaves no wish behind',
  { skip: process.getuid?.() !== 0 && 'needs root' },
  (t) => {
    const folder = t.testdir({ lock: '', 'update-request': '' })
    const env = {
      ...process.env,
      LOCK: join(folder, 'lock'),
      REQUEST: join(folder, 'update-request'),
    }
    // As platen-update.path starts it: with a wish that is still there it is started at once again, until systemd gives it up.
    const update = [join(ROOT, 'packaging/lib/update'), '--night']
    const { status, stdout } = spawnSync('flock', [env.LOCK, ...update], { env, encoding: 'utf8' })
    t.equal(status, 75)
    t.match(stdout, 'Another update is running.')
    t.notOk(existsSync(env.REQUEST))
    t.end()
  },
)
