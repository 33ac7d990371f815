import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { HELD_MOST } from '../../../src/core/intake/parked.ts'
import { explainUnreadable } from '../../../src/core/reasons/held-label.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import type { FailureCode } from '../../../src/words/failures.ts'
import { inEnglish, NOTHING } from '../../../src/words/say.ts'
import { allPlugins } from '../../plugins/all.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, printer } from '../bench.ts'

const JUNK = Buffer.from('this is not a label')
const ERROR = new PlatenError('LABEL_UNKNOWN', 'This is not a label.')

function open(t: Test): Bench {
  return new Bench(t, { printers: [printer('A', 'file:a')] })
}

t.test('a message that is not a label is held, says why, and never prints', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  const messages = bench.intake.forSource('mqtt')
  const states: string[] = []
  bench.spool.onChange(({ state }) => states.push(state))
  await messages.setAside({ bytes: JUNK, error: ERROR, messageId: '1' })
  t.same(states, ['pending-held'], 'a power cut leaves none of it that waits to be printed')
  await messages.setAside({ bytes: JUNK, error: ERROR, messageId: '1' })
  const [job, ...more] = bench.spool.history.list({ limit: 9 })
  t.same(more, [], 'the same one is kept once')
  t.match(spoken(job), {
    source: 'mqtt',
    printer: 'A',
    format: 'unknown',
    state: 'pending-held',
    reasons: ['document-format-error'],
    code: 'LABEL_UNKNOWN',
    delivery: 'none',
    message: 'Somebody sent something through MQTT that is not a label, so it cannot be printed.',
    hint: 'Nothing is lost: tell whoever sends labels through MQTT. Then cancel this one.',
    detail: /^This is not a label\. Send a label/,
  })
  t.same(Buffer.from(bench.spool.history.label(job?.id ?? '') ?? []), JUNK)
  const refusal = { code: 'JOB_STATE', message: /is not a label/, hint: /^Cancel it/ }
  await t.rejects(bench.scheduler.release(job?.id ?? ''), refusal)
  t.same(bench.spool.history.get(job?.id ?? ''), job, 'nothing has changed')
  const reprint = (): unknown => bench.intake.reprint(job?.id ?? '')
  t.throws(reprint, { code: 'JOB_STATE' })
  await bench.scheduler.cancel(job?.id ?? '')
  t.match(spoken(bench.spool.history.get(job?.id ?? '')), {
    state: 'canceled',
    message: '',
    detail: '',
  })
  t.throws(reprint, { code: 'JOB_STATE', message: /is not a label/ })
})

t.test('sentences name the way that a label came as people do', (t) => {
  const ways = [
    'sqs',
    'beanstalkd',
    'mqtt',
    'heartbeat',
    'raw',
    'ipp',
    'qz',
    'browser-print',
    'http',
  ]
  t.same(
    ways.map((way) => allPlugins.nameWay(way)),
    [
      'Amazon SQS',
      'beanstalkd',
      'MQTT',
      'the heartbeat',
      'the raw port',
      'a print dialog',
      'QZ Tray',
      'Browser Print',
      'http',
    ],
  )
  t.end()
})

t.test('what is wrong with a message is told in plain words, technical ones stand beside', (t) => {
  const told = (code: FailureCode): string =>
    inEnglish(explainUnreadable('Amazon SQS', new PlatenError(code, 'Offset 4.')).message)
  t.match(told('LABEL_BASE64'), /^Somebody sent something through Amazon SQS that is not a label/)
  t.match(told('LABEL_REFUSED'), /^Somebody sent a kind of file through Amazon SQS/)
  t.match(told('FIELD_INVALID'), /^Somebody sent a label with a fault through Amazon SQS/)
  const { message, detail } = explainUnreadable('fax', new PlatenError('LABEL_EMPTY', 'Nothing.'))
  t.match(spoken(message), /through fax/)
  t.match(detail, /^Nothing\. Send the whole label/)
  t.end()
})

t.test('held messages do not fill the spool', async (t) => {
  const { intake, spool } = open(t)
  const messages = intake.forSource('mqtt', 'Nobody')
  for (let index = 0; index < HELD_MOST; index++)
    await messages.setAside({ bytes: JUNK, error: ERROR })
  await t.rejects(messages.setAside({ bytes: JUNK, error: ERROR }), { code: 'SPOOL_FULL' })
  t.match(spool.history.list({ limit: 1 }), [{ printer: 'Nobody' }])
})

t.test('an id that was given up makes a job again, after a restart too', async (t) => {
  const folder = t.testdir()
  const label = Buffer.from('^XA^XZ')
  const first = new Bench(t, { printers: [printer('A', 'file:a')], folder })
  const messages = first.intake.forSource('beanstalkd')
  const accept = async (id: string) =>
    (await messages.accept({ labels: [label], options: {}, messageId: id })).repeated
  t.same([await accept('q:1'), await accept('q:10'), await accept('q:2')], [false, false, false])
  messages.forget('q:1')
  t.same([await accept('q:1'), await accept('q:10'), await accept('q:2')], [false, false, true])
  messages.forget('q:2')
  first.intake.close()
  await first.close()
  const second = new Bench(t, { printers: [printer('A', 'file:a')], folder })
  const again = second.intake.forSource('beanstalkd')
  const message = { labels: [label], options: {}, messageId: 'q:2' }
  t.equal((await again.accept(message)).repeated, false)
})

t.test('an id that was given up a while before the power went makes a job again', async (t) => {
  const folder = t.testdir()
  const message = { labels: [Buffer.from('^XA^XZ')], options: {}, messageId: 'list:1' }
  const first = new Bench(t, { printers: [printer('A', 'file:a')], folder })
  const messages = first.intake.forSource('heartbeat')
  await messages.accept(message)
  mock.timers.enable({ apis: ['setTimeout'] })
  messages.forget('list:')
  mock.timers.tick(60_000)
  mock.timers.reset()
  await first.close()
  const second = new Bench(t, { printers: [printer('A', 'file:a')], folder })
  t.equal((await second.intake.forSource('heartbeat').accept(message)).repeated, false)
})

t.test('many ids that were given up are written down by themselves', async (t) => {
  const { intake, spool } = open(t)
  const messages = intake.forSource('beanstalkd')
  const message = { labels: [Buffer.from('^XA^XZ')], options: {}, messageId: 'x' }
  await messages.accept(message)
  messages.forget('x')
  for (let index = 0; index < 60; index++) messages.forget(`other ${index}`)
  t.equal((await messages.accept(message)).repeated, false)
  t.equal(spool.history.list({ limit: 9 }).length, 2)
})

t.test('another printer in the settings does not make a repeat another message', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a'), printer('B', 'file:b')] })
  const message = { labels: [Buffer.from('^XA^XZ')], options: {}, messageId: '1' }
  t.equal((await bench.intake.forSource('sqs', 'A').accept(message)).repeated, false)
  t.equal((await bench.intake.forSource('sqs', 'B').accept(message)).repeated, true)
})

t.test('each reason for leaving labels where they are has its sentence', async (t) => {
  const { intake, printers } = open(t)
  t.equal(spoken(intake.forSource('sqs').blockage()), '')
  printers.report('A', { state: 'stopped', reasons: ['other'], message: NOTHING, hint: NOTHING })
  t.equal(spoken(intake.forSource('sqs').blockage()), 'A cannot print now.')
  printers.report('A', { state: 'idle', reasons: ['none'], message: NOTHING, hint: NOTHING })
  t.match(spoken(intake.forSource('sqs', 'X').blockage()), 'No printer is named "X".')
  for (let index = 0; index < 50; index++) {
    await intake.forSource('sqs').accept({ labels: [Buffer.from('^XA^XZ')], options: {} })
  }
  t.equal(spoken(intake.forSource('sqs').blockage()), '50 labels wait for A.')
})

t.test('a spool that is nearly full leaves labels where they are', (t) => {
  const { intake } = new Bench(t, { printers: [printer('A', 'file:a')], quotaBytes: 1_000_000 })
  t.match(spoken(intake.forSource('sqs').blockage()), /no room for more labels/)
  t.end()
})
