import type { Test } from 'tap'
import { TcpSink } from '../devices/tcp-sink.ts'
import { type Server, type Start, startServer, type WireJob } from '../e2e/server.ts'
import { makeLabel as makeSizedLabel } from '../load/label.ts'
import { poll } from '../until.ts'
import { spoken } from '../words/spoken.ts'

/** A broker with one queue on it. Each test of the suite gets a fresh one. */
export interface SourceRig {
  /** The entry of `queues` that pulls from it, less `ack`. */
  readonly queue: Readonly<Record<string, unknown>>
  /** For the program that pulls, e.g. credentials. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * Puts one message; resolves when the broker has it safely. Tries again while the broker is away. Gives the number of
   * tries where more than one may have left the message there twice, because an answer was lost.
   */
  put(message: string): Promise<unknown>
  /** Messages that nobody has acknowledged, those in somebody's hands too. */
  waiting(): Promise<number>
  /** Messages that were set aside on the broker (buried, dead letters); undefined = it has no such place. */
  bad?(): Promise<number>
  /** Ends the broker as hard as its promises bear, and starts it again on the same data. */
  restart(): Promise<void>
  /** Stops the broker's clock, or lets it run. */
  freeze(): void
  thaw(): void
  /** Lets so few bytes through that labels arrive in pieces, or all of them again. */
  slow(): void
  quick(): void
  /** Seconds after which the broker gives a message to somebody else, as set up; 0 = it never does. */
  readonly takeBackSeconds: number
}

/** Behavior that a source or its broker cannot show, with the reason. */
export type Skips = Partial<
  Record<'bad' | 'restart' | 'slow' | 'kill' | 'takeBack' | 'printed' | 'json', string>
>

const LABEL_BYTES = 20_000
const ALL_S = 300 // for all labels of a test, on a disk that takes its time
const LONG = { labels: 1_000, restarts: 10, mostKills: 8 }
const SHORT = { labels: 100, restarts: 3, mostKills: 3 }
const BACK_SOON_S = 4 // what is lost on its way must come again within the test
const HELD_S = 15 // a busy machine must get its word out in a third of it

/** A printable label that bears its mark. */
export function makeLabel(mark: string, bytes = LABEL_BYTES): string {
  return makeSizedLabel(mark, bytes)
}

/** Makes a message of the plain kind. */
export function plain(label: string): string {
  return Buffer.from(label, 'latin1').toString('base64')
}

/** A print server with a network printer, as one bench has it. */
export class Station {
  readonly server: Server
  readonly sink: TcpSink

  constructor(server: Server, sink: TcpSink) {
    this.server = server
    this.sink = sink
  }

  /** Marks of the labels that came out whole, in order; one that came twice stands twice. */
  printed(): readonly string[] {
    return this.sink.connections.flatMap(({ bytes, state }) => {
      const text = Buffer.from(bytes).toString('latin1')
      const mark = /^\^XA\^FX([^^]*)\^FS\.*\^XZ\n$/.exec(text)?.[1]
      return mark === undefined || state === 'open' ? [] : [mark]
    })
  }

  /** Labels that came to their end, whole or cut; cheap to ask. */
  get ended(): number {
    return this.sink.countEnded(200)
  }

  /** Every job, newest first. */
  async jobs(): Promise<readonly WireJob[]> {
    const all: WireJob[] = []
    for (;;) {
      const before = all.at(-1)?.id
      const path = `/jobs?limit=200${before === undefined ? '' : `&before=${before}`}`
      const page = (await (await this.server.get(path)).json()) as readonly WireJob[]
      all.push(...page)
      if (page.length < 200) return all
    }
  }

  /**
   * Every job, once all are printed and the printer has seen the end of each label: the last byte of a label is out a
   * moment before either.
   */
  async settled(): Promise<readonly WireJob[]> {
    let jobs: readonly WireJob[] = []
    await poll(
      'all jobs to be printed',
      async () => {
        jobs = await this.jobs()
        return jobs.every(({ state }) => state === 'completed') && this.ended >= jobs.length
      },
      ALL_S,
    )
    return jobs
  }

  /** The source, once it has come to this state. */
  async sourceIn(state: string): Promise<WireSource> {
    let source = await this.source()
    await poll(`the source to be ${state}`, async () => {
      source = await this.source()
      return source.state === state
    })
    return source
  }

  /** The source, as the page shows it. */
  async source(): Promise<WireSource> {
    const [first] = (await (await this.server.get('/sources')).json()) as readonly WireSource[]
    if (first === undefined) throw new Error('no source')
    return first
  }
}

/** A source as `GET /sources` shows it. */
export interface WireSource {
  readonly type: string
  readonly state: string
  readonly message: string
  readonly error: string
  readonly refusal: string
  readonly warning: string
  readonly contact: string | null
  readonly taken: number
  readonly refused: number
  readonly waiting: number | null
  readonly bad: number | null
}

/** Starts a station that pulls from the rig's queue; a second start in the same folder finds the spool of the first. */
export async function startStation(
  t: Test,
  rig: SourceRig,
  more: { ack?: 'spooled' | 'printed'; folder?: string; sink?: TcpSink } = {},
): Promise<Station> {
  const sink = more.sink ?? (await TcpSink.open())
  t.teardown(() => sink.close())
  const start: Start = {
    folder: more.folder ?? t.testdir(),
    ...(rig.env === undefined ? {} : { env: rig.env }),
    config: {
      printers: [{ name: 'A', uri: sink.uri }],
      queues: [{ ...rig.queue, ack: more.ack ?? 'spooled' }],
      log_level: 'warn',
    },
  }
  return new Station(await startServer(t, start), sink)
}

/** Puts labels of these marks, as many at once as a busy shop does. */
export async function putAll(
  rig: SourceRig,
  marks: readonly string[],
  bytes?: number,
): Promise<void> {
  const left = [...marks]
  const work = async (): Promise<void> => {
    for (let mark = left.shift(); mark !== undefined; mark = left.shift()) {
      await rig.put(plain(makeLabel(mark, bytes)))
    }
  }
  await Promise.all(Array.from({ length: 4 }, work))
}

/** So many marks that begin with a letter of their own. */
export function marksOf(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index}`)
}

const sorted = (marks: readonly string[]): readonly string[] => [...marks].sort()

/** The suite that every source passes: its own test calls this with its own real broker. */
export async function conforms(
  t: Test,
  makeRig: (t: Test, settings: { readonly takeBackSeconds?: number }) => Promise<SourceRig>,
  { isLong = false, skips = {} }: { readonly isLong?: boolean; readonly skips?: Skips } = {},
): Promise<void> {
  const { labels, restarts, mostKills } = isLong ? LONG : SHORT
  await t.test(`${labels} labels arrive once and whole`, async (t) => {
    const rig = await makeRig(t, {})
    const marks = marksOf('L', labels)
    await putAll(rig, marks)
    const station = await startStation(t, rig)
    await poll('all labels to come out', () => station.ended >= labels, 2 * ALL_S)
    await poll('the queue to be empty', async () => (await rig.waiting()) === 0)
    t.equal((await station.settled()).length, labels)
    t.same(sorted(station.printed()), sorted(marks))
    t.match(await station.sourceIn('running'), { error: '', taken: labels, refused: 0 })
  })

  await t.test('JSON brings the fields of a POST', { skip: skips.json ?? false }, async (t) => {
    const rig = await makeRig(t, {})
    const station = await startStation(t, rig)
    const labels = [plain(makeLabel('J1', 900)), plain(makeLabel('J2', 900))]
    await rig.put(JSON.stringify({ labels, printer: 'A', copies: 2, idempotency_key: 'order-7' }))
    await rig.put(JSON.stringify({ labels, printer: 'A', copies: 2, idempotency_key: 'order-7' }))
    await rig.put(JSON.stringify({ label: plain(makeLabel('J3', 900)), label_width: '4' }))
    await poll('five labels', () => station.ended >= 5)
    await poll('the queue to be empty', async () => (await rig.waiting()) === 0)
    await station.settled()
    t.same(sorted(station.printed()), ['J1', 'J1', 'J2', 'J2', 'J3'])
  })

  await t.test(
    'bad messages are neither lost nor in the way',
    { skip: skips.bad ?? false },
    async (t) => {
      const rig = await makeRig(t, {})
      const bad = [
        'this is not base64 ~~~',
        plain('%PDF-1.7 an invoice'),
        '{"label": "QUJD", ',
        '{"printer":"A"}',
        JSON.stringify({ label: plain(makeLabel('X', 900)), printer: 'Nobody' }),
        JSON.stringify({ label: plain(makeLabel('X', 900)), copies: 'many' }),
        '[]',
      ]
      const marks = marksOf('G', bad.length)
      for (const [index, message] of bad.entries()) {
        await rig.put(message)
        await rig.put(plain(makeLabel(marks[index] ?? '', 900)))
      }
      const station = await startStation(t, rig)
      await poll('the good ones', () => station.ended >= marks.length)
      t.same(sorted(station.printed()), sorted(marks))
      await poll('the bad ones to be kept', async () => {
        const held = (await station.jobs()).filter(({ state }) => state === 'pending-held')
        const kept = held.length + ((await rig.bad?.()) ?? 0)
        // A printer that this station does not know may be another one's: such a message may stay in the queue.
        return kept === bad.length || (kept === bad.length - 1 && (await rig.waiting()) === 1)
      })
      await poll('each to be told of', async () => (await station.source()).refused >= bad.length)
      t.match((await station.source()).refusal, /\w+\.$/)
      for (const { format, code, message } of await heldJobs(station)) {
        // A label for an unknown printer is still a label, which a person can print elsewhere.
        const kept =
          code === 'PRINTER_UNKNOWN'
            ? { format: 'zpl', message: /found no printer.*"Nobody"/ }
            : { format: 'unknown', message: /cannot be printed/ }
        t.match({ format, message }, kept, code)
      }
    },
  )

  await t.test(
    `a broker that is stopped and started ${restarts} times loses and repeats nothing`,
    { skip: skips.restart ?? false },
    async (t) => {
      const rig = await makeRig(t, { takeBackSeconds: BACK_SOON_S })
      const station = await startStation(t, rig)
      const marks = marksOf('R', 100)
      const twice = new Set<string>()
      const putting = (async () => {
        for (const mark of marks) {
          if (Number(await rig.put(plain(makeLabel(mark)))) > 1) twice.add(mark)
          await new Promise((resolve) => setTimeout(resolve, 40))
        }
      })()
      for (let round = 1; round <= restarts; round++) {
        const before = station.ended
        await rig.restart()
        // The next stop comes when labels flow again: it must hit work, not the pause after the last one.
        if (before < marks.length) {
          await poll('labels to flow', () => station.ended > before)
        }
      }
      await putting
      await poll('all labels', () => station.ended >= marks.length, ALL_S)
      await poll('the queue to be empty', async () => (await rig.waiting()) === 0)
      await station.settled()
      const printed = station.printed()
      t.same(sorted([...new Set(printed)]), sorted(marks), 'nothing is lost')
      const again = printed.filter((mark, index) => printed.indexOf(mark) !== index)
      t.same(
        again.filter((mark) => !twice.has(mark)),
        [],
        'nothing is repeated but what was put again because its answer was lost',
      )
      // The last restart may have hit an empty queue.
      await station.sourceIn('running')
    },
  )

  await t.test('a slow line brings whole labels', { skip: skips.slow ?? false }, async (t) => {
    const rig = await makeRig(t, {})
    const marks = marksOf('S', 20)
    await putAll(rig, marks)
    rig.slow()
    const station = await startStation(t, rig)
    await poll('the first labels', () => station.ended >= 3)
    rig.quick()
    await poll('all labels', () => station.ended >= marks.length, ALL_S)
    t.same(sorted(station.printed()), sorted(marks))
  })

  await t.test(
    'a print server that is killed loses nothing, and prints nothing whole twice',
    { skip: skips.kill ?? false },
    async (t) => {
      const rig = await makeRig(t, { takeBackSeconds: BACK_SOON_S })
      const marks = marksOf('K', 100)
      await putAll(rig, marks)
      const folder = t.testdir()
      const sink = await TcpSink.open()
      let station = await startStation(t, rig, { folder, sink })
      for (let kills = 0; kills < mostKills; kills++) {
        // 0 .. 60 ms after a label of this life has come out.
        const before = station.ended
        await poll('a label', async () => station.ended > before || (await rig.waiting()) === 0)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
        await station.server.kill()
        station = await startStation(t, rig, { folder, sink })
      }
      await poll('the queue to be empty', async () => (await rig.waiting()) === 0, ALL_S)
      await poll(
        'nothing to be on its way',
        async () =>
          (await station.jobs()).every(({ state }) =>
            ['completed', 'pending-held'].includes(state),
          ),
        ALL_S,
      )
      await poll('the printer to have seen the last end', () => sink.isAlone)
      const printed = station.printed()
      t.equal(new Set(printed).size, printed.length, 'nothing whole came out twice')
      const held = (await station.jobs()).filter(({ state }) => state === 'pending-held')
      // A kill in the look at a message counts as a crash in it: after two it is set aside, here or at the broker.
      t.ok(
        held.every(
          ({ reasons, code }) => reasons.includes('platen-interrupted') || code === 'LABEL_CRASHED',
        ),
      )
      const bad = (await rig.bad?.()) ?? 0
      t.ok(held.length + bad <= mostKills, 'held is at most one label a kill')
      const missing = marks.filter((mark) => !printed.includes(mark))
      t.ok(missing.length <= held.length + bad, 'what did not come out whole waits for a person')
      t.equal((await station.jobs()).length + bad, marks.length, 'every message made one job')
    },
  )

  await t.test(
    'a message that the broker takes back while it is ours prints once',
    { skip: skips.takeBack ?? false },
    async (t) => {
      const rig = await makeRig(t, { takeBackSeconds: 1 })
      const marks = marksOf('T', 60)
      await putAll(rig, marks)
      const station = await startStation(t, rig)
      for (const share of [5, 25]) {
        await poll('some labels', () => station.ended >= share)
        // The whole program stands still for longer than the broker waits.
        station.server.child.kill('SIGSTOP')
        await new Promise((resolve) => setTimeout(resolve, rig.takeBackSeconds * 1000 + 500))
        station.server.child.kill('SIGCONT')
      }
      await poll('all labels', () => station.ended >= marks.length, ALL_S)
      await poll('the queue to be empty', async () => (await rig.waiting()) === 0)
      await station.settled()
      t.same(sorted(station.printed()), sorted(marks))
    },
  )

  await t.test(
    'acknowledged when printed: a message stays ours as long as the printer waits, and prints once',
    { skip: skips.printed ?? false },
    async (t) => {
      const rig = await makeRig(t, { takeBackSeconds: HELD_S })
      const marks = marksOf('P', 6)
      const sink = await TcpSink.open()
      const station = await startStation(t, rig, { ack: 'printed', sink })
      await rig.put(plain(makeLabel(marks[0] ?? '')))
      await poll('the first label', () => station.ended >= 1)
      await poll('its acknowledgement', async () => (await rig.waiting()) === 0)
      await sink.down()
      await putAll(rig, marks.slice(1))
      await poll('a job to wait', async () => (await station.jobs()).length === 2)
      await new Promise((resolve) => setTimeout(resolve, rig.takeBackSeconds * 1000 + 1_000))
      t.equal((await station.jobs()).length, 2, 'one message at a time is ours')
      t.equal(await rig.waiting(), marks.length - 1, 'nothing is acknowledged that did not print')
      await sink.up()
      await poll('all labels', () => station.ended >= marks.length, ALL_S)
      await poll('the queue to be empty', async () => (await rig.waiting()) === 0)
      await station.settled()
      t.same(sorted(station.printed()), sorted(marks))
      t.match(spoken(await station.source()), { warning: '' })
    },
  )

  await t.test('a printer that cannot print stops the pull', async (t) => {
    const rig = await makeRig(t, {})
    const sink = await TcpSink.open()
    await sink.down()
    const station = await startStation(t, rig, { sink })
    const marks = marksOf('W', 30)
    await rig.put(plain(makeLabel(marks[0] ?? '')))
    await poll('the source to wait', async () => (await station.source()).state === 'waiting')
    t.match(spoken((await station.source()).message), /A does not answer/)
    await putAll(rig, marks.slice(1))
    const taken = (await station.jobs()).length
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    t.equal((await station.jobs()).length, taken, 'nothing more is pulled')
    await poll('the acknowledgement', async () => (await rig.waiting()) === marks.length - taken)
    await sink.up()
    await poll('all labels', () => station.ended >= marks.length, ALL_S)
    t.same(sorted(station.printed()), sorted(marks))
  })
}

async function heldJobs(station: Station): Promise<readonly WireJob[]> {
  return (await station.jobs()).filter(({ state }) => state === 'pending-held')
}
