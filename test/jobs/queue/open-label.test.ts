import t from 'tap'
import { warnOfOpenLabel } from '../../../src/jobs/queue/media.ts'
import { AnsweringPrinter } from '../../devices/answering-printer.ts'
import { Bench, printer } from '../bench.ts'

const warn = (text: string) => warnOfOpenLabel('zpl', Buffer.from(text, 'latin1'))

t.test('a ZPL label that begins and does not end is told', (t) => {
  t.match(warn('^XA^FO1,1^FDx^FS'), /no \^XZ at its end/)
  t.match(warn('^XA^FDa^FS^XZ\r\n^xa^FDb^FS'), /no \^XZ/)
  t.equal(warn('^XA^FDx^FS^XZ\r\n'), '')
  t.equal(warn('^xa^fdx^fs^xz'), '')
  t.equal(warn('~JC'), '', 'a control command alone')
  t.equal(warn('^XA^GFB,6,6,1,^XA^X^FS^XZ'), '', 'dots may look like a beginning')
  t.equal(warn('^XA^CC+^FDx+FS+XZ'), '', 'another prefix is not judged')
  t.equal(warnOfOpenLabel('epl', Buffer.from('^XA')), '')
  t.end()
})

t.test('it is sent, warned of, and its end is not waited for', async (t) => {
  const device = await AnsweringPrinter.open('zpl')
  t.teardown(() => device.close())
  const known = { ...printer('A', device.uri), answers: true }
  const bench = new Bench(t, { printers: [known], asks: { answerMs: 60_000 } })
  bench.scheduler.start()
  const id = bench.accept(Buffer.from('^XA^FDx^FS'))
  const job = await bench.until(id, 'completed')
  t.match(job, { delivery: 'sent', message: /no \^XZ/, reasons: ['job-completed-with-warnings'] })
})
