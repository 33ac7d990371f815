import { deflateSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { Renderer } from '../../../src/core/drawing/renderer.ts'
import { Intake, type IntakeParts } from '../../../src/core/intake/intake.ts'
import * as moves from '../../../src/core/moves.ts'
import { Printers } from '../../../src/core/printers/registry.ts'
import { Scheduler } from '../../../src/core/queue/scheduler.ts'
import { REQUEST_LIMITS } from '../../../src/core/request/reader.ts'
import { Spool } from '../../../src/core/spool/spool.ts'
import { encodePng } from '../../../src/labels/target.ts'
import { createFileDevice } from '../../../src/printers/devices/file.ts'
import { NOTHING, quoteEnglish } from '../../../src/words/say.ts'
import { spoken } from '../../words/spoken.ts'
import { printer, WORKER } from '../bench.ts'
import { zplLabel } from '../labels.ts'
import { PDF_FILES } from '../pdf-files.ts'

interface Desk {
  readonly intake: Intake
  readonly spool: Spool
  readonly printers: Printers
  readonly woken: readonly string[]
}

/** The real scheduler, never started, which also notes whom it was told to wake. */
class WatchedScheduler extends Scheduler {
  readonly woken: string[] = []

  override wake(name: string): void {
    this.woken.push(name)
    super.wake(name)
  }
}

function open(t: Test, more: Partial<IntakeParts> = {}): Desk {
  const folder = t.testdir()
  const spool = new Spool({ folder, minFreeBytes: 0, ballastBytes: 0, quotaBytes: 2 << 20 })
  t.teardown(() => spool.close())
  const printers = new Printers({
    printers: [
      printer('A', 'file:a'),
      printer('B', 'file:b', 'epl'),
      { ...printer('C', 'file:c'), language: undefined },
    ],
    defaultName: 'A',
    devices: [createFileDevice(folder)],
  })
  const renderer = new Renderer({ pdf: PDF_FILES, worker: WORKER })
  const scheduler = new WatchedScheduler({ spool, printers, renderer })
  const intake = new Intake({ pdfs: renderer.pdfs, spool, printers, scheduler, ...more })
  return { intake, spool, printers, woken: scheduler.woken }
}

const zpl = zplLabel(1)
const png = encodePng({ width: 8, height: 8, bits: new Uint8Array(8) })
const request = { labels: [zpl], options: {}, source: 'http' }

function end(spool: Spool, id: string | undefined): void {
  spool.move(id ?? '', (job) => moves.cancel(job, 1))
}

t.test('takes labels for the default printer and wakes it', (t) => {
  const { intake, spool, woken } = open(t)
  const { jobs, repeated } = intake.takeAlone({ ...request, labels: [zpl, png] })
  t.equal(repeated, false)
  t.match(jobs, [
    { printer: 'A', format: 'zpl', state: 'pending', source: 'http' },
    { printer: 'A', format: 'png' },
  ])
  t.same(woken, ['A'])
  t.same(Buffer.from(spool.history.label(jobs[1]?.id ?? '') ?? []), Buffer.from(png))
  t.end()
})

t.test('makes a job of every copy, label by label', (t) => {
  const { intake, spool } = open(t)
  const other = zplLabel('other')
  const { jobs } = intake.takeAlone({ ...request, labels: [zpl, other], copies: 2 })
  const bodies = jobs.map((job) => Buffer.from(spool.history.label(job.id) ?? []).toString())
  t.same(
    bodies,
    [zpl, zpl, other, other].map((label) => Buffer.from(label).toString()),
  )
  t.end()
})

t.test('takes all labels or none, and names the one at fault', (t) => {
  const { intake, spool, woken } = open(t)
  const webp = Buffer.from('RIFF0000WEBPVP8 ')
  t.throws(() => intake.takeAlone({ ...request, labels: [zpl, webp, zpl] }), {
    code: 'LABEL_REFUSED',
    message: /^Label 2 of 3 cannot be taken\. /,
    hint: /PDF or PNG/,
  })
  t.throws(() => intake.takeAlone({ ...request, labels: [webp] }), { message: /^(?!label 1)/ })
  const broken = Buffer.concat([png.subarray(0, 20)])
  t.throws(() => intake.takeAlone({ ...request, labels: [broken] }), { code: 'PICTURE_BROKEN' })
  t.throws(() => intake.takeAlone({ ...request, labels: [new Uint8Array()] }), {
    code: 'LABEL_EMPTY',
  })
  t.equal(spool.history.list({ limit: 9 }).length, 0)
  t.same(woken, [])
  t.end()
})

t.test('refuses a picture that cannot be held, from its header', (t) => {
  const { intake } = open(t)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(60_000, 0)
  head.writeUInt32BE(60_000, 4)
  head.set([1, 0, 0, 0, 0], 8)
  const bomb = Buffer.concat([png.subarray(0, 16), head, png.subarray(29), deflateSync('')])
  t.throws(() => intake.takeAlone({ ...request, labels: [bomb] }), { code: /^PICTURE_/ })
  t.end()
})

t.test('never falls back to another printer', (t) => {
  const { intake } = open(t)
  t.throws(() => intake.takeAlone({ ...request, options: { printer: 'D' } }), {
    code: 'PRINTER_UNKNOWN',
  })
  t.end()
})

t.test('a picture needs to know the language of its printer; raw labels do not', (t) => {
  const { intake } = open(t)
  const options = { printer: 'C' }
  t.throws(() => intake.takeAlone({ ...request, labels: [png], options }), {
    code: 'PRINTER_LANGUAGE',
  })
  t.equal(intake.takeAlone({ ...request, options }).jobs.length, 1)
  const body = Buffer.from('{}')
  const document = { format: 'test', body, options, source: 'test' } as const
  t.match(intake.acceptDocument(document).jobs, [{ format: 'test', printer: 'C' }])
  t.end()
})

t.test('warns of a label in another language and takes it', (t) => {
  const { intake } = open(t)
  t.match(spoken(intake.takeAlone({ ...request, options: { printer: 'B' } }).jobs[0]), {
    reasons: ['platen-language-mismatch'],
    message: /is ZPL but B speaks EPL/,
  })
  t.end()
})

t.test('names a field out of its bounds as clients write it', (t) => {
  const { intake } = open(t)
  const bad = [
    [{ labelWidth: 0 }, 'label_width: got "0", wanted a number from 0.25 to 24'],
    [{ labelHeight: Number.NaN }, 'label_height: got "NaN"'],
    [{ dpi: 5000 }, 'dpi: got "5000"'],
    [{ startingPointX: 1e9 }, 'starting_point_x'],
    [{ startingPointY: -1e9 }, 'starting_point_y'],
    [{ expireAfter: 1.5 }, 'expire_after: got "1.5", wanted a whole number'],
  ] as const
  for (const [options, message] of bad) {
    t.throws(() => intake.takeAlone({ ...request, options }), {
      code: 'FIELD_INVALID',
      message: new RegExp(`^${message}`),
    })
  }
  const huge = { labelWidth: 20, labelHeight: 40 }
  t.throws(() => intake.takeAlone({ ...request, labels: [png], options: huge }), {
    code: 'FIELD_INVALID',
    message: /20 x 40 inches at 203 dpi/,
  })
  t.throws(() => intake.takeAlone({ ...request, copies: 0 }), { code: 'FIELD_INVALID' })
  t.throws(() => intake.takeAlone({ ...request, idempotencyKey: '' }), { code: 'FIELD_INVALID' })
  const idempotencyKey = 'k'.repeat(256)
  t.throws(() => intake.takeAlone({ ...request, idempotencyKey }), { code: 'FIELD_INVALID' })
  t.end()
})

t.test('bounds the labels and jobs of one request', (t) => {
  const { intake } = open(t)
  t.throws(() => intake.takeAlone({ ...request, labels: [] }), { code: 'LABEL_MISSING' })
  const many = new Array<Uint8Array>(REQUEST_LIMITS.labels + 1).fill(zpl)
  t.throws(() => intake.takeAlone({ ...request, labels: many }), { code: 'TOO_MANY_FIELDS' })
  t.throws(() => intake.takeAlone({ ...request, labels: many.slice(0, 6), copies: 100 }), {
    code: 'TOO_MANY_FIELDS',
    message: /600 jobs, wanted at most 500/,
  })
  t.end()
})

t.test('a repeat gets the first answer, even when the printer is gone', (t) => {
  const { intake, printers, spool } = open(t)
  const keyed = { ...request, idempotencyKey: 'k' }
  const first = intake.takeAlone(keyed)
  printers.configure([], '')
  const again = intake.takeAlone({ ...keyed, labels: [zplLabel(1)] })
  t.equal(again.repeated, true)
  t.same(again.jobs, first.jobs)
  t.equal(spool.history.list({ limit: 9 }).length, 1)
  for (const other of [
    { ...keyed, labels: [zplLabel(2)] },
    { ...keyed, options: { labelWidth: 4 } },
    { ...keyed, copies: 2 },
  ]) {
    t.throws(() => intake.takeAlone(other), { code: 'IDEMPOTENCY_CONFLICT' })
  }
  const document = { format: 'test', body: zpl, options: {}, source: 'test' } as const
  t.throws(() => intake.acceptDocument({ ...document, idempotencyKey: 'k' }), {
    code: 'IDEMPOTENCY_CONFLICT',
  })
  t.end()
})

t.test('a document that comes twice is one job', (t) => {
  const { intake } = open(t)
  const body = Buffer.from('{"items":[]}')
  const document = {
    format: 'packlist',
    body,
    options: {},
    source: 'packlist',
    idempotencyKey: 'p',
  } as const
  const first = intake.acceptDocument(document)
  const again = intake.acceptDocument(document)
  t.same([first.repeated, again.repeated], [false, true])
  t.same(again.jobs, first.jobs)
  t.end()
})

t.test('takes nothing when the spool is full', (t) => {
  const { intake, spool } = open(t)
  const labels = [zplLabel(1, 1 << 20), zplLabel(2, 1 << 20)]
  t.throws(() => intake.takeAlone({ ...request, labels }), { code: 'SPOOL_FULL' })
  t.equal(spool.history.list({ limit: 9 }).length, 0)
  t.end()
})

t.test('jobs without an expiry get that of the settings', (t) => {
  const { intake } = open(t, { expireAfter: () => 60 })
  const [job] = intake.takeAlone(request).jobs
  t.equal((job?.expiresAt ?? 0) - (job?.createdAt ?? 0), 60_000)
  const [own] = intake.takeAlone({ ...request, options: { expireAfter: 5 } }).jobs
  t.equal((own?.expiresAt ?? 0) - (own?.createdAt ?? 0), 5000)
  t.end()
})

t.test('tells when all jobs have ended', async (t) => {
  const { intake, spool } = open(t)
  const { jobs, ended } = intake.takeAlone({ ...request, labels: [zpl, zpl] })
  const ids = jobs.map((job) => job.id)
  const all = intake.ended(ids, AbortSignal.timeout(60_000))
  for (const id of ids) end(spool, id)
  t.match(await all, [{ state: 'canceled' }, { state: 'canceled' }])
  await ended
  t.equal((await intake.ended(ids, AbortSignal.abort())).length, 2)
})

t.test('a job that comes to wait for a person is not waited for', async (t) => {
  const { intake, spool } = open(t)
  const accepted = intake.takeAlone({ ...request, labels: [zpl, zpl] })
  const [first = '', second = ''] = accepted.jobs.map((job) => job.id)
  const asked = intake.ended([first, second], AbortSignal.timeout(60_000))
  const said = { message: quoteEnglish('Look.'), hint: NOTHING, code: '' } as const
  spool.move(first, (job) => moves.hold(job, 'platen-crashed-twice', said))
  end(spool, second)
  t.match(await asked, [{ state: 'pending-held' }, { state: 'canceled' }])
  await accepted.ended
})

t.test('gives the jobs as they are when the caller stops waiting', async (t) => {
  const { intake } = open(t)
  const [job] = intake.takeAlone(request).jobs
  const controller = new AbortController()
  const waiting = intake.ended([job?.id ?? '', 'aaaa-9'], controller.signal)
  controller.abort()
  t.match(await waiting, [{ state: 'pending' }])
  t.equal((await waiting).length, 1)
})

t.test('reprints the kept label of a job that has ended', (t) => {
  const { intake, spool, woken } = open(t)
  const [job] = intake.takeAlone({ ...request, labels: [png] }).jobs
  const id = job?.id ?? ''
  t.throws(() => intake.reprint(id), { code: 'JOB_STATE' })
  end(spool, id)
  t.match(intake.reprint(id), { reprintOf: id, printer: 'A', state: 'pending' })
  t.match(intake.reprint(id, 'B'), { reprintOf: id, printer: 'B' })
  t.same(woken, ['A', 'A', 'B'])
  t.throws(() => intake.reprint(id, 'C'), { code: 'PRINTER_LANGUAGE' })
  t.throws(() => intake.reprint(id, 'D'), { code: 'PRINTER_UNKNOWN' })
  t.throws(() => intake.reprint('aaaa-1'), { code: 'JOB_UNKNOWN' })
  t.end()
})

t.test('says when the label is no longer kept', (t) => {
  const folder = t.testdir()
  let uptime = 0
  const spool = new Spool({ folder, minFreeBytes: 0, ballastBytes: 0, uptimeMs: () => uptime })
  t.teardown(() => spool.close())
  const { intake } = open(t, { spool })
  const [job] = intake.takeAlone(request).jobs
  end(spool, job?.id)
  uptime += 73 * 3600 * 1000
  spool.housekeep()
  t.throws(() => intake.reprint(job?.id ?? ''), { code: 'JOB_LABEL_GONE' })
  t.end()
})

t.test('what waits for a printer moves to another, not to the printer itself', async (t) => {
  const { intake, spool } = open(t)
  await intake.takeAlone(request)
  await t.rejects(intake.moveWaiting('A', 'A'), {
    code: 'FIELD_INVALID',
    message: /the printer itself/,
  })
  await t.rejects(intake.moveWaiting('A', 'Nobody'), { code: 'PRINTER_UNKNOWN' })
  t.same(await intake.moveWaiting('A', 'B'), { moved: 0, foreign: 1 }, 'B speaks EPL')
  t.match(spool.history.list({ limit: 9 }), [{ printer: 'A' }])
})

t.test('a message that a source brings twice makes one job', async (t) => {
  const { intake, spool } = open(t)
  const messages = intake.forSource('sqs', 'A')
  const message = { labels: [zpl], options: {}, messageId: 'Q:1' }
  const first = await messages.accept(message)
  const again = await messages.accept(message)
  t.same(again.jobs, first.jobs)
  t.match(spool.history.list({ limit: 9 }), [{ source: 'sqs', printer: 'A' }])
  t.equal((await intake.forSource('mqtt').accept(message)).jobs.length, 1)
  t.equal(spool.history.list({ limit: 9 }).length, 2, 'ids of another source are others')
  end(spool, first.jobs[0]?.id)
  await first.ended
  await t.rejects(messages.accept({ labels: [], options: {} }), { code: 'LABEL_MISSING' })
})

t.test('labels that come for a stopped printer say so in their reasons', (t) => {
  const { intake, printers } = open(t)
  const stopped = {
    state: 'stopped',
    reasons: ['offline'],
    message: NOTHING,
    hint: NOTHING,
  } as const
  printers.report('A', stopped)
  printers.report('B', stopped)
  t.same(intake.takeAlone(request).jobs[0]?.reasons, ['printer-stopped'])
  const onB = intake.takeAlone({ ...request, options: { printer: 'B' } })
  t.same(onB.jobs[0]?.reasons, ['printer-stopped', 'platen-language-mismatch'])
  printers.report('A', { ...stopped, state: 'idle', reasons: ['none'] })
  t.same(intake.takeAlone(request).jobs[0]?.reasons, ['none'])
  t.end()
})

t.test('a source waits while its printer or the spool cannot take labels', async (t) => {
  const { intake, printers, spool } = open(t)
  const messages = intake.forSource('sqs', 'A')
  await messages.ready(AbortSignal.timeout(60_000))
  const stopped = {
    state: 'stopped',
    reasons: ['offline'],
    message: NOTHING,
    hint: NOTHING,
  } as const
  printers.report('A', stopped)
  let isReady = false
  const waiting = messages.ready(AbortSignal.timeout(60_000)).then(() => {
    isReady = true
  })
  await new Promise(setImmediate)
  t.equal(isReady, false)
  printers.report('A', { ...stopped, state: 'idle', reasons: ['none'] })
  await waiting
  const { jobs } = intake.takeAlone({ ...request, copies: 60 })
  const full = messages.ready(AbortSignal.timeout(60_000))
  for (const job of jobs.slice(0, 11)) end(spool, job.id)
  await full
  const controller = new AbortController()
  const nobody = intake.forSource('sqs', 'D').ready(controller.signal)
  setImmediate(() => controller.abort())
  await t.rejects(nobody, { name: 'AbortError' })
  await t.rejects(messages.ready(AbortSignal.abort()), { name: 'AbortError' })
})

t.test('a fault that is not a refusal passes as it is', (t) => {
  const fault = new TypeError('a fault')
  const expireAfter = (): number => {
    throw fault
  }
  const { intake, spool } = open(t, { expireAfter })
  t.throws(() => intake.takeAlone(request), fault)
  t.equal(spool.history.list({ limit: 9 }).length, 0)
  t.end()
})

t.test('a request has 100 labels and 500 jobs at most, these included', (t) => {
  const { intake } = open(t)
  const labels = (count: number) => new Array<Uint8Array>(count).fill(zpl)
  t.equal(intake.takeAlone({ ...request, labels: labels(100), copies: 5 }).jobs.length, 500)
  for (const [count, copies] of [
    [101, 1],
    [100, 6],
    [6, 100],
  ] as const) {
    const tooMany = () => intake.takeAlone({ ...request, labels: labels(count), copies })
    t.throws(tooMany, { code: 'TOO_MANY_FIELDS' }, `${count} x ${copies}`)
  }
  t.end()
})

t.test('a picture is drawn on 20 million dots at most', (t) => {
  const { intake } = open(t)
  const draw = (labelWidth: number, labelHeight: number) => {
    const options = { labelWidth, labelHeight }
    return intake.takeAlone({ ...request, labels: [png], options }).jobs.length
  }
  // 203 dpi: 485.3 square inches.
  t.equal(draw(22, 22), 1)
  t.equal(draw(12.1, 40), 1)
  for (const [width, height] of [
    [22, 22.1],
    [12.2, 40],
  ] as const) {
    t.throws(() => draw(width, height), { code: 'FIELD_INVALID', message: /a smaller label/ })
  }
  t.end()
})

t.test('a printer is renamed while a label for it waits for the disk', async (t) => {
  const { intake, printers } = open(t)
  const send = (options: object) =>
    intake.takeTogether({ labels: [zplLabel('x')], options, source: 'http' })
  const [unnamed, named] = [send({}), send({ printer: 'A' })]
  printers.configure([printer('New', 'file:a')], 'New')
  t.equal((await unnamed).jobs[0]?.printer, 'New', 'the default has another name now')
  await t.rejects(named, { code: 'PRINTER_UNKNOWN' }, 'the sender is told, no label is left behind')
})
