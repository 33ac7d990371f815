import { Buffer } from 'node:buffer'
import t from 'tap'
import type {
  PrinterDetails,
  PrinterReading,
  StatusLanguage,
} from '../../../src/labels/languages/status.ts'
import type { Connection } from '../../../src/printers/device.ts'
import { type AnswerHabits, assumeHabits, Inquiry } from '../../../src/printers/status/inquiry.ts'

const READY: PrinterReading = { reasons: [], isBusy: false }
const SILENCE: PrinterReading = { reasons: [], isBusy: false, isSilent: true }
const MEDIA = { width: 4, height: 6 } as unknown as NonNullable<PrinterReading['media']>
const PATIENCE = { answerMs: 300, quietMs: 5_000, stuckMs: 60_000 }
const signal = AbortSignal.timeout(60_000)

/** A language of one question, `?`, whose answer ends with `.`; by the answer's first sign it knows more. */
const LANGUAGE: StatusLanguage = {
  silence: SILENCE,
  ask: async (talk) => {
    const answer = await talk('?', isWhole)
    if (!isWhole(answer)) return undefined
    return answer.startsWith('busy') ? { ...READY, isBusy: true } : READY
  },
  identify: async (talk) => {
    const answer = await talk('who?', isWhole)
    return { z64: answer.startsWith('new') }
  },
  count: async (talk) => {
    const answer = await talk('count?', isWhole)
    return isWhole(answer) ? Number.parseInt(answer, 10) : undefined
  },
  measure: async (talk) => ((await talk('size?', isWhole)) === '4x6.' ? MEDIA : undefined),
} as StatusLanguage

const isWhole = (answer: string): boolean => answer.endsWith('.')

/**
 * A printer on a line whose clock goes on while it is waited for. What it says to each question is a list of parts; a
 * question that it does not know it leaves without an answer.
 */
function makePrinter(answers: Readonly<Record<string, readonly string[]>> = { '?': ['ok.'] }) {
  const clock = { now: 1_000 }
  const said: string[] = []
  const waits: number[] = []
  const line: string[] = []
  const port: { words: readonly string[] | undefined } = { words: undefined }
  const connection = {
    send: (bytes: Uint8Array) => {
      const question = Buffer.from(bytes).toString('latin1')
      said.push(question)
      line.push(...(answers[question] ?? []))
      return Promise.resolve()
    },
    receive: (ms: number) => {
      waits.push(ms)
      const part = line.shift()
      if (part === undefined) clock.now += ms
      return Promise.resolve(Buffer.from(part ?? '', 'latin1'))
    },
    status: () => Promise.resolve(port.words),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  } as unknown as Connection
  const learned: PrinterDetails[] = []
  const inquire = (
    habits: AnswerHabits,
    more: Partial<ConstructorParameters<typeof Inquiry>[0]> = {},
  ): Inquiry =>
    new Inquiry({
      connection,
      language: LANGUAGE,
      habits,
      patience: PATIENCE,
      keepsLine: false,
      learn: (facts) => learned.push(facts),
      now: () => clock.now,
      ...more,
    })
  return { clock, said, waits, line, port, learned, inquire }
}

t.test(
  'a port that names a fault is believed, and the printer is not asked in its language',
  async (t) => {
    for (const [words, reasons] of [
      [['media-empty'], ['media-empty']],
      [['none', 'cover-open', 'cover-open'], ['cover-open']],
      [['marker-supply-empty', 'media-jam', 'paused', 'offline'], undefined],
      [['on-fire'], ['other']],
    ] as const) {
      const { port, said, inquire } = makePrinter()
      port.words = words
      const reading = await inquire(assumeHabits(false)).ask({}, signal)
      t.same(reading, { reasons: reasons ?? words, isBusy: false })
      t.same(said, [])
    }
    const { port, said, inquire } = makePrinter()
    port.words = ['none']
    t.same(await inquire(assumeHabits(false)).ask({}, signal), READY, 'of a port without a fault')
    t.same(said, ['?', 'who?'])
    t.same(
      await inquire(assumeHabits(false), { language: undefined }).ask({}, signal),
      { reasons: [], isBusy: false, isVague: true },
      'the port alone tells little',
    )
    port.words = undefined
    t.equal(await inquire(assumeHabits(false), { language: undefined }).ask({}, signal), undefined)
  },
)

t.test('a printer that answers is asked once who it is, and what it says is learned', async (t) => {
  const { said, learned, inquire } = makePrinter({ '?': ['o', 'k.'], 'who?': ['new.'] })
  const habits = { ...assumeHabits(false), silences: 2, waitedMs: 200 }
  const inquiry = inquire(habits)
  t.same(await inquiry.ask({}, signal), READY)
  t.match(habits, { answers: true, silences: 0, waitedMs: 0, isIdentified: true, counts: true })
  t.same(learned, [{ answers: true }, { z64: true }])
  t.same(await inquiry.ask({}, signal), READY)
  t.same(said, ['?', 'who?', '?'])
  t.notOk(habits.owesAnswer)
  t.notOk(habits.hasBeenSilent)
})

t.test(
  'one that says nothing is waited for as long as an answer may take, then left alone',
  async (t) => {
    for (const { answers, wanted, rests } of [
      { answers: false, wanted: undefined, rests: [5_000, 5_000, 5_000] },
      // Of one that answered before silence is news; it is asked twice more before it has its rest.
      { answers: true, wanted: SILENCE, rests: [0, 0, 30_000] },
    ]) {
      const { clock, waits, said, inquire } = makePrinter({})
      const habits = assumeHabits(answers)
      for (const [n, rest] of rests.entries()) {
        clock.now = Math.max(clock.now, habits.quietUntil)
        t.same(await inquire(habits).ask({}, signal), wanted)
        t.match(habits, { owesAnswer: true, hasBeenSilent: true, silences: n + 1, waitedMs: 0 })
        t.equal(Math.max(0, habits.quietUntil - clock.now), rest)
      }
      // A look before for what nobody asked, then ever longer ones, the last of 100 ms.
      t.same(waits.slice(0, 6), [1, 15, 30, 60, 100, 100])
      t.same(said, ['?', '?', '?'])
      clock.now = habits.quietUntil - 1
      t.same(await inquire(habits).ask({}, signal), wanted)
      t.same(said.length, 3, 'not asked before its time')
      clock.now += 1
      await inquire(habits).ask({}, signal)
      t.same(said.length, 4)
    }
  },
)

t.test('a late answer is not taken for that of the next question', async (t) => {
  const { line, waits, said, inquire } = makePrinter({ '?': ['ok.'] })
  const habits = { ...assumeHabits(true), isIdentified: true, owesAnswer: true }
  line.push('busy.')
  t.same(await inquire(habits, { keepsLine: true }).ask({}, signal), READY)
  t.equal(waits[0], PATIENCE.answerMs, 'on a kept line it is waited for')
  t.notOk(habits.owesAnswer)
  await inquire({ ...habits, owesAnswer: true }).ask({}, signal)
  await inquire(habits, { keepsLine: true }).ask({}, signal)
  t.same(
    waits.filter((ms) => ms !== 15),
    [PATIENCE.answerMs, 1, 1],
    'a line of its own, and one that owes nothing, are looked at for a moment',
  )
  t.same(said, ['?', '?', '?'])
})

t.test('of an answer without end the last 16,384 characters count', async (t) => {
  let seen = ''
  const language = {
    ...LANGUAGE,
    ask: async (talk: Parameters<StatusLanguage['ask']>[0]) => {
      seen = await talk('?', isWhole)
      return READY
    },
  } as StatusLanguage
  const { inquire } = makePrinter({ '?': ['x'.repeat(16_384), 'end', '.'] })
  await inquire({ ...assumeHabits(true), isIdentified: true }, { language }).ask({}, signal)
  t.equal(seen.length, 16_384)
  t.ok(seen.endsWith('xend.'))
})

t.test('a question gives way to a label, and several of these are a silence', async (t) => {
  const { said, inquire, clock } = makePrinter({})
  const habits = assumeHabits(true)
  const none = await inquire(habits).ask({ labelWaits: AbortSignal.abort() }, signal)
  t.equal(none, undefined, 'that is no news')
  t.same(said, [], 'and nothing was asked')
  t.match(habits, { silences: 0, hasBeenSilent: false, waitedMs: 0 })
  for (const [waitedMs, silences] of [
    [299, 0],
    [300, 1],
  ] as const) {
    const known = { ...assumeHabits(false), waitedMs }
    await inquire(known).ask({ labelWaits: AbortSignal.abort() }, signal)
    t.equal(known.silences, silences, `${waitedMs} ms`)
    t.equal(known.quietUntil, silences === 0 ? 0 : clock.now + PATIENCE.quietMs)
  }
})

t.test(
  'a question that the printer does not take is told after a while, one that it takes is not',
  async (t) => {
    let stuck = 0
    const terms = { onStuck: () => (stuck += 1) }
    const patience = { ...PATIENCE, stuckMs: 1 }
    const { inquire } = makePrinter({ '?': ['ok.'], 'who?': ['.'] })
    const slow = Promise.withResolvers<void>()
    const connection = {
      send: () => slow.promise,
      receive: () => Promise.resolve(Buffer.from('ok.')),
      status: () => Promise.resolve(undefined),
    } as unknown as Connection
    const habits = { ...assumeHabits(true), isIdentified: true }
    const told = Promise.withResolvers<void>()
    const asked = inquire(habits, { connection, patience }).ask({ onStuck: told.resolve }, signal)
    await told.promise
    slow.resolve()
    t.same(await asked, READY)
    await inquire(assumeHabits(true)).ask(terms, signal)
    t.equal(stuck, 0)
  },
)

t.test('the stock is asked for while it is being measured, and no longer', async (t) => {
  const { said, learned, inquire } = makePrinter({ '?': ['ok.'], 'size?': ['4x6.'] })
  const habits = { ...assumeHabits(true), isIdentified: true, measureTries: 2 }
  const inquiry = inquire(habits)
  await inquiry.ask({}, signal)
  t.same(said, ['?', 'size?'])
  t.same(learned, [{ answers: true }, { media: MEDIA }])
  t.equal(habits.measureTries, 0)
  await inquiry.ask({}, signal)
  t.same(said, ['?', 'size?', '?'])
  for (const [what, answers, asks] of [
    ['busy', { '?': ['busy.'] }, ['?', '?', '?']],
    ['not ready to tell', { '?': ['ok.'], 'size?': ['no.'] }, ['?', 'size?', '?', 'size?', '?']],
  ] as const) {
    const printer = makePrinter(answers)
    const known = { ...assumeHabits(true), isIdentified: true, measureTries: 2 }
    for (const left of [1, 0, 0]) {
      await printer.inquire(known).ask({}, signal)
      t.equal(known.measureTries, left, what)
    }
    t.same(printer.said, asks, what)
  }
})

t.test(
  "the printer's own count says whether a label came out, once it was seen to go up",
  async (t) => {
    const cases: readonly (readonly [
      before: number | undefined,
      count: string | undefined,
      isTrusted: boolean,
      wanted: boolean | undefined,
      isTrustedThen: boolean,
    ])[] = [
      [7, '8.', false, true, true],
      [7, '8.', true, true, true],
      [7, '7.', false, undefined, false], // it may not count at all
      [7, '7.', true, false, true],
      [7, '3.', true, undefined, false], // another printer
      [undefined, '8.', true, undefined, true],
      [7, undefined, true, undefined, true],
    ]
    for (const [before, count, isCountTrusted, wanted, isTrustedThen] of cases) {
      const { inquire } = makePrinter(count === undefined ? {} : { 'count?': [count] })
      const habits = { ...assumeHabits(true), counts: true, isCountTrusted }
      const what = `${before} to ${count}`
      t.equal(await inquire(habits).hasCounted(before, signal), wanted, what)
      t.equal(habits.isCountTrusted, isTrustedThen, what)
      t.equal(habits.labelCount, count === undefined ? undefined : Number.parseInt(count, 10))
      t.equal(habits.counts, count !== undefined, 'one that does not know the question')
    }
  },
)

t.test('the count is asked for where there is one, and none is known', async (t) => {
  const { said, inquire } = makePrinter({ 'count?': ['5.'] })
  const habits = { ...assumeHabits(true), counts: true }
  const inquiry = inquire(habits)
  await inquiry.recount({}, signal)
  t.equal(habits.labelCount, 5)
  await inquiry.recount({}, signal)
  t.same(said, ['count?'])
  const other = { ...assumeHabits(true), counts: false }
  await inquire(other).recount({}, signal)
  t.equal(await inquire(other).hasCounted(4, signal), undefined)
  t.same(said, ['count?'])
  const hurried = { ...assumeHabits(true), counts: true }
  await inquire(hurried).recount({ labelWaits: AbortSignal.abort() }, signal)
  t.equal(hurried.counts, true, 'a question that gave way proves nothing')
})

t.test('a late answer to another question is not the count of labels', async (t) => {
  const { said, line, inquire } = makePrinter({ '?': ['ok.'], 'who?': ['new.'], 'count?': ['31.'] })
  const identify: StatusLanguage['identify'] = async (talk) => {
    const known = await LANGUAGE.identify?.(talk)
    await talk('width?', isWhole)
    return known ?? {}
  }
  const habits = assumeHabits(false)
  const inquiry = inquire(habits, { language: { ...LANGUAGE, identify } })
  t.same(await inquiry.ask({}, signal), READY)
  line.push('832.')
  await inquiry.recount({}, signal)
  t.equal(habits.labelCount, undefined)
  await inquiry.ask({}, signal)
  await inquiry.recount({}, signal)
  t.equal(habits.labelCount, 31)
  t.same(said, ['?', 'who?', 'width?', '?', 'count?'])
})

t.test('what an inquiry says of its printer', (t) => {
  const { inquire } = makePrinter()
  const busy = { ...LANGUAGE, needsBusy: true } as StatusLanguage
  t.equal(inquire(assumeHabits(false), { language: busy }).needsBusy, true)
  t.equal(inquire(assumeHabits(false)).needsBusy, false)
  t.equal(inquire(assumeHabits(false), { language: undefined }).needsBusy, false)
  for (const keepsLine of [true, false]) {
    t.equal(inquire(assumeHabits(false), { keepsLine }).isAlone, keepsLine)
  }
  t.same(assumeHabits(true).answers, true)
  t.end()
})

t.test('a count that cannot be asked for anew is forgotten', async (t) => {
  const { inquire } = makePrinter({})
  const habits = { ...assumeHabits(true), counts: true, owesAnswer: true, labelCount: 7 }
  t.equal(await inquire(habits).hasCounted(6, signal), undefined)
  t.equal(habits.labelCount, undefined)
})
