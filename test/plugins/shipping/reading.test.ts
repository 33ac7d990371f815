import t from 'tap'
import { plannedTime } from '../../../src/carriers/dhl/wire.ts'
import { dayOf } from '../../../src/carriers/reading.ts'
import { estimate } from '../../../src/plugins/shipping/local/answers.ts'

const { TZ } = process.env
t.afterEach(() => {
  if (TZ === undefined) delete process.env['TZ']
  else process.env['TZ'] = TZ
})

t.test('a day of 23 or 25 hours is one day', (t) => {
  process.env['TZ'] = 'Europe/Berlin'
  t.equal(estimate(Date.parse('2027-03-27T22:30:00Z'), 1), '2027-03-28T18:00:00+02:00')
  t.equal(estimate(Date.parse('2026-10-24T22:30:00Z'), 1), '2026-10-26T18:00:00+01:00')
  t.end()
})

t.test('labels have the day and the time where the box stands', (t) => {
  // A morning in Sydney and Berlin, an evening in Los Angeles.
  for (const [zone, now, day, planned] of [
    ['Australia/Sydney', '2026-11-23T22:30:00Z', '2026-11-24', '2026-11-24T10:30:00GMT+11:00'],
    ['Europe/Berlin', '2026-07-01T22:10:00Z', '2026-07-02', '2026-07-02T01:10:00GMT+02:00'],
    ['America/Los_Angeles', '2026-11-24T02:00:00Z', '2026-11-23', '2026-11-23T19:00:00GMT-08:00'],
    ['UTC', '2026-11-24T23:59:00Z', '2026-11-24', '2026-11-25T00:59:00GMT+00:00'],
  ] as const) {
    process.env['TZ'] = zone
    t.equal(dayOf(Date.parse(now)), day, zone)
    t.equal(plannedTime(Date.parse(now)), planned, zone)
  }
  t.end()
})
