import t from 'tap'
import { type LogSink, logEvent } from '../../src/core/events.ts'
import type { Job } from '../../src/core/job.ts'
import type { KnownPrinter, PrinterStatus } from '../../src/core/printers/status.ts'
import { IDLE } from '../../src/core/reasons/blocked-printer.ts'
import { judgeJobs, statusOf } from '../../src/http/answer.ts'
import { hintOf, join, NOTHING, quoteEnglish, say } from '../../src/words/say.ts'

const FIELDS = {
  printer: 'A',
  reasons: ['none'],
  message: NOTHING,
  hint: NOTHING,
  code: '',
  detail: '',
}
const job = (more: Partial<Job>): Job => ({ ...FIELDS, state: 'pending', ...more }) as Job
const at = (status: Partial<PrinterStatus>) => (): KnownPrinter =>
  ({ name: 'A', status: { ...IDLE, ...status } }) as KnownPrinter

const FINE = { Status: 'OK', message: NOTHING, code: '', hint: NOTHING }
const [message, hint] = [quoteEnglish('M.'), quoteEnglish('H.')]
const OFF = {
  state: 'stopped',
  reasons: ['offline'],
  message: quoteEnglish('Off.'),
  hint: quoteEnglish('Switch on.'),
} as const

t.test('a label is in trouble when it will not print without a person', (t) => {
  for (const [more, expected] of [
    [{ state: 'completed', message }, FINE],
    [{ state: 'pending' }, FINE],
    [{ state: 'processing' }, FINE],
    [{ state: 'canceled', reasons: ['platen-moved'], message }, FINE],
    [
      { state: 'aborted', message, hint, code: 'PICTURE_BROKEN' },
      { message, hint },
    ],
    [{ state: 'aborted', code: 'PICTURE_BROKEN' }, { message: say('labelFailed') }],
    [
      { state: 'canceled' },
      {
        message: say('isCanceled'),
        code: 'JOB_CANCELED',
        hint: hintOf('JOB_CANCELED'),
      },
    ],
    [
      { state: 'canceled', message, hint, code: 'JOB_EXPIRED' },
      { message, hint, code: 'JOB_EXPIRED' },
    ],
    [{ state: 'pending-held' }, { message: say('labelHeld'), code: '' }],
    [
      { state: 'pending-held', message, hint },
      { message, hint },
    ],
    [
      { state: 'processing-stopped', message, hint },
      { message, hint },
    ],
  ] as const) {
    const verdict = judgeJobs([job(more as Partial<Job>)], at({}))
    const status = expected === FINE ? 'OK' : 'Error'
    t.match(verdict, { Status: status, ...expected }, JSON.stringify(more))
  }
  t.end()
})

t.test('a label behind a stopped printer has its sentence, or that of the printer', (t) => {
  for (const state of ['pending', 'processing', 'processing-stopped'] as const) {
    t.match(judgeJobs([job({ state })], at(OFF)), {
      Status: 'Error',
      message: quoteEnglish('Off.'),
      hint: quoteEnglish('Switch on.'),
    })
    t.match(
      judgeJobs([job({ state, message: message, hint: hint, code: 'SPOOL_FULL' })], at(OFF)),
      {
        Status: 'Error',
        message,
        hint,
        code: 'SPOOL_FULL',
      },
    )
    const silent = judgeJobs([job({ state })], at({ ...OFF, message: NOTHING, hint: NOTHING }))
    t.same(silent.message, say('hasStopped', { printer: '"A"' }))
    t.not(silent.hint, NOTHING)
    t.match(
      judgeJobs([job({ state })], () => undefined),
      {
        Status: 'Error',
        message: join(say('goneFromSettings'), say('kept')),
        hint: say('addOrPrint'),
      },
    )
  }
  t.end()
})

t.test('of several labels the sentence says whose it is', (t) => {
  const jobs = [
    job({}),
    job({ state: 'aborted', message: message }),
    job({ state: 'pending-held' }),
  ]
  t.match(judgeJobs(jobs, at({})), {
    Status: 'Error',
    message: join(say('needPerson', { n: 2, all: 3 }), say('aboutLabel', { number: 2 }), message),
  })
  t.strictSame(judgeJobs([], at({})), FINE)
  t.end()
})

t.test('200 once nothing will change any more (RFC 9110, 15.3.3)', (t) => {
  const [done, open] = [job({ state: 'completed' }), job({ state: 'pending-held' })]
  t.strictSame([[done], [open], [done, open], [done, done]].map(statusOf), [200, 202, 202, 200])
  t.end()
})

t.test('the log has a line for what ended or needs a person, without words of a label', (t) => {
  const lines: [string, Record<string, unknown>, string][] = []
  const write =
    (level: string): LogSink['info'] =>
    (fields, event) =>
      void lines.push([level, { ...fields }, event])
  const log = { info: write('info'), warn: write('warn') }
  const told = (more: Partial<Job>): [string, Record<string, unknown>, string] | undefined => {
    lines.length = 0
    logEvent(log, { type: 'job', job: job({ createdAt: 5, endedAt: 12, ...more }) })
    return lines[0]
  }
  t.match(told({ state: 'completed', message: message }), ['info', { ms: 7 }, 'printed'])
  t.notOk('message' in (lines[0]?.[1] ?? {}))
  t.match(told({ state: 'aborted', message: message, hint: hint }), [
    'warn',
    { message, hint },
    'aborted',
  ])
  t.notOk('detail' in (lines[0]?.[1] ?? {}), 'nothing is empty')
  t.match(told({ state: 'canceled', detail: 'D' }), ['warn', { detail: 'D' }, 'canceled'])
  t.match(told({ state: 'pending-held', message: message }), ['warn', { message }, 'held'])
  const twin = told({
    state: 'pending-held',
    message: quoteEnglish('"Order 7" is'),
    code: 'JOB_DUPLICATE',
  })
  t.match(twin, ['warn', { message: NOTHING }, 'held'])
  for (const state of ['pending', 'processing', 'processing-stopped'] as const) {
    t.equal(told({ state, message: message }), undefined, state)
  }
  lines.length = 0
  const printer = (status: Partial<PrinterStatus>): void =>
    logEvent(log, { type: 'printer', printer: at(status)() })
  printer({ state: 'idle' })
  printer(OFF)
  printer({ ...OFF, detail: 'ECONNREFUSED' })
  t.match(lines, [
    [
      'warn',
      { printer: 'A', message: quoteEnglish('Off.'), hint: quoteEnglish('Switch on.') },
      'printer stopped',
    ],
    ['warn', { detail: 'ECONNREFUSED' }, 'printer stopped'],
  ])
  t.notOk('detail' in (lines[0]?.[1] ?? {}))
  lines.length = 0
  const filling = { of: 'printer', name: 'A', jobs: 7, bytes: 9, message, hint }
  for (const isHigh of [true, false]) {
    logEvent(log, { type: 'spool', fillings: [], isHigh, filling } as never)
  }
  t.match(lines, [
    ['warn', { jobs: 7, hint }, 'spool is filling'],
    ['info', { jobs: 7 }, 'spool has room again'],
  ])
  t.end()
})
