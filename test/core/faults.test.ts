import t, { type Test } from 'tap'
import type { Change, Job } from '../../src/core/job.ts'
import type { Timing } from '../../src/core/queue/parts.ts'
import { Spool } from '../../src/core/spool/spool.ts'
import type { MoveExtras, SpoolSettings } from '../../src/core/spool/types.ts'
import type { Device } from '../../src/printers/device.ts'
import { PlatenError } from '../../src/words/errors.ts'
import { LARGE_BYTES, TcpSink } from '../devices/tcp-sink.ts'
import { poll } from '../until.ts'
import { spoken } from '../words/spoken.ts'
import { Bench, printer, QUICK } from './bench.ts'

t.setTimeout(300_000)

/**
 * The real spool on a disk that refuses what the test says, so many times. A real full disk (full-disk.test.ts) cannot
 * be made to refuse one write and take the next.
 */
class FullSpool extends Spool {
  refusals = 0
  /** The state that cannot be written. */
  refused: Job['state'] | 'any' = 'any'
  readRefusals = 0
  housekeepRefusals = 0

  constructor(settings: SpoolSettings) {
    super(settings)
    const next = this.line.next.bind(this.line)
    this.line.next = (name) => {
      if (this.readRefusals > 0) {
        this.readRefusals -= 1
        throw new PlatenError('SPOOL_BROKEN', 'The disk does not answer.')
      }
      return next(name)
    }
  }

  override move(id: string, change: (job: Job) => Change, extras?: MoveExtras): Job {
    return super.move(
      id,
      (job) => {
        const changed = change(job)
        if (this.refusals > 0 && (this.refused === 'any' || changed.state === this.refused)) {
          this.refusals -= 1
          throw new PlatenError('SPOOL_FULL', 'The disk is full.')
        }
        return changed
      },
      extras,
    )
  }

  override housekeep(): void {
    if (this.housekeepRefusals > 0) {
      this.housekeepRefusals -= 1
      throw new PlatenError('SPOOL_BROKEN', 'The disk does not answer.')
    }
    super.housekeep()
  }
}

async function open(
  t: Test,
  timing: Partial<Timing> = QUICK,
): Promise<{ bench: Bench; spool: FullSpool; sink: TcpSink }> {
  const sink = await TcpSink.openFor(t)
  let spool: FullSpool | undefined
  const bench = new Bench(t, {
    timing,
    printers: [printer('A', sink.uri)],
    openSpool: (settings) => {
      spool = new FullSpool(settings)
      return spool
    },
  })
  if (spool === undefined) throw new Error('no spool was opened')
  return { bench, spool, sink }
}

/** Only the disk keeps these labels waiting, however slow the machine is. */
const UNHURRIED = { ...QUICK, stallMs: 60_000 }

t.test('nothing leaves while "processing" cannot be written, then it prints once', async (t) => {
  const { bench, spool, sink } = await open(t)
  spool.refusals = 2
  spool.refused = 'processing'
  bench.scheduler.start()
  const [id] = bench.print([1])
  const status = await bench.untilPrinter('A', (now) => now.state === 'stopped')
  t.match(spoken(status.message), /cannot write to its disk/)
  t.match(await bench.until(id, 'completed'), { attempts: 1 })
  const got = (await sink.jobs(3)).filter((bytes) => bytes.length > 0)
  t.equal(got.length, 1)
  await bench.untilPrinter('A', (now) => now.state === 'idle')
})

t.test('the next label waits until the end of the one before is written', async (t) => {
  const { bench, spool, sink } = await open(t, UNHURRIED)
  spool.refusals = 3
  spool.refused = 'completed'
  bench.scheduler.start()
  const [first, second] = bench.print([1, 2])
  await bench.untilPrinter('A', (now) => now.state === 'stopped')
  t.equal(bench.job(first).state, 'processing')
  t.equal(bench.job(second).state, 'pending')
  await bench.until(second, 'completed')
  t.match(bench.job(first), { state: 'completed', attempts: 1 })
  t.equal((await sink.jobs(2)).length, 2)
})

t.test(
  'a label whose end cannot be written before the stop is held by the next start',
  async (t) => {
    const { bench, spool } = await open(t, UNHURRIED)
    spool.refusals = Number.MAX_SAFE_INTEGER
    spool.refused = 'completed'
    bench.scheduler.start()
    const [id] = bench.print([1])
    await bench.untilPrinter('A', (now) => now.state === 'stopped')
    spool.refused = 'any'
    await bench.scheduler.stop(10)
    t.equal(bench.job(id).state, 'processing')
    spool.refusals = 0
    t.match(spool.recover('hold'), [{ state: 'pending-held', reasons: ['platen-interrupted'] }])
  },
)

t.test('a queue outlives a disk that does not answer', async (t) => {
  const { bench, spool } = await open(t)
  spool.readRefusals = 2
  spool.housekeepRefusals = 1
  bench.scheduler.start()
  const [id] = bench.print([1])
  await bench.until(id, 'completed')
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = setInterval(() => {
    if (spool.housekeepRefusals === 0) resolve()
  }, 5)
  await promise
  clearInterval(look)
  t.ok(bench.scheduler.isAlive())
})

t.test('a stall that cannot be written stops nothing', async (t) => {
  const { bench, spool, sink } = await open(t)
  sink.behave({ stall: true })
  spool.refused = 'processing-stopped'
  spool.refusals = 2
  bench.scheduler.start()
  const [id] = bench.print([1], { bytes: LARGE_BYTES })
  await bench.until(id, 'processing-stopped')
  t.equal(bench.faults.length, 2)
  spool.refused = 'processing'
  spool.refusals = 1
  sink.behave({})
  await bench.until(id, 'completed')
  t.equal(bench.faults.length, 3)
})

t.test('a printer that is away when it should be reset is reset when it is back', async (t) => {
  const { bench, sink } = await open(t)
  sink.behave({ resetAfter: 100_000 })
  bench.scheduler.start()
  const [cut] = bench.print(['cut'], { bytes: LARGE_BYTES })
  await bench.until(cut, 'pending-held')
  await sink.down()
  const [next] = bench.print(['next'])
  await bench.untilPrinter('A', ({ reasons }) => reasons.includes('offline'))
  t.match(bench.job(next), { state: 'pending', code: 'PRINTER_OFFLINE' })
  sink.behave({})
  await sink.up()
  await bench.until(next, 'completed')
  const got = (await sink.jobs(3)).map((bytes) => Buffer.from(bytes.subarray(0, 8)).toString())
  t.same(got.slice(-2), ['~JA', '^XA^FXne'])
})

t.test('a label that is done before its cancel is not canceled', async (t) => {
  const { bench } = await open(t)
  bench.scheduler.start()
  const [id] = bench.print([1])
  const printing = bench.until(id, 'processing')
  await printing
  // Every byte of a small label is gone at once; what is left is the word that it ended.
  const outcome = await bench.scheduler.cancel(id ?? '').then(
    (job) => job.state,
    (error: PlatenError) => error.code,
  )
  // Which of the two is a matter of microseconds; the answer must be what the spool says.
  const { state } = bench.job(id)
  t.equal(outcome, state === 'completed' ? 'JOB_STATE' : 'canceled')
  t.match(state, /^(completed|canceled)$/)
})

t.test(
  'what a printer says after a label is no fault of it when it cannot be written',
  async (t) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const odd: Device = {
      scheme: 'odd',
      example: 'odd:a',
      about: '',
      check: () => undefined,
      asking: { isTwoWay: true, idleSeconds: 3_600 },
      list: () => Promise.resolve([]),
      open: () =>
        Promise.resolve({
          send: (bytes) => (Buffer.from(bytes).includes('~HS') ? promise : Promise.resolve()),
          receive: () => Promise.resolve(new Uint8Array()),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        }),
    }
    const bench = new Bench(t, {
      printers: [{ ...printer('A', 'odd:a'), answers: true }],
      devices: [odd],
      asks: { answerMs: 20, stuckMs: 20 },
      openSpool: (settings) =>
        Object.assign(new FullSpool(settings), { refusals: 1, refused: 'processing-stopped' }),
    })
    bench.scheduler.start()
    const [id] = bench.print([1])
    await poll('the question that the printer does not take', () => bench.faults.length > 0)
    resolve()
    t.match(await bench.until(id, 'ended'), { state: 'completed', delivery: 'sent' })
    t.match(bench.faults, [{ code: 'SPOOL_FULL' }])
  },
)
