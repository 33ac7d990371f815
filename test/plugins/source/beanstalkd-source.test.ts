import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { MessageIntake } from '../../../src/core/intake/message-intake.ts'
import { createBeanstalkd } from '../../../src/plugins/beanstalkd/index.ts'
import type { BeanstalkdTiming } from '../../../src/plugins/beanstalkd/settings.ts'
import { openMemory } from '../../../src/plugins/source/memory.ts'
import type { SourceEvent, SourceIntake } from '../../../src/plugins/source/source.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { inEnglish, toSentences } from '../../../src/words/say.ts'
import { Bench, printer } from '../../core/bench.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { BeanstalkdDaemon, noBeanstalkd } from './beanstalkd-daemon.ts'
import { makeIntakeGuard } from './intake-bench.ts'

t.setTimeout(300_000)

/** For an answer of a slow machine. */
const PATIENT = { connectMs: 60_000, replyMs: 60_000, bodyIdleMs: 60_000 }
const ZPL64 = Buffer.from('^XA^FDHello^FS^XZ').toString('base64')

const signal = (): AbortSignal => AbortSignal.timeout(120_000)

interface Pulled {
  readonly daemon: BeanstalkdDaemon
  readonly bench: Bench
  readonly events: SourceEvent[]
  readonly stop: () => Promise<unknown>
  readonly start: () => void
}

/** The source beside a real daemon, in this process. */
async function pull(
  t: Test,
  makeIntake: (messages: MessageIntake) => Partial<SourceIntake> = () => ({}),
  timing: Partial<BeanstalkdTiming> = {},
): Promise<Pulled> {
  const daemon = await BeanstalkdDaemon.start(t)
  const bench = new Bench(t, { printers: [printer('A', 'file:a')] })
  bench.scheduler.start()
  const events: SourceEvent[] = []
  const messages = bench.intake.forSource('beanstalkd')
  const intake: SourceIntake = {
    ack: 'spooled',
    messageBytes: 60_000,
    memory: openMemory(),
    ...makeIntakeGuard(),
    ...messages,
    report: (event) => events.push(event),
    ...makeIntake(messages),
  }
  const source = createBeanstalkd({
    ...PATIENT,
    reserveSeconds: 1,
    countMs: 50,
    settleMs: 100,
    strangerReserves: 2,
    ...timing,
  })
  const settings = { endpoint: daemon.endpoint, tube: 'labels' }
  let stopping = new AbortController()
  let ended: Promise<unknown> = Promise.resolve()
  const start = (): void => {
    stopping = new AbortController()
    ended = source.run(settings, intake, stopping.signal).catch((error: unknown) => error)
  }
  const stop = (): Promise<unknown> => {
    stopping.abort()
    return ended
  }
  start()
  t.teardown(stop)
  return { daemon, bench, events, stop, start }
}

t.test('a message above the bound is buried with a sentence', { skip: noBeanstalkd }, async (t) => {
  const { daemon, events, bench } = await pull(t)
  await daemon.put('labels', 'A'.repeat(60_001))
  await daemon.put('labels', ZPL64)
  await poll('the good one', () => bench.spool.history.counts().completed === 1)
  t.equal((await daemon.count('labels')).buried, 1)
  t.match(
    events.find(({ kind }) => kind === 'refused'),
    { message: /has 60001 bytes; wanted at most 60000 \(Largest request\)/ },
  )
  await poll('the count', () => events.some((event) => event.kind === 'backlog' && event.bad === 1))
})

t.test(
  'a label for an unknown printer is given back, and buried at last',
  { skip: noBeanstalkd },
  async (t) => {
    const { daemon, events } = await pull(t)
    await daemon.put('labels', JSON.stringify({ label: ZPL64, printer: 'Bench 9' }))
    const refusals = (): readonly string[] =>
      events.flatMap((event) =>
        event.kind === 'refused' ? [inEnglish(toSentences(event.message))] : [],
      )
    await poll('both tries', () => refusals().length === 2)
    t.match(refusals()[0], /was given back for another station\. .*"Bench 9"/)
    t.match(refusals()[1], /was buried\. .*"Bench 9"/)
    t.equal((await daemon.count('labels')).buried, 1)
  },
)

t.test(
  'a label that finds the printer stopped goes back to the queue at once',
  { skip: noBeanstalkd },
  async (t) => {
    let isReady = true
    const intake = {
      isReady: () => isReady,
      ready: async (stop: AbortSignal) => {
        while (!isReady) {
          stop.throwIfAborted()
          await setTimeout(5)
        }
      },
    }
    const { daemon, bench, events } = await pull(t, () => intake, { reserveSeconds: 600 })
    await poll('the long wait for a label', () => events.length > 0)
    isReady = false
    await daemon.put('labels', ZPL64)
    const released = async (): Promise<boolean> =>
      /^releases: 1$/m.test(await daemon.ask('stats-job 1', /^OK/))
    await poll('the release', released)
    t.match(await daemon.ask('stats-job 1', /^OK/), /^pri: 100$/m, 'with the priority it had')
    t.equal(bench.spool.history.list({ limit: 9 }).length, 0)
    isReady = true
    await poll('the label', () => bench.spool.history.counts().completed === 1)
  },
)

t.test(
  'what the box cannot take goes back to the queue, and the source says why',
  { skip: noBeanstalkd },
  async (t) => {
    const full = new PlatenError('SPOOL_FULL', 'The spool is full.')
    const intake = { accept: () => Promise.reject(full) }
    const { daemon, stop } = await pull(t, () => intake)
    await daemon.put('labels', ZPL64)
    const isBack = async (): Promise<boolean> =>
      /^state: ready\n[\s\S]*^releases: 1$/m.test(await daemon.ask('stats-job 1', /^OK/))
    await poll('the label to be back', isBack)
    t.equal(await stop(), full)
  },
)

t.test(
  'a label that the server takes back while it prints is told of, and printed once',
  { skip: noBeanstalkd },
  async (t) => {
    // The label is out only after the server has given it to another station, as after a stall of ours. With traffic on
    // other connections or a busy machine, beanstalkd 1.12 often sees the end of a TTR only at our next command.
    const given = Promise.withResolvers<void>()
    const makeIntake = (messages: MessageIntake): Partial<SourceIntake> => ({
      ack: 'printed',
      accept: async (message) => {
        const taken = await messages.accept(message)
        if (!taken.repeated)
          await Promise.race([given.promise, setTimeout(25_000, undefined, { ref: false })])
        return { ...taken, ended: Promise.resolve() }
      },
    })
    const { daemon, bench, events } = await pull(t, makeIntake)
    // The other's time is no longer than ours was: on a busy disk our acknowledgement once took 5 s.
    await daemon.put('labels', ZPL64, 20)
    await poll('the label', () => bench.spool.history.list({ limit: 9 }).length === 1)
    const other = connect(daemon.port, '127.0.0.1')
    t.teardown(() => other.destroy())
    other.on('data', (data) => {
      if (data.includes('RESERVED')) given.resolve()
    })
    other.write('watch labels\r\nignore default\r\nreserve\r\n')
    await poll('the warning', () => events.some(({ kind }) => kind === 'warning'))
    t.match(spoken(events.find(({ kind }) => kind === 'warning')), {
      message: /took back a message before its label was acknowledged/,
      detail: /TTR/,
    })
    other.destroy()
    await poll('the queue to be empty', async () => (await daemon.count('labels')).waiting === 0)
    t.equal(bench.spool.history.list({ limit: 9 }).length, 1)
  },
)

t.test(
  'a server that has lost its log may give the same label the same number again',
  { skip: noBeanstalkd },
  async (t) => {
    const { daemon, bench, stop, start } = await pull(t)
    await daemon.put('labels', ZPL64)
    await poll('the label', () => bench.spool.history.counts().completed === 1)
    await stop()
    await daemon.kill()
    await daemon.startFresh()
    await daemon.put('labels', ZPL64)
    t.match(await daemon.ask('stats-job 1', /^OK/), /^id: 1$/m)
    start()
    await poll('the label once more', () => bench.spool.history.counts().completed === 2)
  },
)

/** An intake that takes every label, and whose printer never has it out. */
function neverPrint() {
  const taken: unknown[] = []
  const accept: SourceIntake['accept'] = (label) => {
    taken.push(label)
    return Promise.resolve({ jobs: [], repeated: false, ended: new Promise(() => undefined) })
  }
  return { accept, taken }
}

t.test(
  'a stop while labels print acknowledges what is in the spool',
  { skip: noBeanstalkd },
  async (t) => {
    const { accept, taken } = neverPrint()
    const { daemon, stop, events } = await pull(t, () => ({ ack: 'printed', accept }))
    await daemon.put('labels', ZPL64)
    await poll('the label to be ours', () => taken.length > 0)
    await stop()
    t.equal((await daemon.count('labels')).waiting, 0)
    t.notOk(events.some(({ kind }) => kind === 'warning'))
  },
)

t.test(
  'the server is in contact as long as a label of its is in hand',
  { skip: noBeanstalkd },
  async (t) => {
    const { accept, taken } = neverPrint()
    const { daemon, events } = await pull(t, () => ({ ack: 'printed', accept }))
    // A touch at a third of it would be one in twenty minutes.
    await daemon.put('labels', ZPL64, 3_600)
    await poll('the label to be ours', () => taken.length > 0)
    const before = events.length
    await poll('contacts', () => events.length > before + 2)
    t.ok(events.slice(before).every(({ kind }) => kind === 'contact'))
  },
)

t.test('the button says what is there', { skip: noBeanstalkd }, async (t) => {
  const daemon = await BeanstalkdDaemon.start(t)
  const source = createBeanstalkd()
  const settings = { endpoint: daemon.endpoint, tube: 'labels' }
  const reached = `Reached beanstalkd 1.`
  t.match(
    inEnglish(await source.test(settings, signal())),
    /; 0 messages wait in its tube labels\.$/,
  )
  await daemon.put('labels', ZPL64)
  const said = inEnglish(await source.test(settings, signal()))
  t.ok(said.startsWith(reached), said)
  t.match(said, /; 1 messages wait in its tube labels\.$/)
  await daemon.ask(
    'watch labels\r\nignore default\r\nreserve\r\nbury 1 1',
    /BURIED|RESERVED|WATCHING/,
  )
  t.equal(source.describe(settings), `${daemon.endpoint}, tube labels`)
})
