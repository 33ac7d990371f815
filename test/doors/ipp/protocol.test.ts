import t from 'tap'
import {
  JOB_STATES,
  OPERATIONS,
  PRINTER_STATES,
  STATUS,
  toRefusal,
} from '../../../src/doors/ipp/protocol.ts'
import { FAILURES, type FailureCode, PlatenError } from '../../../src/errors.ts'

// As IANA's registry of IPP writes them: clients know nothing but these numbers.
t.test('the numbers of the wire', (t) => {
  const hex = (all: Readonly<Record<string, number>>): string =>
    Object.values(all)
      .map((one) => one.toString(16))
      .join(' ')
  t.equal(hex(OPERATIONS), '2 4 5 6 8 9 a b c d 39 3b 3c')
  t.equal(hex(STATUS), '0 1 400 404 406 408 40a 40b 40d 40f 410 411 500 501 503 505')
  t.equal(hex(PRINTER_STATES), '3 4 5')
  t.equal(hex(JOB_STATES), '3 4 5 6 7 8 9')
  t.end()
})

t.test('a client tries again by itself where the box is full or busy, and only there', (t) => {
  const statusOf = (code: FailureCode): number => toRefusal(new PlatenError(code, 'Why.')).status
  for (const [name, { status }] of Object.entries(FAILURES)) {
    const code = statusOf(name as FailureCode)
    t.equal(code === 0x505, status === 503 || status === 507, name)
    t.equal(code === 0x408, status === 413, name)
    t.equal(code === 0x411, status < 500 && status !== 413, name)
  }
  const full = new PlatenError('SPOOL_FULL', 'The disk is full.', { hint: 'Wait.' })
  t.match(toRefusal(full), { message: 'The disk is full. Wait.' })
  t.end()
})
