import t from 'tap'
import { PlatenError } from '../../src/errors.ts'
import { keepBad } from '../../src/sources/message.ts'
import { Bench, printer } from '../jobs/bench.ts'

const NOBODY = new PlatenError('PRINTER_UNKNOWN', 'No printer is named "Bench 9"; known: "A".')

t.test('a label for an unknown printer is kept as the label that it is', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  const door = bench.intake.forSource('mqtt')
  const label = Buffer.from('^XA^FDx^FS^XZ')
  const message = { labels: [label], options: { printer: 'Bench 9' }, messageId: '7' }
  const bad = { bytes: Buffer.from('{"label": …'), error: NOBODY, messageId: '7' }
  await keepBad(door, message, bad)
  await keepBad(door, message, bad)
  const jobs = bench.spool.history.list({ limit: 9 })
  t.match(jobs, [
    { state: 'pending-held', format: 'zpl', printer: 'Bench 9', code: 'PRINTER_UNKNOWN' },
  ])
  t.equal(jobs.length, 1, 'once, however often it comes')
  t.same(bench.spool.history.label(jobs[0]?.id ?? ''), label)
})

t.test('what is not a label is kept as it came, whoever it is for', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  const door = bench.intake.forSource('sqs')
  const bytes = Buffer.from('{"label":"…"}')
  const junk = { labels: [Buffer.from('junk')], options: { printer: 'Bench 9' } }
  await keepBad(door, junk, { bytes, error: NOBODY, messageId: '1' })
  const broken = new PlatenError('LABEL_BASE64', 'The label is not base64.')
  await keepBad(door, undefined, { bytes, error: broken, messageId: '2' })
  const jobs = bench.spool.history.list({ limit: 9 })
  t.same(jobs.map(({ format, code }) => [format, code]).sort(), [
    ['unknown', 'LABEL_BASE64'],
    ['unknown', 'LABEL_UNKNOWN'],
  ])
  t.same(bench.spool.history.label(jobs[0]?.id ?? ''), bytes)
})

t.test('what finds no room is not kept, and says so', async (t) => {
  const full = new PlatenError('SPOOL_FULL', 'No room.')
  const door = { park: () => Promise.reject(full), setAside: () => Promise.reject(full) }
  const message = { labels: [Buffer.from('^XA^XZ')], options: {} }
  const bad = { bytes: Buffer.from('x'), error: NOBODY }
  await t.rejects(keepBad(door, message, bad), { code: 'SPOOL_FULL' })
})
