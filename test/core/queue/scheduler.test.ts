import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { Renderer } from '../../../src/core/drawing/renderer.ts'
import * as moves from '../../../src/core/moves.ts'
import { TIMING, UnprovenLabels } from '../../../src/core/queue/parts.ts'
import { PrinterQueue } from '../../../src/core/queue/printer-queue.ts'
import { encodePng } from '../../../src/labels/target.ts'
import type { Connection, Device } from '../../../src/printers/device.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { inEnglish, NOTHING } from '../../../src/words/say.ts'
import { LARGE_BYTES, TcpSink } from '../../devices/tcp-sink.ts'
import { drawText, LABEL, makePdf } from '../../labels/codecs/pdf/make-pdf.ts'
import { findClosedPort } from '../../listen.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, printer, WORKER } from '../bench.ts'
import { BROKEN, newJob, PIXEL, zplLabel } from '../labels.ts'
import { PDF_FILES } from '../pdf-files.ts'

t.setTimeout(300_000)

const PICTURE = { labels: [PIXEL], options: {}, source: 'http' }

const text = (parts: readonly Uint8Array[]): string[] =>
  parts.map((part) => Buffer.from(part).toString())

t.test('prints labels in order, byte for byte, one connection each', async (t) => {
  const sink = await TcpSink.openFor(t)
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  t.ok(bench.scheduler.isAlive())
  const ids = bench.print([1, 2, 3], { bytes: 40_000 })
  for (const id of ids) await bench.until(id, 'completed')
  const got = await sink.jobs(3)
  t.same(
    text(got),
    [1, 2, 3].map((n) => Buffer.from(zplLabel(n, 40_000)).toString()),
  )
  t.match(bench.job(ids[0]), {
    delivery: 'sent',
    attempts: 1,
    sentBytes: 40_000,
    reasons: ['job-completed-successfully'],
  })
  await bench.untilPrinter('A', (status) => status.state === 'idle')
  await bench.scheduler.stop(0)
  t.equal(bench.scheduler.isAlive(), false)
})

t.test('a blocked printer blocks only itself', async (t) => {
  const sink = await TcpSink.openFor(t)
  const nowhere = `socket://127.0.0.1:${await findClosedPort()}`
  const bench = new Bench(t, { printers: [printer('off', nowhere), printer('on', sink.uri)] })
  bench.scheduler.start()
  const [stuck] = bench.print([1], { printer: 'off' })
  const status = await bench.untilPrinter('off', (now) => now.state === 'stopped')
  t.match(spoken(status), {
    reasons: ['offline'],
    message: 'off does not answer; its labels are kept and print automatically.',
    detail: /127\.0\.0\.1 refuses connections on port/,
  })
  const [fine] = bench.print([2], { printer: 'on' })
  await bench.until(fine, 'completed')
  const { message, hint, ...rest } = bench.job(stuck)
  t.match(spoken(rest), { state: 'pending', code: 'PRINTER_OFFLINE', attempts: 0 })
  t.match(spoken(hint), /[Ss]witch the printer on and check its cable/)
  t.match(
    spoken(message),
    /^off does not answer\. The label is kept and prints automatically\.$/,
    'the label says what its printer says',
  )
})

t.test('prints by itself when the printer comes back', async (t) => {
  const sink = await TcpSink.openFor(t)
  await sink.down()
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const ids = bench.print([1, 2])
  await bench.untilPrinter('A', (status) => status.state === 'stopped')
  await sink.up()
  for (const id of ids) await bench.until(id, 'completed')
  t.match(spoken(bench.job(ids[0])), { message: '', hint: '', code: '' })
  await bench.untilPrinter('A', (status) => status.state === 'idle')
})

t.test('tells that an idle printer is back', async (t) => {
  const sink = await TcpSink.openFor(t)
  await sink.down()
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const [id] = bench.print([1])
  await bench.untilPrinter('A', (status) => status.state === 'stopped')
  await bench.scheduler.cancel(id ?? '')
  t.match(bench.job(id), { state: 'canceled', reasons: ['job-canceled-by-user'], delivery: 'none' })
  await sink.up()
  await bench.untilPrinter('A', (status) => status.state === 'idle')
})

t.test('waking a printer tries again at once', async (t) => {
  const sink = await TcpSink.openFor(t)
  await sink.down()
  const timing = { retryFirstMs: 3_600_000, retryMostMs: 3_600_000 }
  const bench = new Bench(t, { printers: [printer('A', sink.uri)], timing })
  bench.scheduler.start()
  const [id] = bench.print([1])
  await bench.untilPrinter('A', (status) => status.state === 'stopped')
  await sink.up()
  bench.scheduler.wake('A')
  await bench.until(id, 'completed')
})

t.test('a printer that takes no data stops the job, and both go on by themselves', async (t) => {
  const sink = await TcpSink.openFor(t, { stall: true })
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const [id] = bench.print([1], { bytes: LARGE_BYTES })
  const stopped = await bench.until(id, 'processing-stopped')
  t.match(spoken(stopped), { reasons: ['printer-stopped'], message: /takes no data/ })
  t.match(bench.printers.get('A')?.status, { state: 'stopped', reasons: ['other'] })
  sink.behave({})
  await bench.until(id, 'completed')
  t.match(spoken(bench.job(id)), { sentBytes: LARGE_BYTES, message: '' })
  t.equal((await sink.jobs(1))[0]?.length, LARGE_BYTES)
})

t.test('a label that is cut off is held, the printer reset, the next one printed', async (t) => {
  const sink = await TcpSink.openFor(t, { resetAfter: 100_000 })
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const [cut] = bench.print(['cut'], { bytes: LARGE_BYTES })
  const held = await bench.until(cut, 'pending-held')
  t.match(held, { reasons: ['platen-interrupted'], delivery: 'unknown', code: 'PRINTER_LOST' })
  t.ok(held.sentBytes > 0)
  sink.behave({})
  const [next] = bench.print(['next'])
  await bench.until(next, 'completed')
  const got = text(await sink.jobs(3)).slice(-2)
  t.same(got, ['~JA', Buffer.from(zplLabel('next')).toString()])
  t.same(bench.spool.halfLabels.list(), [])
  await bench.scheduler.release(cut ?? '')
  await bench.until(cut, 'completed')
  t.match(bench.job(cut), { attempts: 2, delivery: 'sent', sentBytes: LARGE_BYTES })
})

t.test('a printer that ends every connection with a reset prints all labels', async (t) => {
  const sink = await TcpSink.openFor(t, { resetAtEnd: true })
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const ids = bench.print([1, 2, 3])
  for (const id of ids) t.match(await bench.until(id, 'completed'), { delivery: 'sent' })
  t.same(
    text(await sink.jobs(3)),
    [1, 2, 3].map((n) => Buffer.from(zplLabel(n)).toString()),
  )
})

t.test('the reset of such a printer counts for its resync too', async (t) => {
  const sink = await TcpSink.openFor(t, { resetAfter: 100_000 })
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const [cut] = bench.print(['cut'], { bytes: LARGE_BYTES })
  await bench.until(cut, 'pending-held')
  sink.behave({ resetAtEnd: true })
  const [next] = bench.print(['next'])
  await bench.until(next, 'completed')
  const got = text(await sink.jobs(3)).slice(-2)
  t.same(got, ['~JA', Buffer.from(zplLabel('next')).toString()])
})

for (const taken of [1, 20_000, 40_000]) {
  t.test(
    `a printer that resets after ${taken} of 40000 bytes leaves the label unknown`,
    async (t) => {
      const sink = await TcpSink.openFor(t, { resetAfter: taken })
      const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
      bench.scheduler.start()
      const [id] = bench.print([1], { bytes: 40_000 })
      t.match(await bench.until(id, 'pending-held'), { delivery: 'unknown', attempts: 1 })
    },
  )
}

t.test('a slow printer slows nobody else', async (t) => {
  const slow = await TcpSink.open({ bytesPerTick: 2000 })
  const quick = await TcpSink.open()
  t.teardown(() => slow.close())
  t.teardown(() => quick.close())
  const bench = new Bench(t, { printers: [printer('slow', slow.uri), printer('quick', quick.uri)] })
  bench.scheduler.start()
  const [late] = bench.print([1], { printer: 'slow', bytes: LARGE_BYTES })
  await bench.until(late, 'processing')
  const ids = bench.print([1, 2, 3, 4, 5], { printer: 'quick', bytes: 40_000 })
  for (const id of ids) await bench.until(id, 'completed')
  t.match(bench.job(late).state, /^processing/)
})

t.test('labels that come in while a printer is away do not lengthen its waits', async (t) => {
  const spaceMs = 10
  const tries: number[] = []
  const devices = [
    deviceOf(() => {
      tries.push(performance.now())
      return Promise.reject(new PlatenError('PRINTER_OFFLINE', 'It is off.'))
    }),
  ]
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices })
  const failures: number[] = []
  const queue = new PrinterQueue('A', {
    spool: bench.spool,
    printers: bench.printers,
    renderer: bench.renderer,
    underway: new UnprovenLabels(),
    policy: () => 'hold',
    now: Date.now,
    timing: { ...TIMING, spaceMs },
    pause: () => Promise.resolve(),
    backOff: (count) => {
      failures.push(count)
      return 3_600_000
    },
    fault: () => undefined,
  })
  for (let n = 1; n < 30; n += 1) {
    bench.print([n])
    queue.wake()
    while (failures.length < n) await new Promise(setImmediate)
  }
  await queue.stop(0)
  t.ok(failures.every((count) => count === 1))
  const spaces = tries.slice(1).map((began, index) => began - (tries[index] ?? 0))
  // Timers may ring a millisecond early.
  t.ok(Math.min(...spaces) >= spaceMs - 1, 'and do not try it the more often')
})

t.test('the person says what became of a label that was cut off', async (t) => {
  const sink = await TcpSink.openFor(t, { resetAfter: 100_000 })
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const [id] = bench.print(['cut'], { bytes: LARGE_BYTES })
  await bench.until(id, 'pending-held')
  await t.rejects(bench.scheduler.resolve('aaaa-9', true), { code: 'JOB_UNKNOWN' })
  t.match(await bench.scheduler.resolve(id ?? '', true), {
    state: 'completed',
    delivery: 'confirmed',
    reasons: ['platen-resolved-by-person'],
  })
  await t.rejects(bench.scheduler.resolve(id ?? '', false), { code: 'JOB_STATE' })
  await t.rejects(bench.scheduler.release(id ?? ''), { code: 'JOB_STATE' })
  await t.rejects(bench.scheduler.cancel(id ?? ''), { code: 'JOB_STATE' })
})

t.test('an EPL printer waits for a person after an interruption, over a restart too', async (t) => {
  const sink = await TcpSink.openFor(t, { resetAfter: 100_000 })
  const folder = t.testdir()
  const printers = [printer('A', sink.uri, 'epl')]
  const first = new Bench(t, { printers, folder })
  first.scheduler.start()
  const [cut, next] = first.print(['cut', 'next'], { bytes: LARGE_BYTES })
  await first.until(cut, 'pending-held')
  await first.close()
  sink.behave({})
  const again = new Bench(t, { printers, folder })
  again.scheduler.start()
  const status = await again.untilPrinter('A', (now) => now.state === 'stopped')
  t.match(spoken(status), { message: /was cut off in the middle/, hint: /It came out/ })
  t.match(again.job(next), { state: 'pending', code: 'PRINTER_LOST' })
  await again.scheduler.resolve(cut ?? '', false)
  await again.until(cut, 'completed')
  await again.until(next, 'completed')
  t.notOk(text(await sink.jobs(2)).includes('~JA'))
})

t.test('a printer that enumerated again has forgotten half a label', async (t) => {
  const sink = await TcpSink.openFor(t, { resetAfter: 100_000 })
  const bench = new Bench(t, { printers: [printer('A', sink.uri, 'tspl')] })
  bench.scheduler.start()
  const [cut] = bench.print(['cut'], { bytes: LARGE_BYTES })
  await bench.until(cut, 'pending-held')
  sink.behave({})
  const [next] = bench.print(['next'])
  await bench.untilPrinter('A', ({ message }) =>
    /was cut off in the middle/.test(inEnglish(message)),
  )
  bench.scheduler.printerRestarted('A')
  await bench.until(next, 'completed')
  t.equal(bench.job(cut).state, 'pending-held')
})

t.test('policy reprint prints a label that was cut off once more', async (t) => {
  const sink = await TcpSink.openFor(t, { resetAfter: 100_000 })
  const bench = new Bench(t, { printers: [printer('A', sink.uri)], onInterrupt: () => 'reprint' })
  bench.scheduler.start()
  const [id] = bench.print(['cut'], { bytes: LARGE_BYTES })
  await bench.untilPrinter('A', (status) => /lost its connection/.test(inEnglish(status.message)))
  sink.behave({})
  await bench.until(id, 'completed')
  t.ok(bench.job(id).attempts >= 2)
})

t.test('under policy reprint a person sends an EPL printer on', async (t) => {
  const sink = await TcpSink.openFor(t, { resetAfter: 100_000 })
  const printers = [printer('A', sink.uri, 'epl')]
  const bench = new Bench(t, { printers, onInterrupt: () => 'reprint' })
  bench.scheduler.start()
  const [id] = bench.print(['cut'], { bytes: LARGE_BYTES })
  await bench.untilPrinter('A', ({ message }) =>
    /was cut off in the middle/.test(inEnglish(message)),
  )
  t.equal(bench.job(id).state, 'pending')
  sink.behave({})
  await bench.scheduler.release(id ?? '')
  await bench.until(id, 'completed')
})

t.test('a label behind a printer that is off says so in its reasons, until it runs', async (t) => {
  const sink = await TcpSink.openFor(t)
  await sink.down()
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const [id] = bench.print([1])
  await bench.untilPrinter('A', (status) => status.state === 'stopped')
  t.same(bench.job(id).reasons, ['printer-stopped'])
  await sink.up()
  bench.scheduler.wake('A')
  await bench.until(id, 'completed')
  t.same(bench.job(id).reasons, ['job-completed-successfully'])
})

t.test(
  'under policy reprint a label that came out all the same is not printed twice',
  async (t) => {
    const sink = await TcpSink.openFor(t, { resetAfter: 100_000 })
    const printers = [printer('A', sink.uri, 'epl')]
    const bench = new Bench(t, { printers, onInterrupt: () => 'reprint' })
    bench.scheduler.start()
    const [id, next] = bench.print(['cut', 'next'], { bytes: LARGE_BYTES })
    await bench.untilPrinter('A', ({ message }) =>
      /was cut off in the middle/.test(inEnglish(message)),
    )
    t.match(bench.job(id), { state: 'pending', delivery: 'unknown' })
    const reasons = bench.job(id).reasons.slice(0, 2)
    t.same(reasons, ['printer-stopped', 'platen-interrupted'], 'the page asks about it')
    sink.behave({})
    const before = sink.length
    t.match(await bench.scheduler.resolve(id ?? '', true), {
      state: 'completed',
      delivery: 'confirmed',
    })
    await bench.until(next, 'completed')
    await sink.jobs(2)
    t.equal(sink.length - before, LARGE_BYTES, 'only the next label')
  },
)

t.test('a word that comes while the printer is being called is the last one', async (t) => {
  const sink = await TcpSink.openFor(t)
  await sink.down()
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  const [id] = bench.print(['cut'])
  bench.spool.move(id ?? '', (job) => moves.begin(job, 1, NOTHING))
  bench.spool.recover('reprint')
  bench.scheduler.start()
  await bench.untilPrinter('A', (status) => status.state === 'stopped')
  t.match(bench.job(id).reasons, ['printer-stopped', 'platen-interrupted'])
  await sink.up()
  bench.scheduler.wake('A')
  await bench.scheduler.resolve(id ?? '', true)
  const [next] = bench.print(['next'])
  await bench.until(next, 'completed')
  t.match(bench.job(id), { state: 'completed', reasons: ['platen-resolved-by-person'] })
  t.notMatch(text(await sink.jobs(1)).join(''), /cut/)
})

t.test('cancels in the middle of a transfer and notes how much was sent', async (t) => {
  const sink = await TcpSink.openFor(t, { stall: true })
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const [id] = bench.print([1], { bytes: LARGE_BYTES })
  await bench.until(id, 'processing-stopped')
  t.match(spoken(await bench.scheduler.cancel(id ?? '')), {
    state: 'canceled',
    delivery: 'unknown',
    message: 'Canceled while it printed.',
    hint: /a part of the label may have come out/,
    sentBytes: Number,
  })
  t.match(bench.spool.halfLabels.ofJob(id ?? ''), [{ printer: 'A' }])
})

t.test('finishes the label in hand when it stops, and begins no new one', async (t) => {
  const sink = await TcpSink.openFor(t, { stall: true })
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const [inHand, next] = bench.print([1, 2], { bytes: LARGE_BYTES })
  await bench.until(inHand, 'processing-stopped')
  const stopped = bench.scheduler.stop(240_000)
  sink.behave({})
  await stopped
  t.equal(bench.job(inHand).state, 'completed')
  t.match(bench.job(next), { state: 'pending', attempts: 0 })
  bench.scheduler.wake('A')
  t.equal(bench.job(next).state, 'pending')
})

t.test('cuts a label that does not finish in its grace', async (t) => {
  const sink = await TcpSink.openFor(t, { stall: true })
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const [id] = bench.print([1], { bytes: LARGE_BYTES })
  await bench.until(id, 'processing-stopped')
  await bench.scheduler.stop(50)
  t.match(bench.job(id), { state: 'pending-held', reasons: ['platen-interrupted'] })
})

t.test('cancels what could not print in time', async (t) => {
  const nowhere = `socket://127.0.0.1:${await findClosedPort()}`
  let uptime = 1000
  const bench = new Bench(t, { printers: [printer('A', nowhere)], uptimeMs: () => uptime })
  bench.scheduler.start()
  const options = { expireAfter: 60 }
  const [job] = bench.intake.takeAlone({ labels: [zplLabel(1)], options, source: 'http' }).jobs
  await bench.untilPrinter('A', (status) => status.state === 'stopped')
  t.equal(bench.job(job?.id).state, 'pending')
  uptime += 60_000
  t.match(await bench.until(job?.id, 'canceled'), { reasons: ['job-canceled-after-timeout'] })
})

t.test('an expiry is looked at when it is due, not at the next turn of housekeeping', async (t) => {
  const nowhere = `socket://127.0.0.1:${await findClosedPort()}`
  const printers = [printer('A', nowhere), printer('B', nowhere)]
  const bench = new Bench(t, { printers, housekeepMs: 3_600_000 })
  bench.scheduler.start()
  const take = (expireAfter: number) =>
    bench.intake.takeAlone({
      labels: [zplLabel(1)],
      options: { expireAfter, printer: 'A' },
      source: 'http',
    }).jobs[0]
  const [soon, later] = [take(1), take(600)]
  await bench.until(soon?.id, 'canceled')
  t.equal(bench.job(later?.id).state, 'pending')
  t.equal(bench.intake.reprint(soon?.id ?? '').expiresAt, 0, 'the time of the first one is over')
  const moved = bench.intake.reprint(later?.id ?? '', 'B')
  const left = (moved.options.expireAfter ?? 0) * 1000
  t.ok(left > 0 && left < 600_000, 'one that moves has the rest of its time')
})

t.test('a label for a printer that was removed waits for it', async (t) => {
  const sink = await TcpSink.openFor(t)
  await sink.down()
  const bench = new Bench(t, { printers: [printer('A', sink.uri)] })
  bench.scheduler.start()
  const [id, second, gone] = bench.print([1, 2, 3])
  await bench.untilPrinter('A', (status) => status.state === 'stopped')
  await bench.scheduler.cancel(gone ?? '')
  bench.printers.configure([], '')
  bench.scheduler.wake('A')
  await bench.untilJob(second, ({ code }) => code === 'PRINTER_UNKNOWN')
  t.match(spoken(bench.job(id)), { state: 'pending', message: /no longer in the settings/ })
  t.match(spoken(bench.job(gone)), { state: 'canceled', message: '' })
  await sink.up()
  bench.printers.configure([printer('A', sink.uri)], '')
  bench.scheduler.wake('A')
  await bench.until(id, 'completed')
})

t.test('draws the test label and keeps its picture', async (t) => {
  const bench = new Bench(t, { printers: [printer('virtual', 'file:virtual')] })
  bench.scheduler.start()
  const body = Buffer.from(JSON.stringify({ printer: 'virtual', host: 'box', at: 'now' }))
  const { jobs, ended } = bench.intake.acceptDocument({
    format: 'test',
    body,
    options: {},
    source: 'test',
  })
  await ended
  const job = bench.job(jobs[0]?.id)
  t.match(job, { state: 'completed', hasPreview: true })
  const folder = join(bench.folder, 'virtual')
  t.ok(existsSync(join(folder, '1.png')), readdirSync(folder).join())
  t.match(readFileSync(join(folder, '1.prn'), 'latin1'), /^(~|\^XA)/)
  t.ok(bench.spool.history.preview(job.id))
})

t.test('a picture that cannot be drawn is given up with its sentence', async (t) => {
  const bench = new Bench(t, { printers: [printer('virtual', 'file:virtual')] })
  bench.scheduler.start()
  const { jobs } = bench.intake.takeAlone({ ...PICTURE, labels: [BROKEN] })
  t.match(spoken(await bench.until(jobs[0]?.id, 'aborted')), {
    reasons: ['document-format-error'],
    code: 'PICTURE_BROKEN',
    message: /^The picture of this label is damaged/,
    detail: /PNG/,
  })
})

t.test('a label waits for the language of its printer', async (t) => {
  const virtual = printer('virtual', 'file:virtual')
  const bench = new Bench(t, { printers: [virtual] })
  const { jobs } = bench.intake.takeAlone(PICTURE)
  bench.printers.configure([{ ...virtual, language: undefined }], '')
  bench.scheduler.start()
  t.match(await bench.until(jobs[0]?.id, 'pending-held'), {
    reasons: ['resources-are-not-ready'],
    code: 'PRINTER_LANGUAGE',
  })
})

t.test('a fault in drawing is ours, not the label’s', async (t) => {
  const bench = new Bench(t, { printers: [printer('virtual', 'file:virtual')] })
  bench.scheduler.start()
  // Only our own routes make test labels; one that is not JSON is their fault.
  const body = Buffer.from('no JSON')
  const request = { format: 'test', body, options: {}, source: 'test' } as const
  const { jobs } = bench.intake.acceptDocument(request)
  t.match(await bench.until(jobs[0]?.id, 'aborted'), {
    reasons: ['aborted-by-system'],
    code: 'INTERNAL',
  })
})

t.test('a label that brought the program down twice is set aside', async (t) => {
  const bench = new Bench(t, { printers: [printer('virtual', 'file:virtual')] })
  const request = { format: 'test', body: Buffer.from('{}'), options: {}, source: 'test' } as const
  const id = bench.intake.acceptDocument(request).jobs[0]?.id ?? ''
  bench.spool.countCrash(id, 2)
  bench.scheduler.start()
  t.match(await bench.until(id, 'pending-held'), { reasons: ['platen-crashed-twice'] })
})

t.test('a PDF waits while the program that reads it cannot be started', async (t) => {
  const folder = t.testdir({ 'broken.mjs': 'process.exit(1)', spool: {} })
  const entry = pathToFileURL(join(folder, 'broken.mjs'))
  const pdf = { ...PDF_FILES, entry }
  const renderer = new Renderer({ pdf, worker: WORKER })
  t.teardown(() => renderer.close())
  const printers = [printer('A', 'file:a')]
  const bench = new Bench(t, { printers, renderer, folder: join(folder, 'spool') })
  const id = bench.accept(makePdf([{ ...LABEL, content: drawText('one', 40, 200, 40) }]))
  bench.scheduler.start()
  t.match(spoken(await bench.untilJob(id, ({ message }) => message.length > 0)), {
    state: 'pending',
    message: /^A cannot print now\. The label is kept/,
    hint: 'Wait a moment.',
    detail: /could not be started/,
  })
  entry.href = PDF_FILES.entry.href
  t.match(await bench.until(id, 'ended'), { state: 'completed' })
})

t.test('a row whose texts are damaged stops neither its printer nor the list', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  const ids = [PIXEL, zplLabel('raw'), zplLabel('held'), zplLabel('begun'), zplLabel('next')].map(
    (label) => bench.accept(label) ?? '',
  )
  const [picture, raw, held = '', begun = '', next] = ids
  bench.spool.move(held, moves.suspend)
  bench.spool.move(begun, (job) => moves.begin(job, 1, NOTHING))
  const { records } = bench.spool
  const cut = records.prepare("UPDATE job SET options = '{', reasons = '[' WHERE id <> ?")
  records.write(() => cut.run(next ?? ''))
  bench.scheduler.start()
  await bench.until(next, 'completed')
  t.match(
    bench.job(picture),
    { state: 'aborted', code: 'JOB_LABEL_GONE' },
    'how large is not known',
  )
  t.match(bench.job(raw), { state: 'completed' })
  t.match(bench.job(held), { state: 'pending-held', reasons: ['platen-interrupted'] })
  t.match(bench.job(begun), { state: 'pending-held', delivery: 'unknown' })
  t.equal(bench.spool.history.list({ limit: 9 }).length, ids.length)
  t.same(bench.faults, [])
})

/** The real renderer, which also counts. */
class CountingRenderer extends Renderer {
  drawn = 0

  override render(...order: Parameters<Renderer['render']>): ReturnType<Renderer['render']> {
    this.drawn += 1
    return super.render(...order)
  }
}

t.test('a label that waits for its turn to be drawn is not blamed for a crash', async (t) => {
  const worker = new URL('../drawing/render-stub.ts', import.meta.url)
  const renderer = new CountingRenderer({ pdf: PDF_FILES, worker })
  t.teardown(() => renderer.close())
  const names = ['A', 'B', 'C']
  const printers = names.map((name) => printer(name, `file:${name.toLowerCase()}`))
  const bench = new Bench(t, { printers, renderer })
  const sleep = { format: 'png', label: Buffer.from('sleep') } as const
  bench.spool.add([newJob(1, { ...sleep, printer: 'A' }), newJob(1, { ...sleep, printer: 'B' })])
  const pdf = makePdf([{ ...LABEL, content: drawText('one', 40, 200, 40) }])
  bench.spool.add([newJob(1, { format: 'pdf', label: pdf, printer: 'C' })])
  bench.scheduler.start()
  while (renderer.drawn < names.length) await new Promise(setImmediate)
  const crashes = names.map((name) => bench.spool.line.next(name)?.crashes)
  t.same(crashes, [1, 0, 0], 'the first one alone is being drawn')
})

t.test('a picture for a printer that is off is drawn once', async (t) => {
  const sink = await TcpSink.openFor(t)
  await sink.down()
  const renderer = new CountingRenderer({ pdf: PDF_FILES, worker: WORKER })
  t.teardown(() => renderer.close())
  const bench = new Bench(t, { printers: [printer('A', sink.uri)], renderer })
  bench.scheduler.start()
  const blank = encodePng({ width: 8, height: 8, bits: new Uint8Array(8) })
  const { jobs } = bench.intake.takeAlone({ ...PICTURE, labels: [blank] })
  await bench.untilPrinter('A', (status) => status.state === 'stopped')
  bench.scheduler.wake('A')
  await sink.up()
  t.match(spoken(await bench.until(jobs[0]?.id, 'completed')), {
    reasons: ['job-completed-with-warnings'],
    message: /the label is blank/,
  })
  t.equal(renderer.drawn, 1)
})

/**
 * A kind of printer whose connection does what the test says. Stands for kinds that come later: no network printer
 * confirms a label, says why it stops, or refuses one after it was opened.
 */
function deviceOf(open: (signal: AbortSignal) => Promise<Partial<Connection>>): Device<'odd'> {
  return {
    scheme: 'odd',
    example: 'odd:x',
    about: '',
    check: () => undefined,
    list: () => Promise.resolve([]),
    open: async (_uri, signal) => ({
      send: () => Promise.resolve(),
      receive: () => Promise.resolve(new Uint8Array()),
      [Symbol.asyncDispose]: () => Promise.resolve(),
      ...(await open(signal)),
    }),
  }
}

t.test('believes a printer that confirms', async (t) => {
  const devices = [deviceOf(() => Promise.resolve({ confirm: () => Promise.resolve(true) }))]
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices })
  bench.scheduler.start()
  t.match(await bench.until(bench.print([1])[0], 'completed'), { delivery: 'confirmed' })
})

t.test('a printer that cannot be asked has been sent the label', async (t) => {
  const devices = [
    deviceOf(() => Promise.resolve({ confirm: () => Promise.reject(new Error('?')) })),
  ]
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices })
  bench.scheduler.start()
  t.match(await bench.until(bench.print([1])[0], 'completed'), { delivery: 'sent' })
})

t.test('a link that breaks with the last bytes on their way cuts the label', async (t) => {
  const lost = new PlatenError('PRINTER_LOST', 'It broke.')
  const devices = [deviceOf(() => Promise.resolve({ confirm: () => Promise.reject(lost) }))]
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices })
  bench.scheduler.start()
  t.match(await bench.until(bench.print([1])[0], 'pending-held'), { delivery: 'unknown' })
})

t.test('a printer that refuses before the first byte is tried again', async (t) => {
  let tries = 0
  const refusal = new PlatenError('PRINTER_BUSY', 'It is busy.', { hint: 'End it.' })
  const devices = [
    deviceOf(() => {
      tries += 1
      return Promise.resolve(tries > 1 ? {} : { send: () => Promise.reject(refusal) })
    }),
  ]
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices })
  bench.scheduler.start()
  const [id] = bench.print([1])
  const status = await bench.untilPrinter('A', (now) => now.state === 'stopped')
  const told = { message: /in use by somebody else/, hint: 'End it.' }
  t.match(spoken(status), { ...told, reasons: ['other'], detail: 'It is busy.' })
  t.match(spoken(bench.job(id)), { ...told, detail: 'It is busy.' })
  t.match(await bench.until(id, 'completed'), { attempts: 2 })
})

t.test('says what a stalled printer says of itself', async (t) => {
  const gate = Promise.withResolvers<void>()
  const devices = [
    deviceOf(() =>
      Promise.resolve({
        send: () => gate.promise,
        status: () => Promise.resolve(['media-empty']),
      }),
    ),
  ]
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices })
  bench.scheduler.start()
  const [id] = bench.print([1])
  const status = await bench.untilPrinter('A', (now) => now.reasons.includes('media-empty'))
  t.match(spoken(status), {
    state: 'stopped',
    message: 'A is out of labels. The label continues automatically afterwards.',
  })
  t.equal(bench.job(id).state, 'processing-stopped')
  gate.resolve()
  await bench.until(id, 'completed')
})

t.test('says where a queue that was paused goes on', async (t) => {
  const gate = Promise.withResolvers<void>()
  const pause = { send: () => gate.promise, status: () => Promise.resolve(['paused']) }
  const device = {
    ...deviceOf(() => Promise.resolve(pause)),
    explainPaused: () => ({ words: 'Let the queue go on.' }),
  }
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices: [device] })
  bench.scheduler.start()
  const [id] = bench.print([1])
  const status = await bench.untilPrinter('A', (now) => now.reasons.includes('paused'))
  t.match(spoken(status), { message: /^A is paused\./, hint: 'Let the queue go on.' })
  gate.resolve()
  await bench.until(id, 'completed')
})

t.test('rights that are missing do not look like a printer that is off', async (t) => {
  const fault = new PlatenError('PRINTER_OFFLINE', 'Nobody may use it.', { hint: 'Tell somebody.' })
  const devices = [deviceOf(() => Promise.reject(fault))]
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices })
  bench.scheduler.start()
  const [id] = bench.print([1])
  const job = await bench.untilJob(id, ({ code }) => code === 'PRINTER_OFFLINE')
  t.match(spoken(job), {
    message: 'A cannot print now. The label is kept and prints automatically.',
    hint: 'Tell somebody.',
    detail: 'Nobody may use it.',
  })
})

t.test('a device gets its label in the pieces that it asks for', async (t) => {
  const sizes: number[] = []
  const send = (bytes: Uint8Array) => Promise.resolve(void sizes.push(bytes.length))
  const devices = [deviceOf(() => Promise.resolve({ chunkBytes: 50_000, send }))]
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices })
  bench.scheduler.start()
  await bench.until(bench.print([1], { bytes: 60_000 })[0], 'completed')
  t.equal(sizes[0], 50_000)
  t.equal(sizes.length, 2)
})

t.test('a fault of a device costs no label', async (t) => {
  let tries = 0
  const devices = [
    deviceOf(() => {
      tries += 1
      return tries === 1
        ? Promise.reject(new TypeError('a fault'))
        : Promise.resolve({
            keepPicture: () => Promise.reject(new Error('no disk')),
          })
    }),
  ]
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices })
  bench.scheduler.start()
  const { jobs } = bench.intake.takeAlone(PICTURE)
  await bench.until(jobs[0]?.id, 'completed')
  t.equal(bench.faults.length, 2)
})

t.test('the time limits of a label end with it', async (t) => {
  const limits: AbortSignal[] = []
  const devices = [
    deviceOf((signal) => {
      limits.push(signal)
      const confirm = (signal: AbortSignal) => Promise.resolve(limits.push(signal) > 0)
      return Promise.resolve({ confirm })
    }),
  ]
  const timing = { openMs: 100, confirmMs: 100 }
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices, timing })
  bench.scheduler.start()
  await bench.until(bench.print([1])[0], 'completed')
  await sleep(200)
  t.strictSame(
    limits.map(({ aborted }) => aborted),
    [false, false],
  )
})

t.test('cancels a job whose printer is still being opened', async (t) => {
  const opening = Promise.withResolvers<void>()
  const devices = [
    deviceOf((signal) => {
      opening.resolve()
      const { promise, reject } = Promise.withResolvers<never>()
      signal.addEventListener('abort', () => reject(signal.reason))
      return promise
    }),
  ]
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices })
  bench.scheduler.start()
  const [first, second] = bench.print([1, 2])
  await opening.promise
  t.match(spoken(await bench.scheduler.cancel(first ?? '')), {
    state: 'canceled',
    delivery: 'none',
    message: '',
  })
  await bench.scheduler.stop(0)
  t.equal(bench.job(second).state, 'pending')
})

t.test('a cancel that comes after the last byte is told so', async (t) => {
  const sent = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<boolean>()
  const devices = [
    deviceOf(() =>
      Promise.resolve({
        confirm: () => {
          sent.resolve()
          return answer.promise
        },
      }),
    ),
  ]
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices })
  bench.scheduler.start()
  const [id] = bench.print([1])
  await sent.promise
  const canceled = bench.scheduler.cancel(id ?? '')
  answer.resolve(true)
  await t.rejects(canceled, { code: 'JOB_STATE', message: /^The label has been printed on/ })
  t.match(bench.job(id), { state: 'completed', delivery: 'confirmed' })
})

t.test('a job in hand does not expire', async (t) => {
  const opening = Promise.withResolvers<void>()
  const go = Promise.withResolvers<Partial<Connection>>()
  const devices = [
    deviceOf(() => {
      opening.resolve()
      return go.promise
    }),
  ]
  let uptime = 1000
  const timing = { openMs: 240_000 }
  const bench = new Bench(t, {
    printers: [printer('A', 'odd:a')],
    devices,
    timing,
    housekeepMs: 10,
    uptimeMs: () => uptime,
  })
  bench.scheduler.start()
  const options = { expireAfter: 1 }
  const { jobs } = bench.intake.takeAlone({
    labels: [zplLabel(1), zplLabel(2)],
    options,
    source: 'http',
  })
  await opening.promise
  uptime += 2000
  await bench.until(jobs[1]?.id, 'canceled')
  t.equal(bench.job(jobs[0]?.id).state, 'pending')
  go.resolve({})
  await bench.until(jobs[0]?.id, 'completed')
})

t.test('a job that waited too long is not begun', async (t) => {
  let uptime = 1000
  const devices = [deviceOf(() => Promise.resolve({}))]
  const bench = new Bench(t, {
    printers: [printer('A', 'odd:a')],
    devices,
    housekeepMs: 3_600_000,
    uptimeMs: () => uptime,
  })
  const options = { expireAfter: 1 }
  const { jobs } = bench.intake.takeAlone({ labels: [zplLabel(1)], options, source: 'http' })
  uptime += 2000
  bench.scheduler.start()
  await bench.until(jobs[0]?.id, 'canceled')
  t.equal(bench.job(jobs[0]?.id).attempts, 0)
})

t.test('cancels a job that is in nobody’s hand', async (t) => {
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  const [id] = bench.print([1])
  t.match(await bench.scheduler.cancel(id ?? ''), { state: 'canceled', delivery: 'none' })
})

t.test('a device that fails to close spoils the label at hand only', async (t) => {
  let tries = 0
  const lost = new PlatenError('PRINTER_LOST', 'It broke.')
  const devices = [
    deviceOf(() => {
      tries += 1
      const fails = { [Symbol.asyncDispose]: () => Promise.reject(lost) }
      return Promise.resolve(tries === 1 ? { ...fails, send: () => Promise.reject(lost) } : {})
    }),
  ]
  const bench = new Bench(t, { printers: [printer('A', 'odd:a')], devices })
  bench.scheduler.start()
  const [first, second] = bench.print([1, 2])
  await bench.until(second, 'completed')
  t.equal(bench.job(first).state, 'pending-held')
  t.same(bench.faults, [lost])
})

t.test('a waiting label that can no longer be read ends with a sentence', async (t) => {
  const folder = t.testdir()
  const printers = [printer('A', 'file:a')]
  const first = new Bench(t, { printers, folder })
  const [id] = first.print([1])
  await first.close()
  const db = new DatabaseSync(join(folder, 'spool.db'))
  db.exec('UPDATE job SET content = 0')
  db.close()
  const again = new Bench(t, { printers, folder })
  again.scheduler.start()
  t.match(await again.until(id, 'aborted'), {
    reasons: ['aborted-by-system'],
    code: 'JOB_LABEL_GONE',
  })
})
