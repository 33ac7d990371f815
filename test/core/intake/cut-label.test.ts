import t, { type Test } from 'tap'
import { Intake } from '../../../src/core/intake/intake.ts'
import { spoken } from '../../words/spoken.ts'
import { Bench, printer } from '../bench.ts'
import { zplLabel } from '../labels.ts'
import { NO_PDFS } from '../pdf-files.ts'

const CUT = Buffer.from('^XA^GFB,999999,999999,1,xx^FS^XZ')
const request = { labels: [CUT], options: {}, source: 'http' }

function open(t: Test, commands: 'allow' | 'warn' | 'refuse' = 'warn') {
  const printers = [printer('A', 'file:a', 'zpl'), printer('B', 'file:b', 'zpl')]
  const bench = new Bench(t, { printers, defaultName: 'A' })
  const { spool, scheduler } = bench
  const intake = new Intake({
    pdfs: NO_PDFS,
    spool,
    printers: bench.printers,
    scheduler,
    commands: () => commands,
    duplicateWindowMs: () => 60_000,
  })
  return Object.assign(bench, { intake })
}

const HELD = {
  state: 'pending-held',
  code: 'LABEL_CUT',
  reasons: ['document-format-error'],
  message: /^The end of this label is missing/,
  hint: /Cancel this one, and print the label again/,
  detail: /The data of \^GF at byte 3 /,
}

for (const policy of ['allow', 'warn', 'refuse'] as const) {
  t.test(
    `a label that ends inside a picture is held under ${policy}, and the next one prints`,
    async (t) => {
      const bench = open(t, policy)
      bench.scheduler.start()
      const [cut] = bench.intake.takeAlone(request).jobs
      t.match(spoken(cut), HELD)
      const [next] = bench.intake.takeAlone({ ...request, labels: [zplLabel(1)] }).jobs
      await bench.until(next?.id, 'completed')
      t.equal(spoken(bench.spool.history.get(cut?.id ?? '')?.sentBytes), 0)
      t.match(
        spoken(bench.intake.takeAlone(request).jobs[0]),
        HELD,
        'sent again it is not a duplicate of itself',
      )
    },
  )
}

t.test('it cannot be released or sent to another printer, only canceled', async (t) => {
  const bench = open(t)
  const id = bench.intake.takeAlone(request).jobs[0]?.id ?? ''
  const refusal = { code: 'JOB_STATE', hint: HELD.hint }
  await t.rejects(bench.scheduler.release(id), refusal)
  t.throws(() => bench.intake.reprint(id, 'B'), refusal)
  t.match(spoken(await bench.scheduler.cancel(id)), { state: 'canceled' })
  t.match(spoken(bench.intake.reprint(id, 'B')), { ...HELD, printer: 'B' })
})

t.test(
  'it reaches no printer by another way either: from a queue, and as a job of before',
  async (t) => {
    const bench = open(t)
    bench.scheduler.start()
    const messages = bench.intake.forSource('mqtt', 'A')
    const { jobs } = await messages.accept({ labels: [CUT], options: {}, messageId: '1' })
    t.match(spoken(bench.spool.history.get(jobs[0]?.id ?? '')), HELD)
    const added = bench.spool.add([
      { source: 'http', printer: 'A', format: 'zpl', options: {}, label: CUT },
    ])
    bench.scheduler.wake('A')
    t.match(spoken(await bench.until(added.jobs[0]?.id, 'pending-held')), HELD)
  },
)
