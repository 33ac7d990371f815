import t from 'tap'
import { describeFault, isLate } from '../../src/shipping/outbound.ts'

t.test('why a call failed is told by its code alone, never by words of the request', (t) => {
  const failed = 'The connection to the carrier failed'
  const coded = (code: unknown) => Object.assign(new Error('Bearer secret'), { code })
  t.equal(describeFault(coded('ECONNRESET')), `${failed} (ECONNRESET).`)
  t.equal(describeFault(new Error('Bearer secret')), `${failed}.`)
  for (const odd of ['Bearer secret', undefined, null, { code: 'X' }])
    t.equal(describeFault(odd), `${failed}.`)
  t.equal(describeFault(coded('ERR_LATE_ANSWER')), 'The carrier did not answer in time.')
  t.ok(isLate(coded('ERR_LATE_ANSWER')))
  t.notOk(isLate(coded('ECONNRESET')))
  t.end()
})
