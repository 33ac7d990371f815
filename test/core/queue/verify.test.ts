// What a printer's answers after a label prove, by the real asker and the languages' own questions on a scripted line.
import { Buffer } from 'node:buffer'
import { mock } from 'node:test'
import t from 'tap'
import type { Printer } from '#printers'
import { verify } from '../../../src/core/queue/verify.ts'
import type { Connection } from '../../../src/printers/device.ts'
import { type AskerParts, StatusAsker } from '../../../src/printers/status/asker.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { HOST_IDENTITY, hostStatus } from '../../vm/models.ts'

const signal = AbortSignal.timeout(60_000)
const TIMING = { openMs: 60_000, confirmMs: 60_000, confirmAskMs: 1 }
const COUNT = '! U1 getvar "odometer.total_label_count"\r\n'

/** An answer to a status question: nothing = silence; `gone` = the line breaks; `late` = only its errors come in time. */
type State = 'ready' | 'busy' | 'out' | 'silent' | 'late' | 'gone'

const ANSWERS: Readonly<Record<'zpl' | 'tspl', Partial<Record<State, string>>>> = {
  zpl: {
    ready: hostStatus(),
    busy: hostStatus({ formats: 1 }),
    out: hostStatus({ paperOut: 1, formats: 1 }),
  },
  tspl: { ready: '\x00', busy: '\x20', out: '\x04' },
}
const NO_ERRORS = '\x02\r\n ERRORS: 0 00000000 00000000\r\n\x03'
const QUESTIONS = { zpl: '~HS', tspl: '\x1b!?' }

interface Script {
  readonly language?: 'zpl' | 'tspl'
  /** The last one stays. */
  readonly states: readonly State[]
  /** Its answers about the count of its labels, in turn; the last one stays. It is a Zebra if there are some. */
  readonly counts?: readonly number[]
  /** It answered in an earlier run. */
  readonly answers?: boolean
  /** Nobody else reaches it. */
  readonly keepsLine?: boolean
}

/** A printer on a line whose clock goes on while it is waited for. */
function makePrinter({
  language = 'zpl',
  states,
  counts = [],
  answers = true,
  keepsLine = false,
}: Script) {
  const clock = { now: 1_000 }
  const asked: string[] = []
  const shown: (readonly string[])[] = []
  const line: string[] = []
  const ends: string[] = []
  let at = 0
  let counted = 0
  const next = (): State => states[Math.min(at, states.length - 1)] ?? 'silent'
  const others: Readonly<Record<string, () => string>> = {
    '~HI': () => (counts.length > 0 ? HOST_IDENTITY : '\x02Clone,1,8,1,1\x03'),
    '~HQES': () => (states[at - 1] === 'late' ? NO_ERRORS : ''),
    [COUNT]: () => `"${counts[Math.min(counted++, counts.length - 1)]}"`,
  }
  const answer = (question: string): string => {
    if (question !== QUESTIONS[language]) return others[question]?.() ?? ''
    const state = next()
    at += 1
    return ANSWERS[language][state] ?? ''
  }
  const connection = {
    send: (bytes: Uint8Array) => {
      const question = Buffer.from(bytes).toString('latin1')
      asked.push(question)
      if (question === QUESTIONS[language] && next() === 'gone')
        return Promise.reject(new PlatenError('PRINTER_LOST', 'the cable was pulled'))
      line.push(answer(question))
      return Promise.resolve()
    },
    receive: (ms: number) => {
      const part = line.shift() ?? ''
      if (part === '') clock.now += ms
      return Promise.resolve(Buffer.from(part, 'latin1'))
    },
    [Symbol.asyncDispose]: () => {
      ends.push('closed')
      return Promise.resolve()
    },
  } as unknown as Connection
  const printer = { name: 'A', uri: 'socket://a', language, answers } as Printer
  const printers: AskerParts['printers'] = {
    get: () => printer as ReturnType<AskerParts['printers']['get']>,
    open: () => Promise.resolve(connection),
    asking: () => ({ isTwoWay: true, idleSeconds: 10, ...(keepsLine ? { keepsLine } : {}) }),
  }
  const asker = new StatusAsker({ printers, answerMs: 100, now: () => clock.now })
  const ask = (timing: Partial<typeof TIMING> = {}): Promise<boolean> =>
    verify(
      { asker, timing: { ...TIMING, ...timing }, show: (reasons) => shown.push(reasons) },
      'A',
      signal,
    )
  const statusAsks = () => asked.filter((question) => question === QUESTIONS[language]).length
  return { ask, asked, asker, ends, printers, shown, statusAsks }
}

const many = (state: State, count: number): State[] => Array<State>(count).fill(state)

const ROWS: readonly (Script & {
  readonly name: string
  readonly isOut: boolean
  readonly asks: number
})[] = [
  { name: 'ready twice', states: ['ready'], isOut: true, asks: 2 },
  { name: 'busy, then ready', states: ['busy', 'ready'], isOut: true, asks: 2 },
  { name: 'ready, busy, ready', states: ['ready', 'busy', 'ready'], isOut: true, asks: 3 },
  { name: 'out, then ready', states: ['out', 'out', 'ready'], isOut: true, asks: 3 },
  { name: 'silent twice', states: ['silent'], isOut: false, asks: 2 },
  {
    name: 'silent, then ready twice',
    states: ['silent', 'ready'],
    isOut: true,
    asks: 3,
  },
  {
    name: 'silences that answers part are forgotten',
    states: ['silent', 'busy', 'silent', 'ready'],
    isOut: true,
    asks: 4,
  },
  {
    name: 'busy, then nothing but that it has no error',
    states: ['busy', 'late', 'silent'],
    isOut: false,
    asks: 3,
  },
  {
    name: 'out, then well in the middle of a question',
    states: ['out', 'late', 'busy', 'ready'],
    isOut: true,
    asks: 4,
  },
  { name: 'gone before it was seen at work', states: ['gone'], isOut: false, asks: 1 },
  { name: 'gone after one ready', states: ['ready', 'gone'], isOut: false, asks: 2 },
  {
    name: 'TSPL: ready means nothing before it was busy',
    language: 'tspl',
    states: ['ready'],
    isOut: false,
    asks: 8,
  },
  {
    name: 'TSPL: one ready may stand between two labels',
    language: 'tspl',
    states: ['busy', 'ready', 'busy', 'ready'],
    isOut: true,
    asks: 5,
  },
  {
    name: 'TSPL: busy at the last moment counts',
    language: 'tspl',
    states: [...many('ready', 7), 'busy', 'ready'],
    isOut: true,
    asks: 10,
  },
]

for (const { name, isOut, asks, ...script } of ROWS) {
  t.test(`${name}: ${isOut ? 'it came out' : 'nobody can say'}`, async (t) => {
    const { ask, statusAsks, ends } = makePrinter(script)
    t.equal(await ask(), isOut)
    t.equal(statusAsks(), asks)
    t.same(ends, ['closed'])
  })
}

t.test('one that went away with the label not yet out is for a person', async (t) => {
  for (const before of ['busy', 'out'] as const) {
    const { ask, ends } = makePrinter({ states: [before, 'gone'] })
    await t.rejects(ask(), { code: 'PRINTER_LOST' }, before)
    t.same(ends, ['closed'])
  }
  const ready = makePrinter({ states: ['out', 'ready', 'gone'], language: 'tspl' })
  t.equal(await ready.ask(), false, 'out of labels once, but never seen busy')
})

t.test('what keeps it from printing is shown, and while it says so it is asked on', async (t) => {
  const { ask, shown } = makePrinter({ states: [...many('out', 40), 'busy', 'ready'] })
  // The clock is read at most twice a look: a look is far shorter than the time of a label, and all of them are longer.
  let now = performance.now()
  const clock = mock.method(performance, 'now', () => (now += 20))
  const isOut = await ask({ confirmMs: 600 }).finally(() => clock.mock.restore())
  t.equal(isOut, true, 'beyond the time of a label that prints')
  t.same(shown.slice(38), [['media-empty'], ['media-empty'], [], []])
  const never = makePrinter({ states: ['busy'] })
  t.equal(await never.ask({ confirmMs: 100 }), false)
  t.ok(never.statusAsks() > 0)
  const other = makePrinter({ states: ['silent', 'busy'] })
  t.equal(await other.ask({ confirmMs: 30 }), false)
  t.same(other.shown[0], ['other'])
})

t.test('a printer that never answered, or cannot be opened, is not waited for', async (t) => {
  const stranger = makePrinter({ states: ['ready'], answers: false })
  t.equal(await stranger.ask(), false)
  t.same(stranger.asked, [])
  const taken = makePrinter({ states: ['ready'] })
  Object.assign(taken.printers, {
    open: () => Promise.reject(new PlatenError('PRINTER_BUSY', 'another computer prints on it')),
  })
  t.equal(await taken.ask(), false)
  Object.assign(taken.printers, { open: () => Promise.reject(new Error('a defect')) })
  await t.rejects(taken.ask(), { message: 'a defect' })
  Object.assign(taken.printers, { asking: () => undefined })
  t.equal(await taken.ask(), false)
})

t.test('the printer’s own count of labels decides once it was seen to go up', async (t) => {
  const stays = makePrinter({ states: ['ready'], counts: [7, 8, 8] })
  t.equal(await stays.ask(), true, 'the first label: nothing to compare with')
  t.equal(await stays.ask(), true, 'from 7 to 8')
  const before = stays.statusAsks()
  t.equal(await stays.ask(), false, 'ready, and still 8')
  t.equal(stays.statusAsks() - before, 4, 'after four looks')
  t.equal(await stays.ask(), true, 'a label that was not proven to be out counts for none')

  const frozen = makePrinter({ states: ['ready'], counts: [7] })
  for (const label of [1, 2, 3]) t.equal(await frozen.ask(), true, `a count that stays, ${label}`)

  const alone = makePrinter({ states: ['ready'], counts: [7, 8, 9], keepsLine: true })
  t.equal(await alone.ask(), true)
  for (const label of [8, 9]) {
    const asks = alone.statusAsks()
    t.equal(await alone.ask(), true)
    t.equal(alone.statusAsks() - asks, 1, `${label}: where only we print, one look is enough`)
  }
})

t.test('a count from before the last label was read is not compared with', async (t) => {
  const { asked, asker } = makePrinter({ states: ['ready'], counts: [7, 8], keepsLine: true })
  const look = async () => {
    await using inquiry = await asker.open('A', signal)
    await inquiry?.ask({}, signal)
    await inquiry?.recount({}, signal)
    return asked.includes(COUNT)
  }
  await look() // what it is
  asker.takeCount('A') // a label that nobody asks after
  t.notOk(await look(), 'one "ready" may come from before it was looked at')
  t.ok(await look())
})
