import t, { type Test } from 'tap'
import { Intake } from '../../../src/core/intake/intake.ts'
import { giveAway, optionsNow } from '../../../src/core/intake/reprint.ts'
import * as moves from '../../../src/core/moves.ts'
import { postpone } from '../../../src/core/queue/verify.ts'
import { type Blockage, IDLE } from '../../../src/core/reasons/blocked-printer.ts'
import { exportJobs } from '../../../src/core/spool/backup.ts'
import type { NewJob } from '../../../src/core/spool/types.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { inEnglish, NOTHING, quoteEnglish, say } from '../../../src/words/say.ts'
import { TcpSink } from '../../devices/tcp-sink.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, printer } from '../bench.ts'
import { PIXEL, zplLabel } from '../labels.ts'
import { NO_PDFS } from '../pdf-files.ts'

const NOBODY = new PlatenError(
  'PRINTER_UNKNOWN',
  'No printer is named "Nope". These are there: "A", "B".',
)

function open(t: Test): Bench {
  return new Bench(t, { printers: [printer('A', 'file:a'), printer('B', 'file:b')] })
}

/** Holds a label of a queue for a printer that was never here; gives its id. */
async function park(bench: Bench, name?: string): Promise<string> {
  const options = name === undefined ? {} : { printer: name }
  const message = { labels: [zplLabel(1)], options, messageId: '1' }
  const taken = await bench.intake.forSource('beanstalkd').park(message, NOBODY)
  return taken.jobs[0]?.id ?? ''
}

t.test('a picture whose options are lost goes nowhere else, and those behind it do', async (t) => {
  const bench = open(t)
  const [picture = '', gone = '', raw = ''] = [PIXEL, zplLabel('gone'), zplLabel('raw')].map(
    (label) => bench.accept(label, { printer: 'A' }),
  )
  const { records } = bench.spool
  const damage = records.prepare("UPDATE job SET options = '{' WHERE id IN (?, ?)")
  records.write(() => damage.run(picture, raw))
  const lose = records.prepare('UPDATE job SET content = -1 WHERE id = ?')
  records.write(() => lose.run(gone))
  const lost = { code: 'JOB_LABEL_GONE' }
  t.throws(() => bench.intake.reprint(picture, 'B', { isMove: true }), lost)
  const lines = [...exportJobs(bench.spool)].filter(({ type }) => type === 'job')
  t.match(lines, [
    { id: picture, format: 'unknown' },
    { id: raw, format: 'zpl' },
  ])
  t.same(await bench.intake.moveWaiting('A', 'B'), { moved: 1, foreign: 0 })
  bench.scheduler.start()
  for (const id of [picture, gone])
    t.match(await bench.until(id, 'aborted'), { ...lost, message: say('unreadable') })
  t.throws(() => bench.intake.reprint(picture), lost, 'it would be drawn in another way')
})

t.test(
  'a label for a printer that was never here says what to do, and prints elsewhere',
  async (t) => {
    const bench = open(t)
    bench.scheduler.start()
    const id = await park(bench, 'Nope')
    const held = bench.job(id)
    t.match(spoken(held), {
      state: 'pending-held',
      printer: 'Nope',
      code: 'PRINTER_UNKNOWN',
      message: 'A label from beanstalkd found no printer: none here is named "Nope".',
      detail: /are there: "A", "B"/,
      hint: 'Press "Print on another printer…". Or add a printer named "Nope", then press "Release and print".',
    })
    await t.rejects(bench.scheduler.release(id), {
      code: 'PRINTER_UNKNOWN',
      message: 'No printer here is named "Nope", so the label cannot print.',
      hint: /^Print it on another printer/,
    })
    t.same(bench.job(id), held, 'it still waits for a person')
    const made = bench.intake.reprint(id, 'B')
    t.match(made, { printer: 'B', reprintOf: id, source: 'beanstalkd', format: 'zpl' })
    t.match(spoken(bench.job(id)), {
      state: 'canceled',
      message: 'Moved to B.',
      hint: '',
      detail: '',
      reasons: ['job-canceled-by-user', 'platen-moved'],
    })
    await bench.until(made.id, 'completed')
    t.throws(() => bench.intake.reprint(id), { code: 'PRINTER_UNKNOWN' })
  },
)

t.test('once there is a printer of its name, the label is released as it is', async (t) => {
  const bench = open(t)
  bench.scheduler.start()
  const id = await park(bench, 'C')
  bench.printers.configure([printer('C', 'file:c')], '')
  await bench.scheduler.release(id)
  await bench.until(id, 'completed')
})

t.test('a label without a printer is not released to nobody', async (t) => {
  const bench = open(t)
  const id = await park(bench)
  t.match(spoken(bench.job(id)), {
    printer: '',
    message: /it names none\.$/,
    hint: /^Press "Choose a printer…"/,
  })
  await t.rejects(bench.scheduler.release(id), {
    code: 'PRINTER_UNKNOWN',
    message: /^The label has no printer/,
    hint: 'Choose a printer for it.',
  })
  t.match(bench.intake.reprint(id, 'A'), { printer: 'A', state: 'pending' })
})

t.test('a canceled label without a printer is not printed again at the default one', async (t) => {
  const bench = new Bench(t, {
    printers: [printer('A', 'file:a'), printer('B', 'file:b')],
    defaultName: 'B',
  })
  const id = await park(bench)
  await bench.scheduler.cancel(id)
  for (const named of [undefined, '']) {
    t.throws(() => bench.intake.reprint(id, named), {
      code: 'PRINTER_UNKNOWN',
      message: /^The label has no printer/,
      hint: 'Choose a printer for it.',
    })
  }
  t.match(bench.intake.reprint(id, 'A'), { printer: 'A', state: 'pending' })
})

t.test('a held label whose printer was taken out of the settings says so', async (t) => {
  const bench = open(t)
  const [id = ''] = bench.print([1], { printer: 'A' })
  const why = { message: quoteEnglish('Twice.'), hint: NOTHING, code: 'JOB_DUPLICATE' } as const
  const hold = { state: 'pending-held', reasons: ['platen-duplicate'], ...why } as const
  bench.spool.move(id, () => hold)
  bench.printers.configure([printer('B', 'file:b')], '')
  await t.rejects(bench.scheduler.release(id), {
    code: 'PRINTER_UNKNOWN',
    message: 'Its printer "A" is no longer in the settings, so the label cannot print.',
  })
})

t.test('a label that waits for its printer goes to another one, once', async (t) => {
  const sink = await TcpSink.openFor(t)
  await sink.down()
  const bench = new Bench(t, { printers: [printer('A', sink.uri), printer('B', 'file:b')] })
  bench.scheduler.start()
  const [first = '', second = ''] = bench.print([1, 2], { printer: 'A' })
  await bench.untilPrinter('A', (status) => status.state === 'stopped')
  const made = bench.intake.reprint(first, 'B')
  await bench.until(made.id, 'completed')
  t.throws(() => bench.intake.reprint(second), { code: 'JOB_STATE' }, 'on its own printer it waits')
  t.throws(() => bench.intake.reprint(second, 'A'), { code: 'JOB_STATE' })
  await sink.up()
  await bench.until(second, 'completed')
  t.equal(bench.job(first).state, 'canceled')
  const printed = sink.connections
    .map(({ bytes }) => Buffer.from(bytes).toString('latin1'))
    .join('')
  t.equal(printed.split('^XA').length, 2, 'the other one alone')
})

t.test(
  'a label that was taken out while it waits keeps its place until it goes elsewhere',
  async (t) => {
    const bench = open(t)
    const [id = ''] = bench.print([1], { printer: 'A' })
    bench.printers.configure([printer('B', 'file:b')], '')
    bench.scheduler.start()
    const waits = await bench.untilJob(id, ({ code }) => code === 'PRINTER_UNKNOWN')
    t.match(spoken(waits), {
      message: /^A is no longer in the settings/,
      hint: /"Print on another printer…"/,
    })
    const made = bench.intake.reprint(id, 'B')
    await bench.until(made.id, 'completed')
    t.equal(bench.job(id).state, 'canceled')
  },
)

t.test('a label that was cut off is asked about first', (t) => {
  const bench = open(t)
  const [id = ''] = bench.print([1], { printer: 'A' })
  bench.spool.move(id, () => ({ state: 'pending-held', reasons: ['platen-interrupted'] }))
  t.throws(() => bench.intake.reprint(id, 'B'), { code: 'JOB_STATE', hint: /whether it came out/ })
  t.end()
})

t.test('a job that cannot be moved has no other in its place', (t) => {
  const bench = open(t)
  const [gone = ''] = bench.print([2], { printer: 'B' })
  const job: NewJob = {
    source: 'http',
    printer: 'B',
    options: {},
    label: zplLabel(1),
    format: 'zpl',
  }
  // The other move cannot be made, so neither is.
  bench.spool.move(gone, () => ({ state: 'canceled', endedAt: 1 }))
  const instead = { id: gone, change: () => ({ state: 'canceled', endedAt: 1 }) as const }
  t.throws(() => bench.spool.add([job], undefined, instead), { code: 'JOB_STATE' })
  t.equal(bench.spool.history.list({ limit: 9 }).length, 1)
  t.end()
})

/** Prints the label as its printer's queue does, from the first byte to the last. */
function printNow({ spool }: Bench, id: string): void {
  spool.move(id, (job) => moves.begin(job, 1, NOTHING))
  spool.move(id, (job) => moves.complete(job, { at: 2, sentBytes: 9, confirmed: false, notes: [] }))
}

const printed = (bench: Bench): number =>
  bench.spool.history.list({ limit: 99 }).filter(({ attempts, state }) => {
    return attempts > 0 || state === 'pending'
  }).length

t.test('a move copies nothing that has begun or ended', (t) => {
  const bench = open(t)
  const move = (id: string) => bench.intake.reprint(id, 'B', { isMove: true })
  const [done = '', begun = '', canceled = ''] = bench.print([1, 2, 3], { printer: 'A' })
  printNow(bench, done)
  bench.spool.move(begun, (job) => moves.begin(job, 1, NOTHING))
  bench.spool.move(canceled, (job) => moves.cancel(job, 1))
  t.throws(() => move(done), {
    code: 'JOB_STATE',
    hint: 'Print it again on the other printer if you want another copy.',
    message: 'It is too late to move it. The label has been printed on A.',
  })
  t.throws(() => move(begun), {
    code: 'JOB_STATE',
    message: /is being printed on A\.$/,
    hint: /if you want another copy\.$/,
  })
  t.throws(() => move(canceled), {
    code: 'JOB_STATE',
    message: /The label was canceled\.$/,
    hint: /if it is still wanted\.$/,
  })
  t.equal(bench.spool.history.list({ limit: 99 }).length, 3)
  t.match(bench.intake.reprint(done, 'B'), { reprintOf: done }, 'a copy that is asked for is made')
  t.end()
})

t.test('a label that prints between the look and the move is not printed twice', (t) => {
  const bench = open(t)
  for (const wish of [{ isMove: true }, {}]) {
    const [id = ''] = bench.print([1], { printer: 'A' })
    const intake = new Intake({
      pdfs: NO_PDFS,
      spool: bench.spool,
      scheduler: bench.scheduler,
      printers: {
        resolve(name) {
          printNow(bench, id)
          return bench.printers.resolve(name)
        },
        list: () => bench.printers.list(),
        onChange: (listener) => bench.printers.onChange(listener),
      },
    })
    t.throws(() => intake.reprint(id, 'B', wish), { code: 'JOB_STATE', message: /printed on A\.$/ })
    t.equal(bench.job(id).state, 'completed')
  }
  t.equal(printed(bench), 2)
  t.end()
})

t.test('two people who move a label at once move it once', (t) => {
  const bench = open(t)
  const [id = ''] = bench.print([1], { printer: 'A' })
  bench.intake.reprint(id, 'B', { isMove: true })
  t.throws(() => bench.intake.reprint(id, 'B', { isMove: true }), {
    code: 'JOB_STATE',
    message: /The label was canceled\. Moved to B\.$/,
  })
  t.equal(printed(bench), 1)
  t.end()
})

t.test('two people who reprint a label at once get one copy', (t) => {
  const bench = open(t)
  const [id = ''] = bench.print([1], { printer: 'A' })
  printNow(bench, id)
  const made = bench.intake.reprint(id, 'B', { after: id })
  const refusal = {
    code: 'JOB_STATE',
    message: 'The label was printed again on B just before.',
    hint: 'Press the button once more if you want one more copy.',
  }
  t.throws(() => bench.intake.reprint(id, 'B', { after: id }), refusal)
  t.throws(() => bench.intake.reprint(id, 'A', { after: id }), refusal, 'whatever the printer')
  t.equal(printed(bench), 2)
  const second = bench.intake.reprint(id, 'B', { after: made.id })
  t.not(second.id, made.id, 'who knows of it and wants one more gets it')
  t.ok(bench.intake.reprint(id), 'so does a program that asks for a copy')
  t.end()
})

t.test('a word on a label is about the attempt that the person saw', async (t) => {
  const bench = open(t)
  const [id = ''] = bench.print([1], { printer: 'A' })
  const cut = (): void => {
    bench.spool.move(id, (job) => moves.begin(job, 1, NOTHING))
    bench.spool.move(id, (job) => moves.interrupt(job, 3, 'hold'))
  }
  cut()
  const { attempts } = bench.job(id)
  await bench.scheduler.resolve(id, false, attempts)
  const late = { code: 'JOB_STATE', message: 'The label waits for A.' }
  await t.rejects(bench.scheduler.resolve(id, false, attempts), late)
  await t.rejects(bench.scheduler.release(id, attempts), late)
  cut()
  const again = { code: 'JOB_STATE', message: /^The label waits for somebody to say whether/ }
  await t.rejects(bench.scheduler.resolve(id, false, attempts), again)
  await t.rejects(bench.scheduler.resolve(id, true, attempts), again)
  await t.rejects(bench.scheduler.release(id, attempts), again)
  t.match(bench.job(id), { state: 'pending-held', attempts: 2 })
  await bench.scheduler.resolve(id, true, 2)
  await t.rejects(bench.scheduler.cancel(id), {
    code: 'JOB_STATE',
    message: 'Somebody said that the label came out on A.',
  })
})

t.test('a label is told why it waits once, and only while it waits', (t) => {
  const bench = open(t)
  const [id = ''] = bench.print(['a'], { printer: 'A' })
  const told: string[] = []
  bench.spool.onChange(({ message, detail }) => told.push(`${inEnglish(message)} ${detail}`))
  const status = IDLE
  const tell = (text: string, detail?: string): void => {
    const message = quoteEnglish(text)
    const sentence = {
      message,
      hint: NOTHING,
      code: '',
      ...(detail === undefined ? {} : { detail }),
    }
    postpone(bench, bench.job(id), { status, sentence } as Blockage)
  }
  for (const [message, detail] of [['No paper.'], ['No paper.'], ['No paper.', 'E1'], ['Off.']]) {
    tell(message ?? '', detail)
  }
  t.strictSame(told, ['No paper. ', 'No paper. E1', 'Off. '], 'each write wears the card')
  bench.spool.move(id, (job) => moves.cancel(job, 1))
  tell('No ribbon.')
  t.equal(bench.job(id).state, 'canceled')
  t.notMatch(spoken(bench.job(id).message), 'ribbon')
  t.end()
})

t.test('a label gives itself away only while it waits', (t) => {
  const bench = open(t)
  const [id = ''] = bench.print(['a'], { printer: 'A' })
  const waiting = bench.job(id)
  t.match(spoken(giveAway(waiting, 'B', 9)), {
    state: 'canceled',
    message: 'Moved to B.',
    endedAt: 9,
  })
  for (const state of ['processing', 'processing-stopped', 'completed', 'aborted'] as const) {
    t.throws(() => giveAway({ ...waiting, state }, 'B', 9), {
      code: 'JOB_STATE',
      message: new RegExp(`^${inEnglish(say('tooLateToMove'))} `),
    })
  }
  t.throws(() => giveAway(waiting, 'A', 9), { code: 'JOB_STATE' }, 'not to where it is')
  t.end()
})

t.test('what is left of its time goes along with a label, no less than a second', (t) => {
  const bench = open(t)
  const [id = ''] = bench.print(['a'], { printer: 'A' })
  const options = { expireAfter: 60, printer: 'A' }
  const job = { ...bench.job(id), options }
  for (const [msLeft, expireAfter] of [
    [60_000, 60],
    [29_600, 30],
    [100, 1],
    [-30_000, 1],
  ] as const) {
    t.match(optionsNow(job, msLeft), { printer: 'A', expireAfter }, `${msLeft}`)
  }
  t.strictSame(optionsNow({ ...job, state: 'completed' }, 9), { printer: 'A' })
  t.strictSame(optionsNow({ ...job, options: { printer: 'A' } }, undefined), { printer: 'A' })
  t.end()
})

t.test('a clock that jumps takes no time from a label that moves', (t) => {
  const bench = open(t)
  const id = bench.accept(zplLabel(1), { printer: 'A', expireAfter: 3_600 }) ?? ''
  const { spool, scheduler, printers } = bench
  const now = () => Date.now() + 12 * 3_600_000
  const intake = new Intake({ pdfs: NO_PDFS, spool, scheduler, printers, now })
  const { options } = intake.reprint(id, 'B', { isMove: true })
  t.ok((options.expireAfter ?? 0) > 3_500, 'it is not too late')
  t.end()
})
