import { type AddressInfo, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { BeanstalkdClient } from '../../../src/plugins/beanstalkd/client.ts'
import { createBeanstalkd } from '../../../src/plugins/beanstalkd/index.ts'
import type {
  BeanstalkdSettings,
  BeanstalkdTiming,
} from '../../../src/plugins/beanstalkd/settings.ts'
import { Tube } from '../../../src/plugins/beanstalkd/tube.ts'
import type { SourceIntake } from '../../../src/plugins/source/source.ts'
import { PlatenError } from '../../../src/words/errors.ts'
import { inEnglish, say } from '../../../src/words/say.ts'
import { listen } from '../../listen.ts'
import { poll } from '../../until.ts'
import { spoken } from '../../words/spoken.ts'
import { type Pulled, pull, stayStopped } from './intake-bench.ts'

t.setTimeout(300_000)

const ZPL64 = Buffer.from('^XA^FDHello^FS^XZ').toString('base64')
const PATIENT = { connectMs: 60_000, replyMs: 60_000, bodyIdleMs: 60_000 }
const FULL = new PlatenError('SPOOL_FULL', 'The spool is full.')
const NEVER = new Promise<void>(() => undefined)

/** Numbers of `stats-job` and `stats-tube`; what is not here is left out of the answer. */
type Stats = Readonly<Record<string, number | string>>

/** A tube with some jobs, in this process; it answers as beanstalkd's doc/protocol.txt says, or as a test says. */
class SmallTube {
  /** Lines that came, but for the reserves that wait. */
  readonly lines: string[] = []
  /** Replacements for answers, by the first word of the command. */
  readonly answers: Record<string, string> = {}
  job: Stats = { pri: 7, ttr: 60, reserves: 1, releases: 0, buries: 0 }
  tube: Stats = { 'current-jobs-ready': 0, 'current-watching': 1 }
  readonly #bodies: string[] = []
  readonly #server = createServer()
  #reserving: Socket | undefined
  #last = 0

  static async start(t: Test): Promise<SmallTube> {
    const tube = new SmallTube()
    const sockets: Socket[] = []
    tube.#server.on('connection', (socket) => {
      sockets.push(socket)
      let text = ''
      socket.on('error', () => undefined)
      socket.on('data', (data) => {
        text += data.toString('latin1')
        const lines = text.split('\r\n')
        text = lines.pop() ?? ''
        for (const line of lines) tube.#take(line, socket)
      })
    })
    await listen(t, tube.#server)
    t.teardown(() => {
      for (const socket of sockets) socket.destroy()
    })
    return tube
  }

  get endpoint(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** A job for the next reserve. */
  put(body: string): void {
    this.#bodies.push(body)
    if (this.#reserving) this.#give(this.#reserving)
  }

  /** The commands of a kind. */
  of(word: string): readonly string[] {
    return this.lines.filter((line) => line.split(' ')[0] === word)
  }

  #take(line: string, socket: Socket): void {
    this.lines.push(line)
    const [word = ''] = line.split(' ')
    const answer = this.answers[word] ?? this.#answerTo(word)
    if (answer !== undefined) socket.write(`${answer}\r\n`)
    else this.#give(socket)
  }

  #answerTo(word: string): string | undefined {
    if (word === 'stats-job') return asStats(this.job)
    if (word === 'stats-tube') return asStats(this.tube)
    if (word === 'stats') return asStats({ version: '"1.12"' })
    return ANSWERS[word]
  }

  #give(socket: Socket): void {
    const body = this.#bodies.shift()
    this.#reserving = body === undefined ? socket : undefined
    if (body === undefined) return
    this.#last += 1
    socket.write(`RESERVED ${this.#last} ${Buffer.byteLength(body)}\r\n${body}\r\n`)
  }
}

const ANSWERS: Readonly<Record<string, string>> = {
  watch: 'WATCHING 2',
  ignore: 'WATCHING 1',
  delete: 'DELETED',
  touch: 'TOUCHED',
  bury: 'BURIED',
  release: 'RELEASED',
}

function asStats(stats: Stats): string {
  const body = `---\n${Object.entries(stats)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}`
  return `OK ${body.length}\r\n${body}`
}

interface Given {
  readonly jobs?: readonly string[]
  readonly job?: Stats
  readonly tube?: Stats
  readonly answers?: Readonly<Record<string, string>>
  readonly intake?: Partial<SourceIntake>
  readonly timing?: Partial<BeanstalkdTiming>
  readonly settings?: Partial<BeanstalkdSettings>
}

/** The source at a tube with these jobs. */
async function run(t: Test, given: Given): Promise<Pulled & { readonly tube: SmallTube }> {
  const tube = await SmallTube.start(t)
  Object.assign(tube.answers, given.answers)
  tube.job = { ...tube.job, ...given.job }
  tube.tube = { ...tube.tube, ...given.tube }
  for (const body of given.jobs ?? []) tube.put(body)
  const source = createBeanstalkd({ ...PATIENT, settleMs: 1, ...given.timing })
  const settings = { endpoint: tube.endpoint, tube: 'labels', ...given.settings }
  return { tube, ...pull(t, source, settings, given.intake) }
}

/** Resolves when the source waits for a job again after so many. */
async function settled(tube: SmallTube, jobs = 1): Promise<void> {
  await poll('the next reserve', () => tube.of('reserve-with-timeout').length > jobs)
}

/** An intake that takes everything, and tells what with. */
function takeAll(ended: Promise<void> = Promise.resolve()) {
  const taken: boolean[] = []
  const accept: SourceIntake['accept'] = ({ mayBeOut = false }) => {
    taken.push(mayBeOut)
    return Promise.resolve({ jobs: [], repeated: false, ended })
  }
  return { taken, accept }
}

t.test('one job after the other is reserved, printed and deleted', async (t) => {
  const { tube, bench, events } = await run(t, {
    jobs: [ZPL64, ZPL64],
    tube: {
      'current-jobs-ready': 3,
      'current-jobs-delayed': 20,
      'current-jobs-buried': 100,
      'current-jobs-reserved': 1_000,
    },
    timing: { reserveSeconds: 17 },
  })
  await settled(tube, 2)
  t.strictSame(tube.lines, [
    'watch labels',
    'ignore default',
    'stats',
    'stats-tube labels',
    'reserve-with-timeout 17',
    'touch 1',
    'stats-job 1',
    'delete 1',
    'reserve-with-timeout 17',
    'touch 2',
    'stats-job 2',
    'delete 2',
    'reserve-with-timeout 17',
  ])
  t.equal(bench.spool.history.list({ limit: 9 }).length, 2, 'twice the same is two labels')
  t.strictSame(
    events.filter(({ kind }) => kind !== 'contact'),
    [{ kind: 'backlog', waiting: 23, bad: 100 }],
  )
  t.equal(events.length - 1, 3, 'contacts: a look, two jobs')
})

t.test('the tube of the server itself is not given up', async (t) => {
  const { tube } = await run(t, { settings: { tube: 'default' } })
  await settled(tube, 0)
  t.strictSame(tube.of('ignore'), [])
})

t.test('the tube is looked at now and then, also when no job comes', async (t) => {
  const { tube, stop, events } = await run(t, {
    answers: { 'stats-tube': 'NOT_FOUND', 'reserve-with-timeout': 'TIMED_OUT' },
    timing: { countMs: 0 },
  })
  await poll('some looks', () => tube.of('stats-tube').length > 3)
  await stop()
  t.match(
    events.find(({ kind }) => kind === 'backlog'),
    { waiting: 0, bad: 0 },
    'a tube that does not exist yet is empty',
  )
  t.notOk(events.some(({ kind }) => kind === 'error'))
})

t.test('a stop ends the reserve at once, whose jobs the server gives to others', async (t) => {
  const { tube, stop } = await run(t, {})
  await settled(tube, 0)
  t.match(await stop(), { name: 'AbortError' })
})

t.test('an answer that is not one to this command ends the pull', async (t) => {
  for (const answers of [
    { 'stats-tube': 'OUT_OF_MEMORY' },
    { 'reserve-with-timeout': 'DRAINING' },
    { delete: 'KICKED' },
    { ignore: 'NOT_IGNORED' },
  ]) {
    const { ended } = await run(t, { answers, jobs: [ZPL64] })
    t.match(spoken(await ended), {
      code: 'SOURCE_REFUSED',
      message: /^The queue server answered [A-Z_]+;/,
    })
  }
})

for (const [reserves, line, fate] of [
  [1, 'release 1 7 1', 'was given back for another station'],
  [2, 'release 1 7 2', 'was given back for another station'],
  [6, 'release 1 7 32', 'was given back for another station'],
  [7, 'release 1 7 60', 'was given back for another station'],
  [59, 'release 1 7 60', 'was given back for another station'],
  [60, 'bury 1 7', 'was buried'],
] as const) {
  t.test(`a job for an unknown printer, given ${reserves} times: ${line}`, async (t) => {
    const stranger = JSON.stringify({ label: ZPL64, printer: 'Bench 9' })
    const { tube, told } = await run(t, { jobs: [stranger], job: { reserves } })
    await settled(tube)
    t.strictSame([...tube.of('release'), ...tube.of('bury')], [line], 'with its priority')
    t.strictSame(tube.of('delete'), [])
    t.ok(told('refused')[0]?.startsWith(`Job 1 of ${tube.endpoint}/labels ${fate}. `))
  })
}

t.test('what can never be printed is buried, and the next one prints', async (t) => {
  const largest = Buffer.from(`^XA^FX${'.'.repeat(741)}^XZ`).toString('base64')
  const { tube, told } = await run(t, {
    jobs: ['no label ~~~', `${largest}\n`, largest],
    intake: { messageBytes: 1_000 },
  })
  await settled(tube, 3)
  t.strictSame([tube.of('bury'), tube.of('delete')], [['bury 1 7', 'bury 2 7'], ['delete 3']])
  t.match(told('refused'), [
    /^Job 1 of .* was buried\. /,
    /^Job 2 of .* was buried\. The message has 1001 bytes; wanted at most 1000 \(Largest req/,
  ])
})

t.test('what the box cannot take goes back and ends the pull, with no word of it', async (t) => {
  const { tube, ended, told } = await run(t, {
    jobs: [ZPL64],
    intake: { accept: () => Promise.reject(FULL) },
  })
  t.equal(await ended, FULL)
  t.strictSame(tube.of('release'), ['release 1 7 0'], 'another server may take it')
  t.strictSame([...tube.of('bury'), ...tube.of('delete')], [])
  t.strictSame(told('refused'), [])
})

for (const [what, given, mayBeOut] of [
  ['given once', { job: { reserves: 1 }, settings: { redelivered: 'hold' } }, false],
  ['lost once', { job: { reserves: 2 }, settings: { redelivered: 'hold' } }, true],
  ['released', { job: { reserves: 2, releases: 1 }, settings: { redelivered: 'hold' } }, false],
  ['buried, kicked', { job: { reserves: 2, buries: 1 }, settings: { redelivered: 'hold' } }, false],
  [
    'all',
    { job: { reserves: 4, releases: 1, buries: 1 }, settings: { redelivered: 'hold' } },
    true,
  ],
  ['lost, to print', { job: { reserves: 2 }, settings: { redelivered: 'print' } }, false],
  ['lost, alone', { job: { reserves: 2 } }, false],
  ['lost, two of us', { job: { reserves: 2 }, tube: { 'current-watching': 2 } }, true],
] as const) {
  t.test(`a job waits for a person when it may be out: ${what}`, async (t) => {
    const { accept, taken } = takeAll()
    const { tube } = await run(t, { jobs: [ZPL64], intake: { accept }, ...given })
    await settled(tube)
    t.strictSame(taken, [mayBeOut])
  })
}

t.test('a job that another server lost waits though that one came after the count', async (t) => {
  const { accept, taken } = takeAll()
  const { tube } = await run(t, { job: { reserves: 2 }, intake: { accept } })
  await settled(tube, 0)
  tube.tube = { ...tube.tube, 'current-watching': 2 }
  tube.put(ZPL64)
  await settled(tube)
  t.strictSame(taken, [true])
})

t.test('a job in the printer is touched till it is out, then deleted', async (t) => {
  const out = Promise.withResolvers<void>()
  const { tube, events } = await run(t, {
    jobs: [ZPL64],
    job: { ttr: 3_600 },
    intake: { ack: 'printed', accept: takeAll(out.promise).accept },
    timing: { countMs: 250 },
  })
  await poll('three touches', () => tube.of('touch').length > 2)
  t.strictSame(tube.of('delete'), [])
  t.ok(events.filter(({ kind }) => kind === 'contact').length > 3, 'the server is there')
  out.resolve()
  await settled(tube)
  t.strictSame(tube.of('delete'), ['delete 1'])
  t.strictSame([...new Set(tube.of('touch'))], ['touch 1'])
})

for (const [what, given] of [
  ['printed', { answers: { delete: 'NOT_FOUND' } }],
  [
    'printing',
    {
      job: { ttr: 0 },
      intake: { ack: 'printed', accept: takeAll(NEVER).accept },
    },
  ],
] as const) {
  t.test(`a job that the server took back (${what}) is told of`, async (t) => {
    const { tube, told, events } = await run(t, { jobs: [ZPL64], ...given })
    await poll('the job in hand', () => tube.of('touch').length > 0)
    tube.answers['touch'] = 'NOT_FOUND'
    await settled(tube)
    t.strictSame(told('warning'), [
      inEnglish(say('tookBack', { where: `${tube.endpoint}/labels` })),
    ])
    t.match(
      events.find(({ kind }) => kind === 'warning'),
      { detail: 'Job 1: its TTR was over.' },
    )
  })
}

t.test('what the server took back before it was looked at is not printed', async (t) => {
  const { taken, accept } = takeAll()
  const answers = { touch: 'NOT_FOUND' }
  const { tube } = await run(t, { jobs: [ZPL64], answers, intake: { accept } })
  await settled(tube)
  t.strictSame([taken, tube.of('delete')], [[], []])
})

t.test('the printer has stopped meanwhile: the job waits in hand, then goes back', async (t) => {
  const { taken, accept } = takeAll()
  let asked = 0
  const { tube } = await run(t, {
    jobs: [ZPL64],
    intake: {
      accept,
      ready: stayStopped,
      isReady: () => {
        asked += 1
        return asked === 1
      },
    },
    timing: { countMs: 30 },
  })
  await poll('the release', () => tube.of('release').length > 0)
  t.strictSame(tube.of('release'), ['release 1 7 0'], 'at once, for another station')
  t.ok(tube.of('touch').length > 0, 'it was ours as long as it waited')
  t.strictSame(taken, [])
})

t.test('the button says what waits in the tube, and does not make it', async (t) => {
  const tube = await SmallTube.start(t)
  const test = async (): Promise<string> =>
    inEnglish(
      await createBeanstalkd(PATIENT).test(
        { endpoint: tube.endpoint, tube: 'labels' },
        AbortSignal.timeout(60_000),
      ),
    )
  const reached = (waiting: number): string =>
    inEnglish(
      say('reachedTube', { version: '1.12', where: tube.endpoint, waiting, name: 'labels' }),
    )
  tube.tube = { 'current-jobs-ready': 5, 'current-jobs-delayed': 1 }
  t.equal(await test(), reached(6))
  tube.tube = { 'current-jobs-ready': 5, 'current-jobs-buried': 1 }
  t.equal(await test(), `${reached(5)} ${inEnglish(say('buried', { bad: 1 }))}`)
  tube.answers['stats-tube'] = 'NOT_FOUND'
  t.equal(await test(), reached(0))
  t.strictSame(tube.of('watch'), [])
})

t.test('numbers that the server does not give, or gives odd, count as usual', async (t) => {
  const small = await SmallTube.start(t)
  const connection = { endpoint: small.endpoint, bodyBytes: 1_000, ...PATIENT }
  using client = await BeanstalkdClient.connect(connection, AbortSignal.timeout(60_000))
  const tube = await Tube.watch(client, 'labels')
  const usual = { priority: '0', ttr: 1, reserves: 1, lost: 0 }
  for (const [stats, expected] of [
    [{}, usual],
    [{ ttr: 'many', reserves: '-4', releases: '1.5' }, usual],
    [{ ttr: '12345678901' }, usual],
    [
      { ttr: 1_234_567_890, pri: 4_294_967_295 },
      { ttr: 1_234_567_890, priority: '4294967295' },
    ],
    [
      { reserves: 2, releases: 5 },
      { reserves: 2, lost: 0 },
    ],
  ] as const) {
    small.job = stats
    t.match(await tube.stats('1'), expected, JSON.stringify(stats))
  }
  small.answers['stats-job'] = 'NOT_FOUND'
  t.strictSame(await tube.stats('1'), usual, 'a job that is gone')
  for (const [word, gone] of [
    ['release', 'NOT_FOUND'],
    ['release', 'BURIED'],
    ['bury', 'NOT_FOUND'],
  ] as const) {
    small.answers[word] = gone
    await t.resolves(word === 'bury' ? tube.bury('1') : tube.release('1', 3), `${word} ${gone}`)
  }
  t.strictSame([small.of('bury'), small.of('release').at(-1)], [['bury 1 0'], 'release 1 0 3'])
  small.answers['touch'] = 'NOT_FOUND'
  t.equal(await tube.touch('1'), false)
  small.answers['reserve-with-timeout'] = 'DEADLINE_SOON'
  t.equal(await tube.reserve(1, AbortSignal.timeout(60_000)), undefined)
})
