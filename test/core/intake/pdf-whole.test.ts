import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Intake } from '../../../src/core/intake/intake.ts'
import { drawText, LABEL, makePdf } from '../../labels/codecs/pdf/make-pdf.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, printer } from '../bench.ts'

const BLANK = { ...LABEL, content: '' }
const word = (text: string) => ({ ...LABEL, content: drawText(text, 40, 200, 40) })

function open(t: Test): Bench {
  const bench = new Bench(t, { printers: [printer('A', 'file:a', 'zpl')], defaultName: 'A' })
  const { spool, printers, scheduler, renderer } = bench
  const intake = new Intake({ spool, printers, scheduler, pdfs: renderer.pdfs })
  return Object.assign(bench, { intake })
}

const request = (label: Buffer, pages?: string) => ({
  labels: [label],
  options: pages === undefined ? {} : { pages },
  source: 'http',
})

function caseOf(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, '../../labels/codecs/pdf/cases', name))
}

t.test('blank pages among others are left out and named', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  const { jobs } = await bench.intake.takeTogether(request(caseOf('blank-between.pdf')))
  t.match(spoken(jobs.map(({ options, message }) => [options.pages, message])), [
    ['1', 'Pages 2 and 4 are blank and were left out.'],
    ['3', ''],
  ])
  for (const { id, message } of jobs) t.match(await bench.until(id, 'completed'), { message })
  const ended = bench.spool.history.get(jobs[0]?.id ?? '')
  t.notMatch(ended?.reasons, /platen-printer-command/, 'it holds no commands')
  const three = makePdf([BLANK, word('one'), BLANK, BLANK, word('two')])
  const [first] = (await bench.intake.takeTogether(request(three))).jobs
  t.equal(spoken(first?.message), 'Pages 1, 3 and 4 are blank and were left out.')
  const chosen = await bench.intake.takeTogether(request(three, '2-3'))
  t.same(spoken(chosen.jobs.map(({ message }) => message)), ['Page 3 is blank and was left out.'])
  const whole = await bench.intake.takeTogether(request(makePdf([word('one'), word('two')])))
  t.same(spoken(whole.jobs.map(({ message }) => message)), ['', ''])
})

t.test('a PDF of blank pages is refused, and nothing of its request is taken', async (t) => {
  const { intake, spool } = open(t)
  const wanted = { code: 'LABEL_EMPTY', message: 'This PDF is blank: there is nothing to print.' }
  await t.rejects(intake.takeTogether(request(makePdf([BLANK]))), wanted)
  await t.rejects(intake.takeTogether(request(makePdf([BLANK, BLANK]))), wanted)
  await t.rejects(intake.takeTogether(request(makePdf([word('one'), BLANK, BLANK]), '2,3')), {
    message: /^The pages of this PDF that were asked for are blank/,
  })
  const both = {
    ...request(makePdf([word('one')])),
    labels: [makePdf([word('1')]), makePdf([BLANK])],
  }
  await t.rejects(intake.takeTogether(both), {
    message: /^Label 2 of 2 cannot be taken\. This PDF is blank/,
  })
  t.equal(spool.history.list({ limit: 9 }).length, 0)
})

t.test('the same request again answers with its first jobs', async (t) => {
  const { intake } = open(t)
  const again = { ...request(caseOf('blank-between.pdf')), idempotencyKey: 'once' }
  const first = await intake.takeTogether(again)
  const second = await intake.takeTogether(again)
  t.equal(second.repeated, true)
  t.same(
    second.jobs.map(({ id }) => id),
    first.jobs.map(({ id }) => id),
  )
})

t.test('a PDF that found no printer leaves its blank pages out when it prints', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  const messages = bench.intake.forSource('mqtt')
  const park = async (label: Buffer) => {
    const wish = { labels: [label], options: { printer: 'X' } }
    const { jobs } = await messages.park(wish, new Error('none') as never)
    return bench.intake.reprint(jobs[0]?.id ?? '', 'A').id
  }
  t.match(spoken(await bench.until(await park(caseOf('blank-between.pdf')), 'completed')), {
    message: 'Pages 2 and 4 are blank and were left out.',
  })
  t.match(spoken(await bench.until(await park(caseOf('flate-cut.pdf')), 'aborted')), {
    message: 'Page 1 of this PDF is damaged: a part of it cannot be drawn.',
  })
})

t.test('a label in a bar code font that is missing waits for a person', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  for (const [file, font] of [
    ['font-3of9.pdf', 'Free3of9'],
    ['font-c128.pdf', 'Code-128'],
  ] as const) {
    const [job] = (await bench.intake.takeTogether(request(caseOf(file)))).jobs
    t.match(spoken(job), {
      state: 'pending-held',
      message: `Page 1 of this PDF uses the bar code font ${font} without bringing it: letters would print in place of the bar code.`,
      hint: /^Ask for a PDF with its fonts embedded/,
    })
    await bench.scheduler.release(job?.id ?? '')
    t.match(spoken(await bench.until(job?.id, 'completed')), {
      message: new RegExp(`font ${font} without`),
    })
  }
})

t.test('damaged PDFs are refused before anything of their request is taken', async (t) => {
  const { intake, spool } = open(t)
  for (const file of ['utf8-mangled.pdf', 'utf8-mangled-image.pdf', 'latin1-as-utf8.pdf']) {
    await t.rejects(intake.takeTogether(request(caseOf(file))), {
      code: 'PICTURE_BROKEN',
      message: 'This PDF was read as text on its way, which damaged it.',
      hint: 'Download the label again, and send the file as bytes, not as text.',
    })
  }
  for (const file of ['dct-cut.pdf', 'flate-cut.pdf', 'g4-cut.pdf']) {
    await t.rejects(intake.takeTogether(request(caseOf(file))), {
      code: 'PICTURE_BROKEN',
      message: 'Page 1 of this PDF is damaged: a part of it cannot be drawn.',
      detail: /^The picture \(object 5\) ends early\.$/,
    })
  }
  t.equal(spool.history.list({ limit: 9 }).length, 0)
})
