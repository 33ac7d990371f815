import t from 'tap'
import * as v from 'valibot'
import { exportJobs, type JobLine, jobLine } from '../../../src/core/spool/backup.ts'
import { Restorer } from '../../../src/core/spool/restore.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { quoteEnglish } from '../../../src/words/say.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, printer } from '../bench.ts'
import { zplLabel } from '../labels.ts'

t.test('what a queue brought while there was no printer goes through a backup', async (t) => {
  const old = new Bench(t, { printers: [], folder: `${t.testdir({ old: {}, fresh: {} })}/old` })
  const messages = old.intake.forSource('mqtt')
  const none = new PlatenError('PRINTER_NONE', 'No printer is known to this print server yet.')
  const junk = new PlatenError('LABEL_UNKNOWN', 'This is not a label.')
  await messages.setAside({ bytes: Buffer.from('junk'), error: junk })
  await messages.park({ labels: [zplLabel(1)], options: {} }, none)
  const lines = [...exportJobs(old.spool)].filter((line): line is JobLine => line.type === 'job')
  t.same(
    lines.map(({ printer }) => printer),
    ['', ''],
  )
  const box = new Bench(t, { printers: [], folder: `${old.folder}/../fresh` })
  const restorer = new Restorer(box.spool)
  for (const line of lines) restorer.take(v.parse(jobLine, line))
  t.match(restorer.end(), { labels: 2, known: 0 })
  t.match(spoken(box.spool.history.list({ limit: 9 })), [
    { format: 'zpl', state: 'pending-held', reasons: ['platen-interrupted', 'platen-restored'] },
    // Nobody is asked whether a message that is not a label came out.
    { format: 'unknown', state: 'pending-held', message: /not a label/, code: 'LABEL_UNKNOWN' },
  ])
  t.notOk(box.spool.history.list({ limit: 9 })[1]?.reasons.includes('platen-interrupted'))
})

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** A line as somebody who knows the format would forge it. */
function forge(change: object): JobLine {
  const options = { printer: 'A' }
  return v.parse(jobLine, {
    type: 'job',
    id: 'zzzz-9',
    source: 'print',
    printer: 'A',
    format: 'zpl',
    options,
    warning: [],
    hash: '',
    repeat: null,
    label: base64(zplLabel(1)),
    ...change,
  })
}

t.test('what no request may have does not come in with a backup', (t) => {
  const box = new Bench(t, { printers: [printer('A', 'socket://127.0.0.1:9')] })
  const restorer = new Restorer(box.spool)
  const options = { printer: 'A\u0000', labelWidth: 1e300, labelHeight: 6, dpi: -1, expireAfter: 0 }
  const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001', 'hex').toString('base64')
  restorer.take(
    forge({ id: 'a-1', options, printer: 'A\r\nB', warning: quoteEnglish('\u001b[2J') }),
  )
  restorer.take(forge({ id: 'a-2', label: png }))
  restorer.take(forge({ id: 'a-3', format: 'png' }))
  restorer.take(forge({ id: 'a-4', label: Buffer.from('no label').toString('base64') }))
  t.match(restorer.end(), { labels: 4 })
  const jobs = box.spool.history.list({ limit: 9 })
  t.same(jobs.at(-1)?.options, { printer: 'A ', labelHeight: 6 })
  t.match(spoken(jobs.at(-1)), { printer: 'A B', warning: ' [2J', format: 'zpl' })
  t.same(
    jobs.map(({ format, state }) => [format, state]),
    [
      ['unknown', 'pending-held'],
      ['unknown', 'pending-held'],
      ['unknown', 'pending-held'],
      ['zpl', 'pending-held'],
    ],
  )
  t.end()
})

t.test('only base64 is a label, however long', (t) => {
  const whole = Buffer.alloc(16_000_001, 'x').toString('base64')
  t.ok(v.is(jobLine, forge({ label: whole })))
  for (const label of [
    '',
    'A',
    'AA',
    'AAA',
    'A===',
    'AA=A',
    '====',
    'AAAAA',
    'AAAA\n',
    `${whole}!`,
  ]) {
    t.throws(() => forge({ label }), label.slice(0, 9))
  }
  for (const at of [0, 65_535, 65_536, whole.length - 5]) {
    t.throws(() => forge({ label: `${whole.slice(0, at)}-${whole.slice(at + 1)}` }), `${at}`)
  }
  for (const label of ['AA==', 'AAA=', 'AAAA', 'AAAAAA==', 'ab+/']) t.ok(forge({ label }))
  t.end()
})

t.test('a request with more labels than go together loses none', (t) => {
  const label = Buffer.concat([zplLabel(1), Buffer.alloc(3_000_000, ' ')]).toString('base64')
  const repeat = { key: 'order', fingerprint: 'one' }
  const box = new Bench(t, { printers: [printer('A', 'socket://127.0.0.1:9')] })
  const restore = () => {
    const restorer = new Restorer(box.spool)
    for (let n = 1; n <= 20; n += 1) restorer.take(forge({ id: `a-${n}`, label, repeat }))
    return restorer.end()
  }
  t.same(restore(), { labels: 20, known: 0 })
  t.same(restore(), { labels: 0, known: 20 })
  t.end()
})

t.test('a message with a name beyond all measure does not spoil the backup', async (t) => {
  const old = new Bench(t, { printers: [] })
  const none = new PlatenError('PRINTER_NONE', 'No printer is known to this print server yet.')
  const options = { printer: 'x'.repeat(5_000) }
  // As of SNS, whose id is in the message, or of a topic of MQTT.
  const messageId = 'x'.repeat(5_000)
  await old.intake.forSource('mqtt').park({ labels: [zplLabel(1)], options, messageId }, none)
  const lines = [...exportJobs(old.spool)]
  t.equal(lines.length, 1)
  for (const line of lines) t.ok(v.is(jobLine, line))
})

t.test('a label that is lost does not keep those behind it out of a backup', (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  const [, second] = bench.print([1, 2])
  const { records } = bench.spool
  const lose = records.prepare('DELETE FROM content WHERE id = (SELECT min(id) FROM content)')
  records.write(() => lose.run())
  t.match([...exportJobs(bench.spool)], [{ id: second }])
  t.end()
})

t.test('the start label of one box is not restored on another', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'socket://127.0.0.1:9')] })
  await bench.intake.acceptDocument({
    format: 'start',
    body: Buffer.from('{}'),
    options: { printer: 'A' },
    source: 'start',
  })
  bench.print([1])
  const lines = [...exportJobs(bench.spool)]
  t.equal(bench.spool.history.list({ limit: 9 }).length, 2)
  t.match(lines, [{ type: 'job', format: 'zpl' }])
  t.equal(lines.length, 1)
})

t.test('a label that moves while a backup is made is in it once', (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a'), printer('B', 'file:b')] })
  const [first = '', second = '', third = ''] = bench.print([1, 2, 3], { printer: 'A' })
  const lines = exportJobs(bench.spool)
  const ids = [lines.next().value].map((line) => (line?.type === 'job' ? line.id : ''))
  // The first was written on A; the third goes before it is reached.
  const again = bench.intake.reprint(first, 'B', { isMove: true })
  bench.intake.reprint(again.id, 'A', { isMove: true })
  const moved = bench.intake.reprint(third, 'B', { isMove: true })
  for (const line of lines) if (line.type === 'job') ids.push(line.id)
  t.same(ids, [first, second, moved.id])
  t.end()
})
