import t from 'tap'
import { holdTimeZone } from '../../src/system/process.ts'

// 08:17 UTC; in Nepal a quarter and five hours later.
const MORNING = new Date(Date.UTC(2026, 10, 21, 8, 17))

const clock = () => MORNING.toTimeString().slice(0, 5)

/** Whatever this test is run with, it starts in `zone`. */
function startIn(t: { teardown(end: () => void): unknown }, zone: string | undefined) {
  const before = process.env['TZ']
  const set = (value: string | undefined) => {
    if (value === undefined) delete process.env['TZ']
    else process.env['TZ'] = value
  }
  set(zone)
  t.teardown(() => set(before))
  return holdTimeZone()
}

t.test('local times are those of the zone at once, and the first one comes back', (t) => {
  const hold = startIn(t, 'America/Denver')
  t.equal(clock(), '01:17')
  hold('Asia/Kathmandu')
  t.equal(clock(), '14:02')
  hold('Asia/Shanghai')
  t.equal(clock(), '16:17')
  hold(undefined)
  t.equal(clock(), '01:17')
  t.end()
})

t.test('a computer that names no zone by TZ has its own again', (t) => {
  const hold = startIn(t, undefined)
  const own = clock()
  hold('Asia/Kathmandu')
  t.equal(clock(), '14:02')
  hold(undefined)
  t.equal(clock(), own)
  t.notOk('TZ' in process.env)
  t.end()
})
