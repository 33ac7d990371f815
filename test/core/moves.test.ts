import fc from 'fast-check'
import t from 'tap'
import {
  type Change,
  checkMove,
  ENDED,
  hasEnded,
  type Job,
  type JobState,
  MOVES,
  refusePast,
} from '../../src/core/job.ts'
import * as moves from '../../src/core/moves.ts'
import { addStep, readSteps } from '../../src/core/spool/types.ts'
import { inEnglish, join, NOTHING, quoteEnglish, say } from '../../src/words/say.ts'
import { spoken } from '../words/spoken.ts'
import { JOB } from './labels.ts'

const sentence = {
  message: quoteEnglish('Something.'),
  hint: quoteEnglish('Do it.'),
  code: '',
} as const

/** Everything that can happen to a job, by the name that a failing run shows. */
const EVENTS: Readonly<Record<string, (job: Job) => Change>> = {
  begin: (job) => moves.begin(job, 2, NOTHING),
  beginWarned: (job) => moves.begin(job, 2, quoteEnglish('It is EPL.')),
  stall: (job) => moves.stall(job, sentence),
  flow: moves.flow,
  completeSent: (job) => moves.complete(job, { at: 3, sentBytes: 10, confirmed: false, notes: [] }),
  completeConfirmed: (job) =>
    moves.complete(job, { at: 3, sentBytes: 10, confirmed: true, notes: [quoteEnglish('Noted.')] }),
  interruptHold: (job) => moves.interrupt(job, 5, 'hold'),
  interruptReprint: (job) => moves.interrupt(job, 5, 'reprint'),
  postpone: moves.postpone(sentence),
  hold: (job) => moves.hold(job, 'platen-crashed-twice', sentence),
  abort: (job) => moves.abort(job, 'document-format-error', 3, sentence),
  cancel: (job) => moves.cancel(job, 3),
  cancelMidway: (job) => moves.cancel(job, 3, 5),
  expire: (job) => moves.expire(job, 3),
  release: moves.release,
  cameOut: (job) => moves.resolve(job, true, 3),
  printAgain: (job) => moves.resolve(job, false, 3),
}

/** Applies an event, or gives the job back unchanged when the table forbids it. */
function apply(job: Job, name: string): Job {
  try {
    const change = EVENTS[name]?.(job) ?? {}
    checkMove(job, change)
    return { ...job, ...change }
  } catch {
    return job
  }
}

const events = fc.array(fc.constantFrom(...Object.keys(EVENTS)), { maxLength: 60 })

t.test('whatever happens, a job that has ended never changes', (t) => {
  fc.assert(
    fc.property(events, (names) => {
      let job = JOB
      for (const name of names) {
        const after = apply(job, name)
        if (hasEnded(job) && after !== job) return false
        job = after
      }
      return true
    }),
  )
  t.end()
})

const STOPPABLE: ReadonlySet<JobState> = new Set(['pending', 'processing-stopped'])

t.test('whatever happens, state, reasons, delivery and times agree', (t) => {
  fc.assert(
    fc.property(events, (names) => {
      const job = names.reduce(apply, JOB)
      const claims = [
        hasEnded(job) === job.endedAt > 0,
        job.reasons.length > 0,
        job.state !== 'completed' || job.delivery === 'sent' || job.delivery === 'confirmed',
        job.state !== 'aborted' || job.message.length > 0,
        job.state !== 'pending-held' || job.hint.length > 0,
        (job.state === 'processing') === job.reasons.includes('job-printing'),
        job.state !== 'processing-stopped' || job.reasons.includes('printer-stopped'),
        !job.reasons.includes('printer-stopped') || STOPPABLE.has(job.state),
        job.attempts > 0 || job.sentBytes === 0,
      ]
      return claims.every(Boolean)
    }),
  )
  t.end()
})

t.test('a job begins at most once after each time that it waits', (t) => {
  fc.assert(
    fc.property(events, (names) => {
      let job = JOB
      let begun = 0
      for (const name of names) {
        const after = apply(job, name)
        if (after.attempts > job.attempts) {
          begun += 1
          if (job.state !== 'pending') return false
        }
        job = after
      }
      return job.attempts === begun
    }),
  )
  t.end()
})

t.test('every move of the table can be made, and no other', (t) => {
  const states = Object.keys(MOVES) as JobState[]
  for (const from of states) {
    const job: Job = { ...JOB, state: from, reasons: ['platen-interrupted'] }
    const reached = new Set(
      Object.keys(EVENTS)
        .map((name) => apply(job, name))
        .filter((after) => after !== job)
        .map((after) => after.state),
    )
    const allowed = MOVES[from]
    t.ok(
      [...reached].every((state) => allowed.includes(state)),
      `${from}: none but ${allowed}`,
    )
    t.equal(ENDED.has(from), allowed.length === 0)
  }
  t.end()
})

t.test('a language warning stays with the job to its end', (t) => {
  let job: Job = { ...JOB, reasons: ['platen-language-mismatch'] }
  for (const name of ['beginWarned', 'stall', 'flow', 'interruptHold', 'release', 'beginWarned']) {
    job = apply(job, name)
    t.ok(job.reasons.includes('platen-language-mismatch'), name)
  }
  job = apply(job, 'completeConfirmed')
  t.same(job.reasons, ['job-completed-with-warnings', 'platen-language-mismatch'])
  const cured = apply({ ...JOB, reasons: ['platen-language-mismatch'] }, 'begin')
  t.same(cured.reasons, ['job-printing'], 'unless the printer has changed')
  t.end()
})

t.test('only what is held can be released, only what was cut can be resolved', (t) => {
  t.throws(() => moves.release(JOB), { code: 'JOB_STATE', message: 'The label waits for A.' })
  const held: Job = { ...JOB, state: 'pending-held', reasons: ['platen-crashed-twice'] }
  t.throws(() => moves.resolve(held, true, 1), { code: 'JOB_STATE' })
  t.throws(() => moves.cancel({ ...JOB, state: 'completed' }, 1), { code: 'JOB_STATE' })
  t.end()
})

t.test(
  'a label that was printed once more says to its end that it may have come out twice',
  (t) => {
    let job: Job = { ...JOB, warning: quoteEnglish('^JUS saves.') }
    const then = (change: (now: Job) => Change): void => {
      job = { ...job, ...change(job) }
    }
    for (let n = 0; n < 2; n += 1) {
      then((now) => moves.begin(now, 2, NOTHING))
      then((now) => moves.interrupt(now, 5, 'reprint'))
    }
    then((now) => moves.begin(now, 2, NOTHING))
    then((now) => moves.complete(now, { at: 3, sentBytes: 10, confirmed: false, notes: [] }))
    t.match(spoken(job), {
      state: 'completed',
      message: /^\^JUS saves\. It was cut off [^:]*: two labels may have come out\.$/,
      reasons: ['job-completed-with-warnings'],
    })
    t.end()
  },
)

t.test('who comes too late reads where the label is, and what can be done', (t) => {
  const printer = 'A'
  const message = 'Why.'
  const by = ['job-canceled-by-user'] as const
  for (const [more, becameOf, hint] of [
    [{ state: 'pending' }, inEnglish(say('waitsFor', { printer })), inEnglish(say('nothingToDo'))],
    [{ state: 'pending-held' }, inEnglish(say('isHeld')), inEnglish(say('decide'))],
    [
      { state: 'pending-held', reasons: ['platen-interrupted'] },
      inEnglish(say('waitsForWord')),
      inEnglish(say('decide')),
    ],
    [
      { state: 'pending-held', reasons: ['platen-moving'] },
      inEnglish(say('onItsWayAway')),
      inEnglish(say('decide')),
    ],
    [
      { state: 'processing' },
      inEnglish(say('printsNow', { printer })),
      inEnglish(say('nothingToDo')),
    ],
    [
      { state: 'processing-stopped' },
      inEnglish(say('printsNow', { printer })),
      inEnglish(say('nothingToDo')),
    ],
    [
      { state: 'completed' },
      inEnglish(say('isPrinted', { printer })),
      inEnglish(say('pressReprint')),
    ],
    [
      { state: 'completed', reasons: ['platen-resolved-by-person'] },
      inEnglish(say('saidOut', { printer })),
      inEnglish(say('pressReprint')),
    ],
    [
      { state: 'canceled', reasons: by },
      inEnglish(say('isCanceled')),
      inEnglish(say('reprintIfWanted')),
    ],
    [
      { state: 'canceled', message: quoteEnglish(message) },
      `${inEnglish(say('isCanceled'))} Why.`,
      inEnglish(say('reprintIfWanted')),
    ],
    [
      {
        state: 'canceled',
        reasons: ['job-canceled-after-timeout'],
        message: quoteEnglish(message),
      },
      'Why.',
      inEnglish(say('reprintIfWanted')),
    ],
    [
      { state: 'aborted', message: quoteEnglish(message) },
      `${inEnglish(say('notPrinted', { printer }))} Why.`,
      inEnglish(say('reprintIfWanted')),
    ],
  ] as const satisfies readonly (readonly [Partial<Job>, string, string])[]) {
    const refusal = refusePast({ ...JOB, ...more })
    t.match(spoken(refusal), { code: 'JOB_STATE', message: becameOf, hint }, JSON.stringify(more))
  }
  t.end()
})

t.test('of a label that is tried a thousand times the first and last steps stay', (t) => {
  const states = ['pending', 'processing'] as const
  let job: Pick<Job, 'state' | 'reasons' | 'steps'> = JOB
  let seen: readonly number[] = []
  for (let step = 1; step <= 1_000; step += 1) {
    const after = { state: states[step % 2] ?? 'pending', reasons: JOB.reasons }
    job = { ...after, steps: addStep(job, after, step) }
    const all = Array.from({ length: step }, (_, index) => index + 1)
    seen = readSteps(job.steps).map(({ at }) => at)
    if (step <= 40) t.strictSame(seen, all)
  }
  t.strictSame(seen.slice(0, 10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  t.strictSame(
    seen.slice(10),
    Array.from({ length: 30 }, (_, index) => 971 + index),
  )
  t.equal(addStep(job, job, 1_001), job.steps, 'a new sentence alone is no step')
  t.end()
})

t.test('a step is a letter where its reason is the usual one, and is read back', (t) => {
  for (const [state, reasons, text, read] of [
    ['pending', ['none'], 'P', []],
    ['pending', ['printer-stopped'], 'Pprinter-stopped', ['printer-stopped']],
    ['pending-held', ['none'], 'H', []],
    ['processing', ['job-printing'], 'R', ['job-printing']],
    ['processing-stopped', ['printer-stopped'], 'S', ['printer-stopped']],
    ['canceled', ['job-canceled-by-user'], 'C', ['job-canceled-by-user']],
    ['aborted', ['aborted-by-system'], 'A', ['aborted-by-system']],
    ['completed', ['job-completed-successfully'], 'D', ['job-completed-successfully']],
    ['completed', ['none'], 'Dnone', []],
  ] as const satisfies readonly (readonly [JobState, Job['reasons'], string, Job['reasons']])[]) {
    const before = { state: 'pending' as const, reasons: ['platen-moving' as const], steps: '' }
    const steps = addStep(before, { state, reasons }, 36 ** 3)
    t.equal(steps, `1000${text}`)
    t.strictSame(readSteps(steps), [{ at: 36 ** 3, state, reasons: read }], text)
  }
  t.strictSame(readSteps(''), [])
  t.strictSame(readSteps('1000X 1000P'), [{ at: 36 ** 3, state: 'pending', reasons: [] }])
  t.end()
})

t.test('of a label that was cut off and expires it is said that it may be out', (t) => {
  const cut = ['begin', 'interruptReprint', 'postpone'].reduce(apply, JOB)
  t.match(spoken(apply(cut, 'expire')), {
    state: 'canceled',
    delivery: 'unknown',
    message: inEnglish(join(say('tooLate'), say('mayBeOut'))),
  })
  t.same(apply(JOB, 'expire').message, say('tooLate'))
  t.end()
})

t.test('a label that was cut off stays one when its next try is refused', (t) => {
  const refused = ['begin', 'interruptReprint', 'begin', 'postpone'].reduce(apply, JOB)
  t.match(refused, {
    state: 'pending',
    delivery: 'unknown',
    sentBytes: 0,
    reasons: ['printer-stopped', 'platen-interrupted'],
  })
  t.equal(
    spoken(apply(refused, 'expire').message),
    inEnglish(join(say('tooLate'), say('mayBeOut'))),
  )
  t.match(apply(refused, 'cameOut'), { state: 'completed', delivery: 'confirmed' })
  const again = ['printAgain', 'begin', 'postpone'].reduce(apply, refused)
  t.match(again, { delivery: 'none', reasons: ['printer-stopped'] }, 'a person said that it is not')
  t.end()
})
