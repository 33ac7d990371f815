import sharp from 'sharp'
import t, { type Test } from 'tap'
import { pageOf } from '../../../src/core/drawing/picture-pages.ts'
import { Intake } from '../../../src/core/intake/intake.ts'
import { drawText, LABEL, LETTER, makePdf } from '../../labels/codecs/pdf/make-pdf.ts'
import { makePagesTiff } from '../../pictures/make-pages-tiff.ts'
import { makePwg } from '../../pictures/make-raster.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, printer } from '../bench.ts'
import { zplLabel } from '../labels.ts'

const THREE = makePdf(
  ['one', 'two', 'three'].map((word) => ({ ...LABEL, content: drawText(word, 40, 200, 40) })),
)
const LIST = makePdf([
  {
    ...LETTER,
    content: Array.from({ length: 30 }, (_, n) =>
      drawText(
        'Twelve apples, eleven pears and a long line of other things in a box',
        60,
        700 - n * 18,
      ),
    ).join('\n'),
  },
])

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

t.test('each page of a PDF is a job, in order, and prints', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  const { jobs } = await bench.intake.takeTogether(request(THREE))
  t.match(
    jobs,
    [1, 2, 3].map((page) => ({ format: 'pdf', options: { pages: String(page) } })),
  )
  for (const { id } of jobs) {
    t.match(spoken(await bench.until(id, 'completed')), { hasPreview: true, message: '' })
  }
  const again = bench.intake.reprint(jobs[1]?.id ?? '')
  t.match(again.options, { pages: '2' })
  await bench.until(again.id, 'completed')
})

t.test('pages are chosen, and one that is not there refuses the whole request', async (t) => {
  const { intake, spool } = open(t)
  t.match(
    (await intake.takeTogether(request(THREE, '3,1'))).jobs.map(({ options }) => options.pages),
    ['3', '1'],
  )
  const labels = [zplLabel(1), THREE]
  await t.rejects(intake.takeTogether({ ...request(THREE, '4'), labels }), {
    code: 'FIELD_INVALID',
    message: 'Label 2 of 2 cannot be taken. pages: got "4", wanted pages from 1 to 3.',
  })
  t.equal(spool.history.list({ limit: 9 }).length, 2, 'nothing of it was taken')
})

t.test('a page of paper waits for a person, and prints when they say so', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  const [job] = (await bench.intake.takeTogether(request(LIST))).jobs
  t.match(spoken(job), {
    state: 'pending-held',
    message: /looks like a document/,
    hint: /on paper/,
  })
  await bench.scheduler.release(job?.id ?? '')
  await bench.until(job?.id, 'completed')
})

t.test('a PDF that found no printer keeps all of its pages', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  const messages = bench.intake.forSource('mqtt')
  const { jobs } = await messages.park(
    { labels: [THREE], options: { printer: 'X' } },
    new Error('none') as never,
  )
  t.equal(jobs.length, 1)
  const moved = bench.intake.reprint(jobs[0]?.id ?? '', 'A')
  const ended = await bench.until(moved.id, 'completed')
  const [single] = (await bench.intake.takeTogether(request(THREE, '1'))).jobs
  const one = await bench.until(single?.id, 'completed')
  t.ok(ended.sentBytes > 2.5 * one.sentBytes, 'three labels were sent')
})

t.test('a TIFF that found no printer keeps all of its pages', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  const rows = (value: number) => ({
    width: 8,
    height: 8,
    channels: 3 as const,
    background: { r: value, g: value, b: value },
  })
  const pages = await Promise.all(
    [255, 0].map((value) =>
      sharp({ create: rows(value) })
        .png()
        .toBuffer(),
    ),
  )
  const tiff = await sharp(pages, { join: { animated: true } })
    .tiff({ compression: 'lzw' })
    .toBuffer()
  const messages = bench.intake.forSource('mqtt')
  const { jobs } = await messages.park(
    { labels: [tiff], options: { printer: 'X' }, copies: 2 },
    new Error('none') as never,
  )
  t.equal(jobs.length, 4, 'two copies of two pages')
  const moved = [jobs[0], jobs[2]].map((job) => bench.intake.reprint(job?.id ?? '', 'A'))
  const ended = await Promise.all(moved.map(({ id }) => bench.until(id, 'completed')))
  t.match(spoken(ended), [{ message: /blank/ }, { message: '' }])
  const wish = { labels: [tiff], options: { printer: 'X', pages: '2' } }
  const [second, ...others] = (await messages.park(wish, new Error('none') as never)).jobs
  t.same(others, [])
  const black = bench.intake.reprint(second?.id ?? '', 'A')
  t.match(spoken(await bench.until(black.id, 'completed')), { message: '' })
})

t.test('the same page twice within the window is held; another page is not', async (t) => {
  const bench = open(t)
  const { spool, printers, scheduler, renderer } = bench
  const intake = new Intake({
    spool,
    printers,
    scheduler,
    pdfs: renderer.pdfs,
    duplicateWindowMs: () => 60_000,
  })
  const first = await intake.takeTogether(request(THREE, '1-2'))
  t.match(
    first.jobs.map(({ state }) => state),
    ['pending', 'pending'],
  )
  const second = await intake.takeTogether(request(THREE, '2-3'))
  t.match(
    second.jobs.map(({ state }) => state),
    ['pending-held', 'pending'],
  )
})

t.test('each page of a TIFF is a job of its own', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  const tiff = await makePagesTiff()
  const { jobs } = await bench.intake.takeTogether(request(tiff))
  t.match(jobs, [{ format: 'tiff' }, { format: 'tiff' }])
  const ended = await Promise.all(jobs.map(({ id }) => bench.until(id, 'completed')))
  t.match(spoken(ended), [{ message: /blank/ }, { message: '' }])
  const [second] = (await bench.intake.takeTogether(request(tiff, '2'))).jobs
  t.match(spoken(await bench.until(second?.id, 'completed')), { message: '' })
  // As another print server takes a label that this one hands over.
  for (const job of jobs) {
    const { id } = job
    const label = Buffer.from(pageOf(bench.spool.history.label(id) ?? tiff, job))
    const taken = await bench.intake.takeTogether({ ...request(label, '2'), hasChosenPages: true })
    t.equal(taken.jobs.length, 1)
    const { message } = bench.spool.history.get(id) ?? {}
    t.match(await bench.until(taken.jobs[0]?.id, 'completed'), { message })
  }
  await t.rejects(bench.intake.takeTogether(request(tiff, '3')), { message: /pages from 1 to 2/ })
  const one = Buffer.from(jobs[1] === undefined ? tiff : pageOf(tiff, jobs[1]))
  await t.rejects(bench.intake.takeTogether(request(one, '2')), { message: /TIFF has no other/ })
})

t.test('each page that a print dialog sends is a job; a cut one prints nothing', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  const page = { width: 812, height: 1218, dpi: 203, space: 3, bitsPerPixel: 1 }
  const pages = [0x00, 0xff].map((value) => ({
    ...page,
    samples: Buffer.alloc(102 * 1218, value),
  }))
  const file = makePwg(...pages)
  const { jobs } = await bench.intake.takeTogether(request(file))
  t.match(jobs, [{ format: 'pwg' }, { format: 'pwg' }])
  const ended = await Promise.all(jobs.map(({ id }) => bench.until(id, 'completed')))
  t.match(spoken(ended), [{ message: /blank/ }, { message: '' }])
  await t.rejects(bench.intake.takeTogether(request(file.subarray(0, -1))), {
    code: 'PICTURE_BROKEN',
  })
  await t.rejects(bench.intake.takeTogether(request(file, '3')), { message: /pages from 1 to 2/ })
})

t.test('of a file of very many pages some may be chosen, whatever it is', async (t) => {
  const { intake } = open(t)
  const sixty = <T>(page: T): T[] => Array.from({ length: 60 }, () => page)
  const page = { width: 8, height: 8, dpi: 203, space: 3, bitsPerPixel: 1 }
  const pwg = makePwg(...sixty({ ...page, samples: Buffer.alloc(8) }))
  const tiff = await sharp(sixty(await makePagesTiff()), { join: { animated: true } })
    .tiff({ compression: 'lzw' })
    .toBuffer()
  const pdf = makePdf(sixty({ ...LABEL, content: drawText('one', 40, 200, 40) }))
  for (const file of [pdf, tiff, pwg]) {
    await t.rejects(intake.takeTogether(request(file)), {
      code: 'PICTURE_TOO_LARGE',
      hint: /"pages"/,
    })
    t.equal((await intake.takeTogether(request(file, '51-60'))).jobs.length, 10)
  }
})
