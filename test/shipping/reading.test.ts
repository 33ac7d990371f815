import t from 'tap'
import { dayOf } from '../../src/shipping/reading.ts'

t.test('the day of a label is over nowhere', (t) => {
  const { TZ } = process.env
  t.teardown(() => {
    if (TZ === undefined) delete process.env['TZ']
    else process.env['TZ'] = TZ
  })
  // A morning in Sydney and Berlin, an evening in Los Angeles.
  for (const [zone, now, day] of [
    ['Australia/Sydney', '2026-11-23T22:30:00Z', '2026-11-24'],
    ['Europe/Berlin', '2026-07-01T22:10:00Z', '2026-07-02'],
    ['America/Los_Angeles', '2026-11-24T02:00:00Z', '2026-11-24'],
    ['UTC', '2026-11-24T23:59:00Z', '2026-11-24'],
  ] as const) {
    process.env['TZ'] = zone
    t.equal(dayOf(Date.parse(now)), day, zone)
  }
  t.end()
})
