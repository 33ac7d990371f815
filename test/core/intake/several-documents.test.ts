import { Buffer } from 'node:buffer'
import t, { type Test } from 'tap'
import { Intake } from '../../../src/core/intake/intake.ts'
import { toPng } from '../../label-makers/files.ts'
import { shelfLabel } from '../../label-makers/shelf.ts'
import { drawText, LABEL, makePdf } from '../../labels/codecs/pdf/make-pdf.ts'
import { Bench, printer } from '../bench.ts'
import { zplLabel } from '../labels.ts'

const pdfOf = (...words: string[]) =>
  makePdf(words.map((word) => ({ ...LABEL, content: drawText(word, 40, 200, 40) })))
const PNG = Buffer.from(toPng(shelfLabel()))

function open(t: Test): Bench {
  const bench = new Bench(t, { printers: [printer('A', 'file:a', 'zpl')], defaultName: 'A' })
  const { spool, printers, scheduler, renderer } = bench
  const intake = new Intake({ spool, printers, scheduler, pdfs: renderer.pdfs })
  return Object.assign(bench, { intake })
}

t.test('every document of a file prints, in its order', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  for (const [file, wanted] of [
    [Buffer.concat([pdfOf('one', 'two'), pdfOf('three')]), ['pdf 1', 'pdf 2', 'pdf 1']],
    [Buffer.concat([PNG, PNG]), ['png', 'png']],
    [Buffer.concat([zplLabel(1), Buffer.from('\n'), pdfOf('four')]), ['zpl', 'pdf 1']],
    [Buffer.concat([pdfOf('five'), zplLabel(2)]), ['pdf 1', 'zpl']],
  ] as const) {
    const request = { labels: [file, PNG], titles: ['a', 'b'], options: {}, source: 'http' }
    const { jobs } = await bench.intake.takeTogether(request)
    t.same(
      jobs.map(({ format, options }) => [format, options.pages].filter(Boolean).join(' ')),
      [...wanted, 'png'],
    )
    t.same(
      jobs.map(({ title }) => title),
      [...wanted.map(() => 'a'), 'b'],
    )
    for (const { id } of jobs) await bench.until(id, 'completed')
  }
})

t.test('a message of a source is parted too, and one that came before is a repeat', async (t) => {
  const { intake } = open(t)
  const message = { labels: [Buffer.concat([pdfOf('one'), PNG])], options: {}, messageId: '7' }
  const first = await intake.forSource('mqtt').accept(message)
  t.same(
    first.jobs.map(({ format }) => format),
    ['pdf', 'png'],
  )
  const again = await intake.forSource('mqtt').accept(message)
  t.same(
    again.jobs.map(({ id }) => id),
    first.jobs.map(({ id }) => id),
  )
  t.ok(again.repeated)
})

t.test('all are refused when one of them is damaged', async (t) => {
  const { intake, spool } = open(t)
  const file = Buffer.concat([pdfOf('one'), PNG.subarray(0, 20)])
  await t.rejects(intake.takeTogether({ labels: [file], options: {}, source: 'http' }), {
    code: 'PICTURE_BROKEN',
    message: /^Label 2 of 2 cannot be taken/,
  })
  t.equal(spool.history.list({ limit: 9 }).length, 0)
})
