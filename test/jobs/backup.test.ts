import t from 'tap'
import * as v from 'valibot'
import { PlatenError } from '../../src/errors.ts'
import { exportJobs, type JobLine, jobLine, Restorer } from '../../src/jobs/backup.ts'
import { Bench, printer } from './bench.ts'
import { zplLabel } from './labels.ts'

t.test('what a queue brought while there was no printer goes through a backup', async (t) => {
  const old = new Bench(t, { printers: [], folder: `${t.testdir({ old: {}, fresh: {} })}/old` })
  const door = old.intake.forSource('mqtt')
  const none = new PlatenError('PRINTER_NONE', 'No printer is known to this print server yet.')
  const junk = new PlatenError('LABEL_UNKNOWN', 'This is no label.')
  await door.setAside({ bytes: Buffer.from('junk'), error: junk })
  await door.park({ labels: [zplLabel(1)], options: {} }, none)
  const lines = [...exportJobs(old.spool)].filter((line): line is JobLine => line.type === 'job')
  t.same(
    lines.map(({ printer }) => printer),
    ['', ''],
  )
  const box = new Bench(t, { printers: [], folder: `${old.folder}/../fresh` })
  const restorer = new Restorer(box.spool)
  for (const line of lines) restorer.take(v.parse(jobLine, line))
  t.match(restorer.end(), { labels: 2, known: 0 })
  t.match(box.spool.list({ limit: 9 }), [
    { format: 'zpl', state: 'pending-held', reasons: ['platen-interrupted', 'platen-restored'] },
    // Nobody is asked whether a message that is no label came out.
    { format: 'unknown', state: 'pending-held', message: /no label/, code: 'LABEL_UNKNOWN' },
  ])
  t.notOk(box.spool.list({ limit: 9 })[1]?.reasons.includes('platen-interrupted'))
})

t.test('the start label of one box is not restored on another', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'socket://127.0.0.1:9')] })
  await bench.intake.acceptDocument({
    ...{ format: 'start', body: Buffer.from('{}'), options: { printer: 'A' }, source: 'start' },
  })
  bench.print([1])
  const lines = [...exportJobs(bench.spool)]
  t.equal(bench.spool.list({ limit: 9 }).length, 2)
  t.match(lines, [{ type: 'job', format: 'zpl' }])
  t.equal(lines.length, 1)
})
