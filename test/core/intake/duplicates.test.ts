import t, { type Test } from 'tap'
import { Intake, type IntakeParts } from '../../../src/core/intake/intake.ts'
import { explainDuplicate } from '../../../src/core/intake/new-jobs.ts'
import { holdTimeZone } from '../../../src/system/process.ts'
import { NOTHING } from '../../../src/words/say.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, printer } from '../bench.ts'
import { PIXEL, zplLabel } from '../labels.ts'
import { NO_PDFS } from '../pdf-files.ts'

const MINUTE_MS = 60_000

interface Desk {
  readonly bench: Bench
  readonly intake: Intake
  /** Lets so many milliseconds of the box's life pass. */
  pass(ms: number): void
}

function open(t: Test, more: Partial<IntakeParts> = {}): Desk {
  let uptime = 1000
  const bench = new Bench(t, {
    printers: [printer('A', 'file:a'), printer('B', 'file:b')],
    defaultName: 'A',
    uptimeMs: () => uptime,
  })
  const { spool, printers, scheduler } = bench
  const duplicateWindowMs = () => 10 * MINUTE_MS
  const intake = new Intake({
    pdfs: NO_PDFS,
    spool,
    printers,
    scheduler,
    duplicateWindowMs,
    ...more,
  })
  return {
    bench,
    intake,
    pass: (ms) => {
      uptime += ms
    },
  }
}

const label = zplLabel(1)
const request = { labels: [label], options: {}, source: 'http' }

/** Takes a label and prints it. */
async function print({ bench, intake }: Desk, more = {}): Promise<string> {
  bench.scheduler.start()
  const [job] = intake.takeAlone({ ...request, ...more }).jobs
  await bench.until(job?.id, 'completed')
  return job?.id ?? ''
}

t.test('holds a label that was printed a moment ago, and one tap prints it', async (t) => {
  const desk = open(t)
  const first = await print(desk)
  const [held] = desk.intake.takeAlone(request).jobs
  t.match(spoken(held), {
    state: 'pending-held',
    reasons: ['platen-duplicate'],
    code: 'JOB_DUPLICATE',
    hint: 'Release it to print anyway, or cancel it.',
  })
  const at = new Date(desk.bench.job(first).endedAt)
  const time = [at.getHours(), at.getMinutes()].map((n) => String(n).padStart(2, '0')).join(':')
  t.equal(spoken(held?.message), `Already printed at ${time} on A.`)
  await desk.bench.scheduler.release(held?.id ?? '')
  t.match(spoken(await desk.bench.until(held?.id, 'completed')), {
    message: '',
    reasons: ['job-completed-successfully'],
  })
})

t.test('prints it again when the time is over, and counts from the printing', async (t) => {
  const desk = open(t)
  await print(desk)
  desk.pass(10 * MINUTE_MS)
  t.equal(desk.intake.takeAlone(request).jobs[0]?.state, 'pending-held')
  desk.pass(1)
  t.equal(
    desk.intake.takeAlone(request).jobs[0]?.state,
    'pending',
    'the one that was held has not printed',
  )
})

t.test('holds a label whose twin still waits for its printer', (t) => {
  const desk = open(t)
  desk.intake.takeAlone({ ...request, titles: ['Order 1'] })
  desk.pass(60 * MINUTE_MS)
  const [second] = desk.intake.takeAlone(request).jobs
  t.match(spoken(second?.message), /^"Order 1" was taken at .* still waits for A\.$/)
  t.end()
})

t.test('a label that did not print has no duplicates', async (t) => {
  const desk = open(t)
  const [first] = desk.intake.takeAlone(request).jobs
  await desk.bench.scheduler.cancel(first?.id ?? '')
  t.equal(desk.intake.takeAlone(request).jobs[0]?.state, 'pending')
})

t.test('other bytes, another printer and another drawing are other labels', async (t) => {
  const desk = open(t)
  await print(desk)
  await print(desk, { labels: [PIXEL] })
  const state = (more: object) => desk.intake.takeAlone({ ...request, ...more }).jobs[0]?.state
  t.equal(state({ labels: [zplLabel(2)] }), 'pending')
  t.equal(state({ options: { printer: 'B' } }), 'pending')
  const part = (area: string) => state({ labels: [PIXEL], options: { area } })
  t.equal(part('top'), 'pending', 'another part of the picture')
  t.equal(part('bottom'), 'pending')
  t.equal(part('top'), 'pending-held')
  t.throws(() => part('3x10-31'), {
    code: 'FIELD_INVALID',
    message: 'area: got "3x10-31", wanted a label from 1 to 30 of the sheet.',
  })
  t.equal(state({ labels: [PIXEL], options: { labelWidth: 2 } }), 'pending')
  t.equal(state({ labels: [PIXEL], options: { expireAfter: 60 } }), 'pending-held')
  for (const options of [{ rotate: '90' }, { scaling: 'none' }, { darkness: 3 }] as const) {
    t.equal(state({ labels: [PIXEL], options }), 'pending', JSON.stringify(options))
  }
  t.equal(state({ options: { labelWidth: 2 } }), 'pending-held', 'a raw label is not drawn')
})

t.test('a label that waits for a person does not wait for its printer', async (t) => {
  const desk = open(t)
  await print(desk)
  const stopped = ['offline'] as const
  desk.bench.printers.report('A', {
    state: 'stopped',
    reasons: stopped,
    message: NOTHING,
    hint: NOTHING,
  })
  const reasons = (more: object) => desk.intake.takeAlone({ ...request, ...more }).jobs[0]?.reasons
  t.strictSame(reasons({ labels: [zplLabel(2)] }), ['printer-stopped'])
  t.strictSame(reasons({ labels: [zplLabel(3)], options: { printer: 'B' } }), ['none'])
  t.strictSame(reasons({}), ['platen-duplicate'])
  t.strictSame(reasons({ labels: [Buffer.from('^XA^GFB,999999,999999,1,xx^FS^XZ')] }), [
    'document-format-error',
  ])
})

t.test('the labels and copies of one request are not duplicates of each other', (t) => {
  const { intake } = open(t)
  const { jobs } = intake.takeAlone({ ...request, labels: [label, label], copies: 2 })
  t.same(
    jobs.map((job) => job.state),
    ['pending', 'pending', 'pending', 'pending'],
  )
  const again = intake.takeAlone({ ...request, copies: 2 })
  t.same(
    again.jobs.map((job) => job.state),
    ['pending-held', 'pending-held'],
  )
  t.end()
})

t.test('a person who prints again, a test and a start label are not asked', async (t) => {
  const desk = open(t)
  const first = await print(desk)
  t.equal(desk.intake.reprint(first).state, 'pending')
  const test = { format: 'test', body: Buffer.from('{}'), options: {}, source: 'test' } as const
  t.equal(desk.intake.acceptDocument(test).jobs[0]?.state, 'pending')
  t.equal(desk.intake.acceptDocument(test).jobs[0]?.state, 'pending')
  const start = { ...test, format: 'start', source: 'start' } as const
  t.equal(desk.intake.acceptDocument(start).jobs[0]?.state, 'pending')
  t.equal(desk.intake.acceptDocument(start).jobs[0]?.state, 'pending')
  const list = { ...test, format: 'packlist', source: 'packlist' } as const
  desk.intake.acceptDocument(list)
  t.equal(desk.intake.acceptDocument(list).jobs[0]?.state, 'pending-held', 'a pack list is a print')
})

t.test('the same request again is answered as ever', async (t) => {
  const desk = open(t)
  const first = await print(desk, { idempotencyKey: 'k' })
  const again = desk.intake.takeAlone({ ...request, idempotencyKey: 'k' })
  t.equal(again.repeated, true)
  t.match(again.jobs, [{ id: first, state: 'completed' }])
  t.equal(desk.intake.takeAlone({ ...request, idempotencyKey: 'l' }).jobs[0]?.state, 'pending-held')
})

t.test('whoever waits for the labels is told of a held one at once', async (t) => {
  const desk = open(t)
  const first = await print(desk)
  const [held] = desk.intake.takeAlone(request).jobs
  const never = new AbortController().signal
  t.match(await desk.intake.ended([first, held?.id ?? ''], never), [
    { state: 'completed' },
    { state: 'pending-held' },
  ])
})

t.test('knows the day too when it was another one', async (t) => {
  const now = () => new Date(2030, 0, 2, 9, 5).getTime()
  const desk = open(t, { now })
  await print(desk)
  t.match(
    spoken(desk.intake.takeAlone(request).jobs[0]?.message),
    /^Already printed at \d{4}-\d\d-\d\d \d\d:\d\d on A/,
  )
})

t.test(
  'the time, and whether the day is another one, are those of the zone of the box',
  async (t) => {
    const desk = open(t)
    const job = desk.bench.job(await print(desk))
    const hold = holdTimeZone()
    t.teardown(() => hold(undefined))
    const twin = { ...job, endedAt: Date.UTC(2026, 10, 21, 8, 17) }
    const at = (now: number) => explainDuplicate('', twin, now).message
    hold('Asia/Kathmandu')
    t.match(spoken(at(Date.UTC(2026, 10, 21, 18, 14))), 'Already printed at 14:02 on A')
    t.match(spoken(at(Date.UTC(2026, 10, 21, 18, 15))), 'Already printed at 2026-11-21 14:02 on A')
    hold('America/Denver')
    t.match(spoken(at(Date.UTC(2026, 10, 21, 18, 15))), 'Already printed at 01:17 on A')
  },
)

t.test('asks nothing while the guard is off', async (t) => {
  const desk = open(t, { duplicateWindowMs: () => undefined })
  await print(desk)
  t.equal(desk.intake.takeAlone(request).jobs[0]?.state, 'pending')
})
