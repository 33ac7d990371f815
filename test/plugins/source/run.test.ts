import t, { type Test } from 'tap'
import * as v from 'valibot'
import { createHeartbeat } from '../../../src/plugins/heartbeat/index.ts'
import { openMemory } from '../../../src/plugins/source/memory.ts'
import { SourceReader, Sources } from '../../../src/plugins/source/run.ts'
import { RunningSource } from '../../../src/plugins/source/running-source.ts'
import { type Source, type SourceIntake, settle } from '../../../src/plugins/source/source.ts'
import { sources } from '../../../src/plugins/sources.ts'
import { explainNetwork } from '../../../src/system/http-client.ts'
import { backOffMs, pause } from '../../../src/system/wait.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { inEnglish, NOTHING, quoteEnglish } from '../../../src/words/say.ts'
import { Bench, printer } from '../../core/bench.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'

const ZPL = Buffer.from('^XA^FDHello^FS^XZ')

type Work = (settings: Settings, intake: SourceIntake, signal: AbortSignal) => Promise<void>

interface Settings {
  readonly place: string
}

/** A source that does as a test says. */
function makeSource(work: Work): Source<Settings> {
  return {
    type: 'test',
    settings: v.object({ place: v.optional(v.string(), 'here') }),
    describe: ({ place }) => place,
    run: work,
    test: ({ place }, signal) =>
      place === 'hangs' ? untilAbort(signal) : Promise.resolve(quoteEnglish(`Reached ${place}.`)),
  }
}

function untilAbort(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}

interface Rig {
  readonly sources: Sources
  readonly bench: Bench
  readonly log: { readonly fields: object; readonly event: string }[]
}

function startRig(t: Test, work: Work): Rig {
  const bench = new Bench(t, { printers: [printer('A', 'file:a'), printer('B', 'file:b')] })
  const log: Rig['log'] = []
  const write = (fields: object, event: string): void => {
    log.push({ fields, event })
  }
  const sources = new Sources({
    openIntake: (type, name) => bench.intake.forSource(type, name),
    messageBytes: () => 1000,
    log: { info: write, warn: write },
    heartbeat: createHeartbeat(() => {
      throw new Error('there is no heartbeat here')
    }),
    list: [makeSource(work)],
    backOff: { firstMs: 2, mostMs: 10 },
  })
  t.teardown(() => sources.stop())
  return { sources, bench, log }
}

const queue = (place: string, more: object = {}) =>
  ({ type: 'test', ack: 'spooled', place, ...more }) as const

t.test('a source that fails is started again, and told of once', async (t) => {
  let runs = 0
  const { sources, log } = startRig(t, async (_settings, intake, signal) => {
    runs += 1
    if (runs < 4) throw new PlatenError('SOURCE_UNREACHABLE', 'queue.example does not answer.')
    if (runs === 4) return
    if (runs === 5) throw new TypeError('a fault of ours')
    intake.report({ kind: 'contact' })
    await untilAbort(signal)
  })
  sources.configure({ queues: [queue('there')] })
  t.match(spoken(sources.list()), [
    { state: 'starting', where: 'there', message: '', waiting: undefined },
  ])
  await poll('the failure', () => log.length > 0)
  t.match(spoken(log[0]?.fields), { where: 'there', why: 'queue.example does not answer.' })
  await poll('the contact', () => sources.list()[0]?.state === 'running')
  t.match(spoken(sources.list()[0]), { message: '', error: /fault of the print server/ })
  const events = log.map(({ event }) => event)
  t.equal(events.filter((event) => event === 'source failing').length, 2)
  t.equal(events.filter((event) => event === 'source fault').length, 2)
  t.equal(events.at(-1), 'source reached')
})

t.test('that a source is reached is logged once', async (t) => {
  const { sources, log } = startRig(t, async (_settings, intake, signal) => {
    for (const _ of [1, 2]) intake.report({ kind: 'contact' })
    await untilAbort(signal)
  })
  sources.configure({ queues: [queue('there')] })
  await poll('the contact', () => sources.list()[0]?.state === 'running')
  t.same(log, [{ fields: { source: 'test', where: 'there' }, event: 'source reached' }])
})

t.test('a changed configuration touches only what it changes', async (t) => {
  const runs: string[] = []
  const { sources } = startRig(t, async ({ place }, _intake, signal) => {
    runs.push(`+${place}`)
    try {
      await untilAbort(signal)
    } finally {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate) // says goodbye
      runs.push(`-${place}`)
    }
  })
  const unknown = { type: 'kafka', ack: 'spooled' } as const
  sources.configure({ queues: [queue('a'), unknown, queue('b')] })
  await poll('both', () => runs.length === 2)
  sources.configure({ queues: [queue('c'), queue('a')] })
  await poll('the change', () => runs.length === 4)
  t.same(runs, ['+a', '+b', '-b', '+c'], 'one of a kind leaves before the next comes')
  t.same(
    sources.list().map(({ where }) => where),
    ['c', 'a'],
  )
  sources.configure({ queues: [queue('c', { printer: 'B' }), queue('a')] })
  await poll('another printer', () => runs.length === 6)
  t.match(sources.list(), [{ printer: 'B' }, { printer: '' }])
  sources.configure({})
  await poll('the end', () => runs.length === 8)
  t.same(sources.list(), [])
})

t.test('stop waits for what is under way', async (t) => {
  let hasBegun = false
  let isSettled = false
  const { sources } = startRig(t, async (_settings, _intake, signal) => {
    hasBegun = true
    await pause(60_000, signal)
    await pause(50, AbortSignal.timeout(60_000))
    isSettled = true
  })
  sources.configure({ queues: [queue('a')] })
  await poll('it to begin', () => hasBegun)
  await sources.stop()
  t.equal(isSettled, true)
})

t.test('settings that are saved while the program ends start nothing', async (t) => {
  const begun: string[] = []
  const { sources } = startRig(t, async ({ place }, _intake, signal) => {
    begun.push(place)
    await untilAbort(signal)
  })
  sources.configure({ queues: [queue('before')] })
  await poll('the source', () => begun.length > 0)
  const stopped = sources.stop()
  sources.configure({ queues: [queue('before'), queue('new')] })
  await stopped
  await pause(20, new AbortController().signal)
  t.same(begun, ['before'])
  t.same(sources.list(), [])
})

t.test('labels go to the printer of the queue, with what they say of themselves', async (t) => {
  const taken: object[] = []
  const { sources, bench } = startRig(t, async (_settings, intake, signal) => {
    t.equal(intake.messageBytes, 1000)
    const message = { labels: [ZPL], options: {}, messageId: '1', copies: 2 }
    taken.push(await intake.accept(message), await intake.accept(message))
    taken.push(await intake.accept({ labels: [ZPL], options: { printer: 'A' } }))
    intake.report({ kind: 'backlog', waiting: 3, bad: 1 })
    intake.report({ kind: 'warning', message: 'Look.' })
    await untilAbort(signal)
  })
  sources.configure({ queues: [queue('a', { printer: 'B' })] })
  await poll('three', () => taken.length === 3)
  t.match(taken, [{ repeated: false }, { repeated: true }, { repeated: false }])
  const printers = bench.spool.history.list({ limit: 9 }).map(({ printer: name }) => name)
  t.same(printers, ['A', 'B', 'B'])
  t.match(spoken(sources.list()[0]), { taken: 3, waiting: 3, bad: 1, warning: 'Look.' })
})

t.test('it waits while its printer cannot print, and says why', async (t) => {
  let turns = 0
  const { sources, bench } = startRig(t, async (_settings, intake, signal) => {
    intake.report({ kind: 'contact' })
    for (;;) {
      await intake.ready(signal)
      turns += 1
      t.equal(intake.isReady(), true)
      await pause(5, signal)
    }
  })
  const stopped = { state: 'stopped', reasons: ['media-empty'], hint: NOTHING } as const
  bench.printers.report('A', { ...stopped, message: quoteEnglish('A is out of labels.') })
  sources.configure({ queues: [queue('a', { printer: 'A' })] })
  await poll('it to wait', () => sources.list()[0]?.state === 'waiting')
  t.equal(inEnglish(sources.list()[0]?.message ?? NOTHING), 'A is out of labels.')
  t.equal(turns, 0)
  bench.printers.report('A', { ...stopped, state: 'idle', reasons: ['none'], message: NOTHING })
  await poll('it to go on', () => turns > 0)
  t.equal(sources.list()[0]?.state, 'running')
  sources.configure({ queues: [queue('a', { printer: 'Nobody' })] })
  await poll('it to wait', () => sources.list()[0]?.state === 'waiting')
  t.equal(inEnglish(sources.list()[0]?.message ?? NOTHING), 'No printer is named "Nobody".')
  sources.configure({ queues: [queue('a')] })
  await poll('it to wait', () => sources.list()[0]?.message[0]?.key === 'noneChosen')
})

t.test('the button asks the source, for a while', async (t) => {
  const { sources } = startRig(t, () => Promise.resolve())
  const config = { queues: [queue('there'), { type: 'kafka', ack: 'spooled' } as const] }
  const signal = AbortSignal.timeout(60_000)
  t.equal(spoken(await sources.test(config, 0, signal)), 'Reached there.')
  await t.rejects(sources.test(config, 1, signal), {
    code: 'FIELD_INVALID',
    message: /a kafka queue/,
  })
  await t.rejects(sources.test(config, 7, signal), {
    code: 'FIELD_INVALID',
    message: /there is none/,
  })
  await t.rejects(sources.test(config, 'heartbeat', signal), { code: 'FIELD_INVALID' })
  const stop = new AbortController()
  setImmediate(() => stop.abort())
  await t.rejects(sources.test({ queues: [queue('hangs')] }, 0, stop.signal), {
    name: 'AbortError',
  })
})

t.test('pauses double up to a minute, and are never the same for all', (t) => {
  t.same(
    [1, 2, 3, 4, 5, 6, 7, 50].map((failures) => backOffMs(failures, 1)),
    [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000],
  )
  t.equal(backOffMs(1, 0), 500)
  t.equal(backOffMs(0, 1), 1000)
  t.end()
})

t.test('a failed connection is told in words', (t) => {
  const because = (code: string) =>
    explainNetwork('a.example', Object.assign(new Error(), { code }))
  t.match(spoken(because('ENOTFOUND')), {
    code: 'SOURCE_UNREACHABLE',
    message: 'a.example is not a name that the network knows.',
  })
  t.match(spoken(because('EWHATEVER')), {
    message: 'a.example cannot be reached.',
    detail: 'EWHATEVER',
  })
  t.equal(spoken(explainNetwork('a.example', 'odd').message), 'a.example cannot be reached.')
  const ours = new PlatenError('SOURCE_REFUSED', 'x')
  t.equal(explainNetwork('a.example', ours), ours)
  t.end()
})

t.test('labels on their way get a while after the stop', async (t) => {
  const stop = new AbortController()
  const never = new Promise<void>(() => undefined)
  await settle(Promise.resolve(), 60_000, stop.signal)
  const settled = settle(never, 20, stop.signal)
  stop.abort()
  await settled
  await settle(never, 1, stop.signal)
  t.pass()
})

t.test('each queue and the heartbeat have a policy of their own about printer commands', (t) => {
  const facts = () => {
    throw new Error('nobody asks')
  }
  const queue = { type: 'beanstalkd', endpoint: '127.0.0.1:11300', ack: 'spooled' } as const
  const config = {
    queues: [{ ...queue, printer_commands: 'refuse' }, queue],
    heart_beat_url: 'http://127.0.0.1/',
    heart_beat_printer_commands: 'allow',
  } as const
  const entries = new SourceReader(createHeartbeat(facts), sources).readAll(config)
  t.same(
    entries.map(({ commands }) => commands),
    ['refuse', undefined, 'allow'],
  )
  t.match(entries.at(-1)?.settings, { seconds: 60 }, 'an interval that is left out')
  t.end()
})

t.test('how a source is doing, after each thing that happened', async (t) => {
  const { bench } = startRig(t, (_settings, _intake, signal) => untilAbort(signal))
  const given = Promise.withResolvers<SourceIntake>()
  const work: Work = async (_settings, intake, signal) => {
    given.resolve(intake)
    await untilAbort(signal)
  }
  let now = 0
  const running = new RunningSource(
    { source: makeSource(work), settings: { place: 'here' }, ack: 'printed', printer: 'A' },
    {
      openIntake: () => bench.intake.forSource('test'),
      messageBytes: () => 7,
      log: { info: () => undefined, warn: () => undefined },
      now: () => now,
      random: () => 0,
      backOff: { firstMs: 1, mostMs: 1 },
      memory: openMemory(),
      guard: { run: (_key, work) => work(), end: () => undefined },
    },
    Promise.resolve(),
  )
  t.teardown(() => running.stop())
  const { report, messageBytes, ack } = await given.promise
  t.strictSame([messageBytes, ack], [7, 'printed'])
  const before = {
    type: 'test',
    where: 'here',
    printer: 'A',
    ack: 'printed',
    quietSeconds: 60,
    state: 'starting',
    message: '',
    detail: '',
    contactAt: 0,
    errorAt: 0,
    error: '',
    refusedAt: 0,
    refusal: '',
    warningAt: 0,
    warning: '',
    taken: 0,
    refused: 0,
    waiting: undefined,
    bad: undefined,
  }
  t.strictSame(spoken(running.status), before)
  let expected: object = before
  for (const [event, change] of [
    [{ kind: 'contact' }, { state: 'running', contactAt: 1 }],
    [{ kind: 'backlog', waiting: 5 }, { waiting: 5 }],
    [
      { kind: 'backlog', waiting: 4, bad: 2 },
      { waiting: 4, bad: 2 },
    ],
    [
      { kind: 'error', message: 'Away.', detail: 'D' },
      { state: 'failing', message: 'Away.', error: 'Away.', detail: 'D', errorAt: 4 },
    ],
    [
      { kind: 'error', message: 'Off.' },
      { message: 'Off.', error: 'Off.', detail: '', errorAt: 5 },
    ],
    [{ kind: 'contact' }, { state: 'running', message: '', contactAt: 6 }],
    [
      { kind: 'refused', message: 'Bad.' },
      { refusal: 'Bad.', refusedAt: 7, refused: 1 },
    ],
    [
      { kind: 'refused', message: 'Odd.' },
      { refusal: 'Odd.', refusedAt: 8, refused: 2 },
    ],
    [
      { kind: 'warning', message: 'Late.' },
      { warning: 'Late.', warningAt: 9 },
    ],
  ] as const) {
    now += 1
    report(event)
    expected = { ...expected, ...change }
    t.strictSame(spoken(running.status), expected, event.kind)
  }
  running.stop()
  await running.ended
})
